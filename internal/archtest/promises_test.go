package archtest

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// promiseTest matches a test that SECURITY.md names for a promise.
var promiseTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")

// Every test that SECURITY.md names exists.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	names := promiseTest.FindAllStringSubmatch(string(page), -1)
	if len(names) < 5 {
		t.Errorf("SECURITY.md names %d tests", len(names))
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{$d := .Dir}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`, "../../...")
	list.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=1") // some promises hold there alone
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for file := range strings.FieldsSeq(string(out)) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, n := range names {
		if !strings.Contains(all.String(), "\nfunc "+n[1]+"(") {
			t.Errorf("SECURITY.md names %s, and there is no such test", n[1])
		}
	}
}

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
