package fetch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
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
	Optional     map[string]string `json:"optionalDependencies"`
	Dev          map[string]string `json:"devDependencies"`
	Workspaces   json.RawMessage   `json:"workspaces"`

	native bool // binding.gyp lies beside it, and no script of its own stands in for the build

	text []byte
	bins map[string]string // by name
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
	m, err := parseNodeManifest(text)
	if err == nil && m.Scripts["install"] == "" && m.Scripts["preinstall"] == "" {
		_, absent := os.Lstat(filepath.Join(dir, "binding.gyp"))
		m.native = absent == nil
	}
	return m, err
}

// parseNodeManifest reads a package.json. What is of another type than expected is left out, and the rest is read.
func parseNodeManifest(text []byte) (*nodeManifest, error) {
	var m nodeManifest
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &members); err != nil {
		return nil, fmt.Errorf("package.json: %w", err)
	}
	for name, to := range map[string]any{"name": &m.Name, "version": &m.Version, "bin": &m.Bin, "main": &m.Main, "scripts": &m.Scripts, "dependencies": &m.Dependencies, "optionalDependencies": &m.Optional, "devDependencies": &m.Dev, "workspaces": &m.Workspaces} {
		if raw := members[name]; raw != nil {
			_ = json.Unmarshal(raw, to)
		}
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
	p.noteScripts("package.json", m)
	if p.isProject() {
		return p.noteLinked(m)
	}
	return nil
}

// isProject reports whether the package is a folder of its author and not what a registry would hand out.
func (p *Fetched) isProject() bool { return p.Kind == Directory || p.Kind == Git }

// lineOf returns the line of a text in which a word stands first, 0 for none.
func lineOf(text []byte, word string) int {
	i := bytes.Index(text, []byte(word))
	if i < 0 {
		return 0
	}
	return bytes.Count(text[:i], []byte("\n")) + 1
}

// maxOdd bounds the odd dependencies that a report lists.
const maxOdd = 50

// odd notes a dependency that is not simply a version of a package of the registry.
func (p *Fetched) odd(kind, pkg, detail string) {
	o := result.OddDependency{Kind: kind, Package: pkg, Detail: detail}
	if slices.Contains(p.Facts.Odd, o) {
		return
	}
	if len(p.Facts.Odd) < maxOdd {
		p.Facts.Odd = append(p.Facts.Odd, o)
	} else if len(p.Facts.Odd) == maxOdd {
		p.Facts.Odd = append(p.Facts.Odd, result.OddDependency{Kind: result.OddUnverified, Package: p.Label, Detail: fmt.Sprintf("it has more than %d odd dependencies; the others are not listed", maxOdd)})
	}
}

// compareManifests compares what the registry says of a package with the package.json of its archive.
func (p *Fetched) compareManifests(registry, archive *nodeManifest) {
	differ := func(what, registry, archive string) {
		if registry != archive {
			p.odd(result.OddManifest, p.Label, fmt.Sprintf("%s is %q in the registry and %q in the archive", what, registry, archive))
		}
	}
	differ("the name", registry.Name, archive.Name)
	differ("the version", registry.Version, archive.Version)
	compare := func(what string, registry, archive map[string]string) {
		names := slices.Sorted(maps.Keys(registry))
		for _, n := range append(names, slices.Sorted(maps.Keys(archive))...) {
			if registry[n] != archive[n] {
				differ(what+" "+n, registry[n], archive[n])
				delete(archive, n) // said once
				delete(registry, n)
			}
		}
	}
	compare("the dependency", allDependencies(registry), allDependencies(archive))
	compare("the program", cleanPaths(registry.bins), cleanPaths(archive.bins))
	ours, theirs := installScripts(archive), installScripts(registry)
	if theirs["install"] == nativeBuild && ours["install"] == "" {
		delete(theirs, "install") // which registries add
	}
	compare("the script", theirs, ours)
}

// nativeBuild is the script that a binding.gyp implies.
const nativeBuild = "node-gyp rebuild"

// allDependencies are those that are installed; old versions of npm list the optional ones twice.
func allDependencies(m *nodeManifest) map[string]string { return joinMaps(m.Optional, m.Dependencies) }

// joinMaps returns what two maps hold; the second wins.
func joinMaps(a, b map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func cleanPaths(in map[string]string) map[string]string {
	out := map[string]string{}
	for name, file := range in {
		out[name] = path.Clean(file)
	}
	return out
}

func installScripts(m *nodeManifest) map[string]string {
	out := maps.Clone(m.Scripts)
	maps.DeleteFunc(out, func(event, command string) bool { return command == "" || !slices.Contains(installEvents, event) })
	return out
}

// A lockedPackage is what npm says of one that it chose.
type lockedPackage struct {
	Version          string `json:"version"`
	Resolved         string `json:"resolved"`
	Integrity        string `json:"integrity"`
	Link             bool   `json:"link"`
	InBundle         bool   `json:"inBundle"`
	Dev              bool   `json:"dev"`
	HasInstallScript bool   `json:"hasInstallScript"`
	Name             string `json:"name"`
	// Dependencies and Optional are what it asks for.
	Dependencies map[string]string `json:"dependencies"`
	Optional     map[string]string `json:"optionalDependencies"`
	// Peers are those that it uses if they are there; npm installs all but the optional ones.
	Peers map[string]string `json:"peerDependencies"`
}

// noteNodeTree notes what npm chose, also where it did not install it, what of that is no version of a package of a registry, and
// what lies there whatever the lockfile says. Without registries what lies there was installed by the user.
func (p *Fetched) noteNodeTree(tree string, registries []string) error {
	packages, err := readNodeLock(tree)
	if err != nil && registries != nil {
		return err
	} else if err != nil {
		p.odd(result.OddUnverified, p.Label, "its lockfile could not be read")
	}
	p.unchosen = notChosen(packages, func(one *lockedPackage) map[string]string { return joinMaps(one.Dependencies, one.Optional) })
	absent, missing := p.unchosen, 0
	var aliases []string
	onDisk := map[string]*nodeManifest{}
	for _, at := range append(p.linked, ".") {
		p.readModules(tree, at, onDisk)
	}
	for at, m := range onDisk {
		if _, listed := packages[at]; !listed {
			packages[at] = lockedPackage{Name: m.Name, Version: m.Version, InBundle: true, Dependencies: m.Dependencies, Optional: m.Optional}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(packages)) {
		_, called, ok := cutLast(at, "node_modules/")
		one := packages[at]
		name := cmp.Or(one.Name, called)
		own := ok && name == p.Name && strings.Count(at, "node_modules/") == 1 && !p.isProject()
		if !ok || one.Dev && !p.isProject() {
			continue
		}
		label := name
		if one.Version != "" {
			label += "@" + one.Version
		}
		for _, list := range []map[string]string{one.Dependencies, one.Optional} {
			for _, asked := range slices.Sorted(maps.Keys(list)) {
				p.noteSpec(asked, list[asked], label)
			}
		}
		if name != called {
			aliases = append(aliases, called+" is "+label)
		}
		if registries != nil {
			p.noteOdd(label, &one, registries)
		}
		if own {
			continue
		}
		m := onDisk[at]
		switch {
		case m != nil:
			p.noteScripts(path.Join(at, "package.json"), m)
		case one.HasInstallScript:
			p.addScripts(result.InstallScript{Package: label, Event: "install"})
		}
		if one.Dev {
			continue
		}
		p.Packages = append(p.Packages, Dependency{"npm", name, one.Version})
		if m == nil {
			missing++
			if !one.Link { // which is told already
				absent = append(absent, label)
			}
		}
	}
	p.Facts.Installed = len(p.Packages) - missing
	p.noteSome(result.OddAbsent, notInstalled, absent)
	p.noteSome(result.OddAbsent, "it uses others where they are installed, which were not read", notChosen(packages, func(one *lockedPackage) map[string]string { return one.Peers }))
	p.noteSome(result.OddAlias, "what it depends on has the name of another package", aliases)
	return nil
}

// readNodeLock reads what npm says that it chose, by the place in the tree; nothing where there is no lockfile.
func readNodeLock(tree string) (map[string]lockedPackage, error) {
	var lock struct {
		Packages map[string]lockedPackage `json:"packages"`
	}
	text, err := os.ReadFile(filepath.Join(tree, "package-lock.json"))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(tree, "node_modules", ".package-lock.json"))
	}
	if err == nil {
		err = json.Unmarshal(text, &lock)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("what npm says it installed: %w", err)
	}
	if lock.Packages == nil {
		lock.Packages = map[string]lockedPackage{}
	}
	return lock.Packages, err
}

// noteShrinkwrap notes what the lockfile that a package brings asks for beside the registry: npm takes it from there, whatever the
// package.json says. Its forms differ, but an entry is named by its member and says where it is in "resolved" or "version".
func (p *Fetched) noteShrinkwrap(registries []string) {
	text, err := readSmall(filepath.Join(p.Dir, "npm-shrinkwrap.json"))
	var lock map[string]any
	if errors.Is(err, fs.ErrNotExist) {
		return
	} else if err != nil || json.Unmarshal(text, &lock) != nil {
		p.odd(result.OddUnverified, p.Label, "its npm-shrinkwrap.json could not be read")
		return
	}
	var walk func(entries map[string]any)
	walk = func(entries map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			one, ok := entries[name].(map[string]any)
			if !ok {
				continue
			}
			_, short, found := cutLast(name, "node_modules/")
			if !found {
				short = name
			}
			from, _ := one["resolved"].(string)
			if version, _ := one["version"].(string); !registrySpec.MatchString(version) {
				from = version
			}
			if from != "" && !slices.ContainsFunc(registries, func(r string) bool { return sameOrigin(r, from) }) {
				p.odd(result.OddAddress, short, fmt.Sprintf("the npm-shrinkwrap.json of %s has it come from %s, which is not the registry", p.Label, strconv.Quote(excerpt.Clip(WithoutCredentials(from), 100))))
			}
			walk(one)
		}
	}
	walk(lock)
}

// notChosen lists what packages ask for and npm has left out without a word, such as optional ones that it could not load.
func notChosen(packages map[string]lockedPackage, askedBy func(*lockedPackage) map[string]string) (out []string) {
	for _, at := range slices.Sorted(maps.Keys(packages)) {
		one := packages[at]
		if one.Dev || at == "" {
			continue
		}
		asked := askedBy(&one)
		for _, name := range slices.Sorted(maps.Keys(asked)) {
			if label := name + "@" + asked[name]; !isChosen(packages, at, name) && !slices.Contains(out, label) {
				out = append(out, label)
			}
		}
	}
	return out
}

// isChosen reports whether a package finds another one, in its own folder or in one above.
func isChosen(packages map[string]lockedPackage, at, name string) bool {
	for {
		if _, ok := packages[path.Join(at, "node_modules", name)]; ok {
			return true
		}
		before, _, ok := cutLast(at, "node_modules/")
		if !ok {
			_, ok := packages[path.Join("node_modules", name)]
			return ok
		}
		at = strings.TrimSuffix(before, "/")
	}
}

// registrySpec matches what names a package of the registry: a range or a tag, also of a package under another name.
var registrySpec = lazyregexp.New(`^(npm:(@[^/]+/)?[^/:]+|[^/:]*)$`)

// noteSpec notes what a package asks for by something else than a name of the registry.
func (p *Fetched) noteSpec(name, spec, by string) {
	if !registrySpec.MatchString(spec) {
		p.odd(result.OddAddress, name, fmt.Sprintf("%s asks for it as %s, which is not the registry", by, strconv.Quote(excerpt.Clip(WithoutCredentials(spec), 100))))
	}
}

// noteOdd notes what of a package that npm chose is not of a registry.
func (p *Fetched) noteOdd(label string, one *lockedPackage, registries []string) {
	switch {
	case one.Link:
		p.odd(result.OddAddress, label, "it is a link to "+strconv.Quote(one.Resolved))
	case one.InBundle:
		p.odd(result.OddBundled, label, "it comes inside of the archive of another package, and not from the registry")
	case !slices.ContainsFunc(registries, func(r string) bool { return sameOrigin(r, one.Resolved) }):
		p.odd(result.OddAddress, label, "it comes from "+strconv.Quote(WithoutCredentials(one.Resolved))+", which is not the registry")
	case one.Integrity == "":
		p.odd(result.OddUnverified, label, "the registry gives no hash of it")
	}
}

const notInstalled = "what it depends on is not installed on this system, and was not read"

// mostShown bounds the packages that one entry names.
const mostShown = 8

func (p *Fetched) noteSome(kind, what string, packages []string) {
	if len(packages) > 0 {
		p.odd(kind, packages[0], what+": "+excerpt.List(packages, mostShown))
	}
}

func sameOrigin(a, b string) bool {
	u, err := url.Parse(a)
	v, err2 := url.Parse(b)
	return err == nil && err2 == nil && u.Scheme == v.Scheme && u.Host == v.Host
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
