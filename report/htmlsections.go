package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/result"
	"gauntlet/verdict"
)

// A labelledLine is a line of a list.
type labelledLine struct{ Label, Text string }

// A section is a list of lines or a table under a heading.
type section struct {
	ID, Title, Intro string
	Lines            []labelledLine
	Head             []string
	Rows             [][]string
}

func outcomeClass(a *result.AttackRun) string {
	switch {
	case a.Exploited():
		return "critical"
	case a.Resisted():
		return "good"
	}
	return "medium"
}

// An attackCell is one run in the matrix.
type attackCell struct{ ID, Class, Words string }

// An attackRow is one attack with a run per agent.
type attackRow struct {
	Title string
	Cells [][]attackCell
}

// An attackView is a run as a page shows it.
type attackView struct {
	attackCell
	Title, Why, Agent, Document, Trace string
	Lines                              []labelledLine
}

// writeAttacks writes the matrix of attacks by agent and the details of each run.
func (h *htmlReport) writeAttacks() error {
	runs := h.r.Attacks
	agents, rows := []string{}, []attackRow{}
	rowOf := map[string]int{}
	views := make([]attackView, len(runs))
	for i := range runs {
		a := &runs[i]
		agent := cmp.Or(a.Agent, "whoever connected")
		if !slices.Contains(agents, agent) {
			agents = append(agents, agent)
		}
		views[i] = viewAttack(a, i)
	}
	for i := range runs {
		title := attackTitle(&runs[i])
		at, ok := rowOf[title]
		if !ok {
			at = len(rows)
			rowOf[title] = at
			rows = append(rows, attackRow{title, make([][]attackCell, len(agents))})
		}
		column := slices.Index(agents, cmp.Or(runs[i].Agent, "whoever connected"))
		rows[at].Cells[column] = append(rows[at].Cells[column], views[i].attackCell)
	}
	return h.execute("attacks", map[string]any{"Sum": attackCounts(runs) + ".", "Agents": agents, "Rows": rows, "Runs": views})
}

func viewAttack(a *result.AttackRun, i int) attackView {
	v := attackView{attackCell{fmt.Sprintf("run-%d", i+1), outcomeClass(a), outcomeWords(outcomeOf(a))}, attackTitle(a), why(a), a.Agent, a.Document, a.Trace, nil}
	add := func(label, text string) { v.Lines = append(v.Lines, labelledLine{label, text}) }
	if a.Scripted {
		add("Scripted", "the agent did what a script says: this shows what the attack can do and nothing about an agent")
	}
	if len(a.Findings) > 0 {
		add("Finding", (*page)(nil).confirmed(a)+strings.Join(a.Findings, ", "))
	}
	if a.Verdict != nil {
		for k := range a.Verdict.Indicators {
			n := &a.Verdict.Indicators[k]
			add(indicatorLabel(n), indicatorText(n))
		}
		if e := a.Verdict.Exposure; e != nil {
			for k := range e.Parts {
				part := &e.Parts[k]
				text := strings.TrimSpace(part.Method+" "+part.Name) + " of " + part.Actor + ", " + part.Phase
				if part.Delivered == 0 {
					add("Not delivered", text)
				} else {
					add("Delivered", fmt.Sprintf("%s (message %d)", text, part.Message))
				}
			}
		}
	}
	for k := range a.Actors {
		if c := &a.Actors[k]; c.State != "ran" {
			add("Actor", fmt.Sprintf("%s (%s) %s: %s", c.Name, c.Mode, c.State, c.Reason))
		}
	}
	for k := range a.Wire {
		add("Wire", wireText(&a.Wire[k]))
	}
	for _, n := range a.Notices {
		add("Note", n.Message)
	}
	return v
}

func indicatorLabel(n *verdict.Indicator) string {
	switch {
	case n.Unobservable:
		return "Not observable"
	case n.Result == verdict.Matched:
		return "Matched"
	case n.Result == verdict.Error:
		return "Error"
	case n.Result == verdict.Skipped:
		return "Skipped"
	}
	return "No match"
}

func (h *htmlReport) viewExpectations() section {
	s := section{Head: []string{"Expectation", "Result", "Why", "At"}}
	for _, e := range h.r.Expectations {
		words := "held"
		if !e.Held {
			words = "did not hold"
		}
		s.Rows = append(s.Rows, []string{e.Name, words, e.Message, fmt.Sprintf("%s:%d", e.File, e.Line)})
	}
	return s
}

func (h *htmlReport) viewProbing() section {
	p := h.r.Probing
	s := section{Head: []string{"Tool and parameter", "Class", "Outcome", "Why tried", "Remarks"}}
	s.Intro = fmt.Sprintf("%s. %s calls; where the server ran: %s%s%s.", probeCounts(p), groupDigits(p.Calls), p.Ground, protectionText(p.Protections), suppliedText(p))
	if len(p.NotApplicable) > 0 {
		s.Intro += " Not applicable: " + strings.Join(p.NotApplicable, ", ") + "."
	}
	if p.Cut != "" {
		s.Intro += " Ended early: " + p.Cut
	}
	for i := range p.Trials {
		t := &p.Trials[i]
		remark := t.Reason
		if t.Outcome == result.ResistedIt {
			remark = fmt.Sprintf("%d delivered, %d answered", t.Delivered, t.Answered)
		}
		s.Rows = append(s.Rows, []string{t.Tool + "." + t.Parameter, t.Class, cmp.Or(trialWords[t.Outcome], string(t.Outcome)), t.Basis, remark})
	}
	return s
}

// writeCapabilities writes a capability matrix per server.
func (h *htmlReport) writeCapabilities() error {
	titles := map[string]int{}
	for i := range h.opt.Capabilities {
		s := capabilitySection(&h.opt.Capabilities[i], i)
		for _, k := range h.opt.Capabilities[i].Combinations {
			s.Intro += " " + combinationWords(&k) + " (" + toolList(k.Tools) + ")."
		}
		if titles[s.Title]++; titles[s.Title] > 1 {
			s.Title += fmt.Sprintf(" (%d)", titles[s.Title])
		}
		if err := h.execute("table", s); err != nil {
			return err
		}
	}
	return nil
}

// capabilitySection has a row per tool with a capability and counts the others.
func capabilitySection(c *capability.Server, n int) section {
	s := section{ID: "capabilities", Title: "What the tools of " + Visible(cmp.Or(c.Name, "the server")) + " can do", Head: []string{"Tool"}}
	if n > 0 {
		s.ID = fmt.Sprintf("capabilities-%d", n+1)
	}
	for _, tag := range capability.Tags() {
		s.Head = append(s.Head, matrixHeads[tag])
	}
	quiet := 0
	for i := range c.Tools {
		t := &c.Tools[i]
		if len(t.Capabilities) == 0 {
			quiet++
			continue
		}
		row := []string{t.Name}
		for _, tag := range capability.Tags() {
			cell := ""
			if l := t.Has(tag, capability.Low); l != nil {
				cell = string(l.Confidence)
			}
			row = append(row, cell)
		}
		s.Rows = append(s.Rows, row)
	}
	s.Intro = fmt.Sprintf("Cells show the confidence of a label. %s without any capability found.", countNoun(quiet, "tool"))
	return s
}

// combinationWords names the tags that are more dangerous together and explains why.
func combinationWords(c *capability.Combination) string {
	tags := make([]string, len(c.Tags))
	for i, t := range c.Tags {
		tags[i] = string(t)
	}
	return strings.Join(tags, " + ") + ": " + c.Rationale
}

func (h *htmlReport) viewServers() section {
	rows := serverRows(h.r)
	s := section{Head: []string{"Server", "Items", "Findings", "Where"}}
	slices.SortStableFunc(rows, func(a, b serverRow) int { return cmp.Compare(b.weight(), a.weight()) })
	for i := range rows {
		s.Rows = append(s.Rows, []string{rows[i].name, rows[i].items, rows[i].words(), rows[i].where})
	}
	if c := h.r.Clients; c != nil {
		for _, a := range c.Agents {
			if len(a.Entries) > 1 {
				s.Intro += agentText(c, a, mostNamed) + ". "
			}
		}
		for _, text := range agentFiles(c) {
			s.Intro += text + ". "
		}
		for _, f := range c.Files {
			if f.Kind != "" {
				continue
			}
			s.Intro += cmp.Or(f.Client, "unknown client") + ": " + f.File + " (" + string(f.State) + "). "
		}
	}
	return s
}

func (h *htmlReport) viewOpinions() section {
	s := section{Title: "Opinions of models, which move no exit code", Head: []string{"Definition", "Threat", "Confidence", "Quoted", "Why", "Model"}}
	for i := range h.r.Advisory {
		a := &h.r.Advisory[i]
		s.Intro += a.Model + ": " + advisoryCounts(a) + ". "
		for j := range a.Findings {
			f := &a.Findings[j]
			s.Rows = append(s.Rows, []string{itemTitle(&f.Location), threatWords(f.Threat), escalation(f), f.Quote, f.Rationale, a.Model})
		}
		for j := range a.Labels {
			l := &a.Labels[j]
			s.Rows = append(s.Rows, []string{l.Tool, "inferred label " + l.Tag, "", "", "", a.Model})
		}
		for j := range a.Unjudged {
			s.Rows = append(s.Rows, []string{itemTitle(&a.Unjudged[j].Location), "not judged", "", "", a.Unjudged[j].Reason, a.Model})
		}
	}
	return s
}

func (h *htmlReport) writeAccepted() error {
	_, _ = h.w.WriteString("<section aria-labelledby=\"accepted\"><h2 id=\"accepted\">Accepted findings and decisions</h2>\n")
	if len(h.r.Suppressed) > 0 {
		_, _ = h.w.WriteString("<ul class=\"findings\">\n")
		ids := idMaker{}
		for i := range h.r.Suppressed {
			s := &h.r.Suppressed[i]
			if err := h.execute("finding", viewSuppressed(s, "accepted-"+ids.next(s.Finding.Fingerprint))); err != nil {
				return err
			}
		}
		_, _ = h.w.WriteString("</ul>\n")
	}
	_, _ = h.w.WriteString("</section>\n")
	idle := section{ID: "unused", Title: "Decisions that cover nothing", Head: []string{"Decision", "State", "At"}}
	for i := range h.r.Suppressions {
		if d := &h.r.Suppressions[i]; d.State != result.Used {
			idle.Rows = append(idle.Rows, []string{unused(d), string(d.State), fmt.Sprintf("%s:%d", d.File, d.Line)})
		}
	}
	if idle.Rows == nil {
		return nil
	}
	return h.execute("table", idle)
}

func (h *htmlReport) viewPosture() section {
	s := section{Title: "Posture: what a client can see", Intro: "A statement about what was looked at. It moves no exit code.", Head: []string{"Defence", "State", "Layer", "Why"}}
	for _, p := range h.r.Posture {
		s.Rows = append(s.Rows, []string{p.Name, cmp.Or(stateWords[p.State], string(p.State)), p.Layer, p.Detail})
	}
	return s
}

func (h *htmlReport) viewChecks() section {
	s := section{Head: []string{"Check", "State", "Looked at", "Findings"}}
	for _, c := range h.r.Coverage.Checks {
		s.Rows = append(s.Rows, []string{string(c.Rule) + " " + c.Name, c.State, groupDigits(c.Items), groupDigits(c.Findings)})
	}
	return s
}
