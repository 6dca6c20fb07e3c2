package fleet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// judge reads what the job's report says into the entry. It returns why there is no result, "" if there is one. What was not done
// is in the words of the report, which decides whether it is complete.
func (o *oneJob) judge(e *Entry, end *ending) (why string) {
	switch {
	case end.cause != "":
		return end.cause + said(end.tail)
	case end.report == nil:
		return fmt.Sprintf("it wrote no report, exit code %d%s", end.exit, said(end.tail))
	}
	r, undone, err := readResult(o.job.Lane, end.report)
	if err != nil {
		return "its output is not a report: " + err.Error()
	}
	e.Counts = countsOf(r)
	switch {
	case len(undone) > 0:
		e.State, e.Reason = result.FleetIncomplete, cut(strings.TrimPrefix(undone[0], "attack "+o.job.Document+": "), maxReason) // which reports say anyway
		if n := len(undone) - 1; n > 0 {
			e.Reason += fmt.Sprintf(" (and %d more in its report)", n)
		}
	case end.exit != result.ExitOK && end.exit != result.ExitGate:
		e.State, e.Reason = result.FleetIncomplete, fmt.Sprintf("exit code %d%s", end.exit, said(end.tail))
	}
	live := o.job.Target.Kind == URL || o.job.Target.Kind == Command
	if live && o.job.Lane == Scan && r.Summary.Servers == 0 && o.d.Attempt < o.limits.Attempts {
		return "nothing could be read: " + e.Reason // perhaps next time
	}
	return ""
}

// readResult reads a report, and what it says was not done, the cause first. Of a report on models it keeps the counts alone.
func readResult(lane LaneName, text []byte) (r *result.Report, undone []string, err error) {
	r = &result.Report{}
	if lane == Redteam {
		var models result.RedTeam
		if err := json.Unmarshal(text, &models); err != nil || models.Models == nil {
			return nil, nil, fmt.Errorf("want one on models (%v)", err)
		}
		r.Summary.BySeverity = map[string]int{}
		for i := range models.Models {
			m := &models.Models[i]
			r.Summary.BySeverity["exploited"] += m.Exploited
			r.Summary.BySeverity["resisted"] += m.Resisted
			r.Summary.BySeverity["inconclusive"] += m.Inconclusive
		}
		return r, models.Undone, nil
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, nil, err
	}
	if r.SchemaVersion == "" {
		return nil, nil, fmt.Errorf("it has no schema_version")
	}
	slices.SortStableFunc(r.Problems, func(a, b finding.Problem) int { // what was not read is what came of it
		return map[bool]int{true: 1}[b.Kind == finding.Failed] - map[bool]int{true: 1}[a.Kind == finding.Failed]
	})
	return r, r.Undone(), nil
}

// countsOf are the findings of a report by severity, and its attacks by outcome.
func countsOf(r *result.Report) map[string]int {
	counts := map[string]int{}
	for severity, n := range r.Summary.BySeverity {
		if n > 0 {
			counts[severity] = n
		}
	}
	for i := range r.Attacks {
		if v := r.Attacks[i].Verdict; v != nil {
			counts[string(v.Outcome)]++
		}
	}
	return counts
}

func said(tail string) string {
	if tail == "" {
		return ""
	}
	return ": " + tail
}
