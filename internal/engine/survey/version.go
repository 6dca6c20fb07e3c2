package survey

import (
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
)

// Versions are the least versions of packages that a program asks for, by name: major and minor number.
type Versions map[string][2]int

// wanted is a requirement of Python with its least version: mcp[cli]>=1.23.0
var wanted = lazyregexp.New(`(?m)(?:^|["'])\s*([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[A-Za-z0-9,_ -]*\])?\s*(?:>=|==|~=)\s*(\d{1,4})(?:\.(\d{1,4}))?`)

// maxWanted is how many requirements of one file are read.
const maxWanted = 1_000

// Add reads the requirements in a pyproject.toml or a requirements.txt.
func (v Versions) Add(text string) { v.add(wanted.FindAllStringSubmatch(text, maxWanted)) }

func (v Versions) add(requirements [][]string) {
	for _, m := range requirements {
		major, _ := strconv.Atoi(m[2])
		minor, _ := strconv.Atoi(m[3])
		v[m[1]] = [2]int{major, minor}
	}
}

// requirement is a line of go.mod: github.com/mark3labs/mcp-go v0.57.0
var requirement = lazyregexp.New(`(?m)^\s*(?:require\s+)?([a-z0-9][A-Za-z0-9./_-]*)\s+v(\d{1,4})\.(\d{1,4})\.\d`)

// AddModules reads the requirements in a go.mod, which are the least versions that are built.
func (v Versions) AddModules(text string) { v.add(requirement.FindAllStringSubmatch(text, maxWanted)) }

// A loopbackGuard is an endpoint that compares Host by itself from some version of its package on: what comes by the loopback
// address has to name it. Elsewhere it compares nothing.
type loopbackGuard struct {
	entry, module string
	from          [2]int
}

// loopbackGuards were read in the packages: CVE-2026-34742 for the first; its SSE handler followed later.
// No version of the TypeScript SDK up to 1.32 and 2.4 does the like; there, an application made by createMcpExpressApp does.
var loopbackGuards = []loopbackGuard{
	{"go-sdk/mcp.NewStreamableHTTPHandler", "github.com/modelcontextprotocol/go-sdk", [2]int{1, 4}},
	{"go-sdk/mcp.NewSSEHandler", "github.com/modelcontextprotocol/go-sdk", [2]int{1, 6}},
	{"mcp-go/server.NewStreamableHTTPServer", "github.com/mark3labs/mcp-go", [2]int{0, 56}},
	{"mcp-go/server.NewSSEServer", "github.com/mark3labs/mcp-go", [2]int{0, 56}},
}

// guardsLoopback reports whether an endpoint is one of those, new enough, and the program does not switch it off.
func (s *surveyor) guardsLoopback(entry string) bool {
	for _, g := range loopbackGuards {
		least, ok := s.versions[g.module]
		if ok && strings.HasSuffix(entry, g.entry) && slices.Compare(least[:], g.from[:]) >= 0 {
			return !s.disablesGuard()
		}
	}
	return false
}

// disablesGuard reports whether the program switches the SDK's own comparison off.
func (s *surveyor) disablesGuard() bool {
	const option = "DisableLocalhostProtection"
	return slices.ContainsFunc(slices.Concat(s.g.Program().Calls, s.g.Program().Objects), func(e *ir.Expr) bool {
		return s.isTrue(e.Option(option)) || e.X != nil && strings.HasSuffix(e.X.Text, option) && len(e.Args) == 1 && s.isTrue(e.Args[0].Value)
	})
}

// appMakers make an application that compares Host where it listens on this machine alone, or is told which hosts to let in.
var appMakers = []string{"createMcpExpressApp", "createMcpFastifyApp", "createMcpHonoApp"}

// comparesHostByDefault is the first version of Python's SDK whose FastMCP compares Host and Origin by itself where it listens on
// this machine alone (CVE-2025-66416).
var comparesHostByDefault = [2]int{1, 23}

// sdkCompares reports whether the SDK's own default compares Host: an FastMCP of the official SDK, new enough, that listens on no other address.
func (s *surveyor) sdkCompares() bool {
	least, ok := s.versions["mcp"]
	if !ok || slices.Compare(least[:], comparesHostByDefault[:]) < 0 {
		return false
	}
	found := false
	for _, c := range s.g.Program().Calls {
		name, ok := s.calls(c, "FastMCP")
		if !ok {
			continue
		}
		if name != "mcp.server.fastmcp.FastMCP" && name != "mcp.server.FastMCP" || !s.isLocal(c.Option("host")) || c.Option("transport_security") != nil {
			return false
		}
		found = true
	}
	return found
}

// isLocal reports whether a host is left out or is this machine's own.
func (s *surveyor) isLocal(host *ir.Expr) bool {
	if host == nil {
		return true
	}
	texts := s.constants(host, 0)
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(t string) bool { return t != "127.0.0.1" && t != "localhost" && t != "::1" })
}
