// Package clientplan decides what of MCP clients' configurations would be started or connected to, describes it to the person who
// must agree, and records the outcome.
package clientplan

import (
	"cmp"
	"crypto/sha256"
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
	"gauntlet/internal/runtime/wire"
	"gauntlet/result"
)

// A Plan is what would be started, and finally the outcome.
type Plan struct {
	Files    []config.File
	Entries  []*Planned            // of all files, in order
	index    map[*config.Entry]int // index in Entries
	Launches []*Launch
	Problems []finding.Problem
	places   map[[2]string]*config.File // files by server and name of FileTargets' items
}

// Planned is one entry of a configuration.
type Planned struct {
	Entry  *config.Entry
	Launch *Launch // nil if it cannot be started; several entries may share one
	State  result.EntryState
	Reason string
}

// A Launch is one server to start or connect to, for all entries that name it.
type Launch struct {
	Target   target.Target
	Resolved *config.Entry
	Entries  []*config.Entry // as in their files
	outcome  *target.Outcome // nil until known
}

// New determines what can be started. It starts nothing.
func New(host discover.Host, files []config.File, problems []finding.Problem, resolve bool) *Plan {
	p := &Plan{Files: files, Problems: problems, index: map[*config.Entry]int{}}
	same := map[[sha256.Size]byte]*Launch{}
	for i := range files {
		for j := range files[i].Entries {
			e := &files[i].Entries[j]
			one := &Planned{Entry: e, State: result.NotLaunched}
			p.index[e] = len(p.Entries)
			p.Entries = append(p.Entries, one)
			switch {
			case e.Disabled:
				one.State = result.SwitchedOff
			case isDamaged(&files[i], e):
				one.Reason = "a part of it could not be read"
			case e.Transport == config.Unknown:
				one.Reason = "its transport is not known"
			case !resolve:
				one.Reason = "nothing was to be started"
			default:
				p.resolveEntry(host, one, same)
			}
		}
	}
	return p
}

// isDamaged reports whether the entry itself has an error: what could be read may be a different server.
func isDamaged(f *config.File, e *config.Entry) bool {
	return slices.ContainsFunc(f.Problems, func(p finding.Problem) bool {
		return p.Location.Pointer == e.Place.Pointer || strings.HasPrefix(p.Location.Pointer, e.Place.Pointer+"/")
	})
}

// resolveEntry makes the entry ready to start. Entries that resolve to the same server start once.
func (p *Plan) resolveEntry(host discover.Host, one *Planned, same map[[sha256.Size]byte]*Launch) {
	e, problems := host.Resolve(*one.Entry)
	e.Filled = slices.DeleteFunc(e.Filled, func(v config.Variable) bool {
		return e.Command != "" && len(wire.Inherited([]string{v.Name + "="})) > 0 // every local server gets those
	})
	if len(problems) > 0 {
		p.Problems = append(p.Problems, problems...)
		one.Reason = "only its client can start it; see the problems"
		return
	}
	t := entryTarget(&e)
	key := serverIdentity(&t)
	if same[key] == nil {
		same[key] = &Launch{Target: t, Resolved: &e}
		p.Launches = append(p.Launches, same[key])
	}
	one.Launch = same[key]
	one.Launch.Entries = append(one.Launch.Entries, one.Entry)
}

func entryTarget(e *config.Entry) target.Target {
	t := target.Target{
		Name: EntryName(e), Server: launch.Server{Guard: e.Guarded(), Configured: true},
		Place: finding.Location{Server: e.Name, Pointer: e.Place.Pointer, File: e.File, Line: e.Place.Line, Column: e.Place.Column},
	}
	if e.Command == "" {
		t.URL, t.SSE = e.URL.Reveal(), e.Transport == config.SSE
		for _, h := range e.Headers {
			if !wire.Reserved(h.Name) { // a client's Accept is not ours to send
				t.Header = append(t.Header, h.Name+"="+h.Value.Reveal())
			}
		}
		return t
	}
	t.Command = []string{e.Command}
	for _, a := range e.Args {
		t.Command = append(t.Command, a.Reveal())
	}
	t.Env = assignVariables(e.Env)
	t.SetBy = "the env of its entry in " + e.File
	t.Dir = e.Cwd
	if e.Project != "" && !filepath.IsAbs(t.Dir) {
		t.Dir = filepath.Join(e.Project, t.Dir)
	}
	return t
}

// serverIdentity is equal for targets of the same server.
func serverIdentity(t *target.Target) [sha256.Size]byte {
	text, _ := json.Marshal([]any{t.Command, t.Env, t.Dir, t.URL, t.Header, t.SSE}) // strings always encode
	return sha256.Sum256(text)
}

// Targets returns the servers to start, in the order of their first entries; none for a nil plan.
func (p *Plan) Targets() []target.Target {
	if p == nil {
		return nil
	}
	var out []target.Target
	for _, l := range p.Launches {
		t := l.Target
		t.Entries = l.lockAddresses()
		out = append(out, t)
	}
	return out
}

// Decline removes launches from the plan and records the reason in their entries. Requested servers that were not examined are a
// problem.
func (p *Plan) Decline(which func(*Launch) bool, reason string) {
	for _, one := range p.Entries {
		if one.Launch != nil && which(one.Launch) {
			one.Launch, one.Reason = nil, reason
		}
	}
	all := len(p.Launches)
	p.Launches = slices.DeleteFunc(p.Launches, which)
	p.addUnlaunched(all-len(p.Launches), reason)
}

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
