package report

import (
	"fmt"
	"strings"

	"gauntlet/result"
)

// Each format that can keep advisories apart has a section for them. SARIF and JUnit omit them: their consumers act on
// every result, and a model's opinion is not a finding.

// advisoryTitle names the model whose opinion follows and says that it has no effect on the exit code.
func advisoryTitle(a *result.Advisory) string {
	return "Advisory: the opinion of " + Visible(a.Model) + ", which moves no exit code"
}

func threatWords(t result.Threat) string {
	switch t {
	case result.SubtlePoisoning:
		return "subtle poisoning"
	case result.UnsupportedBehaviour:
		return "behaviour that nothing supports"
	case result.Persuasion:
		return "persuasion"
	}
	return string(t)
}

func advisoryCounts(a *result.Advisory) string {
	s := fmt.Sprintf("%s, %s judged", countNoun(len(a.Findings), "opinion"), countNoun(a.Judged, "definition"))
	if a.Dropped > 0 {
		s += fmt.Sprintf(", %s dropped since the definition does not hold the quoted words or the form is wrong", countNoun(a.Dropped, "statement"))
	}
	if n := len(a.Labels); n > 0 {
		s += ", " + countNoun(n, "inferred label")
	}
	if n := len(a.Unjudged); n > 0 {
		s += fmt.Sprintf(", %s not judged", groupDigits(n))
	}
	return s
}

func escalation(f *result.AdvisoryFinding) string {
	if f.Escalate {
		return f.Confidence + " confidence, for a person to look at"
	}
	return f.Confidence + " confidence"
}

func (p *page) advisory(all []result.Advisory) {
	for i := range all {
		a := &all[i]
		p.heading(clipText(advisoryTitle(a), p.width), "")
		p.painted(2, "", advisoryCounts(a), p.dim)
		for j := range a.Findings {
			f := &a.Findings[j]
			p.writeIndented(2, p.bold(clipText(Visible(threatWords(f.Threat)), p.width-2)))
			p.labelled(4, "sure:", Visible(escalation(f)))
			p.labelled(4, "in:", Visible(strings.TrimSpace(itemTitle(&f.Location)+"  "+describeLocation(&f.Location, false))))
			p.labelled(4, "quote:", clipText(Visible(f.Quote), 3*p.width))
			p.labelled(4, "why:", Visible(f.Rationale))
		}
		for j := range a.Labels {
			p.painted(2, "", Visible(labelText(&a.Labels[j])), p.dim)
		}
		p.advisoryUnjudged(a.Unjudged)
		p.writeBlank()
	}
}

// labelText describes the capability that a model infers for a tool.
func labelText(l *result.InferredLabel) string {
	return "inferred: " + strings.TrimPrefix(l.Server+"/"+l.Tool, "/") + " has " + l.Tag
}

// advisoryUnjudged lists the definitions that the model did not assess.
func (p *page) advisoryUnjudged(all []result.NotJudged) {
	for i := range all {
		p.painted(2, "", Visible("not judged: "+itemTitle(&all[i].Location)+": "+all[i].Reason), p.dim)
	}
}

// advisoryLines shows the first opinions of each model and counts the rest.
func (p *page) advisoryLines(all []result.Advisory) {
	for i := range all {
		a := &all[i]
		p.line("Opinion", Visible("of "+a.Model+", which moves no exit code: "+advisoryCounts(a)))
		for j := range a.Findings {
			if j == mostParts && len(a.Findings) > mostParts+1 {
				p.line("", fmt.Sprintf("… and %s more: -v lists them", groupDigits(len(a.Findings)-j)))
				break
			}
			f := &a.Findings[j]
			p.line("", Visible(shortPlace(&f.Location, false)+": "+threatWords(f.Threat)+" ("+escalation(f)+"): "+f.Rationale))
		}
	}
}

func mdAdvisories(p *mdPage, all []result.Advisory) {
	for i := range all {
		a := &all[i]
		title := "Advisory (a model's opinion, which moves no exit code)"
		entries := append([]string{"- " + codeSpan(a.Model, mdWide) + ": " + advisoryCounts(a)}, mdOpinions(a)...)
		if p.left < 2*mdReserve {
			return
		}
		p.writeList(title, "opinion", "opinions", markdownLimit, len(entries), func(i int) string { return entries[i] })
	}
}

func mdOpinions(a *result.Advisory) (out []string) {
	for i := range a.Findings {
		f := &a.Findings[i]
		out = append(out, "- "+codeSpan(threatWords(f.Threat), mdWide)+" in "+codeSpan(itemTitle(&f.Location), mdWide)+" ("+codeSpan(escalation(f), mdWide)+")  \n  "+
			codeSpan(f.Quote, mdWide)+"  \n  "+codeSpan(f.Rationale, mdWide))
	}
	for i := range a.Labels {
		out = append(out, "- "+codeSpan(labelText(&a.Labels[i]), mdWide))
	}
	return out
}
