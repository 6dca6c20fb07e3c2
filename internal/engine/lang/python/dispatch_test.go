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

// TestConditionsThatAskForMore: what may run beside an arm that fits is read, and the work does not
// double with each such condition.
func TestConditionsThatAskForMore(t *testing.T) {
	var b strings.Builder
	b.WriteString("import os\nfrom mcp.server.fastmcp import FastMCP\nm = FastMCP('x')\n@m.tool()\ndef known(flag):\n    return act('a', flag)\n" +
		"@m.tool()\ndef unknown(kind, flag):\n    return act(kind, flag)\n" +
		"def act(kind, flag):\n    if kind == 'a' and flag:\n        return os.listdir(flag)\n    elif kind == 'a':\n        return os.remove(flag)\n")
	for i := range 100 {
		fmt.Fprintf(&b, "    elif kind == 'k%d' and flag:\n        os.rmdir(flag)\n", i)
	}
	s, errs := Analyse([]sink.File{{Path: "a.py", Text: []byte(b.String())}}, nil, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for tool, want := range map[string]string{"known": "os.listdir() os.remove()", "unknown": "os.listdir() os.remove() os.rmdir()"} {
		var got []string
		for _, c := range s.Handler(tool).Calls {
			got = append(got, c.Name)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}
