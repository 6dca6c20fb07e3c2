package clientplan

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
	"gauntlet/internal/run/target"
	"gauntlet/result"
)

// Describe describes the launch on several lines, the first starting with its number n, to the person who must agree: the program
// or place resolved, the arguments as in the configuration. Values of this machine's variables appear as [NAME]: nobody has agreed
// to a configuration that names them.
func (l *Launch) Describe(n int) []string {
	lines := []string{fmt.Sprintf("%4d  %s", n, l.entryOrigins())}
	filled := redact.New(assignVariables(l.Resolved.Filled))
	if l.Target.URL != "" {
		lines = append(lines, "      connects to "+filled.Replace(l.Resolved.Address()))
		if names := assignedNames(l.Target.Header); names != "" {
			lines = append(lines, "      sends it the headers "+names)
		}
		if names := assignedNames(assignVariables(l.Resolved.Filled)); names != "" {
			lines = append(lines, "      sends it your variables "+names)
		}
		if u, err := url.Parse(l.Target.URL); err == nil && u.User != nil {
			lines = append(lines, "      sends it the user and the password in the address")
		}
		return lines
	}
	e := *l.Entries[0]
	e.Command = filled.Replace(l.Resolved.Command)
	lines = append(lines, "      starts "+e.CommandLine())
	if l.Target.Dir != "" {
		lines = append(lines, "      in "+filled.Replace(l.Target.Dir))
	}
	if names := assignedNames(l.Target.Env); names != "" {
		lines = append(lines, "      gives it the variables "+names)
	}
	if names := assignedNames(assignVariables(l.Resolved.Filled)); names != "" {
		lines = append(lines, "      fills in your variables "+names)
	}
	for _, v := range l.Resolved.LoaderVariables() {
		lines = append(lines, "      decides what code it loads: "+filled.Replace(v))
	}
	if l.Resolved.EnvFile != "" {
		lines = append(lines, "      those in "+filled.Replace(l.Resolved.EnvFile)+" among them")
	}
	return lines
}

func assignVariables(vs []config.Variable) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Name+"="+v.Value.Reveal())
	}
	return out
}

func (l *Launch) entryOrigins() string {
	var from []string
	for _, e := range l.Entries {
		from = append(from, fmt.Sprintf("%s in %s:%d", EntryName(e), e.File, e.Place.Line))
	}
	return strings.Join(from, ", ")
}

// assignedNames returns the names of entries NAME=VALUE, without repeats.
func assignedNames(entries []string) string {
	var names []string
	for _, e := range entries {
		if name, _, _ := strings.Cut(e, "="); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// EntryName returns a configured server's name for messages, which includes the client, since two clients may use the same name.
func EntryName(e *config.Entry) string {
	name := e.Name
	if strings.TrimSpace(name) == "" {
		name = "a server without a name"
	}
	return name + " (" + string(e.Client) + ")"
}

// addUnlaunched records that n requested servers were not examined.
func (p *Plan) addUnlaunched(n int, why string) {
	if n == 0 {
		return
	}
	servers := "configured servers were"
	if n == 1 {
		servers = "configured server was"
	}
	p.Problems = append(p.Problems, finding.Problem{Kind: finding.Unread, Input: -1, Message: fmt.Sprintf("%d %s not scanned: %s", n, servers, why)})
}

// lockAddresses returns a launch's names in lockfiles, one for each of its entries: an entry keeps its address whatever other
// entries and files there are.
func (l *Launch) lockAddresses() []string {
	var out []string
	for _, e := range l.Entries {
		// An entry without a name uses the server's own.
		if a := withoutSecrets(entryAddress(e), l.Target.Guard); a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return out
}

// entryAddress returns CLIENT/NAME, CLIENT:FOLDER/NAME for an entry of one project, and NAME for a file of no particular client.
// Command and URL are not part of it: a new version must be compared with the approved one.
func entryAddress(e *config.Entry) string {
	name := strings.TrimSpace(e.Name)
	if name == "" || e.Client == config.Generic {
		return name
	}
	scope := string(e.Client)
	if e.Project != "" {
		scope += ":" + path.Base(strings.ReplaceAll(e.Project, `\`, "/"))
	}
	return scope + "/" + name
}

// withoutSecrets removes secrets from an address: a key may stand in place of a name, and lockfiles are shared.
func withoutSecrets(address string, guard []string) string {
	return secret.Replace(redact.New(guard).Replace(address), func(string) string { return "KEY" })
}

// mostFindings bounds the findings shown before asking for consent.
const mostFindings = 20

// DescribeFindings returns the findings of checks (nil for all) in the configurations, one per line, most severe first, for the
// person who decides about a launch.
func (p *Plan) DescribeFindings(checks []*config.Check) []string {
	found := scanner.Run(&catalog.Catalog{}, scanner.Options{Configs: p.Files, ConfigChecks: checks, Checks: []*check.Check{}}).Findings
	slices.SortStableFunc(found, func(a, b finding.Finding) int { return int(b.Severity) - int(a.Severity) })
	var lines []string
	for i := range found {
		if i == mostFindings {
			lines = append(lines, fmt.Sprintf("      and %d more", len(found)-i))
			break
		}
		f := &found[i]
		lines = append(lines, fmt.Sprintf("      %s %s %s: %s (%s:%d)", strings.ToUpper(f.Severity.String()), f.Rule, f.Location.Server, f.Message, f.Location.File, f.Location.Line))
	}
	return lines
}

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
