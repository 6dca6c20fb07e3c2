package report

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestContributing follows CONTRIBUTING.md: the format printed there compiles, and passes the
// tests that every format must pass.
func TestContributing(t *testing.T) {
	const recipe = "GAUNTLET_TEST_RECIPE"
	if os.Getenv(recipe) != "" {
		return // this is the run below
	}
	page, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "## Adding a report format")
	_, rest, ok2 := strings.Cut(section, "```go\n")
	code, _, ok3 := strings.Cut(rest, "```\n")
	if !ok || !ok2 || !ok3 {
		t.Fatal("CONTRIBUTING.md has no code under Adding a report format")
	}
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "plain.go"), filepath.Join(dir, "overlay.json")
	place, err := filepath.Abs("plain.go")
	if err != nil {
		t.Fatal(err)
	}
	replace, _ := json.Marshal(map[string]any{"Replace": map[string]string{place: file}})
	for name, text := range map[string]string{file: code, overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-overlay", overlay, "-run", "Drop|Contributing|Streamed|Errors|LeavesTheReport|SameInput", "-v", ".")
	cmd.Env = append(os.Environ(), recipe+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFormatsDropNothing") {
		t.Errorf("the printed format fails: %v\n%s", err, out)
	}
}
