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
