package delivery

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/oatf"
)

// The public scenarios: each with an MCP actor has parts that carry it, and in the family
// that hijacks by what a tool answers that answer is told from the honest rest.
func TestScenarios(t *testing.T) {
	dir := os.Getenv("GAUNTLET_OATF")
	if dir == "" {
		t.Skip("GAUNTLET_OATF names no directory")
	}
	files, err := filepath.Glob(filepath.Join(dir, "scenarios", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", dir, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, _, err := oatf.Load(string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		w := New(doc)
		if len(w.parts) > 0 && len(w.carriers) == 0 {
			t.Errorf("%s: %d parts, none of which carries the attack", f, len(w.parts))
		}
		if !strings.HasPrefix(filepath.Base(f), "OATF-014") {
			continue
		}
		e := w.Exposure()
		if len(e.Parts) != 1 || e.Parts[0].Method != "tools/call" || e.Parts[0].Name != "browse_web" {
			t.Errorf("%s: carried by %+v, want the answer of browse_web alone", filepath.Base(f), e.Parts)
		}
	}
}
