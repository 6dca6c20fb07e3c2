package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/verdict"
)

// attacksOnly reports whether the report is about attacks and no server was scanned.
func attacksOnly(r *result.Report) bool {
	return r.Attacks != nil && len(r.Coverage.Servers) == 0 && r.Clients == nil
}

// countJudged counts the attacks whose verdict says whether the agent resisted.
func countJudged(runs []result.AttackRun) (n int) {
	for i := range runs {
		if runs[i].Exploited() || runs[i].Resisted() {
			n++
		}
	}
	return n
}

// An outcomeKind is an outcome as reports tell it: in words, by a look, and as the outcome of a test.
type outcomeKind struct {
	outcome verdict.Outcome
	words   string
	tone    tone
	test    string
}

// outcomes lists the outcomes, most important first.
var outcomes = []outcomeKind{
	{verdict.Exploited, "exploited", "critical", "failure"},
	{verdict.Partial, "partly exploited", "critical", "failure"},
	{verdict.Failed, "without verdict", "medium", "error"},
	{verdict.NotExposed, "not exposed", "medium", "error"},
	{verdict.NotExploited, "resisted", toneGood, ""},
}

// rankOf returns the place of a run's outcome among outcomes; a run without a verdict has failed.
func rankOf(a *result.AttackRun) int {
	of := verdict.Failed
	if a.Verdict != nil {
		of = a.Verdict.Outcome
	}
	return slices.IndexFunc(outcomes, func(k outcomeKind) bool { return k.outcome == of })
}

// kindOf describes the outcome of a run. One that nobody knows is told by its own name.
func kindOf(a *result.AttackRun) outcomeKind {
	if i := rankOf(a); i >= 0 {
		return outcomes[i]
	}
	return outcomeKind{a.Verdict.Outcome, string(a.Verdict.Outcome), "medium", "error"}
}

// attackCounts summarizes the outcomes: "3 attacks: 1 exploited, 2 resisted".
func attackCounts(runs []result.AttackRun) string {
	var parts []string
	for _, k := range outcomes {
		n := 0
		for i := range runs {
			if kindOf(&runs[i]) == k {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, groupDigits(n)+" "+k.words)
		}
	}
	if parts == nil {
		return "no attacks"
	}
	return countNoun(len(runs), "attack") + ": " + strings.Join(parts, ", ")
}

// attackTitle names an attack by id and name, or by its document. The result is not Visible yet.
func attackTitle(a *result.AttackRun) string {
	return cmp.Or(strings.TrimSpace(a.ID+"  "+a.Name), a.Document)
}

// outcomeReason explains the outcome of a run in one line. The result is not Visible yet.
func outcomeReason(a *result.AttackRun) string {
	switch {
	case a.Verdict == nil:
		return cmp.Or(a.Problem, "it was not run")
	case a.Verdict.Reason != "":
		return a.Verdict.Reason
	}
	s := a.Verdict.Summary
	text := fmt.Sprintf("%d of %s matched", s.Matched, countNoun(s.Total(), "indicator"))
	if a.Verdict.MaxTier != "" {
		text += ", up to " + a.Verdict.MaxTier
	}
	return text
}

// attackSeverity returns the severity that the document declares, medium if it declares none.
func attackSeverity(a *result.AttackRun) finding.Severity {
	if a.Severity == "informational" {
		return finding.Info
	}
	if s, err := finding.ParseSeverity(a.Severity); err == nil && s != finding.None {
		return s
	}
	return finding.Medium
}

// reactions describe how a client handled tampered messages.
var reactions = map[string]string{
	"crashed": "the agent crashed", "closed": "the client closed the connection", "went_on": "the client continued",
	"hung": "the client had neither taken all nor closed at the end", "left": "the client left", "silent": "the client sent nothing more",
}

// wireText summarizes a client's reaction in one line. The result is not Visible yet.
func wireText(w *result.WireRun) string {
	text := fmt.Sprintf("%s, %s to %s (%s taken): %s", w.Do, countNoun(w.Times, "message"), w.Session, countNoun(int(w.Bytes), "byte"), cmp.Or(reactions[w.Client], w.Client))
	if w.Next != "" {
		text += fmt.Sprintf(", next %s, %s in all", w.Next, countNoun(w.Messages, "message"))
	}
	if w.Resumed > 0 {
		text += ", " + countNoun(w.Resumed, "resumption")
	}
	if w.Again > 0 {
		text += ", " + countNoun(w.Again, "new conversation")
	}
	if w.Ceiling {
		text += ", up to the ceiling"
	}
	return text
}

// indicatorText summarizes the result of an indicator in one line. The result is not Visible yet.
func indicatorText(i *verdict.Indicator) string {
	text := i.ID
	if i.Tier != "" {
		text += " (" + i.Tier + ")"
	}
	if i.Message > 0 {
		text += fmt.Sprintf(" message %d", i.Message)
	}
	if i.Evidence != "" {
		text += ": " + i.Evidence
	}
	return text
}

// attackSection describes each run of an attack document, the most important outcome first.
func attackSection(r *result.Report) section {
	s := section{ID: "attacks", Title: "Attacks", Noun: "attack", Share: markdownLimit / 2, Aligned: &aligned{NoHead: true}}
	if len(r.Attacks) > 0 {
		s.Remark = attackCounts(r.Attacks)
	}
	rows, order := make([]row, len(r.Attacks)), make([]int, len(r.Attacks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rankOf(&r.Attacks[a]), rankOf(&r.Attacks[b])) })
	for at, i := range order {
		rows[at] = attackRow(&r.Attacks[i])
		rows[at].ID = fmt.Sprintf("run-%d", i+1)
	}
	return listRows(s, rows)
}

// attackMatrix shows attacks by agent, with links to the runs.
func attackMatrix(r *result.Report) section {
	s := section{ID: "matrix", Title: "Attacks by agent", Lines: true, PageOnly: true, Heads: []string{"", "Attack"}, None: "not run"}
	var rows []row
	for i := range r.Attacks {
		a := &r.Attacks[i]
		agent := cmp.Or(a.Agent, "whoever connected")
		if !slices.Contains(s.Heads[2:], agent) {
			s.Heads = append(s.Heads, agent)
		}
		one := rowOf(&rows, attackTitle(a))
		one.Fields = append(one.Fields, field{Label: agent, Text: kindOf(a).words, Tone: kindOf(a).tone, Link: fmt.Sprintf("#run-%d", i+1)})
	}
	return listRows(s, rows)
}

func attackRow(a *result.AttackRun) row {
	kind := kindOf(a)
	r := row{Tone: kind.tone, Badge: kind.words, Title: attackTitle(a), Where: a.Document, Text: outcomeReason(a), Test: &junitTest{name: attackTitle(a), file: a.Document, outcome: kind.test}}
	if kind.test != "" {
		r.Test.kind = string(kind.outcome)
	}
	who := a.Agent
	if a.Scripted {
		who = strings.TrimSpace(who + "  (it did what a script says: this shows what the attack can do and nothing about an agent)")
	}
	r.add("agent", who)
	if len(a.Findings) > 0 {
		r.add("finding", confirmed(a)+strings.Join(a.Findings, ", "))
	}
	if a.Verdict != nil {
		r.addIndicators(a.Verdict.Indicators)
		r.addExposure(a.Verdict.Exposure)
	}
	for i := range a.Actors {
		if c := &a.Actors[i]; c.State != "ran" {
			r.add("actor", fmt.Sprintf("%s (%s) %s: %s", c.Name, c.Mode, c.State, c.Reason))
		}
	}
	for i := range a.Wire {
		r.add("wire", wireText(&a.Wire[i]))
	}
	for _, n := range a.Notices {
		text := n.Message
		if n.Seq > 0 {
			text += fmt.Sprintf(" (message %d)", n.Seq)
		}
		r.addAside("note", text)
	}
	if a.Trace != "" {
		r.addAside("trace", a.Trace+"  "+countNoun(a.Messages, "message"))
	}
	return r
}

// confirmed says what the verdict means for the findings that the document was generated from.
func confirmed(a *result.AttackRun) string {
	switch {
	case a.Exploited():
		return "confirmed for this agent: "
	case a.Resisted():
		return "not confirmed for this agent: "
	}
	return "neither confirmed nor refuted: "
}

// addIndicators adds indicators by result; those without evidence come last, apart from those that did not match.
func (r *row) addIndicators(list []verdict.Indicator) {
	for _, k := range []struct {
		label string
		is    func(*verdict.Indicator) bool
		aside bool
	}{
		{"matched", func(i *verdict.Indicator) bool { return i.Result == verdict.Matched }, false},
		{"error", func(i *verdict.Indicator) bool { return i.Result == verdict.Error }, false},
		{"no match", func(i *verdict.Indicator) bool { return i.Result == verdict.NotMatched }, true},
		{"skipped", func(i *verdict.Indicator) bool { return i.Result == verdict.Skipped && !i.Unobservable }, true},
		{"unseen", func(i *verdict.Indicator) bool { return i.Unobservable }, true},
	} {
		for n := range list {
			if k.is(&list[n]) {
				r.Fields = append(r.Fields, field{Label: k.label, Text: indicatorText(&list[n]), Aside: k.aside})
			}
		}
	}
}

// addExposure adds which parts of the attack reached the agent.
func (r *row) addExposure(e *verdict.Exposure) {
	if e == nil {
		return
	}
	for i := range e.Parts {
		part := &e.Parts[i]
		text := strings.TrimSpace(part.Method+" "+part.Name) + " of " + part.Actor + ", " + part.Phase
		if part.Delivered == 0 {
			r.addAside("missed", text)
		} else {
			r.addAside("reached", fmt.Sprintf("%s (message %d)", text, part.Message))
		}
	}
}

// rateSection lists the success rate of each attack.
func rateSection(r *result.Report) section {
	s := section{ID: "rates", Title: "Rates", Brief: "Rates", BriefRows: true, Lines: true, Heads: []string{"", "Attack"}, Noun: "rate"}
	if len(r.Rates) > 0 {
		s.Remark = "of runs in which the attack succeeded, with the Wilson interval of 95 %"
	}
	return withRows(s, r.Rates, func(r *result.Rate) row {
		return row{Title: strings.TrimSpace(r.Document + " " + r.Agent), Text: rateFigures(r)}
	})
}

// rateFigures formats a rate: "3 of 5, 60 % (23 to 88 %), 1 inconclusive".
func rateFigures(r *result.Rate) string {
	figures := rateWords(r.Exploited, r.Exploited+r.Resisted)
	if r.Inconclusive > 0 {
		figures += fmt.Sprintf(", %d inconclusive", r.Inconclusive)
	}
	return figures
}
