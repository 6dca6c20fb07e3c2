package report

import (
	"fmt"
	"strings"

	"gauntlet/result"
)

var trialWords = map[result.ProbeOutcome]string{
	result.Proved: "proved", result.ResistedIt: "resisted", result.ByDesign: "by design", result.NotDelivered: "not delivered",
}

// probing shows the results of probing a server: counts and, if Verbose, every planned trial.
func (p *page) probing(r *result.Probing) {
	if r == nil {
		return
	}
	p.heading("Probes", "")
	p.writeWrapped(probeCounts(r))
	p.writeWrapped(fmt.Sprintf("%s calls; where it ran: %s%s%s", groupDigits(r.Calls), Visible(r.Ground), protectionText(r.Protections), suppliedText(r)))
	if len(r.NotApplicable) > 0 {
		p.writeWrapped("not applicable: " + Visible(strings.Join(r.NotApplicable, ", ")))
	}
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Outcome != result.Proved && !(p.verbose && t.Planned) {
			continue
		}
		p.writeIndented(2, clipText(trialLine(t), p.width-2))
	}
	p.writeBlank()
}

// writeWrapped writes text over as many lines as needed, indented after the first.
func (p *page) writeWrapped(text string) {
	for i, line := range wrap(text, p.width-4) {
		p.writeIndented(2+2*min(i, 1), p.dim(line))
	}
}

// probeCounts counts the outcomes of the planned trials and the issues proved beyond the plan.
func probeCounts(r *result.Probing) string {
	text := fmt.Sprintf("%s planned: ", groupDigits(r.Count(result.Proved, false)+r.Count(result.ResistedIt, false)+r.Count(result.ByDesign, false)+r.Count(result.NotDelivered, false)))
	for i, o := range []result.ProbeOutcome{result.Proved, result.ResistedIt, result.ByDesign, result.NotDelivered} {
		if i > 0 {
			text += ", "
		}
		text += groupDigits(r.Count(o, false)) + " " + trialWords[o]
	}
	if more := r.Count(result.Proved, true) - r.Count(result.Proved, false); more > 0 {
		text += fmt.Sprintf("; %s more proved outside the plan", groupDigits(more))
	}
	return text
}

// trialLine describes a trial in one line.
func trialLine(t *result.ProbeTrial) string {
	line := fmt.Sprintf("%s: %s in %s.%s", trialWords[t.Outcome], t.Class, Visible(t.Tool), Visible(t.Parameter))
	switch t.Outcome {
	case result.ResistedIt:
		line += fmt.Sprintf(" (%d delivered, %d answered)", t.Delivered, t.Answered)
	case result.ByDesign, result.NotDelivered:
		line += ": " + Visible(t.Reason)
	}
	return line
}

// protectionText names the missing layers of a sandbox, "" if none was missing.
func protectionText(ps []result.Protection) string {
	var missing []string
	for _, p := range ps {
		if !p.Held {
			missing = append(missing, Visible(p.Name))
		}
	}
	if missing == nil {
		return ""
	}
	return ", without " + strings.Join(missing, ", ")
}

// mdTrial describes a trial as a list item.
func mdTrial(t *result.ProbeTrial) string {
	return "- " + trialWords[t.Outcome] + ": " + codeSpan(t.Class+" in "+t.Tool+"."+t.Parameter, mdWide) + mdReason(t)
}

func mdReason(t *result.ProbeTrial) string {
	switch {
	case t.Outcome == result.ResistedIt:
		return fmt.Sprintf(" (%d delivered, %d answered)", t.Delivered, t.Answered)
	case t.Reason != "":
		return ": " + codeSpan(t.Reason, mdWide)
	}
	return ""
}

// suppliedText names the inputs for which made-up values were supplied, "" for none.
func suppliedText(r *result.Probing) string {
	if len(r.Supplied) == 0 {
		return ""
	}
	return "; with made-up values for " + Visible(strings.Join(r.Supplied, ", "))
}
