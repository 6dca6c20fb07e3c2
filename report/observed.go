package report

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

var trialWords = map[result.ProbeOutcome]string{
	result.Proved: "proved", result.ResistedIt: "resisted", result.ByDesign: "by design", result.NotDelivered: "not delivered", result.InconclusiveTrial: "not conclusive",
}

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

func expectationResult(e *result.Expectation) sarifResult {
	return sarifResult{
		rule: expectationRule, level: "error", text: sarifPlain(e.Name + ": " + e.Message), at: sarifLine(e.File, e.Line),
		mark: finding.Fingerprint(string(expectationRule), e.File, e.Name, fmt.Sprint(e.Line)), properties: e,
	}
}
