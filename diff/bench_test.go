package diff

import (
	"fmt"
	"strings"
	"testing"
)

// tools is a snapshot of n tools, each with the end of a description.
func tools(n int, end, required string) string {
	var b strings.Builder
	b.WriteString(`{"server":{"name":"big"},"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%06d","description":"Reads the record number %d of the archive and returns its fields as text, newest first.%s",`+
			`"inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"q":{"type":"string"}},"required":[%s]}}`, i, i, end, required)
	}
	b.WriteString(`]}`)
	return b.String()
}

// BenchmarkAllChanged is the worst of honest cases: every tool has another description and
// another schema.
func BenchmarkAllChanged(b *testing.B) {
	was, now := parse(b, tools(10_000, "", `"id"`)), parse(b, tools(10_000, " Then sends them.", `"id","q"`))
	b.ReportAllocs()
	for b.Loop() {
		if d := Catalogs(was, now); d.Summary.Changed != 10_000 {
			b.Fatalf("%d changed", d.Summary.Changed)
		}
	}
}
