package source

import (
	"strings"
	"testing"

	"gauntlet/sink"
)

// TestRegistrationsThatAreNotRecognised: tools that are registered in an unknown form beside known ones make the analysis incomplete, and are
// named; functions that only look alike do not.
func TestRegistrationsThatAreNotRecognised(t *testing.T) {
	py := pyServer + `
@mcp.tool()
def known(path: str) -> str:
    return path
`
	if !strings.Contains(pyServer, "mcp =") {
		py = strings.ReplaceAll(py, "@mcp.", "@server.")
	}
	ts := `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "x", version: "1" });
server.tool("known", "Does something known.", async () => ({ content: [] }));
`
	for _, tt := range []struct {
		name, file, text string
		want             string // in the problem; "" for none
	}{
		{"a decorator of its own", "a.py", py + `
class Registry:
    def register_tool(self, name, description):
        return lambda fn: self.entries.append((name, fn))

registry = Registry()

@registry.register_tool("list_files", description="Lists the files of a directory.")
def list_files(path: str) -> str:
    return path
`, "1 further tool in a way that is not recognised, which was not analysed: list_files (a.py:"},
		{"a function of its own", "a.ts", ts + `import { defineAcmeTool } from "acme-mcp-kit";
defineAcmeTool("remove_file", "Removes a file of the caller.", { path: "string" }, async ({ path }: any) => remove(path));
defineAcmeTool({ name: "copy_file", description: "Copies a file of the caller.", run: async ({ path }: any) => copy(path) });
`, "found for 2 tools, and the sources seem to register 1 further tool in a way that is not recognised, which was not analysed: remove_file (a.ts:5)"},
		{"a function without the word, often", "a.ts", ts + `const all: any[] = [];
function capability(name: string, about: string, run: any) { all.push({ n: name, a: about, r: run }); }
capability("one", "Does the first thing.", async () => 1);
capability("two", "Does the second thing.", async () => 2);
capability("three", "Does the third thing.", async () => 3);
`, "3 further tools"},
		{"a function without the word, rarely", "a.ts", ts + `const all: any[] = [];
function capability(name: string, about: string, run: any) { all.push({ n: name, a: about, r: run }); }
capability("one", "Does the first thing.", async () => 1);
`, ""},
		{"commands of another package", "a.ts", ts + `import { program } from "commander";
program.command("build", "Builds all of it.", async () => 1);
program.command("test", "Tests all of it.", async () => 1);
program.command("lint", "Reads all of it.", async () => 1);
`, ""},
		{"a loop over a list that is written there", "a.ts", ts + `const tools = [
  { name: "one", about: "Does the first thing.", run: async () => 1 },
  { name: "two", about: "Does the second thing.", run: async () => 2 },
];
for (const t of tools) server.tool(t.name, t.about, t.run);
`, ""},
		{"a tool that has a handler", "a.ts", ts + `import { describeTool } from "./docs";
describeTool("known", "Does something known.", () => 1);
`, ""},
		{"texts about a tool", "a.ts", ts + `import { toolError } from "./docs";
toolError("known tool failed", "Does something known.", () => 1);
`, ""},
		{"another package's tool", "a.py", py + `
from langchain.tools import tool

@tool("search", description="Searches the index of texts.")
def search(query: str) -> str:
    return query
`, ""},
	} {
		_, problems, err := Analyse([]sink.File{{Path: tt.file, Text: []byte(tt.text)}}, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		switch {
		case tt.want == "" && len(problems) > 0:
			t.Errorf("%s: got %v, want no problem", tt.name, problems)
		case tt.want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, tt.want)):
			t.Errorf("%s: got %v, want %q", tt.name, problems, tt.want)
		}
	}
}
