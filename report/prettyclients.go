package report

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/result"
)

// stateNames are the states of an entry in a person's words.
var stateNames = map[result.EntryState]string{
	result.Scanned: "scanned", result.NotLaunched: "not launched", result.LaunchFail: "failed", result.SwitchedOff: "switched off",
}

// clients lists what the configurations hold, under their files, and which servers one
// agent would see together.
func (p *page) clients(c *result.Clients) {
	if c == nil {
		return
	}
	p.heading("Configurations", "")
	for _, f := range c.Files {
		title := f.Client
		if f.State != result.StateRead {
			title += ", unread"
		}
		p.line(2, p.bold(clip(Visible(title), p.width-2)))
		p.painted(4, "file:", Visible(f.File), p.dim)
		if f.Project != "" {
			p.painted(4, "for:", Visible(f.Project), p.dim)
		}
		for i := range c.Entries {
			if e := &c.Entries[i]; e.File == f.File {
				p.entry(e)
			}
		}
	}
	for _, a := range c.Agents {
		p.agent(c, a)
	}
	p.gap()
}

func (p *page) entry(e *result.ClientEntry) {
	p.line(4, clip(Visible(e.Name), p.width-4))
	p.labelled(6, "state:", Visible(became(e)))
	p.painted(6, "starts:", clip(Visible(e.Starts), 3*p.width), p.dim)
}

// became says what became of an entry. It is not yet Visible.
func became(e *result.ClientEntry) string {
	state := stateNames[e.State]
	if e.State == result.Scanned {
		state += ", " + count(len(e.Tools), "tool")
	}
	if other := slices.DeleteFunc(slices.Clone(e.Servers), func(s string) bool { return s == e.Name }); len(other) > 0 {
		state += ", calls itself " + strings.Join(other, ", ")
	}
	if e.Reason != "" {
		state += ": " + e.Reason
	}
	return state
}

// agent says which servers share one context, where there are several.
func (p *page) agent(c *result.Clients, a result.Agent) {
	if len(a.Entries) < 2 {
		return
	}
	var names []string
	for _, i := range a.Entries {
		if i >= 0 && i < len(c.Entries) {
			names = append(names, c.Entries[i].Name)
		}
	}
	who := a.Client
	if a.Project != "" {
		who += " in " + a.Project
	}
	tools := ""
	if a.Tools > 0 {
		tools = ", with " + count(a.Tools, "tool")
	}
	p.labelled(2, "together:", Visible(fmt.Sprintf("%s sees %s%s: %s", who, count(len(a.Entries), "server"), tools, strings.Join(names, ", "))))
}
