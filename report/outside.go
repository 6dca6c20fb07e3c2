package report

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// Findings of other programs have their own section in every format except SARIF and JUnit, whose consumers would
// attribute them to this program.

func importedCounts(i *result.Imported) string {
	agreed, confirmed := i.Count(result.Agreed, result.Confirmed)
	foreign, refuted := i.Count(result.ForeignOnly, result.Refuted)
	s := fmt.Sprintf("%s of %s: %s agreed, %s foreign only", countNoun(len(i.Findings), "finding"), countNoun(len(i.Files), "report"), groupDigits(agreed), groupDigits(foreign))
	if confirmed+refuted > 0 {
		s += fmt.Sprintf("; %s confirmed and %s refuted by a run", groupDigits(confirmed), groupDigits(refuted))
	}
	left := 0
	for k := range i.Files {
		left += i.Files[k].Left
	}
	if left > 0 {
		s += "; " + groupDigits(left) + " left out"
	}
	if i.Gates {
		return s + "; they move the exit code"
	}
	return s + "; they move no exit code"
}

// importedState describes the status of an imported finding.
func importedState(f *result.ImportedFinding) string {
	s := "foreign only"
	if f.State == result.Agreed {
		s = "agreed"
	}
	if f.Run != "" {
		s += ", " + string(f.Run) + " by " + f.By
	}
	return s
}

// importedPlace names the location of a finding as far as its report gives it.
func importedPlace(f *result.ImportedFinding) string {
	var parts []string
	if f.Location.Item != "" {
		parts = append(parts, itemTitle(&f.Location))
	}
	if f.Parameter != "" {
		parts = append(parts, "parameter "+f.Parameter)
	}
	if at := describeLocation(&f.Location, false); at != "" {
		parts = append(parts, at)
	}
	return strings.Join(parts, ", ")
}

// importedSection lists the findings of other programs.
func importedSection(r *result.Report) section {
	s := section{ID: "imported", Title: "Imported", Brief: "Imported", Noun: "imported finding", Share: markdownLimit / 4}
	if r.Imported == nil {
		return s
	}
	s.Remark = importedCounts(r.Imported)
	return withRows(s, r.Imported.Findings, func(f *result.ImportedFinding) row {
		one := row{Tone: toneOf(f.Severity), Badge: f.Severity.String(), Title: f.Rule + " of " + f.Tool, Where: importedPlace(f)}
		one.add("is", importedState(f))
		one.add("says", f.Message)
		one.addAside("with", f.Agrees...)
		return one
	})
}

// SARIF and JUnit have no advisories: their consumers act on every result, and a model's opinion is not a finding.

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

// advisorySections lists the opinions of each model.
func advisorySections(r *result.Report) (out []section) {
	for i := range r.Advisory {
		a := &r.Advisory[i]
		s := section{ID: fmt.Sprintf("advisory-%d", i+1), Title: "Advisory", Brief: "Opinion", BriefRows: true, Remark: "a model's opinion, which moves no exit code", Noun: "opinion"}
		s.Intro = []string{"the opinion of " + a.Model + ": " + advisoryCounts(a)}
		rows := make([]row, 0, len(a.Findings)+len(a.Labels)+len(a.Unjudged))
		for j := range a.Findings {
			rows = append(rows, opinionRow(&a.Findings[j]))
		}
		for _, l := range a.Labels {
			rows = append(rows, row{Title: "inferred: " + strings.TrimPrefix(l.Server+"/"+l.Tool, "/") + " has " + l.Tag})
		}
		for j := range a.Unjudged {
			rows = append(rows, row{Title: "not judged: " + itemTitle(&a.Unjudged[j].Location), Text: a.Unjudged[j].Reason})
		}
		out = append(out, listRows(s, rows))
	}
	return out
}

func opinionRow(f *result.AdvisoryFinding) row {
	one := row{Title: threatWords(f.Threat), Where: strings.TrimSpace(itemTitle(&f.Location) + "  " + describeLocation(&f.Location, false)), Text: f.Rationale}
	one.add("quote", f.Quote)
	one.add("sure", escalation(f))
	return one
}

var trialWords = map[result.ProbeOutcome]string{
	result.Proved: "proved", result.ResistedIt: "resisted", result.ByDesign: "by design", result.NotDelivered: "not delivered", result.InconclusiveTrial: "not conclusive",
}

// probeSection counts the trials and describes each.
func probeSection(r *result.Report) section {
	s := section{ID: "probes", Title: "Probes", Brief: "Probes", Lines: true, Heads: []string{"Outcome", "Trial"}, Noun: "trial", Share: markdownLimit / 4}
	p := r.Probing
	if p == nil {
		return s
	}
	calls := groupDigits(p.Calls)
	if p.Most > 0 {
		calls += " of " + groupDigits(p.Most)
	}
	s.Intro = []string{probeCounts(p), fmt.Sprintf("%s calls; where it ran: %s%s%s", calls, p.Ground, protectionText(p.Protections), suppliedText(p))}
	if len(p.NotApplicable) > 0 {
		s.Intro = append(s.Intro, "not applicable: "+strings.Join(p.NotApplicable, ", "))
	}
	s.Intro = append(s.Intro, p.Notes...)
	if p.Cut != "" {
		s.Intro = append(s.Intro, "ended early: "+p.Cut)
	}
	s.quiet = func(i int) bool {
		return p.Trials[i].Outcome != result.Proved && p.Trials[i].Outcome != result.ByDesign && (!p.Trials[i].Planned || p.Trials[i].Outcome == result.InconclusiveTrial)
	}
	return withRows(s, p.Trials, func(t *result.ProbeTrial) row {
		one := row{Badge: cmp.Or(trialWords[t.Outcome], string(t.Outcome)), Title: t.Class + " in " + strings.TrimSuffix(t.Tool+"."+t.Parameter, "."), Text: t.Reason}
		if t.Outcome == result.ResistedIt {
			one.Text = fmt.Sprintf("%d delivered, %d answered", t.Delivered, t.Answered)
		}
		one.add("tried for", t.Basis)
		return one
	})
}

// probeCounts counts the outcomes of the planned trials and the issues proved beyond the plan.
func probeCounts(r *result.Probing) string {
	var counts []string
	planned := 0
	for _, o := range []result.ProbeOutcome{result.Proved, result.ResistedIt, result.ByDesign, result.NotDelivered, result.InconclusiveTrial} {
		n := r.Count(o, false)
		if planned += n; n > 0 || o != result.InconclusiveTrial {
			counts = append(counts, groupDigits(n)+" "+trialWords[o])
		}
	}
	text := fmt.Sprintf("%s planned: %s", groupDigits(planned), strings.Join(counts, ", "))
	for _, o := range []result.ProbeOutcome{result.Proved, result.ByDesign} {
		if more := r.Count(o, true) - r.Count(o, false); more > 0 {
			text += fmt.Sprintf("; %s more %s outside the plan", groupDigits(more), trialWords[o])
		}
	}
	return text
}

// protectionText names the missing layers of a sandbox, "" if none was missing.
func protectionText(ps []result.Protection) string {
	var missing []string
	for _, p := range ps {
		if !p.Held {
			missing = append(missing, p.Name)
		}
	}
	if missing == nil {
		return ""
	}
	return ", without " + strings.Join(missing, ", ")
}

// suppliedText names the inputs for which made-up values were supplied, "" for none.
func suppliedText(r *result.Probing) string {
	if len(r.Supplied) == 0 {
		return ""
	}
	return "; with made-up values for " + strings.Join(r.Supplied, ", ")
}

// sandboxSection says, for each sandboxed server, which protections held and what the server did.
func sandboxSection(r *result.Report) section {
	s := section{ID: "sandboxes", Title: "Sandboxes", Brief: "Sandbox", BriefRows: true, Noun: "server", Share: markdownLimit / 4}
	return withRows(s, r.Sandboxes, func(s *result.Sandbox) row {
		one := row{Title: s.Server}
		if s.Missing != "" {
			one.add("none", s.Missing)
			return one
		}
		var held, lost []string
		for _, p := range s.Protections {
			if p.Held {
				held = append(held, p.Name)
			} else {
				lost = append(lost, p.Name+": "+p.Detail)
			}
		}
		for i := range s.Contacts {
			one.add("hosts", contactText(&s.Contacts[i]))
		}
		one.add("opened", s.CanariesOpened...)
		one.add("started", s.Programs...)
		one.add("wrote", s.FilesChanged...)
		one.add("held", strings.Join(held, ", "))
		one.add("not", lost...)
		one.add("note", s.Notes...)
		return one
	})
}

// contactText describes a contact: "evil.example (request, 3 times)".
func contactText(c *result.Contact) string {
	text := fmt.Sprintf("%s (%s", c.Host, c.How)
	if c.Times > 1 {
		text += fmt.Sprintf(", %d times", c.Times)
	}
	if c.Allowed {
		text += ", allowed"
	}
	return text + ")"
}

// expectationRule is the SARIF rule of failed expectations.
const expectationRule finding.Rule = "expectation"

// expectationSection lists the expectations. Those that held ask for nothing.
func expectationSection(r *result.Report) section {
	s := section{ID: "expectations", Title: "Expectations", Brief: "Expected", BriefRows: true, Lines: true, Heads: []string{"Result", "Expectation"}, Noun: "expectation", Share: markdownLimit / 4}
	switch {
	case r.Expectations == nil:
	case r.Failed() == 0:
		s.Remark = "all " + groupDigits(len(r.Expectations)) + " held"
	default:
		s.Remark = fmt.Sprintf("%s of %s did not hold", groupDigits(r.Failed()), groupDigits(len(r.Expectations)))
	}
	s.quiet = func(i int) bool { return r.Expectations[i].Held }
	return withRows(s, r.Expectations, func(e *result.Expectation) row {
		one := row{Badge: "failed", Tone: "high", Title: e.Name, Text: e.Message, Where: fileLine(e.File, e.Line), Test: &junitTest{name: fmt.Sprintf("%s, line %d", e.Name, e.Line), file: e.File, outcome: "failure", kind: "expectation"}}
		if e.Held {
			one.Badge, one.Tone, one.Test.outcome, one.Test.kind = "held", "", "", ""
		}
		return one
	})
}

// expectationResult returns the result for a failed expectation.
func expectationResult(e *result.Expectation) sarifResult {
	return sarifResult{
		rule: expectationRule, level: "error", text: sarifPlain(e.Name + ": " + e.Message), at: sarifLine(e.File, e.Line),
		mark: finding.Fingerprint(string(expectationRule), e.File, e.Name, fmt.Sprint(e.Line)), properties: e,
	}
}
