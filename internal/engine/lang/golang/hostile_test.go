package golang

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/sink"
)

const head = "package main\nimport \"github.com/modelcontextprotocol/go-sdk/mcp\"\nfunc main() { mcp.AddTool(nil, &mcp.Tool{Name: \"x\"}, f0) }\n"

// Each of these would take time exponential in the length of its text if a bound were missing.
func TestHostileProgramsEnd(t *testing.T) {
	chain := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(strings.ReplaceAll(line, "@", "%[1]d"), "#", "%[2]d")+"\n", i, i+1)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, text string }{
		{"one name for several functions that return each other's results", strings.Repeat("func f0(p string) ([]byte, error) { a, b := f0(p); return f0(string(a), b) }\n", 6)},
		{"results that double", chain(60, "func f@() (any, any) { a, b := f#(); c, d := f#(); if a == c { return f#() }; return b, d }")},
		{"types that hold themselves", "type T struct { T; U }\ntype U struct { T; U }\nfunc f0(t T) (T, error) { return t.g(), nil }"},
		{"interfaces that double", chain(40, "type I@ interface { I#; m() I# }") + "func f0(i I0) { i.m().m().m() }"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if s, errs := Analyse([]sink.File{{Path: "a.go", Text: []byte(head + tt.text)}}, nil, nil); len(errs) > 0 || len(s.Handlers) != 1 {
				t.Errorf("got %+v, %v", s.Handlers, errs)
			}
		})
	}
}
