//go:build cgo

package syntax

import (
	"path"
	"testing"

	"gauntlet/internal/engine/lang/langtest"
)

var grammars = map[string]func() *Language{
	".py": Python, ".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".ts": TypeScript, ".tsx": TSX,
}

func benchmark(b *testing.B, read func(lang *Language, text []byte) error) {
	files, n := langtest.Files(b, func(name string) bool { return grammars[path.Ext(name)] != nil })
	b.SetBytes(n)
	for b.Loop() {
		for _, f := range files {
			if err := read(grammars[path.Ext(f.Path)](), f.Text); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkParser is tree-sitter alone, without the copy into a Tree.
func BenchmarkParser(b *testing.B) {
	benchmark(b, func(lang *Language, text []byte) error {
		tree, err := parseText(lang, text, nil)
		if err == nil {
			tree.Close()
		}
		return err
	})
}

func BenchmarkParse(b *testing.B) {
	benchmark(b, func(lang *Language, text []byte) error {
		_, err := Parse(lang, text, nil)
		return err
	})
}
