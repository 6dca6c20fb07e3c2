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

// A base is the folder that a Place's path is relative to.
type base uint8

const (
	homeFolder    base = iota // user's home
	configFolder              // system folder for program settings
	localFolder               // like configFolder, on Windows the one local to this machine
	xdgFolder                 // ~/.config or XDG_CONFIG_HOME, on every system
	projectFolder             // current project
	systemFile                // absolute path per system
	variableFile              // path in an environment variable
)

// A Place is a path where a client keeps servers. A * matches names in a folder: all configurations in it or, if followed by a
// path, all folders.
type Place struct {
	base     base
	path     string              // slash-separated
	system   map[string][]string // by operating system
	variable string              // variable that overrides the base folder, or for variableFile holds the file
	inFolder string              // the path in that folder
	systems  []string            // operating systems; nil for all
	optional bool
	names    []string
	role     config.Role
}

func inHome(path string) Place    { return Place{base: homeFolder, path: path} }
func inConfig(path string) Place  { return Place{base: configFolder, path: path} }
func inLocal(path string) Place   { return Place{base: localFolder, path: path} }
func inXDG(path string) Place     { return Place{base: xdgFolder, path: path} }
func inProject(path string) Place { return Place{base: projectFolder, path: path} }

// namedBy returns the file whose path is in an environment variable.
func namedBy(variable string) Place { return Place{base: variableFile, variable: variable} }

// ofSystem returns a file that an administrator writes for all users.
func ofSystem(linux, darwin string, windows ...string) Place {
	return Place{base: systemFile, system: map[string][]string{"linux": {linux}, "darwin": {darwin}, "windows": windows}}
}

// or adds an environment variable that names another folder, in which the file has this path.
func (p Place) or(variable, path string) Place {
	p.variable, p.inFolder = variable, path
	return p
}

// shared says that the file holds other settings too and may have no servers.
func (p Place) shared() Place {
	p.optional = true
	return p
}

// as sets the files' role for an agent; the default is configuration.
func (p Place) as(role config.Role) Place {
	p.role, p.optional = role, true
	return p
}

func (p Place) within(path string, role config.Role) Place {
	p.path += path
	return p.as(role)
}

func (p Place) on(systems ...string) Place {
	p.systems = systems
	return p
}

// alsoNamed adds a path suffix by which a file elsewhere is recognised as the client's.
func (p Place) alsoNamed(pattern string) Place {
	p.names = append(p.names, pattern)
	return p
}

// patterns returns the path suffixes that identify files of this place.
func (p *Place) patterns() []string {
	out := p.names
	if p.path != "" {
		out = append(out, p.path)
	}
	for _, paths := range p.system {
		for _, path := range paths {
			path = slashed(path)
			out = append(out, path[strings.IndexByte(path, '/')+1:])
		}
	}
	return out
}

// paths returns the place's paths on a host, none if it lacks the folder.
func (p *Place) paths(h Host) []string {
	if p.systems != nil && !slices.Contains(p.systems, h.family()) {
		return nil
	}
	switch p.base {
	case projectFolder:
		if h.Cwd == "" {
			return nil
		}
		return []string{h.joinPath(h.Cwd, p.path)}
	case variableFile:
		if path := h.env(p.variable); path != "" {
			return []string{path}
		}
		return nil
	case systemFile:
		return p.system[h.family()]
	}
	if dir := h.env(p.variable); p.variable != "" && dir != "" {
		return []string{h.joinPath(dir, p.inFolder)}
	}
	return []string{h.joinPath(h.folder(p.base), p.path)}
}

func (h Host) folder(b base) string {
	switch {
	case b == homeFolder:
		return h.Home
	case b == localFolder && h.OS == "windows":
		if dir := h.env("LOCALAPPDATA"); dir != "" {
			return dir
		}
		return h.joinPath(h.Home, "AppData/Local")
	case b == configFolder && h.OS == "windows":
		if dir := h.env("APPDATA"); dir != "" {
			return dir
		}
		return h.joinPath(h.Home, "AppData/Roaming")
	case (b == configFolder || b == localFolder) && h.OS == "darwin":
		return h.joinPath(h.Home, "Library/Application Support")
	}
	if dir := h.env("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	return h.joinPath(h.Home, ".config")
}

// family returns the host's system; an unknown one is treated as Linux.
func (h Host) family() string {
	if h.OS == "darwin" || h.OS == "windows" {
		return h.OS
	}
	return "linux"
}

// A configurationPath is one path to read, with what is known of the file.
type configurationPath struct {
	path string
	hint Hint
}

// configurationPaths lists where clients keep servers on a host.
func configurationPaths(h Host) []configurationPath {
	var out []configurationPath
	for i := range applications {
		a := &applications[i]
		places := a.places()
		for j := range places {
			p := &places[j]
			hint := Hint{Client: a.Client, Optional: p.optional, Role: p.role}
			if p.base == projectFolder {
				hint.Project = h.Cwd
			}
			for _, path := range p.paths(h) {
				out = append(out, configurationPath{path, hint})
			}
		}
	}
	return out
}
