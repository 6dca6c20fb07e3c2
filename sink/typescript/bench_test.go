//go:build cgo

package typescript

import (
	"os"
	"path/filepath"
	"testing"

	"gauntlet/internal/syntax"
	"gauntlet/sink"
)

// realFiles reads the sources that GAUNTLET_BENCH_SOURCE names: the benchmarks want what
// people wrote.
func realFiles(b *testing.B) (files []sink.File, n int64) {
	dir := os.Getenv("GAUNTLET_BENCH_SOURCE")
	if dir == "" {
		b.Skip("GAUNTLET_BENCH_SOURCE names no directory of sources")
	}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !Reads(p) {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		files = append(files, sink.File{Path: filepath.ToSlash(rel), Text: text})
		n += int64(len(text))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return files, n
}

func BenchmarkAnalyse(b *testing.B) {
	files, n := realFiles(b)
	b.SetBytes(n)
	for b.Loop() {
		Analyse(files, nil, nil)
	}
}

func BenchmarkParse(b *testing.B) {
	files, n := realFiles(b)
	b.SetBytes(n)
	for b.Loop() {
		for _, f := range files {
			if _, err := syntax.Parse(grammar(f.Path), f.Text, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}
