package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/result"
)

var _ = documentFormats(&fleetFormats, "in docs/schemas/fleet.schema.json", fleetDocument)

// countOrder is the display order of counts: severities, then outcomes.
var countOrder = []string{"critical", "high", "medium", "low", "info", "exploited", "partial", "resisted", "not_exploited", "not_exposed", "inconclusive", "error"}

// CountWords lists the counts above 0 in a fixed order, "" if there are none.
func CountWords(counts map[string]int) string {
	var out []string
	told := map[string]bool{}
	for _, name := range slices.Concat(countOrder, slices.Sorted(maps.Keys(counts))) {
		if n := counts[name]; n > 0 && !told[name] {
			out = append(out, groupDigits(n)+" "+strings.ReplaceAll(name, "_", " "))
		}
		told[name] = true
	}
	return strings.Join(out, ", ")
}

func fleetVerdict(f *result.Fleet) string {
	s := &f.Summary
	parts := []string{fmt.Sprintf("%s of %s done", groupDigits(s.Done), countNoun(s.Jobs, "job"))}
	for _, p := range []struct {
		n    int
		word string
	}{{s.Incomplete, "incomplete"}, {s.Failed, "failed"}, {s.NotDone, "not done"}} {
		if p.n > 0 {
			parts = append(parts, groupDigits(p.n)+" "+p.word)
		}
	}
	if n := len(f.Left); n > 0 {
		parts = append(parts, countNoun(n, "target")+" without a job")
	}
	if !s.Complete {
		return strings.Join(parts, ", ") + ": the report is incomplete"
	}
	return strings.Join(parts, ", ") + ": the report is complete"
}

// A notDone is a reason and the jobs that it prevented.
type notDone struct {
	reason string
	first  []string // examples
	n      int
}

// fleetNotDone groups incomplete jobs by reason, the most frequent first.
func fleetNotDone(f *result.Fleet) []notDone {
	const named = 5
	at := map[string]int{}
	var out []notDone
	add := func(reason, name string) {
		i, ok := at[reason]
		if !ok {
			i = len(out)
			at[reason], out = i, append(out, notDone{reason: reason})
		}
		if out[i].n++; len(out[i].first) < named {
			out[i].first = append(out[i].first, name)
		}
	}
	for i := range f.Targets {
		for j := range f.Targets[i].Jobs {
			if one := &f.Targets[i].Jobs[j]; one.State != result.FleetDone {
				add(cmp.Or(one.Reason, "part of it was not read"), strings.TrimSpace(one.Lane+" "+f.Targets[i].Name+" "+one.Document))
			}
		}
	}
	for _, l := range f.Left {
		add(l.Reason, l.Target)
	}
	slices.SortStableFunc(out, func(a, b notDone) int { return b.n - a.n })
	return out
}

func (n *notDone) String() string {
	text := strings.Join(n.first, ", ")
	if more := n.n - len(n.first); more > 0 {
		text += " and " + groupDigits(more) + " more"
	}
	return text + ": " + n.reason
}

// badness orders targets: the severest findings first, then incomplete targets.
func badness(t *result.FleetTarget) (score [7]int) {
	for i := range t.Jobs {
		j := &t.Jobs[i]
		for at, name := range []string{"critical", "exploited", "high", "medium", "low"} {
			score[at] += j.Counts[name]
		}
		if j.State != result.FleetDone {
			score[5]++
		}
	}
	return score
}

// worstTargets returns the targets, the worst first.
func worstTargets(f *result.Fleet) []*result.FleetTarget {
	out := make([]*result.FleetTarget, len(f.Targets))
	for i := range f.Targets {
		out[i] = &f.Targets[i]
	}
	slices.SortStableFunc(out, func(a, b *result.FleetTarget) int {
		x, y := badness(a), badness(b)
		return slices.Compare(y[:], x[:])
	})
	return out
}

const (
	pageTargets   = 10_000 // rows of a page; JSON has all
	pageReasons   = 1_000
	maxPageReason = 80 // columns of a reason in a cell
	maxReason     = 500
)

func laneField(j *result.FleetJob) field {
	one := field{Label: j.Lane, Tone: toneSoft}
	words := strings.TrimSpace(j.Document + " " + cmp.Or(CountWords(j.Counts), "nothing found"))
	switch j.State {
	case result.FleetDone:
		one.Text = words
		for _, k := range []struct {
			name string
			tone tone
		}{{"exploited", "high"}, {"low", "low"}, {"medium", "medium"}, {"high", "high"}, {"critical", "critical"}} {
			if j.Counts[k.name] > 0 {
				one.Tone = k.tone
			}
		}
	case result.FleetIncomplete:
		one.Text, one.Tone = words+", incomplete: "+clipEnd(j.Reason, maxPageReason), ""
	default:
		one.Text, one.Tone = strings.TrimSpace(j.Document+" "+strings.ReplaceAll(string(j.State), "_", " ")+": "+clipEnd(j.Reason, maxPageReason)), ""
	}
	return one
}

// fleetDocument has the worst targets, and why jobs were not done.
func fleetDocument(f *result.Fleet) *document {
	d := &document{Page: Page{Title: "Fleet " + f.Name, Verdict: fleetVerdict(f), Read: "Plan " + f.Plan}, Complete: f.Summary.Complete, tool: f.Tool}
	d.Exit = strings.TrimSuffix(countNoun(f.Summary.Targets, "target")+": "+CountWords(f.Summary.Counts), ": ")
	d.Class = map[int]string{result.ExitOK: "ok", result.ExitGate: "bad", result.ExitTrouble: "open"}[f.ExitCode()]
	for i, n := range fleetNotDone(f) {
		if i == pageReasons {
			d.Missing = append(d.Missing, "… further reasons are in the JSON report")
			break
		}
		d.Missing = append(d.Missing, clipEnd(n.String(), maxReason))
	}
	d.Missing = append(d.Missing, f.Refused...)
	d.sections = []section{fleetTable(f)}
	return d
}

// fleetTable has a row per target, the worst first, and a column per lane.
func fleetTable(f *result.Fleet) section {
	s := section{ID: "targets", Title: "Targets", Lines: true, None: "not asked for", Aligned: &aligned{Most: 20, Rest: "the json and html reports list every target"}}
	s.Intro = []string{countNoun(len(f.Targets), "target") + ", the worst first."}
	if len(f.Targets) > pageTargets {
		s.Intro[0] = fmt.Sprintf("The worst %s of %s; the JSON report has all.", groupDigits(pageTargets), countNoun(len(f.Targets), "target"))
	}
	lanes := map[string]bool{}
	for i := range f.Targets {
		for _, j := range f.Targets[i].Jobs {
			lanes[j.Lane] = true
		}
	}
	s.Heads = slices.Concat([]string{"", "Target", "Kind"}, slices.Sorted(maps.Keys(lanes)))
	return withRows(s, worstTargets(f)[:min(len(f.Targets), pageTargets)], func(target **result.FleetTarget) row {
		one := row{Title: (*target).Name, Link: (*target).Page}
		one.add("Kind", (*target).Kind)
		for i := range (*target).Jobs {
			one.Fields = append(one.Fields, laneField(&(*target).Jobs[i]))
		}
		return one
	})
}
