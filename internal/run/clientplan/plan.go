// Package clientplan decides what of MCP clients' configurations would be started or connected to, describes it to the person who
// must agree, and records the outcome.
package clientplan

import (
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
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
