package typescript

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/sink"
)

const head = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nconst s = new McpServer({});\n"

// Each of these would take time exponential or without end in the length of its text if a bound were missing.
func TestHostileProgramsEnd(t *testing.T) {
	chain := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(strings.ReplaceAll(line, "@", "%[1]d"), "#", "%[2]d")+"\n", i, i+1)
		}
		return b.String()
	}
	nest := func(n int, open, inner, close string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(close, n)
	}
	for _, tt := range []struct{ name, text string }{
		{"an object that spreads itself", "let a = {}; a = {...a, ...a}; let b = [...b, ...b]; s.tool('x', {}, async () => a.f(b[0]));"},
		{"names that double", chain(60, "const v@ = c ? v# : v# + v#;") + "s.tool('x', {}, async () => v0.f(v0));"},
		{"functions that double", chain(60, "function f@(x) { return f#(f#(x)); }") + "s.tool('x', {}, async (a) => f0(a));"},
		{"closures in a recursion", "function f(k, x) { return f(() => k(x), () => f(k, k)); } s.tool('x', {}, async (a) => f(a, a));"},
		{"classes that double", chain(40, "class C@ extends mix(C#, C#) { constructor() { super(); new C#(); } m() { return super.m(); } }") + "s.tool('x', {}, async () => new C0().m());"},
		{"conditions inside conditions", nest(120, "if (['a'].includes(f(() => { ", "1", " }))) {}") + "s.tool('x', {}, async () => 1);"},
		{"returns that double", chain(60, "const r@ = () => ({ a: process.env.API_KEY, b: r#, c: [r#, r#] });") + "s.tool('x', {}, async () => [r0, r0, r0()]);"},
		{"many registrations of what is given", "function reg(n, f) {" + strings.Repeat("s.tool(n, {}, f);", 300) + "}" + strings.Repeat("reg('x', async () => 1);", 300)},
		{"many dispatchers", chain(300, "s.setRequestHandler(CallToolRequestSchema, async (r) => { switch (r.params.name) { case 't@': return fetch(r.u); } });") + chain(200, "const d@ = { name: 'd@', inputSchema: {} };")},
		{"objects that double", "async function f() { let o0 = {};" + chain(60, "o@.x = o@.y = (o# = {});") + "return g(o0); } s.tool('x', {}, f);"},
		{"a long sum", "const q = " + strings.Repeat("a + ", 1500) + "1; s.tool('x', {}, async () => q.f());"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, errs := Analyse([]sink.File{{Path: "a.ts", Text: []byte(head + tt.text)}}, nil, nil); len(errs) > 0 {
				t.Errorf("could not read the case: %v", errs)
			}
		})
	}
}

func TestModulesInCirclesEnd(t *testing.T) {
	var files []sink.File
	for i := range 30 {
		var b strings.Builder
		for j := range 30 {
			fmt.Fprintf(&b, "export * from './m%d';\n", j)
		}
		files = append(files, sink.File{Path: fmt.Sprintf("m%d.ts", i), Text: []byte(b.String())})
	}
	files = append(files, sink.File{Path: "main.ts", Text: []byte(head + "import { lost } from './m0'; s.tool('x', {}, async () => lost());")})
	if s, _ := Analyse(files, nil, nil); len(s.Handlers) != 1 || s.Handlers[0].Complete() {
		t.Errorf("got %+v, want one handler that could not be read whole", s.Handlers)
	}
}
