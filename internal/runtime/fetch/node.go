package fetch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/result"
)

// maxManifest bounds the files that say what a package is.
const maxManifest = 4 << 20

// A nodeManifest is a package.json.
type nodeManifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Bin          json.RawMessage   `json:"bin"`
	Main         string            `json:"main"`
	Scripts      map[string]string `json:"scripts"`
	Dependencies map[string]string `json:"dependencies"`

	depends bool // it asks for other packages in whatever way
	text    []byte
	bins    map[string]string // by name
}

// readSmall reads a file that is not large.
func readSmall(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxManifest {
		return nil, fmt.Errorf("%s is no file of an ordinary size", filepath.Base(name))
	}
	return os.ReadFile(name)
}

func readNodeManifest(dir string) (*nodeManifest, error) {
	text, err := readSmall(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	// What is of another type than expected is left out, and the rest is read.
	var m nodeManifest
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &members); err != nil {
		return nil, fmt.Errorf("package.json: %w", err)
	}
	for name, to := range map[string]any{"name": &m.Name, "version": &m.Version, "bin": &m.Bin, "main": &m.Main, "scripts": &m.Scripts, "dependencies": &m.Dependencies} {
		if raw := members[name]; raw != nil {
			_ = json.Unmarshal(raw, to)
		}
	}
	for _, name := range []string{"dependencies", "optionalDependencies", "peerDependencies", "bundleDependencies", "bundledDependencies"} {
		m.depends = m.depends || len(bytes.TrimSpace(members[name])) > len("{}")
	}
	m.text = text
	m.readBins()
	return &m, nil
}

func (m *nodeManifest) readBins() {
	m.bins = map[string]string{}
	var one string
	if json.Unmarshal(m.Bin, &one) == nil && one != "" {
		m.bins[path.Base(m.Name)] = one
		return
	}
	var many map[string]string
	_ = json.Unmarshal(m.Bin, &many) // neither of the two forms is none
	for name, file := range many {
		if base := path.Base(name); base != "." && base != "/" && file != "" {
			m.bins[base] = file
		}
	}
}

// program chooses the program that npx would start, or else the one that speaks of MCP, or the first by name;
// others is how many there are beside it.
func (m *nodeManifest) program() (name string, others int) {
	names := make([]string, 0, len(m.bins))
	for n := range m.bins {
		names = append(names, n)
	}
	return chooseProgram(names, path.Base(m.Name))
}

// chooseProgram chooses among the programs of a package: the one named like it, or one that speaks of MCP or a
// server, or the first by name.
func chooseProgram(names []string, pkg string) (name string, others int) {
	if len(names) == 0 {
		return "", 0
	}
	slices.Sort(names)
	others = len(names) - 1
	if slices.Contains(names, pkg) {
		return pkg, others
	}
	for _, word := range []string{"mcp", "server"} {
		if i := slices.IndexFunc(names, func(n string) bool { return strings.Contains(strings.ToLower(n), word) }); i >= 0 {
			return names[i], others
		}
	}
	return names[0], others
}

// installEvents are the scripts that npm runs when a package is installed.
var installEvents = []string{"preinstall", "install", "postinstall"}

// noteNode notes what the package.json of an unpacked package says.
func noteNode(p *Fetched) error {
	m, err := readNodeManifest(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		p.Facts.Faults = append(p.Facts.Faults, result.ArchiveFault{Kind: result.FaultBroken, Detail: "it holds no package.json"})
		return nil
	} else if err != nil {
		p.Facts.Faults = append(p.Facts.Faults, result.ArchiveFault{Kind: result.FaultBroken, Path: "package.json", Detail: "could not be read: " + err.Error()})
		return nil
	}
	p.Facts.Direct = len(m.Dependencies)
	label := m.Name + "@" + m.Version
	for _, event := range installEvents {
		if command := m.Scripts[event]; command != "" {
			p.Facts.Scripts = append(p.Facts.Scripts, result.InstallScript{Package: label, Event: event, Command: command, Own: true, File: "package.json", Line: lineOf(m.text, `"`+event+`"`)})
		}
	}
	if _, err := os.Lstat(filepath.Join(p.Dir, "binding.gyp")); err == nil && m.Scripts["install"] == "" && m.Scripts["preinstall"] == "" {
		p.Facts.Scripts = append(p.Facts.Scripts, result.InstallScript{Package: label, Event: "install", Command: "node-gyp rebuild", Own: true, File: "binding.gyp"})
	}
	return nil
}

// lineOf returns the line of a text in which a word stands first, 0 for none.
func lineOf(text []byte, word string) int {
	i := bytes.Index(text, []byte(word))
	if i < 0 {
		return 0
	}
	return bytes.Count(text[:i], []byte("\n")) + 1
}

// maxScripts bounds the install scripts of dependencies that a report lists.
const maxScripts = 50

// noteNodeTree notes what npm installed.
func (p *Fetched) noteNodeTree(tree string) error {
	text, err := os.ReadFile(filepath.Join(tree, "node_modules", ".package-lock.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was installed
	} else if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct {
			Version          string `json:"version"`
			HasInstallScript bool   `json:"hasInstallScript"`
			Name             string `json:"name"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("what npm says it installed: %w", err)
	}
	paths := make([]string, 0, len(lock.Packages))
	for at := range lock.Packages {
		paths = append(paths, at)
	}
	slices.Sort(paths)
	for _, at := range paths {
		_, name, ok := cutLast(at, "node_modules/")
		if !ok || name == p.Name && strings.Count(at, "node_modules/") == 1 {
			continue
		}
		one := lock.Packages[at]
		if one.Name != "" {
			name = one.Name
		}
		p.Packages = append(p.Packages, Dependency{"npm", name, one.Version})
		if one.HasInstallScript && len(p.Facts.Scripts) < maxScripts {
			p.Facts.Scripts = append(p.Facts.Scripts, result.InstallScript{Package: name + "@" + one.Version, Event: "install"})
		}
	}
	p.Facts.Installed = len(p.Packages)
	return nil
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
