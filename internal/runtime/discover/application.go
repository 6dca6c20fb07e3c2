package discover

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/engine/check/config"
)

// An Application is an MCP client: where it keeps its servers, and how to read its files.
type Application struct {
	Client  config.Client // name in reports
	Title   string        // name in documents
	Sources []string      // public pages that document it
	// Places are read in this order: files that apply everywhere come first.
	Places []Place
	// Reads are the places of other files its agent reads: instructions, skills, commands, sub-agents, hooks.
	Reads []Place
	// References are the opening delimiters of the environment references it expands, as in config.Reference. Folders says that it
	// expands ${workspaceFolder}, ${userHome} and the like.
	References []string
	Folders    bool
	// URLIsSSE says that a URL without a type means HTTP+SSE.
	URLIsSSE bool
	// Excludes says that mcp.excluded and mcp.allowed of its settings disable servers.
	Excludes bool
	// AllServers says that every member of mcp is a server, JSON5 that its JSON files are JSON5.
	AllServers, JSON5 bool
	// NamesVariables says that members name environment variables, read as ${env:NAME}.
	NamesVariables bool

	// recognise identifies its files by content when the path says nothing; may be nil.
	recognise func(root *node, format Format) bool
	// commonForm says that other clients use the same form, so that content says least.
	commonForm bool
}

// places returns all known places of the application's files.
func (a *Application) places() []Place { return append(slices.Clone(a.Places), a.Reads...) }

// applicationOf returns a client's Application, empty if unknown.
func applicationOf(c config.Client) *Application {
	for i := range applications {
		if applications[i].Client == c {
			return &applications[i]
		}
	}
	if c == config.Generic || strings.HasPrefix(string(c), string(Unknown)) {
		return &generic
	}
	return &Application{Client: c}
}

// clientOfName identifies the client by a file's name, "" if ambiguous.
func clientOfName(name string) config.Client {
	name = "/" + slashed(name)
	best, longest := config.Client(""), -1
	for i := range applications {
		for _, p := range applications[i].Places {
			for _, pattern := range p.patterns() {
				if n := strings.Count(pattern, "/"); n > longest && endsLike(name, pattern) {
					best, longest = applications[i].Client, n
				}
			}
		}
	}
	if best != "" {
		return best
	}
	p, _ := patternOf(strings.TrimPrefix(name, "/"))
	return p.client
}

// clientOfContent identifies the client by a file's content.
func clientOfContent(root *node, format Format) config.Client {
	for _, last := range []bool{false, true} {
		for i := range applications {
			if a := &applications[i]; a.recognise != nil && a.commonForm == last && a.recognise(root, format) {
				return a.Client
			}
		}
	}
	return config.Generic
}

// endsLike reports whether a path ends in a pattern; * matches one name.
func endsLike(name, pattern string) bool {
	parts := strings.Split(name, "/")
	n := strings.Count(pattern, "/") + 1
	if n > len(parts)-1 {
		return false
	}
	ok, err := path.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return err == nil && ok
}
