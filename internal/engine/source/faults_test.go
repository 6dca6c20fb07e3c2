package source

import (
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/sink"
)

// TestOnceMisread reads programs of shapes that were misread once.
func TestOnceMisread(t *testing.T) {
	const low = `import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { execSync } from "child_process";
import fs from "fs";
const server = new Server({ name: "t", version: "1" }, { capabilities: { tools: {} } });
`
	for _, tt := range []struct {
		name, file, text, tool string
		listed                 []string
		check                  func(h *sink.Handler) string // what is wrong, "" for nothing
	}{
		{
			name: "a line made by += is no fixed program", file: "a.js", tool: "log", text: low + `server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  switch (name) {
    case "log": { let line = "git log"; line += " " + args.branch; return { content: [{ type: "text", text: String(execSync(line)) }] }; }
  }
});`,
			check: runsAnything,
		},
		{
			name: "a template with a fixed start is no fixed program", file: "a.js", tool: "log", text: low + "server.setRequestHandler(CallToolRequestSchema, async (request) => {\n" +
				"  switch (request.params.name) {\n    case \"log\": return { content: [{ type: \"text\", text: String(execSync(`git log ${request.params.arguments.branch}`)) }] };\n  }\n});",
			check: runsAnything,
		},
		{
			name: "in Python, too", file: "a.py", tool: "log", text: `import subprocess
from fastmcp import FastMCP
mcp = FastMCP("t")
@mcp.tool()
def log(branch: str) -> str:
    line = "git log"
    line += " " + branch
    return subprocess.check_output(line, shell=True, text=True)
`,
			check: runsAnything,
		},
		{
			name: "a name that is looked up in a map before the switch has its own branch alone", file: "a.js", tool: "ping", text: low + `const KNOWN = { ping: { title: "Ping" }, write: { title: "Write" } };
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  const spec = KNOWN[name];
  if (!spec) throw new Error("unknown");
  switch (name) {
    case "ping": return { content: [] };
    case "write": fs.writeFileSync(args.path, args.text); return { content: [] };
    default: throw new Error("unknown " + name);
  }
});`,
			check: func(h *sink.Handler) string {
				if s, _ := h.Support(capability.FSWrite); s != sink.None {
					return "writes, which another branch does"
				}
				return ""
			},
		},
		{
			name: "a name that is looked up in a map of functions that are not known is not read whole", file: "a.js", tool: "ping", listed: []string{"ping"}, text: low + `import { handlers } from "./generated.js";
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  const known = handlers[name];
  if (known) return await known(args);
  switch (name) {
    case "write": fs.writeFileSync(args.path, args.text); return { content: [] };
  }
});`,
			check: func(h *sink.Handler) string {
				if h.Complete() {
					return "is said to be read whole"
				}
				return ""
			},
		},
		{
			name: "a server that is mounted under a prefix", file: "a.py", tool: "files_remove", listed: []string{"files_remove"}, text: `import os
from fastmcp import FastMCP
main = FastMCP("main")
files = FastMCP("files")
@files.tool()
def remove(path: str) -> str:
    os.remove(path)
    return "ok"
main.mount("files", files)
`,
			check: func(h *sink.Handler) string {
				if s, _ := h.Support(capability.FSWrite); s != sink.Strong {
					return "does not write"
				}
				return ""
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, problems, err := Analyse([]sink.File{{Path: tt.file, Text: []byte(tt.text)}}, tt.listed, nil)
			if err != nil {
				t.Fatal(err, problems)
			}
			h := s.Handler(tt.tool)
			if h == nil {
				t.Fatalf("%s has no handler: %+v", tt.tool, s.Handlers)
			}
			if wrong := tt.check(h); wrong != "" {
				t.Errorf("%s %s: %+v", tt.tool, wrong, *h)
			}
		})
	}
}

// runsAnything says what is wrong with a handler that hands a line of the caller's to a shell.
func runsAnything(h *sink.Handler) string {
	if s, _ := h.Support(capability.Exec); s != sink.Strong {
		return "starts a fixed program"
	}
	for _, f := range h.Flows {
		if f.Kind == sink.ShellFlow && strings.HasPrefix(f.Param, "branch") {
			return ""
		}
	}
	return "has no flow to the shell"
}
