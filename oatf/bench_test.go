package oatf

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkLoad loads documents of the public scenario library, one an iteration.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv("GAUNTLET_OATF")
	if dir == "" {
		b.Skip("GAUNTLET_OATF is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "scenarios", "*.yaml"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no scenarios: %v", err)
	}
	var texts []string
	size := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, string(text))
		size += len(text)
	}
	b.SetBytes(int64(size / len(texts)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, _, err := Load(texts[i%len(texts)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkHostile refuses each of the hostile texts.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostileText() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if d, err := Parse(text); err == nil {
					b.Fatal("taken")
				} else if d != nil {
					Validate(d)
				}
			}
		})
	}
}
