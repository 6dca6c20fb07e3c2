package archtest

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// SECURITY.md says how many modules the binary links.
func TestLinkedModules(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`links (\d+) modules`).FindStringSubmatch(string(page))
	if said == nil {
		t.Fatal("SECURITY.md does not say how many modules the binary links")
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "../../cmd/gauntlet")
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{}
	for path := range strings.FieldsSeq(string(out)) {
		modules[path] = true
	}
	delete(modules, "gauntlet")
	if got := strconv.Itoa(len(modules)); got != said[1] {
		t.Errorf("the binary links %s modules, SECURITY.md says %s", got, said[1])
	}
}
