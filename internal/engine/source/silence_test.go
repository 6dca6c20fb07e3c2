package source

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/sink"
)

// TestParametersThatArriveNowhere: where no parameter of any tool is followed to a call, silence is a problem and no answer.
func TestParametersThatArriveNowhere(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		tools      int
		want       bool
	}{
		{"the values take a way that nobody follows", "globalThis.pending.push(id); return run(globalThis.taken().command);", 6, true},
		{"one parameter arrives", "return fs.readFileSync(args.path, \"utf8\");", 6, false},
		{"it arrives guarded", "return fs.readFileSync(path.basename(args.path), \"utf8\");", 6, false},
		{"too few tools to say", "return run(globalThis.taken().command);", 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("import { McpServer } from \"@modelcontextprotocol/sdk/server/mcp.js\";\nimport { z } from \"zod\";\nimport * as fs from \"node:fs\";\nimport * as path from \"node:path\";\n" +
				"const id = 1;\nfunction run(c) { return c; }\nconst s = new McpServer({ name: \"x\", version: \"1\" });\n")
			for i := range tt.tools {
				fmt.Fprintf(&b, "s.tool(\"t%d\", { path: z.string() }, async (args) => { %s });\n", i, tt.body)
			}
			_, problems, err := Analyse([]sink.File{{Path: "index.ts", Text: []byte(b.String())}}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := false
			for _, p := range problems {
				got = got || strings.Contains(p.Message, "none of these could be followed")
			}
			if got != tt.want {
				t.Errorf("got %v, want a problem: %v", problems, tt.want)
			}
		})
	}
}

// TestMoreValuesThanAreKept: where more of a caller's values come together than are told apart, the rest is not passed over in silence.
func TestMoreValuesThanAreKept(t *testing.T) {
	for n, want := range map[int]bool{20: false, 40: true} {
		var fields, parts strings.Builder
		for i := range n {
			fmt.Fprintf(&fields, "p%d: z.string(), ", i)
			fmt.Fprintf(&parts, " + args.p%d", i)
		}
		text := "import { McpServer } from \"@modelcontextprotocol/sdk/server/mcp.js\";\nimport { z } from \"zod\";\nimport { execSync } from \"node:child_process\";\n" +
			"const run = (line) => execSync(line);\nnew McpServer({}).tool(\"join\", { " + fields.String() + "}, async (args) => run(\"echo \"" + parts.String() + "));\n"
		s, problems, err := Analyse([]sink.File{{Path: "index.ts", Text: []byte(text)}}, nil, nil)
		if err != nil {
			t.Fatal(err, problems)
		}
		if h := s.Handler("join"); len(h.Flows) == 0 || h.FlowsCut != want {
			t.Errorf("%d parameters in one line: %d flows, cut %v, want some, and %v", n, len(h.Flows), h.FlowsCut, want)
		}
	}
}

// A list of tools that is written in the source is read whole, however long it is.
func TestLongListOfTools(t *testing.T) {
	var text, names strings.Builder
	text.WriteString("import subprocess\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP(\"x\")\n")
	for i := range 30 {
		fmt.Fprintf(&text, "def t%d(host: str) -> str:\n    return subprocess.run(\"ping \" + host, shell=True).stdout\n", i)
		fmt.Fprintf(&names, "t%d, ", i)
	}
	text.WriteString("TOOLS = [" + names.String() + "]\nfor t in TOOLS:\n    mcp.add_tool(t)\n")
	s, problems, err := Analyse([]sink.File{{Path: "server.py", Text: []byte(text.String())}}, nil, nil)
	if err != nil {
		t.Fatal(err, problems)
	}
	for i := range 30 {
		if h := s.Handler(fmt.Sprint("t", i)); h == nil || len(h.Flows) == 0 {
			t.Errorf("t%d has no handler, or no flow", i)
		}
	}
}
