package source

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gauntlet/internal/testing/opcount"
	"gauntlet/sink"
)

const (
	pythonHead = "import os\nfrom mcp.server import Server\nserver = Server('x')\n@server.call_tool()\nasync def call_tool(name, arguments):\n"
	pythonRead = "def read%[1]d(a):\n    return os.listdir(a['path'])\n"
	scriptHead = "import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';\nimport fs from 'fs';\n" +
		"server.setRequestHandler(CallToolRequestSchema, async (request) => {\n  const { name, arguments: a } = request.params;\n"
	scriptRead = "function read%[1]d(a) { return fs.readFileSync(a.path); }\n"
)

// dispatchers are the ways in which one function answers all tools: head, a branch for each tool,
// foot, and something for each tool behind it.
var dispatchers = []struct{ name, file, head, branch, foot, behind string }{
	{"python elif", "a.py", pythonHead + "    if name == 'first':\n        return 1\n",
		"    elif name == 'tool_%[1]d':\n        return read%[1]d(arguments)\n", "    else:\n        raise ValueError(name)\n", pythonRead},
	{"python elif and more", "a.py", pythonHead + "    if name == 'first':\n        return 1\n",
		"    elif name == 'tool_%[1]d' and arguments:\n        return read%[1]d(arguments)\n", "    else:\n        raise ValueError(name)\n", pythonRead},
	{"python if and return", "a.py", pythonHead, "    if name == 'tool_%[1]d':\n        return read%[1]d(arguments)\n", "", pythonRead},
	{"python if and one return", "a.py", pythonHead + "    result = None\n",
		"    if name == 'tool_%[1]d':\n        result = read%[1]d(arguments)\n", "    return result\n", pythonRead},
	{"python match", "a.py", pythonHead + "    match name:\n", "        case 'tool_%[1]d':\n            return read%[1]d(arguments)\n", "", pythonRead},
	{"python enumeration", "a.py", pythonHead + "    match name:\n", "        case Tools.T%[1]d:\n            return read(arguments)\n",
		"def read(a):\n    return os.listdir(a['path'])\nclass Tools(str, Enum):\n", "    T%[1]d = 'tool_%[1]d'\n"},
	{"python table", "a.py", pythonHead + "    return await TABLE[name](arguments)\nTABLE = {\n", "    'tool_%[1]d': read%[1]d,\n", "}\n", pythonRead},
	{"script switch", "a.js", scriptHead + "  switch (name) {\n", "    case 'tool_%[1]d': return read%[1]d(a);\n", "  }\n});\n", scriptRead},
	{"script switch on the request", "a.js", scriptHead + "  switch (request.params.name) {\n",
		"    case 'tool_%[1]d': return read%[1]d(a);\n", "    default: throw new Error('unknown');\n  }\n});\n", scriptRead},
	{"script if", "a.js", scriptHead, "  if (name === 'tool_%[1]d') { return read%[1]d(a); }\n", "});\n", scriptRead},
	{"script object", "a.js", scriptHead + "  return table[name](a);\n});\nconst table = {\n", "  tool_%[1]d: (a) => read%[1]d(a),\n", "};\n", scriptRead},
	{"script map", "a.js", scriptHead + "  return table.get(name)(a);\n});\nconst table = new Map([\n", "  ['tool_%[1]d', (a) => read%[1]d(a)],\n", "]);\n", scriptRead},
}

// dispatching returns a server of n tools, and their names.
func dispatching(i, n int) ([]sink.File, []string) {
	d := dispatchers[i]
	var b strings.Builder
	b.WriteString(d.head)
	var tools []string
	for i := range n {
		fmt.Fprintf(&b, d.branch, i)
		tools = append(tools, fmt.Sprintf("tool_%d", i))
	}
	b.WriteString(d.foot)
	for i := range n {
		fmt.Fprintf(&b, d.behind, i)
	}
	return []sink.File{{Path: d.file, Text: []byte(b.String())}}, tools
}

// TestThousandsOfToolsOfOneDispatcher: each is tied to its own branch and to no other.
func TestThousandsOfToolsOfOneDispatcher(t *testing.T) {
	const n = 3_000
	for i, d := range dispatchers {
		t.Run(d.name, func(t *testing.T) {
			files, tools := dispatching(i, n)
			s, problems, err := Analyse(files, tools, nil)
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			by := s.ByTool()
			for i, tool := range tools {
				h := by[tool]
				if h == nil || h.Via != sink.ByDispatch || len(h.Calls) != 1 || h.Calls[0].Strength != sink.Strong {
					t.Fatalf("%s: got %+v, want one strong call by dispatch", tool, h)
				}
				if chain, own := h.Calls[0].Chain, fmt.Sprintf("read%d", i); !strings.Contains(d.head+d.foot, "def read(") && chain[len(chain)-1].Func != own {
					t.Fatalf("%s: got %s, want its own %s", tool, h.Calls[0].Evidence(), own)
				}
			}
		})
	}
}

// TestDispatchIsLinear counts steps: twice the tools may take little more than twice as many, while
// a dispatcher that is read from end to end for each tool takes four times as many.
func TestDispatchIsLinear(t *testing.T) {
	if os.Getenv("GAUNTLET_HEAVY") == "" {
		t.Skip("it builds the package anew: only with GAUNTLET_HEAVY=1, as .ci/full has it")
	}
	c := opcount.New(t, "gauntlet/internal/engine/source", "gauntlet/internal/engine/callgraph", "gauntlet/internal/leaf/ir", "gauntlet/internal/leaf/syntax", "gauntlet/sink/...")
	count := func(i, n int) int {
		return c.Count(t, "TestDispatchOnce", fmt.Sprintf("%s=%d %d", dispatchVariable, i, n))
	}
	const n = 250 // twice as many still fit in a file whose symbols are not counted first: that begins at 100 kB
	for i, d := range dispatchers {
		small, large := count(i, n), count(i, 2*n)
		t.Logf("%s: %d and %d steps", d.name, small, large)
		if float64(large) > 2.2*float64(small) {
			t.Errorf("%s: %d tools take %d steps and twice as many %d, %.1f times as many", d.name, n, small, large, float64(large)/float64(small))
		}
		if small < 100*n {
			t.Errorf("%s: %d tools take only %d steps: the counting is broken", d.name, n, small)
		}
	}
}

// dispatchVariable asks a process of a steps.Counter to read one dispatcher: INDEX N.
const dispatchVariable = "GAUNTLET_DISPATCH"

// TestDispatchOnce is the work that TestDispatchIsLinear counts, in a process of its own.
func TestDispatchOnce(t *testing.T) {
	index, size, ok := strings.Cut(os.Getenv(dispatchVariable), " ")
	if !ok {
		t.Skip("is run by TestDispatchIsLinear")
	}
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(size)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	files, tools := dispatching(i, n)
	if _, _, err := Analyse(files, tools, nil); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkDispatch reads servers whose tools are branches of one function.
func BenchmarkDispatch(b *testing.B) {
	for i, d := range dispatchers {
		for _, n := range []int{1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/tools=%d", strings.ReplaceAll(d.name, " ", "-"), n), func(b *testing.B) {
				files, tools := dispatching(i, n)
				b.SetBytes(int64(len(files[0].Text)))
				for b.Loop() {
					if _, _, err := Analyse(files, tools, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/tool")
			})
		}
	}
}
