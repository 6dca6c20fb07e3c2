package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
)

// An item with more strings than are judged is told of, once, and its neighbours are read.
func TestItemsWithMoreStringsThanAreJudged(t *testing.T) {
	for _, tt := range []struct {
		properties int
		limits     int
	}{{mostFields - 10, 0}, {mostFields + 10, 1}} {
		var b strings.Builder
		b.WriteString(`{"tools": [{"name": "crowded", "inputSchema": {"properties": {`)
		for i := range tt.properties {
			fmt.Fprintf(&b, `"%x": {}, `, i)
		}
		b.WriteString(`"last": {}}}}, {"name": "neighbour", "description": "Adds two numbers."}]}`)
		c, err := catalog.Parse("a.json", b.String(), catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var seen []string
		counts := Check{ID: "GNT-999", Name: "counts-strings", Severity: finding.Low, Doc: "x", Advice: "x", Maturity: Experimental, Needs: Definitions, Taxonomy: "MCP03:2025 weak, ASI01 weak, CWE-200 weak, L4 close, L1 weak", Axis: "tool-poisoning", Source: "https://example.com", RunItem: func(it *Item) { seen = append(seen, fmt.Sprint(len(it.Fields) <= mostFields)) }}
		r := Run(c, []*Check{&counts}, Options{})
		n := 0
		for _, p := range r.Problems {
			if p.Kind == finding.Limit {
				n++
			}
		}
		if n != tt.limits || !slices.Equal(seen, []string{"true", "true"}) {
			t.Errorf("%d properties: %d limits, want %d; %q; %+v", tt.properties, n, tt.limits, seen, r.Problems)
		}
	}
}
