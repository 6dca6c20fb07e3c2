package report

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/result"
)

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
	s.Intro = []string{probeCounts(p), probeGround(p)}
	if len(p.NotApplicable) > 0 {
		s.Intro = append(s.Intro, "not applicable: "+strings.Join(p.NotApplicable, ", "))
	}
	s.Intro = append(s.Intro, p.Notes...)
	if p.Cut != "" {
		s.Intro = append(s.Intro, "ended early: "+p.Cut)
	}
	s.quiet = func(i int) bool {
		return p.Trials[i].Outcome != result.Proved && (!p.Trials[i].Planned || p.Trials[i].Outcome == result.InconclusiveTrial)
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

// probeGround says where a server was probed and how often it was called.
func probeGround(p *result.Probing) string {
	return fmt.Sprintf("%s calls; where it ran: %s%s%s", groupDigits(p.Calls), p.Ground, protectionText(p.Protections), suppliedText(p))
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
	if more := r.Count(result.Proved, true) - r.Count(result.Proved, false); more > 0 {
		text += fmt.Sprintf("; %s more proved outside the plan", groupDigits(more))
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
