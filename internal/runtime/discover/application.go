package discover

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/engine/check/config"
)

// An Application is an MCP client: where it keeps its servers, and how its files are to be read.
type Application struct {
	Client  config.Client // its name in reports
	Title   string        // its name in documents
	Sources []string      // the public pages that say so
	// Places are read in this order: of a client's files, those that hold everywhere come first.
	Places []Place
	// Reads are the places of what its agent reads beside: instructions, skills, commands, sub-agents, hooks.
	Reads []Place
	// References are the openings of references to the environment that it replaces, as in
	// config.Reference. Folders says that it replaces ${workspaceFolder}, ${userHome} and the like.
	References []string
	Folders    bool
	// URLIsSSE says that an address without a type is one of HTTP+SSE.
	URLIsSSE bool
	// Excludes says that mcp.excluded and mcp.allowed of its settings switch servers off.
	Excludes bool
	// NamesVariables says that members name variables of its environment, which reads as ${env:NAME}.
	NamesVariables bool

	// recognise tells a file of its by the content, where the path says nothing; nil for never.
	recognise func(root *node, format Format) bool
	// commonForm says that other clients write files of the form too, so that it says least.
	commonForm bool
}

// validate returns what is wrong with the value itself.
func (a *Application) validate() error {
	switch {
	case a.Client == "" || a.Title == "":
		return fmt.Errorf("application %q has no name", a.Client)
	case len(a.Sources) == 0:
		return fmt.Errorf("%s: no public page says where its servers stand", a.Client)
	case len(a.places()) == 0:
		return fmt.Errorf("%s: it keeps its servers nowhere", a.Client)
	}
	for _, p := range a.places() {
		if p.base == systemFile && (p.system["linux"] == nil || p.system["darwin"] == nil || p.system["windows"] == nil) {
			return fmt.Errorf("%s: a file of the system is not named for all three", a.Client)
		}
		if p.base != systemFile && p.base != variableFile && (p.path == "" || strings.HasPrefix(p.path, "/") || strings.Contains(p.path, `\`)) {
			return fmt.Errorf("%s: %q is no path below a folder, with slashes", a.Client, p.path)
		}
	}
	return nil
}

// places are all that is known of the application's files.
func (a *Application) places() []Place { return append(slices.Clone(a.Places), a.Reads...) }

// applicationOf returns what is known of a client, nothing for one that is unknown.
func applicationOf(c config.Client) *Application {
	for i := range applications {
		if applications[i].Client == c {
			return &applications[i]
		}
	}
	if c == config.Generic {
		return &generic
	}
	return &Application{Client: c}
}

// clientOfName tells the client from a file's name, "" if it is nobody's in particular.
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
	client, _, _ := placeOf(strings.TrimPrefix(name, "/"))
	return client
}

// clientOfContent tells the client from a file's content.
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

// endsLike reports whether a path ends in what a pattern stands for; * stands for one name.
func endsLike(name, pattern string) bool {
	parts := strings.Split(name, "/")
	n := strings.Count(pattern, "/") + 1
	if n > len(parts)-1 {
		return false
	}
	ok, err := path.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return err == nil && ok
}
