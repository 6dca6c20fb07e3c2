package source

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/sink"
)

const hostileServer = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { exec } from "child_process";
import { z } from "zod";
const server = new McpServer({ name: "t", version: "1.0.0" });
server.tool("run", { line: z.string() }, async ({ line }) => { exec("ls " + line); return { content: [] }; });
`

// TestHostileTrees reads trees that are made to cost much. What is left out is said, and the tool beside it is found: in the same
// program where the bounds let it be read, else in what was found of it.
func TestHostileTrees(t *testing.T) {
	repeat := func(n int, line func(int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	for _, tt := range []struct {
		name  string
		files []sink.File
		said  bool // something of it cannot be read, and that is a problem
	}{
		{"deep nesting", []sink.File{{Path: "deep.js", Text: []byte(strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000))}}, true},
		{"many small functions", []sink.File{{Path: "many.js", Text: []byte(repeat(5_000, func(i int) string { return fmt.Sprintf("function f%d(a) { return f%d(a); }\n", i, i+1) }))}}, false},
		{"a long line", []sink.File{{Path: "long.js", Text: []byte("var a = [" + strings.Repeat("1,", 1<<16) + "1];")}}, false},
		{"a line of two megabytes", []sink.File{{Path: "line.js", Text: []byte("var a = [" + strings.Repeat("1,", 1<<20) + "1];")}}, true},
		{"a line of two megabytes in Python", []sink.File{{Path: "line.py", Text: []byte("a = [" + strings.Repeat("1,", 1<<20) + "1]")}}, true},
		{"modules in a circle", []sink.File{
			{Path: "a.js", Text: []byte("import { b } from './b.js'; export const a = () => b(a);")},
			{Path: "b.js", Text: []byte("import { a } from './a.js'; export const b = (x) => a(b(x));")},
		}, false},
		{"classes in a circle", []sink.File{{Path: "c.js", Text: []byte("class ATool extends BTool { name = 'x'; description = 'd'; }\nclass BTool extends ATool { name = 'y'; description = 'd'; }\n")}}, false},
		{"many entries of archives", []sink.File{{Path: "z.js", Text: []byte("import AdmZip from 'adm-zip'; import path from 'path';\nexport function unpack(f, d) { for (const e of new AdmZip(f).getEntries()) {\n" +
			strings.Repeat("path.join(d, e.entryName);\n", 5_000) + "} }")}}, false},
		{"many conditions on the date", []sink.File{{Path: "d.js", Text: []byte(repeat(5_000, func(i int) string {
			return fmt.Sprintf("export function g%d() { if (Date.now() > 1800000000000) g%d(); }\n", i, i+1)
		}))}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, problems, err := Analyse(append(tt.files, sink.File{Path: "server.ts", Text: []byte(hostileServer)}), nil, nil)
			if err != nil {
				t.Fatal(err, problems)
			}
			if (len(problems) > 0) != tt.said {
				t.Errorf("problems: %v", problems)
			}
			if h := s.Handler("run"); h == nil || len(h.Flows) != 1 || h.Flows[0].Kind != sink.ShellFlow {
				t.Errorf("got %+v", h)
			}
		})
	}
}
