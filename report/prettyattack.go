package report

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/verdict"
)

// attacks writes the runs of attack documents: a table if there are several, and the details of each.
func (p *page) attacks(runs []result.AttackRun) {
	if len(runs) > 1 {
		p.attackTable(runs)
	}
	for i := range runs {
		p.attack(&runs[i])
	}
}

// outcomeWidth is the width of the longest outcome.
const outcomeWidth = len("partly exploited")

func (p *page) attackTable(runs []result.AttackRun) {
	p.heading("Attacks", "")
	room := p.width - outcomeWidth - 6 // for title and detail
	wide := 0
	for i := range runs {
		wide = max(wide, columns(Visible(attackTitle(&runs[i]))))
	}
	wide = min(wide, room*3/5)
	for i := range runs {
		a := &runs[i]
		title := clipText(Visible(attackTitle(a)), wide)
		p.writeIndented(2, p.outcome(a, fmt.Sprintf("%-*s", outcomeWidth, outcomeWords(outcomeOf(a)))), "  ",
			title, strings.Repeat(" ", max(wide-columns(title), 0)+2), p.dim(clipEnd(Visible(why(a)), room-wide)))
	}
	p.writeBlank()
}

func (p *page) outcome(a *result.AttackRun, words string) string {
	switch {
	case a.Exploited():
		return p.colourSeverity(finding.Critical, words)
	case a.Resisted():
		return p.green(words)
	}
	return p.colourSeverity(finding.Medium, words)
}

func (p *page) attack(a *result.AttackRun) {
	p.heading(p.titled(attackTitle(a), a.Document))
	p.writeIndented(2, p.outcome(a, strings.ToUpper(outcomeWords(outcomeOf(a)))))
	p.labelled(2, "why:", clipText(Visible(why(a)), 10*p.width))
	if a.Agent != "" {
		who := a.Agent
		if a.Scripted {
			who += "  (it did what a script says: this shows what the attack can do and nothing about an agent)"
		}
		p.labelled(2, "agent:", Visible(who))
	}
	if len(a.Findings) > 0 {
		p.labelled(2, "finding:", p.confirmed(a)+Visible(strings.Join(a.Findings, ", ")))
	}
	if a.Verdict != nil {
		p.writeIndicators(a.Verdict.Indicators)
		p.exposure(a.Verdict.Exposure)
	}
	for i := range a.Actors {
		if c := &a.Actors[i]; c.State != "ran" {
			p.labelled(2, "actor:", Visible(fmt.Sprintf("%s (%s) %s: %s", c.Name, c.Mode, c.State, c.Reason)))
		}
	}
	for i := range a.Wire {
		if i == mostNotices && !p.verbose {
			p.painted(2, "wire:", fmt.Sprintf("… and %s more", groupDigits(len(a.Wire)-i)), p.dim)
			break
		}
		p.labelled(2, "wire:", Visible(wireText(&a.Wire[i])))
	}
	for i, n := range a.Notices {
		if i == mostNotices && !p.verbose {
			p.painted(2, "note:", fmt.Sprintf("… and %s more", groupDigits(len(a.Notices)-i)), p.dim)
			break
		}
		text := n.Message
		if n.Seq > 0 {
			text += fmt.Sprintf(" (message %d)", n.Seq)
		}
		p.painted(2, "note:", Visible(text), p.dim)
	}
	if a.Trace != "" {
		p.painted(2, "trace:", Visible(a.Trace)+"  "+countNoun(a.Messages, "message"), p.dim)
	}
	p.writeBlank()
}

// confirmed says what the verdict means for the findings that the document was generated from.
func (p *page) confirmed(a *result.AttackRun) string {
	switch {
	case a.Exploited():
		return "confirmed for this agent: "
	case a.Resisted():
		return "not confirmed for this agent: "
	}
	return "neither confirmed nor refuted: "
}

// mostNotices limits the notices shown per run unless verbose.
const mostNotices = 8

// writeIndicators lists indicators by result; those without evidence come last, apart from those that did not match.
func (p *page) writeIndicators(list []verdict.Indicator) {
	for _, k := range []struct {
		label string
		is    func(*verdict.Indicator) bool
		paint func(string) string
	}{
		{"matched:", func(i *verdict.Indicator) bool { return i.Result == verdict.Matched }, p.bold},
		{"error:", func(i *verdict.Indicator) bool { return i.Result == verdict.Error }, p.bold},
		{"no match:", func(i *verdict.Indicator) bool { return i.Result == verdict.NotMatched }, p.dim},
		{"skipped:", func(i *verdict.Indicator) bool { return i.Result == verdict.Skipped && !i.Unobservable }, p.dim},
		{"unseen:", func(i *verdict.Indicator) bool { return i.Unobservable }, p.dim},
	} {
		for n := range list {
			if k.is(&list[n]) {
				p.painted(2, k.label, clipText(Visible(indicatorText(&list[n])), 3*p.width), k.paint)
			}
		}
	}
}

// exposure says which parts of the attack reached the agent.
func (p *page) exposure(e *verdict.Exposure) {
	if e == nil {
		return
	}
	for i := range e.Parts {
		part := &e.Parts[i]
		text := strings.TrimSpace(part.Method+" "+part.Name) + " of " + part.Actor + ", " + part.Phase
		if part.Delivered == 0 {
			p.painted(2, "missed:", Visible(text), p.dim)
			continue
		}
		p.painted(2, "reached:", Visible(fmt.Sprintf("%s (message %d)", text, part.Message)), p.dim)
	}
}

// rates writes the success rate of each attack, one per line.
func (p *page) rates(all []result.Rate) {
	if len(all) == 0 {
		return
	}
	p.heading("Rates", "")
	p.painted(2, "", "of runs in which the attack succeeded, with the Wilson interval of 95 %", p.dim)
	for i := range all {
		p.labelled(2, "", clipText(Visible(rateOf(&all[i])), p.width)+"  "+rateFigures(&all[i]))
	}
	p.writeBlank()
}

// rateLines writes rates in the short text.
func (p *page) rateLines(all []result.Rate) {
	label := "Rates"
	for i := range all {
		p.line(label, rateFigures(&all[i])+"  "+Visible(rateOf(&all[i])))
		label = ""
	}
}

func rateOf(r *result.Rate) string { return strings.TrimSpace(r.Document + " " + r.Agent) }

// rateFigures formats a rate: "3 of 5 60 % (23 to 88 %), 1 inconclusive".
func rateFigures(r *result.Rate) string {
	figures := "no conclusive run"
	if n := r.Exploited + r.Resisted; n > 0 {
		figures = fmt.Sprintf("%d of %d  %.0f %% (%.0f to %.0f %%)", r.Exploited, n, 100*r.Share, 100*r.Low, 100*r.High)
	}
	if r.Inconclusive > 0 {
		figures += fmt.Sprintf(", %d inconclusive", r.Inconclusive)
	}
	return figures
}

// attackSum is the last line of a report that has only attacks.
func (p *page) attackSum(r *result.Report) {
	text := p.bold(attackCounts(r.Attacks)) + "."
	if !complete(r) {
		text += p.colourSeverity(finding.High, " The run is "+incompleteWords(r)+".")
	}
	p.writeIndented(0, text)
}
