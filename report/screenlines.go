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

// informationLine names the rules that have findings of severity info.
func (p *page) informationLine(fs []finding.Finding) {
	n, seen := 0, map[finding.Rule]bool{}
	var rules []string
	for i := range fs {
		f := &fs[i]
		if f.Severity > finding.Info {
			continue
		}
		n++
		if !seen[f.Rule] {
			seen[f.Rule] = true
			rules = append(rules, string(f.Rule)+" "+f.Name)
		}
	}
	if n > 0 {
		p.line("Info", Visible(countNoun(n, "finding")+" to know about: "+strings.Join(rules, ", ")))
	}
}

// postureLine counts the signals of each state.
func (p *page) postureLine(signals []result.Signal) {
	if len(signals) == 0 {
		return
	}
	by := map[result.State]int{}
	for _, s := range signals {
		by[s.State]++
	}
	p.line("Posture", fmt.Sprintf("of %s %d seen, %d not seen, %d to be probed, %d not visible to a client", countNoun(len(signals), "defence"),
		by[result.Seen], by[result.NotSeen], by[result.NeedsProbe], by[result.Invisible]))
}

// skippedLine says what the skipped checks require.
func (p *page) skippedLine(skips []result.Skip) {
	if len(skips) == 0 {
		return
	}
	by := map[string]int{}
	var needs []string
	for _, s := range skips {
		if by[s.Needs] == 0 {
			needs = append(needs, s.Needs)
		}
		by[s.Needs]++
	}
	for i, n := range needs {
		needs[i] = fmt.Sprintf("%s (%d)", n, by[n])
	}
	need := ", which need "
	if len(skips) == 1 {
		need = ", which needs "
	}
	p.line("Skipped", Visible(countNoun(len(skips), "check")+need+strings.Join(needs, ", ")))
}

// problemLines shows the first problems, one line per cause even if many files share it. Unread input is never omitted silently.
func (p *page) problemLines(ps []finding.Problem) {
	type cause struct {
		kind            finding.ProblemKind
		message, server string
	}
	counts := map[cause]int{}
	var causes []int // the first problem of each
	of := func(f *finding.Problem) cause {
		return cause{f.Kind, f.Message, f.Location.Server + f.Location.Origin + f.Location.Item}
	}
	for i := range ps {
		k := of(&ps[i])
		if counts[k]++; counts[k] == 1 {
			causes = append(causes, i)
		}
	}
	label := "Unread"
	for at, i := range causes {
		if at == mostParts && len(causes) > mostParts+1 {
			p.line(label, fmt.Sprintf("… and %s more: -v lists them", countNoun(len(causes)-at, "problem")))
			return
		}
		text := problemText(&ps[i])
		if n := counts[of(&ps[i])] - 1; n > 0 {
			text += fmt.Sprintf(" (and the same %s)", countNoun(n, "more time"))
		}
		p.line(label, Visible(text))
		label = ""
	}
}

// problemText describes a problem and its location in one line. The result is not Visible yet.
func problemText(f *finding.Problem) string {
	l := &f.Location
	var at []string
	for _, s := range []string{l.Server, l.Origin} {
		if s != "" {
			at = append(at, s)
		}
	}
	if l.Item != "" {
		at = append(at, itemTitle(l))
	}
	if s := describeLocation(&finding.Location{File: l.File, Line: l.Line, Column: l.Column, Seq: l.Seq}, true); s != "" {
		at = append(at, s)
	}
	if at == nil {
		return string(f.Kind) + ": " + f.Message
	}
	return strings.Join(at, ", ") + ": " + string(f.Kind) + ": " + f.Message
}

// cutShortLine names the checks whose result is less complete than their findings suggest.
func (p *page) cutShortLine(cs []result.CheckCoverage) {
	var parts []string
	for _, c := range cs {
		switch {
		case c.State == "failed":
			parts = append(parts, string(c.Rule)+" failed: "+c.Reason)
		case c.Withheld > 0:
			parts = append(parts, fmt.Sprintf("%s left out %s", c.Rule, countNoun(c.Withheld, "more finding")))
		}
	}
	if parts != nil {
		p.line("Cut short", Visible(strings.Join(parts, "; ")))
	}
}

// suppressedLines shows the first accepted findings.
func (p *page) suppressedLines(fs []result.Suppressed) {
	label := "Accepted"
	for i := range fs {
		if i == mostParts && len(fs) > mostParts+1 {
			p.line(label, fmt.Sprintf("… and %s more: -v lists them", groupDigits(len(fs)-i)))
			return
		}
		f := &fs[i].Finding
		p.line(label, Visible(fmt.Sprintf("%s %s %s: %s", f.Severity, f.Rule, shortPlace(&f.Location, false), decision(&fs[i].Decision))))
		label = ""
	}
}

func (p *page) unusedLine(ds []result.Suppression) {
	var parts []string
	n := 0
	for i := range ds {
		if d := &ds[i]; d.State != result.Used {
			n++
			parts = append(parts, fmt.Sprintf("%s (%s, %s:%d)", d.Rule, d.State, d.File, d.Line))
		}
	}
	if n > 0 {
		p.line("Unused", Visible(countNoun(n, "suppression")+": "+strings.Join(parts, ", ")))
	}
}

// togetherLines says which servers share one context, if several do: any of them can influence how the agent uses the others.
func (p *page) togetherLines(c *result.Clients) {
	if c == nil {
		return
	}
	several := slices.DeleteFunc(slices.Clone(c.Agents), func(a result.Agent) bool { return len(a.Entries) < 2 })
	label := "Together"
	for i, a := range several {
		if i == mostParts && len(several) > mostParts+1 {
			p.line("", fmt.Sprintf("… and %s more: -v lists them", groupDigits(len(several)-i)))
			return
		}
		p.line(label, Visible(agentText(c, a, mostNamed)))
		label = ""
	}
}

// mostNamed is the number of servers of one agent that a line names.
const mostNamed = 12

// probeLines counts the trials of probes. Proven issues are findings with their own lines.
func (p *page) probeLines(r *result.Probing) {
	if r == nil {
		return
	}
	p.line("Probes", fmt.Sprintf("%s; %s calls; where it ran: %s%s%s", probeCounts(r), groupDigits(r.Calls), Visible(r.Ground), protectionText(r.Protections), suppliedText(r)))
	if r.Cut != "" {
		p.line("", "ended early: "+Visible(r.Cut))
	}
}

// expectationLines lists the failed expectations.
func (p *page) expectationLines(es []result.Expectation) {
	if es == nil {
		return
	}
	failed := 0
	for i := range es {
		e := &es[i]
		if e.Held {
			continue
		}
		failed++
		p.writeIndented(0, p.colourSeverity(finding.High, "FAILED"), "  ", p.fit(Visible(fmt.Sprintf("%s: %s  %s:%d", e.Name, e.Message, e.File, e.Line)), len("FAILED  ")))
	}
	if failed == 0 {
		p.line("Expected", "all "+groupDigits(len(es))+" held")
		return
	}
	p.line("Expected", fmt.Sprintf("%s of %s did not hold", groupDigits(failed), groupDigits(len(es))))
}

// attackLines shows a single run in full, and several as a table, the worst first.
func (p *page) attackLines(runs []result.AttackRun, height int) {
	if len(runs) == 1 {
		p.attack(&runs[0])
		return
	}
	if len(runs) == 0 {
		return
	}
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b result.AttackRun) int { return cmp.Compare(outcomeRank(&a), outcomeRank(&b)) })
	room := len(sorted)
	if height > 0 {
		room = max(height-8, leastRows)
	}
	if len(sorted) <= room {
		p.attackTable(sorted)
		return
	}
	p.attackTable(sorted[:room])
	p.line("", fmt.Sprintf("… and %s more: -v lists them", groupDigits(len(sorted)-room)))
}

// outcomeRank orders runs by importance.
func outcomeRank(a *result.AttackRun) int {
	return slices.IndexFunc(outcomes, func(k struct {
		outcome verdict.Outcome
		words   string
	}) bool {
		return k.outcome == outcomeOf(a)
	})
}
