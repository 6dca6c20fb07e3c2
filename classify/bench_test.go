package classify_test

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
)

// definition is of the size and kind of the middle tool of the corpus of real servers.
const definition = `{"name": "read_project_file_%d", "title": "Read project file", "description": "Read the contents of a file of the project. Returns the text with line numbers, cut off after the given number of lines. Use this before editing a file. Binary files are refused, and directories are listed instead.\n\nReturns an error when the path is outside of the project.", "inputSchema": {"type": "object", "properties": {"path": {"type": "string", "description": "Path of the file, relative to the root of the project"}, "max_lines": {"type": "integer", "description": "Maximum number of lines to return", "default": 500}, "encoding": {"type": "string", "enum": ["utf-8", "latin-1"], "description": "Encoding of the file"}, "session_id": {"type": "string", "description": "Identifier of the session"}}, "required": ["path"]}, "annotations": {"readOnlyHint": true}}`

func many(t testing.TB, n int) *catalog.Server {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"tools": [`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, definition, i)
	}
	b.WriteString("]}")
	c, err := catalog.Parse("many.json", b.String(), catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Servers[0]
}

// BenchmarkJudge is what a scan pays: labels decided, evidence not written down.
func BenchmarkJudge(b *testing.B) {
	const n = 10_000
	s := many(b, n)
	b.ReportAllocs()
	for b.Loop() {
		classify.Of(s).Each(func(_ int, t *classify.Classified) {
			if t.Confidence(capability.FSRead) != capability.High {
				b.Error("not found")
			}
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/tool")
}

// BenchmarkLabels is what classify pays.
func BenchmarkLabels(b *testing.B) {
	s := many(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		classify.Server(s)
	}
}
