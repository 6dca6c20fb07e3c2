package clientplan

import (
	"cmp"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/discover"
)

// ReadFiles reads configurations: the named ones and, with found, all found on this machine. Unreadable parts are problems. A file
// a client has under two names is read once. Nothing is started.
func ReadFiles(host discover.Host, names []string, found bool) (files []config.File, problems []finding.Problem) {
	for _, name := range names {
		for _, f := range readNamed(host, name) {
			if !containsFile(files, f.Path) {
				files = append(files, f)
			}
		}
	}
	if !found {
		return files, nil
	}
	if host.Home == "" {
		return files, []finding.Problem{{Kind: finding.Failed, Input: -1, Message: "the home directory is not known: HOME (on Windows USERPROFILE) is not set"}}
	}
	named := slices.Clone(files)
	byClient := map[config.Client][]config.File{}
	all := discover.All(host)
	for _, f := range all {
		f.Home = host.Home
		below := host.Home
		if f.Project != "" {
			below = f.Project
		}
		f.Rel = strings.Trim(filepath.ToSlash(strings.TrimPrefix(f.Path, below)), "/")
		// Clients that share a file by a link are two agents with their own conventions.
		if f.Role == config.Configuration {
			if containsFile(named, f.Path) || containsFile(byClient[f.Client], f.Path) {
				continue
			}
			byClient[f.Client] = append(byClient[f.Client], f)
		}
		files = append(files, f)
	}
	if len(all) == 0 {
		problems = append(problems, finding.Problem{Kind: finding.Unread, Input: -1, Message: "nothing was found: no known client has a configuration here"})
	}
	return files, problems
}

// readNamed reads a configuration or folder that the user named, and names its contents accordingly.
func readNamed(host discover.Host, name string) []config.File {
	path, err := filepath.Abs(name)
	if err != nil {
		path = name
	}
	files := host.ReadFile(path, discover.Hint{})
	if mode, err := host.FS.Mode(path); err == nil && mode.IsDir() {
		files = discover.Folder(host, path)
	}
	for n := range files {
		f := &files[n]
		f.Home = host.Home
		if rest, ok := strings.CutPrefix(f.Path, path); ok { // an import may lie in the user's home
			f.Rel, f.Path = strings.Trim(filepath.ToSlash(rest), "/"), name+rest
		}
		for i := range f.Entries {
			f.Entries[i].File = f.Path
		}
		for i := range f.Problems {
			f.Problems[i].Location.File = f.Path
		}
	}
	return files
}

func containsFile(files []config.File, path string) bool {
	return slices.ContainsFunc(files, func(f config.File) bool {
		return f.Path == path || f.Role == config.Configuration && userfile.Same(f.Path, path)
	})
}

// An agentFile is a file read by an agent, as an item of a snapshot: lockfiles and baselines identify it by path and hold a hash
// instead of its text.
type agentFile struct {
	Name string         `json:"name"`
	URI  string         `json:"uri"`
	Meta map[string]any `json:"_meta"`
}

// FileTargets returns the files that agents read, one target per client and project, so that they can be locked and compared like
// servers. A nil plan has none.
func (p *Plan) FileTargets() []target.Target {
	if p == nil {
		return nil
	}
	type group struct{ client, project string }
	files, of := map[group][]agentFile{}, map[group]map[string]*config.File{}
	var order []group
	for i := range p.Files {
		f := &p.Files[i]
		if f.Role == config.Configuration && !f.HasSettings() || f.LinksTo != "" || f.Role != config.Configuration && f.Sum == "" {
			continue
		}
		g := group{string(f.Client), f.Project}
		if files[g] == nil {
			order, of[g] = append(order, g), map[string]*config.File{}
		}
		name := cmp.Or(f.Rel, path.Base(strings.ReplaceAll(f.Path, `\\`, "/")))
		of[g][name] = f
		files[g] = append(files[g], agentFile{name, "agent-file:", map[string]any{"sha256": f.Content()}})
	}
	p.places = map[[2]string]*config.File{}
	var out []target.Target
	for _, g := range order {
		list := files[g]
		slices.SortFunc(list, func(a, b agentFile) int { return strings.Compare(a.Name, b.Name) })
		name := g.client
		if g.project != "" {
			name += ":" + path.Base(strings.ReplaceAll(g.project, `\\`, "/"))
		}
		name += "/files"
		for item, f := range of[g] {
			p.places[[2]string{name, item}] = f
		}
		text, err := json.Marshal(map[string]any{"server": map[string]string{"name": name, "version": "1"}, "tools": []any{}, "resources": list})
		if err != nil { // strings always encode
			panic(err)
		}
		out = append(out, target.Target{Text: string(text), Name: "files that " + g.client + " reads", Entries: []string{name}, Server: launch.Server{Configured: true}})
	}
	return out
}

// PlaceFiles sets the file locations of findings about them.
func (p *Plan) PlaceFiles(found []finding.Finding) {
	for i := range found {
		if l := &found[i].Location; l.File == "" {
			if f := p.places[[2]string{l.Server, l.Item}]; f != nil {
				l.File, l.Client, l.Line = f.Path, string(f.Client), 1
			}
		}
	}
}
