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

func verdictOf(v *result.Vetting) string { return cmp.Or(verdictWords[v.Verdict], string(v.Verdict)) }

func verdictTone(v *result.Vetting) tone {
	switch v.Verdict {
	case result.Refuse:
		return "critical"
	case result.Accept:
		return toneGood
	}
	return "medium"
}

// vettingBrief summarizes each vetting in a few lines. What is a problem, or a reason of the verdict, is not repeated.
func vettingBrief(r *result.Report) (out []field) {
	add := func(label string, texts ...string) {
		for _, text := range texts {
			out = append(out, field{Label: label, Text: text})
		}
	}
	for i := range r.Vetted {
		v := &r.Vetted[i]
		out = append(out, field{Label: "Verdict", Text: capitalised(verdictOf(v)) + " " + v.Target, Tone: verdictTone(v)})
		add("", v.Reasons...)
		if v.Package != nil {
			add("Package", packageText(v))
		}
		add("Changed", v.Changes...)
		for _, s := range v.Steps {
			text := s.Name + ": " + s.Detail
			said := slices.ContainsFunc(v.Reasons, func(why string) bool { return strings.HasSuffix(why, s.Detail) }) ||
				slices.ContainsFunc(r.Problems, func(p finding.Problem) bool { return p.Message == text })
			if s.State == result.StepDone || !said {
				add(capitalised(stepWords(s.State)), text)
			}
		}
	}
	return out
}

// problemsBesideVerdicts lists the problems that no verdict gives as its reason.
func problemsBesideVerdicts(r *result.Report) []finding.Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p finding.Problem) bool {
		return slices.ContainsFunc(r.Vetted, func(v result.Vetting) bool { return slices.Contains(v.Reasons, p.Message) })
	})
}

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

// capitalised capitalizes the first letter of a text, which must be ours.
func capitalised(text string) string {
	first := min(1, len(text))
	return strings.ToUpper(text[:first]) + text[first:]
}

func stepWords(state string) string { return strings.ReplaceAll(state, "_", " ") }

func vettedSection(r *result.Report) section {
	s := section{ID: "vetted", Title: "Vetted", Noun: "target", Share: markdownLimit / 4, Short: vettingBrief(r)}
	return withRows(s, r.Vetted, func(v *result.Vetting) row {
		one := row{Tone: verdictTone(v), Badge: verdictOf(v), Title: v.Target}
		one.add("why", v.Reasons...)
		if k := v.Package; k != nil {
			one.add("package", packageText(v))
			one.addAside("origin", k.Origin)
			one.addAside("digest", k.Digest)
			one.addAside("compared", k.Integrity)
		}
		one.addAside("start", strings.Join(v.Start, " "))
		one.add("changed", v.Changes...)
		for _, s := range v.Steps {
			one.add(stepWords(s.State), s.Name+": "+s.Detail)
		}
		return one
	})
}
