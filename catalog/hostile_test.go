package catalog

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
)

// Documents made to cost more memory than they have bytes. Of each, what the catalog keeps
// stays within a few times the text, what is left out is said, and the problems can be read.
func TestHostileDocumentsStaySmall(t *testing.T) {
	const size = 3 << 20
	list := func(element string) string {
		return strings.TrimSuffix(strings.Repeat(element+",", size/(len(element)+1)), ",")
	}
	var members strings.Builder
	for i := 0; members.Len() < size; i++ {
		fmt.Fprintf(&members, `"k%d":[],`, i)
	}
	for _, tt := range []struct {
		name, text string
		kinds      []finding.ProblemKind // of problems beyond those listed, and limits that were met
	}{
		{"empty items", `{"tools":[` + list("{}") + `]}`, []finding.ProblemKind{finding.Limit, finding.Malformed}},
		{"numbers", `{"tools":[` + list("1") + `]}`, []finding.ProblemKind{finding.Limit, finding.Malformed}},
		{"repeated members", `{"tools":[` + list(`{"a":1,"a":1}`) + `]}`, []finding.ProblemKind{finding.Limit, finding.Malformed}},
		{"members in two cases", `{"tools":[` + list(`{"name":"a","Name":"b"}`) + `]}`, []finding.ProblemKind{finding.Limit, finding.Malformed}},
		{"unknown lists", `{` + members.String() + `"tools":[]}`, []finding.ProblemKind{finding.Limit, finding.Unread}},
		{"servers", `{"servers":[` + list("{}") + `]}`, []finding.ProblemKind{finding.Limit, finding.Unread}},
		{"servers that are none", `{"servers":[` + list("0") + `]}`, []finding.ProblemKind{finding.Limit, finding.Malformed}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c, err := Parse("x", tt.text, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if kept := int(after.HeapAlloc) - int(before.HeapAlloc); kept > 3*len(tt.text) {
				t.Errorf("%d bytes are kept of a document with %d", kept, len(tt.text))
			}
			var kinds []finding.ProblemKind
			for _, p := range c.Problems {
				if p.Kind == finding.Limit || strings.Contains(p.Message, "more problems of this kind are not listed") {
					kinds = append(kinds, p.Kind)
				}
			}
			slices.Sort(kinds)
			if kinds = slices.Compact(kinds); !slices.Equal(kinds, tt.kinds) {
				t.Errorf("what was left out is of the kinds %q, want %q", kinds, tt.kinds)
			}
			if len(c.Problems) > 3*maxProblems {
				t.Errorf("%d problems", len(c.Problems))
			}
			runtime.KeepAlive(c)
		})
	}
}

// A limit that cuts something off is met at its value and not one before.
func TestProblemsAreCounted(t *testing.T) {
	for _, n := range []int{1, maxProblems, maxProblems + 1, maxProblems + 500} {
		c, err := Parse("x", `{"tools":[`+strings.TrimSuffix(strings.Repeat(`{"name":1},`, n), ",")+`]}`, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		want, last := n, "name is not a string but number"
		if n > maxProblems {
			want, last = maxProblems+1, fmt.Sprintf("%d more problems of this kind are not listed", n-maxProblems)
		}
		if got := c.Problems[len(c.Problems)-1].Message; len(c.Problems) != want || got != last {
			t.Errorf("%d malformed items give %d problems, the last %q; want %d, the last %q", n, len(c.Problems), got, want, last)
		}
	}
}

// The least of honest definitions are not cut off by the limit on items to a document's size,
// and a limit of the user's own lifts it.
func TestItemsToTheSizeOfTheirDocument(t *testing.T) {
	tools := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"name":"t%d"}`, i)
		}
		return `{"tools":[` + b.String()[1:] + `]}`
	}
	for _, tt := range []struct {
		n, most, want int
	}{{minItems, 0, minItems}, {2 * minItems, 0, minItems + len(tools(2*minItems))/bytesPerItem}, {2 * minItems, DefaultItems + 1, 2 * minItems}} {
		c, err := Parse("x", tools(tt.n), Limits{Items: tt.most})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(c.Servers[0].Tools()); got != tt.want || (got < tt.n) == (len(c.Problems) == 0) {
			t.Errorf("of %d tools %d were read, want %d; problems %d", tt.n, got, tt.want, len(c.Problems))
		}
	}
}

// A definition of millions of values is a problem and not read, since each check would hold its index; the others are read.
func TestDefinitionOfTooManyValues(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"server":{"name":"s"},"tools":[{"name":"before","inputSchema":{"type":"object"}},{"name":"huge","inputSchema":{"type":"object","enum":[0`)
	for range maxValues {
		b.WriteString(",1")
	}
	b.WriteString(`]}},{"name":"behind","inputSchema":{"type":"object"}}]}`)
	c, err := Parse("a.json", b.String(), Limits{})
	if err != nil || outline(c) != `s@"" /server tool[before behind]` || problems(c) != "limit /tools/1: a definition of more than 1000000 values was not read" {
		t.Errorf("%s, %s, %v", outline(c), problems(c), err)
	}
}
