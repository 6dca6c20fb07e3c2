//go:build cgo

package syntax

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkParser is tree-sitter alone: what Parse costs without the copy into a Tree. The files are
// those below the directory in GAUNTLET_BENCH_SOURCE, each with the grammar of its name.
func BenchmarkParser(b *testing.B) {
	dir := os.Getenv("GAUNTLET_BENCH_SOURCE")
	if dir == "" {
		b.Skip("GAUNTLET_BENCH_SOURCE names no directory of sources")
	}
	type file struct {
		lang *Language
		text []byte
	}
	var files []file
	n := int64(0)
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		lang := map[string]func() *Language{".py": Python, ".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".ts": TypeScript, ".tsx": TSX}[filepath.Ext(p)]
		if err != nil || d.IsDir() || lang == nil {
			return err
		}
		text, err := os.ReadFile(p)
		files = append(files, file{lang(), text})
		n += int64(len(text))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(n)
	for b.Loop() {
		for _, f := range files {
			tree, err := parse(f.lang, f.text, nil)
			if err != nil {
				b.Fatal(err)
			}
			tree.Close()
		}
	}
}
