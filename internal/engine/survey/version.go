package survey

import (
	"regexp"
	"slices"
	"strconv"

	"gauntlet/internal/leaf/ir"
)

// Versions are the least versions of packages that a program asks for, by name: major and minor number.
type Versions map[string][2]int

// wanted is a requirement of Python with its least version: mcp[cli]>=1.23.0
var wanted = regexp.MustCompile(`(?m)(?:^|["'])\s*([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[A-Za-z0-9,_ -]*\])?\s*(?:>=|==|~=)\s*(\d{1,4})(?:\.(\d{1,4}))?`)

// maxWanted is how many requirements of one file are read.
const maxWanted = 1_000

// Add reads the requirements in a pyproject.toml or a requirements.txt.
func (v Versions) Add(text string) {
	for _, m := range wanted.FindAllStringSubmatch(text, maxWanted) {
		major, _ := strconv.Atoi(m[2])
		minor, _ := strconv.Atoi(m[3])
		v[m[1]] = [2]int{major, minor}
	}
}

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
		if name != "mcp.server.fastmcp.FastMCP" && name != "mcp.server.FastMCP" || !s.isLocal(argument(c, "host")) || argument(c, "transport_security") != nil {
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
