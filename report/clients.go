package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// stateNames are the states of an entry in words.
var stateNames = map[result.EntryState]string{
	result.Scanned: "scanned", result.NotLaunched: "not launched", result.LaunchFail: "failed", result.SwitchedOff: "switched off",
}

// clientSection lists the entries of each configuration file and the servers that one agent would see together.
func clientSection(r *result.Report) section {
	s := section{ID: "configurations", Title: "Configurations", Noun: "entry of a configuration"}
	c := r.Clients
	if c == nil {
		return s
	}
	var rows []row
	unread, filled := map[string]bool{}, map[string]bool{}
	for _, f := range c.Files {
		unread[f.File] = f.State != result.StateRead
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		filled[e.File] = true
		rows = append(rows, entryRow(e, unread[e.File]))
	}
	for _, f := range c.Files {
		if f.Kind == "" && !filled[f.File] {
			rows = append(rows, row{Title: clientName(f.Client, unread[f.File]), Where: f.File, Text: map[bool]string{false: "it names no server", true: "nothing of it could be read"}[unread[f.File]]})
		}
	}
	s.Intro = agentFiles(c)
	for _, a := range c.Agents {
		if len(a.Entries) > 1 || len(a.Entries) == 1 && len(a.Reads) > 0 {
			s.Intro = append(s.Intro, "together: "+agentText(c, a, len(a.Entries)))
		}
	}
	// Any of several servers in one context can influence how the agent uses the others.
	several := slices.DeleteFunc(slices.Clone(c.Agents), func(a result.Agent) bool { return len(a.Entries) < 2 })
	s.Short = firstOf("Together", "", len(several), func(i int) string { return agentText(c, several[i], mostNamed) })
	return listRows(s, rows)
}

// mostNamed is the number of servers of one agent that a line names.
const mostNamed = 12

func clientName(client string, unread bool) string {
	name := cmp.Or(client, "unknown client")
	if unread {
		name += ", unread"
	}
	return name
}

func entryRow(e *result.ClientEntry, unread bool) row {
	one := row{Title: entryName(e), Where: clientName(e.Client, unread) + "  " + describeLocation(&finding.Location{File: e.File, Line: e.Line}, false)}
	one.add("state", entryOutcome(e))
	if e.State == result.NotLaunched || e.State == result.SwitchedOff {
		one.Test = &junitTest{name: fmt.Sprintf("server %s of %s, line %d", e.Name, e.Client, e.Line), file: e.File, outcome: "skipped", message: entryOutcome(e)}
	}
	one.addAside("starts", e.Starts)
	one.addAside("for", e.Project)
	return one
}

// agentFiles counts, per client, the files of each kind that its agent reads besides configurations. The result is not Visible yet.
func agentFiles(c *result.Clients) (out []string) {
	var clients []string
	files := map[string][]int{}
	for i, f := range c.Files {
		if f.Kind != "" {
			if files[f.Client] == nil {
				clients = append(clients, f.Client)
			}
			files[f.Client] = append(files[f.Client], i)
		}
	}
	for _, client := range clients {
		out = append(out, cmp.Or(client, "unknown client")+" reads "+countKinds(c, files[client]))
	}
	return out
}

// countKinds counts files by their purpose for an agent.
func countKinds(c *result.Clients, files []int) string {
	var kinds, parts []string
	counts := map[string]int{}
	for _, i := range files {
		if i < 0 || i >= len(c.Files) {
			continue
		}
		k := c.Files[i].Kind
		if k == "instructions" {
			k = "instruction file"
		}
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		parts = append(parts, countNoun(counts[k], k))
	}
	return strings.Join(parts, ", ")
}

// entryName returns the name of an entry, which may be empty.
func entryName(e *result.ClientEntry) string { return cmp.Or(strings.TrimSpace(e.Name), "(no name)") }

// entryOutcome describes what happened to an entry. The result is not Visible yet.
func entryOutcome(e *result.ClientEntry) string {
	state := stateNames[e.State]
	if e.State == result.Scanned {
		state += ", " + countNoun(len(e.Tools), "tool")
	}
	if other := slices.DeleteFunc(slices.Clone(e.Servers), func(s string) bool { return s == e.Name }); len(other) > 0 {
		state += ", calls itself " + strings.Join(other, ", ")
	}
	if e.Reason != "" {
		state += ": " + e.Reason
	}
	return state
}

// agentText names up to most servers that one agent sees. The result is not Visible yet.
func agentText(c *result.Clients, a result.Agent, most int) string {
	var names []string
	for n, i := range a.Entries {
		if n == most && len(a.Entries) > most+1 {
			names = append(names, fmt.Sprintf("… and %s more", groupDigits(len(a.Entries)-n)))
			break
		}
		if i >= 0 && i < len(c.Entries) {
			names = append(names, entryName(&c.Entries[i]))
		}
	}
	who := a.Client
	if a.Project != "" {
		who += " in " + a.Project
	}
	tools := ""
	if a.Tools > 0 {
		tools = ", with " + countNoun(a.Tools, "tool")
	}
	text := fmt.Sprintf("%s sees %s%s: %s", who, countNoun(len(a.Entries), "server"), tools, strings.Join(names, ", "))
	if len(a.Reads) > 0 {
		text += "; reads " + countKinds(c, a.Reads)
	}
	return text
}
