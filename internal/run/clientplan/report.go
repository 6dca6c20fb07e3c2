package clientplan

import (
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/target"
	"gauntlet/result"
)

// Settle records the launches' outcomes, in order.
func (p *Plan) Settle(outcomes []target.Outcome) {
	for i, l := range p.Launches {
		l.outcome = &outcomes[i]
	}
	for _, one := range p.Entries {
		if one.Launch == nil {
			continue
		}
		one.State = result.Scanned
		if f := one.Launch.outcome.Failure; f != nil {
			one.State, one.Reason = result.LaunchFail, strings.TrimPrefix(f.Message, one.Launch.Target.Name+": ")
		}
	}
}

// scannedServers returns the catalog's servers of the entry.
func (one *Planned) scannedServers() []*catalog.Server {
	if one.Launch == nil || one.Launch.outcome == nil {
		return nil
	}
	return one.Launch.outcome.Servers
}

// Together returns, for every agent, the servers that it sees together. others, named by the user, are added to each.
func (p *Plan) Together(others []*catalog.Server) [][]*catalog.Server {
	groups := [][]*catalog.Server{others}
	for _, a := range config.Agents(p.Files) {
		group := slices.Clone(others)
		for _, seen := range a.Servers {
			for _, s := range p.Entries[p.index[seen.Entry()]].scannedServers() {
				if !slices.Contains(group, s) {
					group = append(group, s)
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// Report returns the plan for a report.
func (p *Plan) Report() *result.Clients {
	out := &result.Clients{Files: []result.ClientFile{}, Entries: []result.ClientEntry{}, Agents: []result.Agent{}}
	for i := range p.Files {
		f := &p.Files[i]
		state := result.StateRead
		if len(f.Entries) == 0 && len(f.Problems) > 0 {
			state = result.StateUnread
		}
		out.Files = append(out.Files, result.ClientFile{Client: string(f.Client), File: f.Path, Project: f.Project, State: state, Entries: len(f.Entries), Kind: string(f.Role)})
	}
	for _, one := range p.Entries {
		out.Entries = append(out.Entries, one.clientEntry())
	}
	for _, a := range config.Agents(p.Files) {
		agent := result.Agent{Client: string(a.Client), Project: a.Project, Entries: []int{}, Reads: p.readBy(a.Client, a.Project)}
		var seen []*catalog.Server
		for _, s := range a.Servers {
			if s.Disabled {
				continue
			}
			i := p.index[s.Entry()]
			agent.Entries = append(agent.Entries, i)
			for _, server := range p.Entries[i].scannedServers() {
				if !slices.Contains(seen, server) {
					seen = append(seen, server)
					agent.Tools += len(server.Tools())
				}
			}
		}
		if len(agent.Entries) > 0 {
			out.Agents = append(out.Agents, agent)
		}
	}
	p.addReaders(out)
	return out
}

// readBy returns the files that a client's agent reads in a project, including global ones.
func (p *Plan) readBy(client config.Client, project string) (out []int) {
	for i := range p.Files {
		if f := &p.Files[i]; f.Role != config.Configuration && f.Client == client && (f.Project == "" || f.Project == project) {
			out = append(out, i)
		}
	}
	return out
}

// addReaders adds agents that read files and have no server.
func (p *Plan) addReaders(out *result.Clients) {
	for i := range p.Files {
		f := &p.Files[i]
		known := slices.ContainsFunc(out.Agents, func(a result.Agent) bool { return a.Client == string(f.Client) && a.Project == f.Project })
		if f.Role != config.Configuration && !known {
			out.Agents = append(out.Agents, result.Agent{Client: string(f.Client), Project: f.Project, Entries: []int{}, Reads: p.readBy(f.Client, f.Project)})
		}
	}
}

func (one *Planned) clientEntry() result.ClientEntry {
	e := one.Entry
	out := result.ClientEntry{
		Client: string(e.Client), Name: e.Name, File: e.File, Line: e.Place.Line, Column: e.Place.Column, Project: e.Project,
		Transport: string(e.Transport), State: one.State, Reason: one.Reason, Servers: []string{}, Tools: []string{},
	}
	if e.Command != "" {
		out.Starts = e.CommandLine()
	} else {
		out.Starts = e.Address()
	}
	for _, s := range one.scannedServers() {
		out.Servers = append(out.Servers, s.Name)
		for i := range s.Tools() {
			out.Tools = append(out.Tools, s.Tools()[i].Label())
		}
	}
	return out
}
