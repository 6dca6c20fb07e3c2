package report

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// A briefLine is one line of the short text: a text beside a label, "" if it continues the line before. Its texts may be
// a stranger's, as they came.
type briefLine struct {
	Label, Text string
	Tone        tone // of a line that must not be overlooked
}

// mostParts is the number of rows of a section that the short text names.
const mostParts = 3

// firstOf returns a line for each of n texts, the first beside label; beyond mostParts they are counted.
func firstOf(label, noun string, n int, text func(int) string) (out []briefLine) {
	for i := range n {
		if i == mostParts && n > mostParts+1 {
			return append(out, briefLine{Label: label, Text: fmt.Sprintf("… and %s%s more: -v lists them", groupDigits(n-i), noun)})
		}
		out = append(out, briefLine{Label: label, Text: text(i)})
		label = ""
	}
	return out
}

// briefLines returns what the short text says of a section.
func (s *section) briefLines() []briefLine {
	switch {
	case s.brief != nil:
		return s.brief()
	case s.Brief == "":
		return nil
	}
	var out []briefLine
	for _, text := range append([]string{s.Remark}, s.Intro...) {
		if text != "" {
			out = append(out, briefLine{Text: text})
		}
	}
	if listed := s.listed(); s.BriefRows {
		rows := firstOf("", " "+s.Noun+"s", len(listed), func(i int) string {
			r := s.row(listed[i])
			return strings.TrimSpace(r.Badge + "  " + r.line() + spaced(r.Where))
		})
		for i := range min(len(rows), len(listed)) {
			rows[i].Tone = s.row(listed[i]).Tone
		}
		out = append(out, rows...)
	}
	if len(out) > 0 {
		out[0].Label = s.Brief
	}
	return out
}

// writeBrief writes lines, clipped on a terminal and whole elsewhere.
func (p *page) writeBrief(lines ...briefLine) {
	for _, l := range lines {
		text := p.fit(Visible(l.Text), labelColumns)
		gap := strings.Repeat(" ", max(labelColumns-columns(l.Label), 1))
		if l.Label != "" && l.Tone != "" {
			p.writeIndented(0, p.paint(l.Tone, l.Label), gap, p.bold(text))
		} else {
			p.writeIndented(0, p.dim(l.Label), gap, p.paint(l.Tone, text))
		}
	}
}

// informationBrief names the rules that have findings of severity info.
func informationBrief(fs []finding.Finding) []briefLine {
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
	if n == 0 {
		return nil
	}
	return []briefLine{{Label: "Info", Text: countNoun(n, "finding") + " to know about: " + strings.Join(rules, ", ")}}
}

// postureBrief counts the signals of each state.
func postureBrief(signals []result.Signal) []briefLine {
	by := map[result.State]int{}
	for _, s := range signals {
		by[s.State]++
	}
	return []briefLine{{Label: "Posture", Text: fmt.Sprintf("of %s %d seen, %d not seen, %d to be probed, %d not visible to a client", countNoun(len(signals), "defence"),
		by[result.Seen], by[result.NotSeen], by[result.NeedsProbe], by[result.Invisible])}}
}

// skippedBrief says what the skipped checks require.
func skippedBrief(skips []result.Skip) []briefLine {
	if len(skips) == 0 {
		return nil
	}
	needs, by := skippedNeeds(skips)
	for i, n := range needs {
		needs[i] = fmt.Sprintf("%s (%d)", n, len(by[n]))
	}
	need := ", which need "
	if len(skips) == 1 {
		need = ", which needs "
	}
	return []briefLine{{Label: "Skipped", Text: countNoun(len(skips), "check") + need + strings.Join(needs, ", ")}}
}

// problemBrief shows the first problems, one line per cause even if many files share it. Unread input is never omitted silently.
func problemBrief(ps []finding.Problem) []briefLine {
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
	return firstOf("Unread", " problems", len(causes), func(i int) string {
		f := &ps[causes[i]]
		text := problemText(f)
		if n := counts[of(f)] - 1; n > 0 {
			text += fmt.Sprintf(" (and the same %s)", countNoun(n, "more time"))
		}
		return text
	})
}
