package discover

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/check/config"
)

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

// within returns a place below this one.
func (p Place) within(path string, role config.Role) Place {
	p.path += path
	return p.as(role)
}

// on restricts the place to systems.
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
