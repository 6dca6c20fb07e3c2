package report

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/result"
)

// A FleetFormat is a format for fleet reports.
type FleetFormat = FormatOf[*result.Fleet]

var fleetFormats registry[*result.Fleet]

var (
	_ = fleetFormats.register("pretty", "for people", writeFleetText)
	_ = fleetFormats.register("json", "for programs, as in docs/schemas/fleet.schema.json", writeFleetJSON)
	_ = fleetFormats.register("html", "for a browser: one self-contained file", writeFleetHTML)
)

// FleetNames returns the names that LookupFleet takes, the default first.
func FleetNames() []string { return fleetFormats.names() }

// LookupFleet returns the format with the given name.
func LookupFleet(name string) (FleetFormat, error) { return fleetFormats.lookUp(name) }

func writeFleetJSON(w *bufio.Writer, f *result.Fleet, _ Options) error { return WriteJSON(w, f) }

// countOrder is the display order of counts: severities, then outcomes.
var countOrder = []string{"critical", "high", "medium", "low", "info", "exploited", "partial", "resisted", "not_exploited", "not_exposed", "inconclusive", "error"}

// CountWords lists the counts above 0 in a fixed order, "" if there are none.
func CountWords(counts map[string]int) string {
	var out []string
	told := map[string]bool{}
	add := func(name string) {
		if n := counts[name]; n > 0 && !told[name] {
			out = append(out, groupDigits(n)+" "+strings.ReplaceAll(name, "_", " "))
		}
		told[name] = true
	}
	for _, name := range countOrder {
		add(name)
	}
	var others []string
	for name := range counts {
		others = append(others, name)
	}
	slices.Sort(others)
	for _, name := range others {
		add(name)
	}
	return strings.Join(out, ", ")
}

// fleetVerdict summarizes the result in one line.
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
	text := fmt.Sprintf("%s: %s", strings.Join(n.first, ", "), n.reason)
	if more := n.n - len(n.first); more > 0 {
		text = fmt.Sprintf("%s and %s more: %s", strings.Join(n.first, ", "), groupDigits(more), n.reason)
	}
	return text
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

// shownTargets limits the targets in text, pageTargets the rows of a page. JSON has all.
const (
	shownTargets  = 20
	shownNotDone  = 20
	pageTargets   = 10_000
	maxPageReason = 500
)

func writeFleetText(w *bufio.Writer, f *result.Fleet, _ Options) error {
	fmt.Fprintf(w, "fleet %s: %s\n", Visible(f.Name), fleetVerdict(f))
	if words := CountWords(f.Summary.Counts); words != "" {
		fmt.Fprintf(w, "%s: %s\n", countNoun(f.Summary.Targets, "target"), words)
	}
	worst := worstTargets(f)
	shown := 0
	for _, t := range worst {
		var lanes []string
		for i := range t.Jobs {
			if words := CountWords(t.Jobs[i].Counts); words != "" {
				lanes = append(lanes, strings.TrimSpace(t.Jobs[i].Lane+" "+t.Jobs[i].Document)+": "+words)
			}
		}
		if lanes == nil {
			continue
		}
		if shown++; shown > shownTargets {
			break
		}
		fmt.Fprintf(w, "  %s  %s\n", Visible(t.Name), Visible(strings.Join(lanes, "; ")))
	}
	if shown > shownTargets {
		fmt.Fprintf(w, "  … the json and html reports list every target\n")
	}
	if all := fleetNotDone(f); len(all) > 0 {
		fmt.Fprintf(w, "Not done, or not wholly:\n")
		for i := range all[:min(len(all), shownNotDone)] {
			fmt.Fprintf(w, "  %s\n", Visible(clipEnd(all[i].String(), 400)))
		}
		if more := len(all) - shownNotDone; more > 0 {
			fmt.Fprintf(w, "  … and %s\n", countNoun(more, "further reason"))
		}
	}
	if n := len(f.Refused); n > 0 {
		fmt.Fprintf(w, "Refused: %s of strangers\n", countNoun(n, "message"))
	}
	return nil
}

// markOf describes the result of one lane for a target.
func markOf(j *result.FleetJob) mark {
	words := strings.TrimSpace(j.Document + " " + cmp.Or(CountWords(j.Counts), "nothing found"))
	switch j.State {
	case result.FleetDone:
		for _, k := range []struct{ name, class string }{{"critical", "critical"}, {"high", "high"}, {"medium", "medium"}, {"low", "low"}, {"exploited", "high"}} {
			if j.Counts[k.name] > 0 {
				return mark{Class: k.class, Text: words}
			}
		}
		return mark{Class: "soft", Text: words}
	case result.FleetIncomplete:
		return mark{Class: "open", Text: words + ", incomplete: " + clipEnd(j.Reason, maxPageReason)}
	}
	return mark{Class: "open", Text: strings.TrimSpace(j.Document + " " + strings.ReplaceAll(string(j.State), "_", " ") + ": " + clipEnd(j.Reason, maxPageReason))}
}

func writeFleetHTML(w *bufio.Writer, f *result.Fleet, _ Options) error {
	head := &htmlHead{Title: "Fleet " + f.Name, Verdict: fleetVerdict(f), Complete: f.Summary.Complete, Read: "Plan " + f.Plan, tool: f.Tool}
	head.Class = map[int]string{result.ExitOK: "ok", result.ExitGate: "bad", result.ExitTrouble: "open"}[f.ExitCode()]
	for _, n := range fleetNotDone(f) {
		if len(head.Missing) == 1000 {
			head.Missing = append(head.Missing, "… further reasons are in the JSON report")
			break
		}
		head.Missing = append(head.Missing, clipEnd(n.String(), maxPageReason))
	}
	head.Missing = append(head.Missing, f.Refused...)
	for _, name := range []string{"critical", "high", "medium", "low", "info"} {
		if n := f.Summary.Counts[name]; n > 0 {
			head.Counts = append(head.Counts, severityCount{name, n})
		}
	}
	return writeHTMLPage(w, head, []htmlPart{fleetTable(f).part()})
}

// fleetTable has a row per target, the worst first, and a column per lane.
func fleetTable(f *result.Fleet) table {
	t := table{ID: "targets", Title: "Targets", Head: []string{"Target", "Kind"}, Intro: []string{countNoun(len(f.Targets), "target") + ", the worst first."}, None: "not asked for"}
	if len(f.Targets) > pageTargets {
		t.Intro[0] = fmt.Sprintf("The worst %s of %s; the JSON report has all.", groupDigits(pageTargets), countNoun(len(f.Targets), "target"))
	}
	lanes := map[string]bool{}
	for i := range f.Targets {
		for _, j := range f.Targets[i].Jobs {
			lanes[j.Lane] = true
		}
	}
	t.Head = slices.Concat(t.Head, slices.Sorted(maps.Keys(lanes)))
	for _, target := range worstTargets(f)[:min(len(f.Targets), pageTargets)] {
		row := make([]cell, len(t.Head))
		row[0], row[1] = cell{{Link: target.Page, Text: target.Name}}, cell{{Text: target.Kind}}
		for i := range target.Jobs {
			at := 2 + slices.Index(t.Head[2:], target.Jobs[i].Lane)
			row[at] = append(row[at], markOf(&target.Jobs[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
