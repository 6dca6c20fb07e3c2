package surface

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A newcomer adds a check in two files, its source and its golden: those that CONTRIBUTING
// prints compile and pass.
func TestContributingAddsACheck(t *testing.T) {
	text, err := os.ReadFile("../../../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, ok := strings.Cut(string(text), "\n## Adding a check\n")
	if !ok {
		t.Fatal("CONTRIBUTING.md has no section about adding a check")
	}
	// The blocks of the section: the source, the golden, what -update appends to it.
	blocks := strings.Split(page, "\n```")
	if len(blocks) < 6 {
		t.Fatalf("%d fences in the section, want three blocks", len(blocks)-1)
	}
	source := strings.TrimPrefix(blocks[1], "go\n")
	golden := strings.TrimPrefix(blocks[3], "\n") + "\n" + strings.TrimPrefix(blocks[5], "\n") + "\n"
	const run = `package surface

import (
	"os"
	"testing"

	"gauntlet/internal/engine/check"
	"gauntlet/internal/testing/checktest"
)

func TestRecipe(t *testing.T) {
	for _, c := range Checks() {
		if c.ID == "SEC-900" {
			checktest.Run(t, os.Getenv("RECIPE"), []*check.Check{c})
			return
		}
	}
	t.Error("the check is not registered")
}
`
	dir := t.TempDir()
	goldens := filepath.Join(dir, "goldens")
	if err := os.Mkdir(goldens, 0o755); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(here, "unencrypted_icon.go"): filepath.Join(dir, "source"),
		filepath.Join(here, "recipe_run_test.go"):  filepath.Join(dir, "run"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"source": source, "run": run, "overlay": string(overlay), "goldens/SEC-900.txtar": golden} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", filepath.Join(dir, "overlay"), "-run", "^TestRecipe$", ".")
	cmd.Env = append(os.Environ(), "RECIPE="+goldens)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the recipe fails: %v\n%s", err, out)
	}
}
