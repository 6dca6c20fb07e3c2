package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

var verdictWords = map[result.VettingVerdict]string{
	result.Refuse: "do not install", result.Review: "look closer before you install", result.Accept: "nothing speaks against", result.Unknown: "cannot say anything about",
}

// verdictText is the verdict in one line, without reasons.
func verdictText(v *result.Vetting) string {
	return cmp.Or(verdictWords[v.Verdict], string(v.Verdict)) + " " + v.Target
}

// verdictSeverity returns the severity whose style a verdict takes.
func verdictSeverity(v *result.Vetting) finding.Severity {
	switch v.Verdict {
	case result.Refuse:
		return finding.Critical
	case result.Accept:
		return finding.None
	}
	return finding.Medium
}

// vettingLines summarizes each vetting in a few lines. What is a problem, or a reason of the verdict, is not repeated.
func (p *page) vettingLines(r *result.Report) {
	for i := range r.Vetted {
		v := &r.Vetted[i]
		text := capitalised(verdictText(v))
		paint := p.green
		if s := verdictSeverity(v); s != finding.None {
			paint = func(s2 string) string { return p.colourSeverity(s, s2) }
		}
		p.writeIndented(0, p.dim("Verdict"), "   ", paint(p.bold(p.fit(Visible(text), labelColumns))))
		for _, why := range v.Reasons {
			p.line("", Visible(why))
		}
		if k := v.Package; k != nil {
			p.line("Package", Visible(packageText(v)))
		}
		for _, c := range v.Changes {
			p.line("Changed", Visible(c))
		}
		for _, s := range v.Steps {
			if s.State == result.StepDone {
				p.line("Done", Visible(s.Name+": "+s.Detail))
			}
		}
		for _, s := range v.Steps {
			text := s.Name + ": " + s.Detail
			said := slices.ContainsFunc(v.Reasons, func(why string) bool { return strings.HasSuffix(why, s.Detail) }) ||
				slices.ContainsFunc(r.Problems, func(p finding.Problem) bool { return p.Message == text })
			if s.State != result.StepDone && !said {
				p.line(capitalised(stepWords(s.State)), Visible(text))
			}
		}
	}
}

// unsaid lists the problems that no verdict gives as its reason.
func unsaid(r *result.Report) []finding.Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p finding.Problem) bool {
		return slices.ContainsFunc(r.Vetted, func(v result.Vetting) bool { return slices.Contains(v.Reasons, p.Message) })
	})
}

// packageText describes a package in one line.
func packageText(v *result.Vetting) string {
	k := v.Package
	parts := []string{strings.TrimSpace(cmp.Or(v.Name, v.Target) + " " + v.Version)}
	if k.Published != "" {
		parts = append(parts, fmt.Sprintf("published %s ago", countNoun(k.AgeDays, "day")))
	}
	if n := len(k.Maintainers); n > 0 {
		shown := k.Maintainers[:min(n, 3)]
		text := countNoun(n, "maintainer") + " (" + strings.Join(shown, ", ")
		if n > len(shown) {
			text += ", …"
		}
		parts = append(parts, text+")")
	}
	parts = append(parts, fmt.Sprintf("depends on %s, %d with theirs", countNoun(k.Direct, "package"), k.Installed))
	own, theirs := 0, 0
	for _, s := range k.Scripts {
		if s.Own {
			own++
		} else {
			theirs++
		}
	}
	switch {
	case own+theirs == 0:
		parts = append(parts, "no install scripts")
	default:
		parts = append(parts, fmt.Sprintf("install scripts: %d of its own, %d of dependencies", own, theirs))
	}
	if k.Provenance != "" {
		parts = append(parts, "provenance is stated, and was not verified")
	}
	return strings.Join(parts, "; ")
}

func mdVetting(v *result.Vetting) string {
	lines := []string{"- **" + cmp.Or(verdictWords[v.Verdict], "?") + "** " + codeSpan(v.Target, mdWide)}
	for _, why := range v.Reasons {
		lines = append(lines, "why: "+codeSpan(why, mdWide))
	}
	if v.Package != nil {
		lines = append(lines, "package: "+codeSpan(packageText(v), mdWide))
	}
	for _, c := range v.Changes {
		lines = append(lines, "changed: "+codeSpan(c, mdWide))
	}
	for _, s := range v.Steps {
		lines = append(lines, stepWords(s.State)+": "+codeSpan(s.Name+": "+s.Detail, mdWide))
	}
	return strings.Join(lines, "  \n  ")
}

// capitalised capitalizes the first letter of a text, which must be ours and not empty.
func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func stepWords(state string) string { return strings.ReplaceAll(state, "_", " ") }

func (h *htmlReport) writeVetted() error {
	for i := range h.r.Vetted {
		v := &h.r.Vetted[i]
		s := section{ID: "vetted", Title: "Vetted: " + verdictText(v), Intro: strings.Join(v.Reasons, ". ")}
		if i > 0 {
			s.ID = fmt.Sprintf("vetted-%d", i+1)
		}
		if k := v.Package; k != nil {
			s.Lines = append(s.Lines, labelledLine{"Package", packageText(v)})
			for _, l := range []labelledLine{{"Origin", k.Origin}, {"Digest", k.Digest}, {"Compared with", k.Integrity}} {
				if l.Text != "" {
					s.Lines = append(s.Lines, l)
				}
			}
		}
		if len(v.Start) > 0 {
			s.Lines = append(s.Lines, labelledLine{"Started by", strings.Join(v.Start, " ")})
		}
		for _, c := range v.Changes {
			s.Lines = append(s.Lines, labelledLine{"Changed", c})
		}
		if err := h.execute("lines", s); err != nil {
			return err
		}
		title := "What was done"
		if len(h.r.Vetted) > 1 { // each landmark of a page needs its own name
			title += " with " + v.Target
		}
		steps := section{ID: s.ID + "-steps", Title: title, Head: []string{"Step", "State", "Detail"}}
		for _, one := range v.Steps {
			steps.Rows = append(steps.Rows, []string{one.Name, stepWords(one.State), one.Detail})
		}
		if err := h.execute("table", steps); err != nil {
			return err
		}
	}
	return nil
}
