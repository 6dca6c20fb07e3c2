package source

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/sink"
)

const classRegistry = `from mcp.server import Server
import subprocess
server = Server("tools")

class Tool:
    def execute(self, arguments):
        return self.work(arguments)

class Ping(Tool):
    def get_name(self):
        return "ping"
    def get_description(self):
        return "Pings a host."
    def work(self, arguments):
        return subprocess.run("ping " + arguments["host"], shell=True)

class Clock(Tool):
    def get_name(self):
        return "clock"
    def get_description(self):
        return "Tells the time."
    def work(self, arguments):
        return "noon"

TOOLS = {"ping": Ping(), "clock": Clock()}
NAMES = {"ghost": object(), "other": 1}

@server.call_tool()
async def handle(name, arguments):
    if name in TOOLS:
        tool = %s
        return tool.execute(arguments)
    return NAMES[name]
`

// TestRegistryOfToolClasses: objects of classes in a table that is asked for the tool's name are tools, each with its own
// class's methods; entries of a table that answer no call are none.
func TestRegistryOfToolClasses(t *testing.T) {
	for _, lookup := range []string{"TOOLS[name]", "TOOLS.get(name)"} {
		s, problems, err := Analyse([]sink.File{{Path: "server.py", Text: fmt.Appendf(nil, classRegistry, lookup)}}, nil, nil)
		if err != nil || len(problems) > 0 {
			t.Fatalf("%s: problems %v, %v", lookup, problems, err)
		}
		var tools, flows []string
		for _, h := range s.Handlers {
			tools = append(tools, h.Tool)
			for _, f := range h.Flows {
				flows = append(flows, h.Tool+"."+f.Param+" "+string(f.Kind))
			}
		}
		if got := strings.Join(tools, " "); got != "clock ping" {
			t.Errorf("%s: tools %q", lookup, got)
		}
		if got := strings.Join(flows, ", "); got != "ping.host shell" {
			t.Errorf("%s: flows %q", lookup, got)
		}
	}
}

// TestToolClassesWithoutHandlers: where most classes of tools were tied to no tool, the sources were not read whole; where half
// of them were, nothing is said, since a class may be switched off.
func TestToolClassesWithoutHandlers(t *testing.T) {
	class := func(i int) string {
		return fmt.Sprintf("class T%d:\n    def get_name(self):\n        return make(%d)\n    def get_description(self):\n        return \"x\"\n    def execute(self, arguments):\n        return 1\n", i, i)
	}
	helper := "class Worker:\n    def execute(self):\n        return 1\n" // neither named nor described
	for _, tt := range []struct {
		classes int
		want    bool
	}{{2, false}, {3, true}} {
		text := pyServer + helper
		for i := range tt.classes {
			text += class(i)
		}
		_, problems, err := Analyse([]sink.File{{Path: "server.py", Text: []byte(text)}}, nil, nil)
		if err != nil || (len(problems) == 1) != tt.want {
			t.Errorf("%d classes: problems %v, %v", tt.classes, problems, err)
		}
	}
}

const mapRegistry = `import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { exec } from "child_process";
abstract class BaseTool {
  abstract getName(): string;
  abstract work(args: any): any;
  getDescription() { return "A tool."; }
  async execute(args: any) { return this.work(args); }
}
class Ping extends BaseTool {
  getName() { return "ping"; }
  getDescription() { return "Pings a host."; }
  work(args: any) { return exec("ping " + args.host); }
}
class Clock extends BaseTool {
  getName() { return "clock"; }
  getDescription() { return "Tells the time."; }
  work(args: any) { return "noon"; }
}
class Person {
  getName() { return "Ada"; }
  execute(args: any) { return exec("say " + args.text); }
}
class Registry {
  private tools = new Map<string, BaseTool>();
  register(tool: BaseTool) { this.tools.set(tool.getName(), tool); }
  get(name: string) { return this.tools.get(name); }
}
const registry = new Registry();
registry.register(new Ping());
registry.register(new Clock());
new Server({ name: "x", version: "1" }).setRequestHandler(CallToolRequestSchema, async (request) =>
  registry.get(request.params.name)!.execute(request.params.arguments));
`

// TestClassesThatReturnTheirNames: a class that names and describes itself by methods is a tool, wherever it is registered, and the
// inherited method that answers its calls calls its own; a class that only has a name is none.
func TestClassesThatReturnTheirNames(t *testing.T) {
	s, problems, err := Analyse([]sink.File{{Path: "server.ts", Text: []byte(mapRegistry)}}, nil, nil)
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, %v", problems, err)
	}
	var got []string
	for _, h := range s.Handlers {
		got = append(got, h.Tool)
		for _, f := range h.Flows {
			got = append(got, f.Param, string(f.Kind))
		}
	}
	if want := "clock ping host shell"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDeclaredToolsWithoutHandlers: the same holds for tools that are declared without a handler beside them, unless the server's
// own list is known.
func TestDeclaredToolsWithoutHandlers(t *testing.T) {
	declare := func(n int) (out string) {
		for i := range n {
			out += fmt.Sprintf("t%d = Tool(name=\"tool_%d\", description=\"x\", inputSchema={})\n", i, i)
		}
		return out
	}
	for _, tt := range []struct {
		declared int
		tools    []string
		want     bool
	}{{1, nil, false}, {2, nil, true}, {2, []string{"both"}, false}} {
		_, problems, err := Analyse([]sink.File{{Path: "server.py", Text: []byte(pyServer + declare(tt.declared))}}, tt.tools, nil)
		if err != nil || (len(problems) == 1) != tt.want {
			t.Errorf("%d declared, listed %q: problems %v, %v", tt.declared, tt.tools, problems, err)
		}
	}
}
