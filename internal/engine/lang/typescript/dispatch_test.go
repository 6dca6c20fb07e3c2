package typescript

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/sink"
)

// TestManyToolsOfOneDispatcher: each tool has its own branch and no other, however many come before it.
func TestManyToolsOfOneDispatcher(t *testing.T) {
	const n = 120
	var b strings.Builder
	b.WriteString("import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';\nimport fs from 'fs';\n" +
		"const wrap = (f) => async (r) => f(r);\n" +
		"server.setRequestHandler(CallToolRequestSchema, wrap(async (request) => {\n  const { name, arguments: a } = request.params;\n" +
		"  if (name === 'first') return fs.rmSync(a.path);\n  switch (name) {\n")
	for i := range n {
		fmt.Fprintf(&b, "    case 'tool_%d': return read%[1]d(a);\n", i)
	}
	b.WriteString("  }\n}));\n")
	for i := range n {
		fmt.Fprintf(&b, "function read%d(a) { return fs.readFileSync(a.path); }\n", i)
	}
	s, errs := Analyse([]sink.File{{Path: "a.js", Text: []byte(b.String())}}, nil, nil)
	if len(errs) > 0 || len(s.Handlers) != n+1 {
		t.Fatalf("got %d handlers, %v", len(s.Handlers), errs)
	}
	for _, h := range s.Handlers {
		if h.Tool == "first" {
			continue
		}
		if len(h.Calls) != 1 || h.Calls[0].Name != "fs.readFileSync()" || h.Via != sink.ByDispatch {
			t.Errorf("%s, tied by %s: %v", h.Tool, h.Via, h.Calls)
		}
	}
}
