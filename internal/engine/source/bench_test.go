package source

import (
	"path"
	"testing"

	"gauntlet/internal/testing/langtest"
)

// BenchmarkAnalyse measures everything that is done with a tree of sources once its files are read: parsing, the call
// graph, taint, the survey, credentials.
func BenchmarkAnalyse(b *testing.B) {
	files, n := langtest.Files(b, func(name string) bool { return Reads(path.Base(name)) })
	b.SetBytes(n)
	b.ReportAllocs()
	for b.Loop() {
		Analyse(files, nil, nil)
	}
}
