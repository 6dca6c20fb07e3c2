package proberun

import (
	"os"
	"path/filepath"

	"gauntlet/internal/runtime/sandbox"
)

// plant creates a file where the server sees it, and reports whether it exists.
func (g *testbed) plant(f *Planted) bool {
	if g.box != nil {
		return g.box.WriteFile(sandbox.File{Path: f.Path, Mode: 0o644, Data: f.Data}) == nil
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return false
	}
	return os.WriteFile(f.Path, f.Data, 0o644) == nil
}
