package lock

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/catalog"
)

// BenchmarkCheck is what lock --check does with a server of many tools that says what is locked.
func BenchmarkCheck(b *testing.B) {
	var s strings.Builder
	s.WriteString(`{"server":{"name":"big"},"tools":[`)
	for i := range 10_000 {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `{"name":"tool_%06d","description":"Reads the record number %d of the archive.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}`, i, i)
	}
	s.WriteString(`]}`)
	now := parse(b, s.String())
	text := locked(b, s.String())
	b.ReportAllocs()
	for b.Loop() {
		r, err := Parse("l.json", text, catalog.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if changes := r.Changes(entries(now)); changes != nil {
			b.Fatal(changes[0])
		}
	}
}
