package syntax

import (
	"path"
	"testing"

	"gauntlet/internal/testing/langtest"
)

var grammars = map[string]func() *Language{
	".py": Python, ".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".ts": TypeScript, ".tsx": TSX,
}

func BenchmarkParse(b *testing.B) {
	files, n := langtest.Files(b, func(name string) bool { return grammars[path.Ext(name)] != nil })
	b.SetBytes(n)
	for b.Loop() {
		for _, f := range files {
			if _, err := Parse(grammars[path.Ext(f.Path)](), f.Text, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}
