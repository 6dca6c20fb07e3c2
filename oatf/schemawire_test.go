package oatf

import (
	"os"
	"strings"
	"testing"

	"gauntlet/internal/hostile"
)

// The schema of x-gauntlet-wire is the one that the table of hostilities makes.
func TestSchemaOfWire(t *testing.T) {
	const begin, end = "\n    \"wire\": ", ",\n    \"phase\": {"
	text := Schema()
	before, rest, ok := strings.Cut(text, begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("schema.json has no $defs.wire ahead of phase")
	}
	want := strings.ReplaceAll(hostile.Schema(), "\n", "\n    ")
	if got == want {
		return
	}
	t.Errorf("oatf/schema.json: $defs.wire is not what internal/hostile says; -update rewrites it")
	if *update {
		if err := os.WriteFile("schema.json", []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
