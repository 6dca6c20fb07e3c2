package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/result"
)

// stateNames are the states of an entry in words.
var stateNames = map[result.EntryState]string{
	result.Scanned: "scanned", result.NotLaunched: "not launched", result.LaunchFail: "failed", result.SwitchedOff: "switched off",
}

// clients lists the entries of each configuration file and the servers that one agent would see together.
func (p *page) clients(c *result.Clients) {
	if c == nil {
		return
	}
	p.heading("Configurations", "")
	entries := map[string][]*result.ClientEntry{}
	for i := range c.Entries {
		e := &c.Entries[i]
		entries[e.File] = append(entries[e.File], e)
	}
	for _, f := range c.Files {
		if f.Kind != "" {
			continue
		}
		title := cmp.Or(f.Client, "unknown client")
		if f.State != result.StateRead {
			title += ", unread"
		}
		p.writeIndented(2, p.bold(clipText(Visible(title), p.width-2)))
		p.painted(4, "file:", Visible(f.File), p.dim)
		if f.Project != "" {
			p.painted(4, "for:", Visible(f.Project), p.dim)
		}
		for _, e := range entries[f.File] {
			p.writeEntry(e)
		}
	}
	for _, text := range agentFiles(c) {
		p.labelled(2, "reads:", Visible(text))
	}
	p.agents(c)
	p.writeBlank()
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

// agents says which servers share one context, if several do.
func (p *page) agents(c *result.Clients) {
	several := slices.DeleteFunc(slices.Clone(c.Agents), func(a result.Agent) bool { return len(a.Entries) < 2 && (len(a.Entries) == 0 || len(a.Reads) == 0) })
	for _, a := range several {
		p.agent(c, a)
	}
}

func (p *page) writeEntry(e *result.ClientEntry) {
	p.writeIndented(4, clipText(Visible(entryName(e)), p.width-4))
	p.labelled(6, "state:", Visible(became(e)))
	p.painted(6, "starts:", clipText(Visible(e.Starts), 3*p.width), p.dim)
}

// entryName returns the name of an entry, which may be empty.
func entryName(e *result.ClientEntry) string { return cmp.Or(strings.TrimSpace(e.Name), "(no name)") }

// became describes what happened to an entry. The result is not Visible yet.
func became(e *result.ClientEntry) string {
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

func (p *page) agent(c *result.Clients, a result.Agent) {
	p.labelled(2, "together:", Visible(agentText(c, a, len(a.Entries))))
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
