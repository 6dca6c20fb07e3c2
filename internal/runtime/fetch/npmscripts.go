package fetch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/result"
)

// installEvents are the scripts that npm runs when it installs a package from a registry, and projectEvents those when it installs
// a folder: what a user does with one that was cloned, and npm itself with a dependency that comes from git or is a link.
var (
	installEvents = []string{"preinstall", "install", "postinstall"}
	projectEvents = append(installEvents[:3:3], "prepublish", "preprepare", "prepare", "postprepare")
)

// maxScripts bounds the install scripts of dependencies that a report lists.
const maxScripts = 50

// noteScripts notes the commands that npm runs when it installs what a package.json stands for, which lies below the package: its
// own, what is linked into it, or what it depends on.
func (p *Fetched) noteScripts(file string, m *nodeManifest) {
	own := !strings.Contains(file, "node_modules/")
	events := installEvents
	if own && p.isProject() {
		events = projectEvents
	}
	label := m.Name + "@" + m.Version
	for _, event := range events {
		if m.Scripts[event] != "" {
			p.addScripts(result.InstallScript{Package: label, Event: event, Command: m.spelledOut(event), Own: own, File: file, Line: lineOf(m.text, `"`+event+`"`)})
		}
	}
	if m.native {
		p.addScripts(result.InstallScript{Package: label, Event: "install", Command: nativeBuild, Own: own, File: path.Join(path.Dir(file), "binding.gyp")})
	}
}

// addScripts adds a script: each of the package's own, and of dependencies as many as a report lists.
func (p *Fetched) addScripts(s result.InstallScript) {
	listed := 0
	for i := range p.Facts.Scripts {
		if !p.Facts.Scripts[i].Own {
			listed++
		}
	}
	if s.Own || listed < maxScripts {
		p.Facts.Scripts = append(p.Facts.Scripts, s)
	} else {
		p.odd(result.OddUnverified, p.Label, fmt.Sprintf("more than %d scripts of dependencies run when it is installed; the others are not listed", maxScripts))
	}
}

// runsScript matches the call of another script of the same package.json.
var runsScript = lazyregexp.New(`\b(?:npm|pnpm|yarn|bun)(?:\s+-\S+)*\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*([A-Za-z0-9][\w:.-]*)`)

// spelledOut is the command of a script with what it has npm run of the others behind it, each once: "npm run build" alone says
// nothing.
func (m *nodeManifest) spelledOut(event string) string {
	out, seen := m.Scripts[event], []string{event}
	for i := 0; i < len(seen); i++ {
		for _, call := range runsScript.FindAllStringSubmatch(m.Scripts[seen[i]], 50) {
			if name := call[1]; m.Scripts[name] != "" && !slices.Contains(seen, name) {
				for _, also := range []string{"pre" + name, name, "post" + name} {
					if m.Scripts[also] != "" && !slices.Contains(seen, also) {
						seen = append(seen, also)
						out += "; " + also + ": " + m.Scripts[also]
					}
				}
			}
		}
	}
	return out
}

// noteLinked notes the folders that npm links into a project, its workspaces and dependencies by path, and their scripts.
func (p *Fetched) noteLinked(m *nodeManifest) error {
	var linked []string
	if json.Unmarshal(m.Workspaces, &linked) != nil {
		var in struct {
			Packages []string `json:"packages"`
		}
		_ = json.Unmarshal(m.Workspaces, &in) // neither of the two forms is none
		linked = in.Packages
	}
	for _, dependencies := range []map[string]string{m.Dependencies, m.Optional, m.Dev} {
		for _, spec := range dependencies {
			if at := strings.TrimPrefix(strings.TrimPrefix(spec, "file:"), "link:"); at != spec || strings.HasPrefix(spec, ".") {
				linked = append(linked, at)
			}
		}
	}
	if len(linked) == 0 {
		return nil
	}
	return filepath.WalkDir(p.Dir, func(file string, d fs.DirEntry, err error) error {
		at, relErr := filepath.Rel(p.Dir, file)
		if err = cmp.Or(err, relErr); err != nil || !d.IsDir() || at == "." {
			return err
		}
		if d.Name() == ".git" || d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if at = filepath.ToSlash(at); !slices.ContainsFunc(linked, func(pattern string) bool { return matchesFolder(path.Clean(pattern), at) }) {
			return nil
		}
		if m := p.readDependency(p.Dir, at); m != nil {
			p.linked = append(p.linked, at)
			p.noteScripts(path.Join(at, "package.json"), m)
		}
		return nil
	})
}

// matchesFolder reports whether a pattern of folders matches one: * is any part of a name, ** any number of folders.
func matchesFolder(pattern, at string) bool {
	head, rest, more := strings.Cut(pattern, "/")
	first, deeper, below := strings.Cut(at, "/")
	if head == "**" {
		return !more || matchesFolder(rest, at) || below && matchesFolder(pattern, deeper)
	}
	if ok, err := path.Match(head, first); !ok || err != nil {
		return false
	}
	return more == below && (!more || matchesFolder(rest, deeper))
}

// readModules reads what lies in node_modules of a folder of a tree and below, whoever put it there, by its place in the tree.
func (p *Fetched) readModules(tree, at string, out map[string]*nodeManifest) {
	at = path.Join(at, "node_modules")
	entries, err := os.ReadDir(filepath.Join(tree, at))
	if err != nil {
		return // there is none
	}
	for _, e := range entries {
		below := path.Join(at, e.Name())
		if strings.HasPrefix(e.Name(), "@") || e.Name() == ".pnpm" {
			inner, _ := os.ReadDir(filepath.Join(tree, below)) // what is no folder holds none
			for _, i := range inner {
				p.readModule(tree, path.Join(below, i.Name()), i, out)
			}
		} else if !strings.HasPrefix(e.Name(), ".") {
			p.readModule(tree, below, e, out)
		}
	}
}

// readModule reads one folder there. What a link leads to is read there, unless it is read anyway: another module, or a folder
// that npm links.
func (p *Fetched) readModule(tree, at string, e fs.DirEntry, out map[string]*nodeManifest) {
	file := filepath.Join(tree, at)
	if e.Type() == fs.ModeSymlink {
		to, _ := filepath.EvalSymlinks(file) // what leads nowhere lies nowhere
		root, _ := filepath.EvalSymlinks(tree)
		rel, err := filepath.Rel(root, to)
		switch {
		case err != nil || !filepath.IsLocal(rel):
			p.odd(result.OddUnverified, path.Base(at), "it is a link to what lies elsewhere, and was not read")
			return
		case strings.Contains(filepath.ToSlash(rel), "node_modules/") || slices.Contains(p.linked, filepath.ToSlash(rel)):
			return
		}
	} else if !e.IsDir() || len(out) >= maxCopiedFiles {
		return
	}
	if m := p.readDependency(tree, at); m != nil {
		out[at] = m
	}
	if e.IsDir() {
		p.readModules(tree, at, out)
	}
}

// readDependency reads the package.json of a folder, nil where there is none or it cannot be read, which is noted.
func (p *Fetched) readDependency(tree, at string) *nodeManifest {
	m, err := readNodeManifest(filepath.Join(tree, at))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.odd(result.OddUnverified, path.Base(at), "its package.json could not be read: "+err.Error())
	}
	return m
}
