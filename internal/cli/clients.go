package cli

import (
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/check/config"
	"gauntlet/result"
)

// settle takes what became of the launches, in their order.
func (p *plan) settle(outcomes []outcome) {
	for i, l := range p.launches {
		l.outcome = &outcomes[i]
	}
	for _, one := range p.entries {
		if one.launch == nil {
			continue
		}
		one.state = result.Scanned
		if f := one.launch.outcome.failure; f != nil {
			one.state, one.reason = result.LaunchFail, strings.TrimPrefix(f.Message, one.launch.target.name+": ")
		}
	}
}

// servers are those of the catalog that the entry stands for.
func (one *planned) servers() []*catalog.Server {
	if one.launch == nil || one.launch.outcome == nil {
		return nil
	}
	return one.launch.outcome.servers
}

// together are the servers that one agent would see together, for every agent. The others
// of the scan were named by the user, who wants to know how they go with each agent.
func (p *plan) together(others []*catalog.Server) [][]*catalog.Server {
	groups := [][]*catalog.Server{others}
	for _, a := range config.Agents(p.files) {
		group := slices.Clone(others)
		for _, seen := range a.Servers {
			for _, s := range p.of(seen.Entry()).servers() {
				if !slices.Contains(group, s) {
					group = append(group, s)
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

func (p *plan) of(e *config.Entry) *planned { return p.entries[p.index[e]] }

// report is the plan for a report.
func (p *plan) report() *result.Clients {
	out := &result.Clients{Files: []result.ClientFile{}, Entries: []result.ClientEntry{}, Agents: []result.Agent{}}
	for i := range p.files {
		f := &p.files[i]
		state := result.StateRead
		if len(f.Entries) == 0 && len(f.Problems) > 0 {
			state = result.StateUnread
		}
		out.Files = append(out.Files, result.ClientFile{Client: string(f.Client), File: f.Path, Project: f.Project, State: state, Entries: len(f.Entries)})
	}
	for _, one := range p.entries {
		out.Entries = append(out.Entries, one.report())
	}
	for _, a := range config.Agents(p.files) {
		agent := result.Agent{Client: string(a.Client), Project: a.Project, Entries: []int{}}
		var seen []*catalog.Server
		for _, s := range a.Servers {
			if s.Disabled {
				continue
			}
			i := p.index[s.Entry()]
			agent.Entries = append(agent.Entries, i)
			for _, server := range p.entries[i].servers() {
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
	return out
}

func (one *planned) report() result.ClientEntry {
	e := one.entry
	out := result.ClientEntry{
		Client: string(e.Client), Name: e.Name, File: e.File, Line: e.Place.Line, Column: e.Place.Column, Project: e.Project,
		Transport: string(e.Transport), State: one.state, Reason: one.reason, Servers: []string{}, Tools: []string{},
	}
	if e.Command != "" {
		out.Starts = e.CommandLine()
	} else {
		out.Starts = e.Address()
	}
	for _, s := range one.servers() {
		out.Servers = append(out.Servers, s.Name)
		for i := range s.Tools() {
			out.Tools = append(out.Tools, s.Tools()[i].Label())
		}
	}
	return out
}
