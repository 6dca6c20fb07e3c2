package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

var _ = formats.register("html", "for a browser: one self-contained file", writeHTML)

// findingsAtOnce is the number of findings laid out at once. The rest waits in templates of findingsApart each, which
// cost a browser next to nothing.
const (
	findingsAtOnce = 200
	findingsApart  = 500
)

// writeHTML writes one self-contained page from Go templates and a small script: nothing needs a build, the page is
// readable without scripts, and one escaping template handles every server string.
func writeHTML(w *bufio.Writer, r *result.Report, opt Options) error {
	h := &htmlReport{w: w, r: r, opt: opt}
	h.flows = flowsOf(r, opt.Capabilities)
	h.parts = h.chooseParts()
	writeHTMLHead(w, "gauntlet: "+h.verdict())
	if err := h.writeVerdict(); err != nil {
		return err
	}
	for _, p := range h.parts {
		if err := p.write(); err != nil {
			return err
		}
	}
	writeHTMLEnd(w, strings.TrimSpace(cmp.Or(r.Tool.Name, "gauntlet")+" "+r.Tool.Version), len(h.flows) > 0)
	return nil
}

// An htmlReport is a page being written.
type htmlReport struct {
	w     *bufio.Writer
	r     *result.Report
	opt   Options
	flows []flow
	parts []htmlPart
}

// An htmlPart is a part of a page and the link to it.
type htmlPart struct {
	navLink
	write func() error
}

// chooseParts returns the parts that have content, in order.
func (h *htmlReport) chooseParts() (out []htmlPart) {
	add := func(there bool, id, title string, write func() error) {
		if there {
			out = append(out, htmlPart{navLink{id, title}, write})
		}
	}
	table := func(there bool, id, title string, view func() section) {
		add(there, id, title, func() error {
			s := view()
			s.ID, s.Title = id, cmp.Or(s.Title, title)
			return h.execute("table", s)
		})
	}
	r := h.r
	add(len(r.Vetted) > 0, "vetted", "Vetted", h.writeVetted)
	add(!attacksOnly(r), "findings", "Findings", h.writeFindings)
	add(len(r.Attacks) > 0, "attacks", "Attacks", h.writeAttacks)
	table(r.Probing != nil, "probes", "Probes", h.viewProbing)
	table(len(r.Expectations) > 0, "expectations", "Expectations", h.viewExpectations)
	add(len(h.flows) > 0, "flows-title", "Flows", h.writeFlows)
	add(len(h.opt.Traces) > 0, "conversation-1", "Conversation", h.writeSequences)
	add(len(h.opt.Capabilities) > 0, "capabilities", "Capabilities", h.writeCapabilities)
	table(len(serverRows(r)) > 1 || r.Clients != nil, "servers", "Servers", h.viewServers)
	table(r.Imported != nil, "imported", "Imported", h.viewImported)
	table(len(r.Advisory) > 0, "opinions", "Opinions", h.viewOpinions)
	add(len(r.Suppressed)+len(r.Suppressions) > 0, "accepted", "Accepted", h.writeAccepted)
	table(len(r.Posture) > 0, "posture", "Posture", h.viewPosture)
	table(len(r.Coverage.Checks) > 0, "checks", "Checks", h.viewChecks)
	return out
}

func (h *htmlReport) execute(name string, data any) error {
	return htmlPage().ExecuteTemplate(h.w, name, data)
}

type severityCount struct {
	Name, Class string
	N           int
}

func countSeverities(fs []finding.Finding) (out []severityCount) {
	var by [finding.Critical + 1]int
	for i := range fs {
		by[min(fs[i].Severity, finding.Critical)]++
	}
	for sev := finding.Critical; sev > finding.None; sev-- {
		if by[sev] > 0 {
			out = append(out, severityCount{sev.String(), sev.String(), by[sev]})
		}
	}
	return out
}

// verdict summarizes the result in one line.
func (h *htmlReport) verdict() string {
	var parts []string
	if n := len(h.r.Findings); n > 0 {
		parts = append(parts, countNoun(n, "finding"))
	} else if !attacksOnly(h.r) {
		parts = append(parts, "no findings")
	}
	if h.r.Attacks != nil {
		parts = append(parts, attackCounts(h.r.Attacks))
	}
	if n := h.r.Failed(); n > 0 {
		parts = append(parts, countNoun(n, "expectation")+" not met")
	}
	switch {
	case !complete(h.r):
		parts = append(parts, incompleteWords(h.r))
	}
	return capitalised(strings.Join(parts, "; "))
}

// verdictClass returns the style of the verdict: bad, open (nothing bad, but incomplete) or ok.
func (h *htmlReport) verdictClass() string {
	code := result.ExitOK
	if g := h.opt.Gate; g != nil {
		code = h.r.ExitCode(g.FailOn, g.AllowPartial)
	} else {
		code = h.r.ExitCode(finding.High, false)
	}
	switch {
	case code == result.ExitGate:
		return "bad"
	case code == result.ExitTrouble || !complete(h.r):
		return "open"
	}
	return "ok"
}

// A navLink is a link to a section.
type navLink struct{ ID, Title string }

func (h *htmlReport) writeVerdict() error {
	exit := ""
	if g := h.opt.Gate; g != nil {
		exit = fmt.Sprintf("Exit code %d: %s.", h.r.ExitCode(g.FailOn, g.AllowPartial), h.r.ExitReason(g.FailOn, g.AllowPartial))
	}
	l := readLedger(h.r)
	read := ""
	if !attacksOnly(h.r) {
		read = fmt.Sprintf("Looked at %s; %s; %s ran.", strings.Join(l.read, ", "), countNoun(h.r.Summary.Strings, "string"), countNoun(l.ran, "check"))
	}
	if err := h.execute("verdict", map[string]any{
		"Title": h.title(), "Class": h.verdictClass(), "Verdict": h.verdict(), "Exit": exit,
		"Counts": countSeverities(h.r.Findings), "Missing": h.missing(l), "Complete": complete(h.r), "Read": read, "Nav": h.nav(),
	}); err != nil {
		return err
	}
	_, _ = h.w.WriteString("<main id=\"main\">\n")
	return nil
}

// title names what was scanned.
func (h *htmlReport) title() string {
	switch s := h.r.Coverage.Servers; {
	case len(s) == 1 && s[0].Server != "":
		return s[0].Server
	case len(s) > 1:
		return countNoun(len(s), "server")
	case len(h.r.Attacks) == 1:
		return attackTitle(&h.r.Attacks[0])
	case len(h.r.Attacks) > 1:
		return countNoun(len(h.r.Attacks), "attack")
	case h.r.Coverage.Trace != nil:
		return h.r.Coverage.Trace.File
	}
	return "gauntlet report"
}

// missing lists what was not scanned: problems first, then what was not requested.
func (h *htmlReport) missing(l ledger) (out []string) {
	for i := range h.r.Problems {
		out = append(out, problemText(&h.r.Problems[i]))
	}
	out = append(out, h.r.Undone()[len(h.r.Problems):]...)
	for _, c := range h.r.Coverage.Checks {
		switch {
		case c.State == "failed":
			out = append(out, string(c.Rule)+" failed: "+c.Reason)
		case c.Withheld > 0:
			out = append(out, fmt.Sprintf("%s left out %s", c.Rule, countNoun(c.Withheld, "more finding")))
		case c.State == "ran" && c.Reason != "":
			out = append(out, string(c.Rule)+": "+c.Reason)
		}
	}
	if l.unchanged != nil {
		out = append(out, "equal to the baseline and not scanned again: "+strings.Join(l.unchanged, ", "))
	}
	if l.missing != nil {
		out = append(out, "the input holds no "+strings.Join(l.missing, ", "))
	}
	var needs []string
	by := map[string][]string{}
	for _, s := range h.r.Skipped {
		if by[s.Needs] == nil {
			needs = append(needs, s.Needs)
		}
		by[s.Needs] = append(by[s.Needs], string(s.Rule))
	}
	for _, n := range needs {
		out = append(out, fmt.Sprintf("%s not run for want of %s: %s", countNoun(len(by[n]), "check"), n, strings.Join(by[n], ", ")))
	}
	return out
}

func (h *htmlReport) nav() (out []navLink) {
	for _, p := range h.parts {
		out = append(out, p.navLink)
	}
	return out
}

// writeFindings writes the filters and all findings, the severest first.
func (h *htmlReport) writeFindings() error {
	fs := h.r.Findings
	order := make([]int, len(fs))
	servers, rules := map[string]bool{}, map[finding.Rule]string{}
	for i := range fs {
		order[i] = i
		servers[Visible(fs[i].Location.Server)] = true
		rules[fs[i].Rule] = fs[i].Name
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fs[b].Severity, fs[a].Severity) })
	type ruleName struct{ ID, Name string }
	var names []ruleName
	for id, name := range rules {
		names = append(names, ruleName{Visible(string(id)), Visible(name)})
	}
	slices.SortFunc(names, func(a, b ruleName) int { return cmp.Compare(a.ID, b.ID) })
	var known []string
	for s := range servers {
		if s != "" {
			known = append(known, s)
		}
	}
	slices.Sort(known)
	if err := h.execute("filters", map[string]any{"Findings": len(fs), "AtOnce": findingsAtOnce, "Counts": countSeverities(fs), "Servers": known, "Rules": names}); err != nil {
		return err
	}
	if err := h.writeFindingList(order); err != nil {
		return err
	}
	_, _ = h.w.WriteString("</section>\n")
	return nil
}

func (h *htmlReport) writeFindingList(order []int) error {
	if len(order) == 0 {
		return nil
	}
	ids := idMaker{}
	_, _ = h.w.WriteString("<ul class=\"findings\" id=\"findings-list\">\n")
	for n, i := range order {
		switch {
		case n == findingsAtOnce:
			_, _ = h.w.WriteString("</ul>\n<template class=\"more\"><ul>\n")
		case n > findingsAtOnce && (n-findingsAtOnce)%findingsApart == 0:
			_, _ = h.w.WriteString("</ul></template>\n<template class=\"more\"><ul>\n")
		}
		if err := h.execute("finding", viewFinding(&h.r.Findings[i], ids.next(h.r.Findings[i].Fingerprint), len(h.r.Coverage.Servers) > 1)); err != nil {
			return err
		}
	}
	if len(order) > findingsAtOnce {
		_, _ = h.w.WriteString("</ul></template>\n")
	} else {
		_, _ = h.w.WriteString("</ul>\n")
	}
	_, _ = h.w.WriteString("<button type=\"button\" id=\"more\" hidden>Show more</button>\n")
	return nil
}
