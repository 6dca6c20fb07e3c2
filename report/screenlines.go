package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
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
		p.line("Info", countNoun(n, "finding")+" to know about: "+strings.Join(rules, ", "))
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

// firstLines writes n texts, the first beside label; beyond mostParts they are counted.
func (p *page) firstLines(label, noun string, n int, text func(int) string) {
	for i := range n {
		if i == mostParts && n > mostParts+1 {
			p.line(label, fmt.Sprintf("… and %s%s more: -v lists them", groupDigits(n-i), noun))
			return
		}
		p.line(label, text(i))
		label = ""
	}
}

// skippedLine says what the skipped checks require.
func (p *page) skippedLine(skips []result.Skip) {
	if len(skips) == 0 {
		return
	}
	needs, by := skippedNeeds(skips)
	for i, n := range needs {
		needs[i] = fmt.Sprintf("%s (%d)", n, len(by[n]))
	}
	need := ", which need "
	if len(skips) == 1 {
		need = ", which needs "
	}
	p.line("Skipped", countNoun(len(skips), "check")+need+strings.Join(needs, ", "))
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
	p.firstLines("Unread", " problems", len(causes), func(i int) string {
		f := &ps[causes[i]]
		text := problemText(f)
		if n := counts[of(f)] - 1; n > 0 {
			text += fmt.Sprintf(" (and the same %s)", countNoun(n, "more time"))
		}
		return text
	})
}

// cutShortLine names the checks whose result is less complete than their findings suggest.
func (p *page) cutShortLine(cs []result.CheckCoverage) {
	if parts := cutShortChecks(cs); parts != nil {
		p.line("Cut short", strings.Join(parts, "; "))
	}
}

// suppressedLines shows the first accepted findings.
func (p *page) suppressedLines(fs []result.Suppressed) {
	p.firstLines("Accepted", "", len(fs), func(i int) string {
		f := &fs[i].Finding
		return fmt.Sprintf("%s %s %s: %s", f.Severity, f.Rule, shortPlace(&f.Location, false), decision(&fs[i].Decision))
	})
}

func (p *page) unusedLine(ds []result.Suppression) {
	var parts []string
	for i := range ds {
		if d := &ds[i]; d.State != result.Used {
			parts = append(parts, fmt.Sprintf("%s (%s, %s)", d.Rule, d.State, fileLine(d.File, d.Line)))
		}
	}
	if parts != nil {
		p.line("Unused", countNoun(len(parts), "suppression")+": "+strings.Join(parts, ", "))
	}
}

// togetherLines says which servers share one context, if several do: any of them can influence how the agent uses the others.
func (p *page) togetherLines(c *result.Clients) {
	if c == nil {
		return
	}
	several := slices.DeleteFunc(slices.Clone(c.Agents), func(a result.Agent) bool { return len(a.Entries) < 2 })
	p.firstLines("Together", "", len(several), func(i int) string { return agentText(c, several[i], mostNamed) })
}

// mostNamed is the number of servers of one agent that a line names.
const mostNamed = 12

// probeLines counts the trials of probes. Proven issues are findings with their own lines.
func (p *page) probeLines(r *result.Probing) {
	if r == nil {
		return
	}
	p.line("Probes", probeCounts(r)+"; "+probeGround(r))
	for _, note := range r.Notes {
		p.line("", note)
	}
	if r.Cut != "" {
		p.line("", "ended early: "+r.Cut)
	}
}

// expectationLines lists the failed expectations.
func (p *page) expectationLines(r *result.Report) {
	s := expectationSection(r)
	for _, i := range s.listed() {
		e := s.row(i)
		p.writeIndented(0, p.colourSeverity(finding.High, "FAILED"), "  ", p.fit(Visible(e.Title+": "+e.Text+"  "+e.Where), len("FAILED  ")))
	}
	if s.Remark != "" {
		p.line("Expected", s.Remark)
	}
}

// attackLines shows a single run in full, and several as a table, the worst first.
func (p *page) attackLines(r *result.Report, height int) {
	if len(r.Attacks) < 2 {
		s := attackSection(r)
		s.Title = ""
		p.writeSection(s)
		return
	}
	sorted := slices.Clone(r.Attacks)
	slices.SortStableFunc(sorted, func(a, b result.AttackRun) int { return cmp.Compare(outcomeRank(&a), outcomeRank(&b)) })
	room := len(sorted)
	if height > 0 {
		room = min(room, max(height-8, leastRows))
	}
	p.attackTable(sorted[:room])
	if more := len(sorted) - room; more > 0 {
		p.line("", fmt.Sprintf("… and %s more: -v lists them", groupDigits(more)))
	}
}

// attackTable writes a line for each run.
func (p *page) attackTable(runs []result.AttackRun) {
	t := table{Least: []int{len("partly exploited"), 20, 20}}
	for i := range runs {
		a := &runs[i]
		t.Rows = append(t.Rows, []cell{{{Class: string(attackTone(a)), Text: outcomeWords(outcomeOf(a))}}, {{Text: attackTitle(a)}}, {{Class: "soft", Text: outcomeReason(a)}}})
	}
	p.writeIndented(0, p.bold("Attacks"))
	p.writeTable(2, t)
	p.writeBlank()
}

// outcomeRank orders runs by importance.
func outcomeRank(a *result.AttackRun) int {
	return slices.IndexFunc(outcomes, func(k outcomeName) bool { return k.outcome == outcomeOf(a) })
}

// rateLines writes rates in the short text.
func (p *page) rateLines(all []result.Rate) {
	label := "Rates"
	for i := range all {
		p.line(label, rateFigures(&all[i])+"  "+rateOf(&all[i]))
		label = ""
	}
}

// attackSum is the last line of a report that has only attacks.
func (p *page) attackSum(r *result.Report) {
	text := p.bold(attackCounts(r.Attacks)) + "."
	if !complete(r) {
		text += p.colourSeverity(finding.High, " The run is "+incompleteWords(r)+".")
	}
	p.writeIndented(0, text)
}
