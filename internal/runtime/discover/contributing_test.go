package discover

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// recipe names the fixture in the run that TestContributingAddsAClient starts.
const recipe = "GAUNTLET_TEST_RECIPE"

// A newcomer adds a client in two files, a value and its fixture: those that CONTRIBUTING
// prints compile, and give what it says.
func TestContributingAddsAClient(t *testing.T) {
	if os.Getenv(recipe) != "" {
		followRecipe(t, os.Getenv(recipe))
		return
	}
	page, err := os.ReadFile("../../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Adding an MCP client\n")
	section, _, _ = strings.Cut(section, "\n## ")
	// The blocks of the section: the value, the fixture, a section that -update appends to it.
	blocks := strings.Split(section, "\n```")
	if len(blocks) != 7 {
		t.Fatalf("%d fences under Adding an MCP client, want three blocks", len(blocks)-1)
	}
	const file, list = "applications.go", "var applications = []Application{\n"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(source), list)
	if !ok {
		t.Fatalf("%s has no list of applications", file)
	}
	place, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	changed, overlay, fixture := filepath.Join(dir, "source"), filepath.Join(dir, "overlay"), filepath.Join(dir, "fixture")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{place: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		changed: before + list + strings.TrimPrefix(blocks[1], "go\n") + "\n" + after,
		overlay: string(replace),
		fixture: strings.TrimPrefix(blocks[3], "\n") + "\n" + strings.TrimPrefix(blocks[5], "\n") + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-run", "^TestContributingAddsAClient$|^TestClientOfName$", "-v", ".")
	cmd.Env = append(os.Environ(), recipe+"="+fixture)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestContributingAddsAClient") {
		t.Errorf("the recipe fails: %v\n%s", err, out)
	}
}

// followRecipe reads the fixture with the value of the page among the applications.
func followRecipe(t *testing.T, fixture string) {
	t.Helper()
	if a := &applications[0]; a.Client != "example-editor" || a.validate() != nil {
		t.Fatalf("the client %q is not that of the page, or not valid: %v", a.Client, a.validate())
	}
	a, err := txtar.ParseFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	h := hosts(a)["linux"]
	golden(t, a, "want linux", render(h, All(h)))
}
