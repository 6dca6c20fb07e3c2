//go:build cgo

package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/syntax"
	"gauntlet/sink"
)

func realFiles(b *testing.B) (files []sink.File, n int64) {
	dir := os.Getenv("GAUNTLET_BENCH_SOURCE")
	if dir == "" {
		b.Skip("GAUNTLET_BENCH_SOURCE names no directory of Python sources")
	}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".py") {
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(dir, p)
			files = append(files, sink.File{Path: filepath.ToSlash(rel), Text: text})
			n += int64(len(text))
		}
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
			if _, err := syntax.Parse(syntax.Python(), f.Text, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}
