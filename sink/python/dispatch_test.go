//go:build cgo

package python

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
	b.WriteString("import os\nfrom mcp.server import Server\nserver = Server('x')\n@server.call_tool()\nasync def call_tool(name, arguments):\n" +
		"    if name == 'first':\n        return os.remove(arguments['path'])\n")
	for i := range n {
		fmt.Fprintf(&b, "    elif name == 'tool_%d':\n        return read%[1]d(arguments)\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "def read%d(a):\n    return os.listdir(a['path'])\n", i)
	}
	s, errs := Analyse([]sink.File{{Path: "a.py", Text: []byte(b.String())}}, nil, nil)
	if len(errs) > 0 || len(s.Handlers) != n+1 {
		t.Fatalf("got %d handlers, %v", len(s.Handlers), errs)
	}
	for _, h := range s.Handlers {
		if h.Tool == "first" {
			continue
		}
		if len(h.Calls) != 1 || h.Calls[0].Name != "os.listdir()" || h.Via != sink.ByDispatch {
			t.Errorf("%s, tied by %s: %v", h.Tool, h.Via, h.Calls)
		}
	}
}
