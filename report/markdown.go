package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// markdownLimit is the longest page in bytes: GitHub limits a comment to 65,536 characters, and no text has more characters than bytes.
const markdownLimit = 65_536

var _ = formats.register("markdown", "for comments and job summaries: at most 65,536 characters, the worst first", writeMarkdown)

// writeMarkdown writes a page for a comment or a job summary: the summary first, then the findings, the worst first. A
// page that is too long is cut, and says so.
//
// Server text appears only in code spans, where no host interprets markup, links, mentions or images.
func writeMarkdown(w *bufio.Writer, r *result.Report, _ Options) error {
	p := &mdPage{w: w, left: markdownLimit}
	if attacksOnly(r) {
		title := "### gauntlet: " + attackCounts(r.Attacks)
		if !complete(r) {
			title += "; the run is " + incompleteWords(r)
		}
		p.must(title + "\n")
	} else {
		p.must("### " + mdTitle(r) + "\n\n" + mdTable(r))
	}
	// Problems go first, since they limit what the findings mean, but may not use up the page.
	p.writeList("Problems", "problem", "problems", markdownLimit/4, len(r.Problems), func(i int) string { return mdProblem(&r.Problems[i]) })
	p.writeList("Vetted", "target", "targets", markdownLimit/4, len(r.Vetted), func(i int) string { return mdVetting(&r.Vetted[i]) })
	p.writeList("Attacks", "attack", "attacks", markdownLimit/2, len(r.Attacks), func(i int) string { return mdAttack(&r.Attacks[i]) })
	p.writeList("Expectations that did not hold", "expectation", "expectations", markdownLimit/4, r.Failed(), func(i int) string {
		e := nthFailed(r.Expectations, i)
		return "- " + codeSpan(e.Name, mdWide) + ": " + codeSpan(e.Message, mdWide) + " in " + codeSpan(fmt.Sprintf("%s:%d", e.File, e.Line), mdWide)
	})
	if t := r.Probing; t != nil {
		p.writeList("Probes", "trial", "trials", markdownLimit/4, len(t.Trials), func(i int) string { return mdTrial(&t.Trials[i]) })
	}
	worst := make([]int, len(r.Findings))
	for i := range worst {
		worst[i] = i
	}
	slices.SortStableFunc(worst, func(a, b int) int { return int(r.Findings[b].Severity) - int(r.Findings[a].Severity) })
	p.writeList("Findings", "finding", "findings", markdownLimit, len(worst), func(i int) string { return mdFinding(&r.Findings[worst[i]]) })
	p.writeList("Suppressed", "suppressed finding", "suppressed findings", markdownLimit, len(r.Suppressed), func(i int) string {
		s := &r.Suppressed[i]
		return mdHead(&s.Finding) + "  \n  reason: " + codeSpan(decision(&s.Decision), mdWide) + " in " + codeSpan(fmt.Sprintf("%s:%d", s.Decision.File, s.Decision.Line), mdWide)
	})
	idle := slices.Collect(func(yield func(*result.Suppression) bool) {
		for i := range r.Suppressions {
			if r.Suppressions[i].State != result.Used && !yield(&r.Suppressions[i]) {
				return
			}
		}
	})
	p.writeList("Suppressions not used", "suppression", "suppressions", markdownLimit, len(idle), func(i int) string {
		return "- " + codeSpan(string(idle[i].State), mdWide) + ": " + codeSpan(unused(idle[i]), mdWide)
	})
	p.writeList("Sandboxes", "server", "servers", markdownLimit/4, len(r.Sandboxes), func(i int) string { return mdSandbox(&r.Sandboxes[i]) })
	if c := r.Clients; c != nil {
		p.writeList("Configurations", "entry", "entries", markdownLimit, len(c.Entries), func(i int) string {
			e := &c.Entries[i]
			return "- " + codeSpan(fmt.Sprintf("%s of %s  %s:%d", e.Name, e.Client, e.File, e.Line), mdWide) + ": " + codeSpan(became(e), mdWide)
		})
	}
	if i := r.Imported; i != nil {
		p.writeList("Imported ("+importedCounts(i)+")", "imported finding", "imported findings", markdownLimit/4, len(i.Findings), func(k int) string { return mdImported(&i.Findings[k]) })
	}
	mdAdvisories(p, r.Advisory) // last, in the remaining room: it displaces nothing
	return nil                  // the writer keeps its first error for Flush
}

// mdWide is the number of columns shown of a text.
const mdWide = 300

// mdReserve is kept for the sentences that say what was omitted.
const mdReserve = 1_000

// An mdPage is a page with a limit in bytes.
type mdPage struct {
	w    *bufio.Writer
	left int
}

func (p *mdPage) must(s string) {
	p.left -= len(s)
	_, _ = p.w.WriteString(s)
}

// writeList writes a section with as many of its n entries as fit on the page and in room bytes.
func (p *mdPage) writeList(title, one, many string, room, n int, entry func(int) string) {
	if n == 0 {
		return
	}
	p.must("\n#### " + title + "\n\n")
	for i := range n {
		text := entry(i) + "\n"
		if room -= len(text); room < 0 || p.left-len(text) < mdReserve {
			noun := many
			if n-i == 1 {
				noun = one
			}
			p.must(fmt.Sprintf("- %s %s not shown: a comment has at most 65,536 characters. The other formats have all.\n", groupDigits(n-i), noun))
			return
		}
		p.must(text)
	}
}

func mdTitle(r *result.Report) string {
	title := "gauntlet: no findings"
	if n := len(r.Findings); n > 0 {
		title = "gauntlet: " + countNoun(n, "finding")
	}
	if n := len(r.Suppressed); n > 0 {
		title += ", " + groupDigits(n) + " suppressed"
	}
	if !complete(r) {
		return title + "; the scan is incomplete"
	}
	return title + "; the scan is complete"
}

// mdTable is the summary. It holds only figures, since any pipe ends a cell.
func mdTable(r *result.Report) string {
	var by [finding.Critical + 1]int
	for i := range r.Findings {
		by[min(r.Findings[i].Severity, finding.Critical)]++
	}
	head, rule, row := "|", "|", "|"
	cell := func(name string, n int) {
		head, rule, row = head+" "+name+" |", rule+"---|", row+" "+groupDigits(n)+" |"
	}
	for sev := finding.Critical; sev > finding.None; sev-- {
		cell(sev.String(), by[sev])
	}
	cell("suppressed", len(r.Suppressed))
	cell("problems", len(r.Problems))
	cell("servers", r.Summary.Servers)
	cell("definitions", r.Summary.Items)
	if n := unscanned(r); n > 0 {
		cell("unchanged and not scanned again", n)
	}
	ran := 0
	for _, c := range r.Coverage.Checks {
		if c.State == "ran" {
			ran++
		}
	}
	cell("checks run", ran)
	cell("checks skipped", len(r.Skipped))
	return head + "\n" + rule + "\n" + row + "\n"
}

// mdHead is the first line of a finding.
func mdHead(f *finding.Finding) string {
	return fmt.Sprintf("- **%s** %s in %s", f.Severity, codeSpan(string(f.Rule)+" "+f.Name, mdWide), codeSpan(inWords(&f.Location), mdWide))
}

// stepsInWords describes a data flow in one line.
func stepsInWords(steps []finding.Step) string {
	var parts []string
	for i := range steps {
		parts = append(parts, fmt.Sprintf("%s (%s:%d)", steps[i].Text, steps[i].File, steps[i].Line))
	}
	return strings.Join(parts, " -> ")
}

func mdFinding(f *finding.Finding) string {
	lines := []string{mdHead(f), "why: " + codeSpan(f.Message, mdWide)}
	if f.Evidence.Raw != "" {
		lines = append(lines, "evidence: "+codeSpan(f.Evidence.Raw, mdWide))
	}
	if len(f.Also) > 0 {
		lines = append(lines, "also: "+joinRules(f.Also)+" on the same words")
	}
	if n := len(f.Related); n > 0 {
		lines = append(lines, "also: "+codeSpan(also(&f.Related[0]), mdWide)+mdMore(n-1))
	}
	if n := len(f.Steps); n > 0 {
		lines = append(lines, "path: "+codeSpan(stepsInWords(f.Steps), mdWide))
	}
	if f.Advice != "" {
		lines = append(lines, "do: "+codeSpan(f.Advice, mdWide))
	}
	return strings.Join(append(lines, "id: "+codeSpan(f.Fingerprint, mdWide)), "  \n  ")
}

func mdMore(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + countNoun(n, "more place")
}

func mdProblem(p *finding.Problem) string {
	text := "- " + codeSpan(string(p.Kind), mdWide) + ": " + codeSpan(p.Message, mdWide)
	if p.Location != (finding.Location{}) {
		text += " in " + codeSpan(inWords(&p.Location), mdWide)
	}
	return text
}

// maxTicks is the longest run of backticks kept in a code span. Readers give up on longer fences, and the code would become markup.
const maxTicks = 3

// codeSpan returns untrusted text as a Markdown code span that it cannot leave: Visible and therefore one line of at
// most wide columns, fenced by more backticks than it has in a row.
func codeSpan(s string, wide int) string {
	s = clipText(Visible(s), wide)
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest > maxTicks {
		s, longest = strings.ReplaceAll(s, "`", "<U+0060>"), 0
	}
	fence := strings.Repeat("`", longest+1)
	if strings.Trim(s, " ") == "" {
		return fence + " " + s + " " + fence
	}
	// Readers strip one space off both ends, so add two; otherwise a text that begins with a backtick would lengthen the fence.
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}
