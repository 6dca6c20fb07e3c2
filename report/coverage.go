package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// problemSection lists all problems: what was not read must not be summarized away.
func problemSection(problems []finding.Problem, remark string) section {
	s := section{ID: "problems", Title: "Problems", Lines: true, InHead: true, Noun: "problem"}
	if len(problems) > 0 {
		s.Remark = remark
	}
	return withRows(s, problems, func(p *finding.Problem) row {
		test := junitTest{name: "problem", file: p.Location.File, outcome: "error", kind: string(p.Kind)}
		return row{Badge: string(p.Kind), Text: p.Message, Where: problemPlace(&p.Location, "  ", true), Test: &test}
	})
}

// problemPlace joins what is known of the place of a problem; exact adds the pointer.
func problemPlace(l *finding.Location, by string, exact bool) string {
	at := []string{l.Server, l.Origin, "", inFile(l)}
	if l.Item != "" {
		at[2] = itemTitle(l)
	}
	if exact {
		at[3] = describeLocation(l, true)
	}
	return strings.Join(slices.DeleteFunc(at, func(s string) bool { return s == "" }), by)
}

// problemText describes a problem and its location in one line. The result is not Visible yet.
func problemText(p *finding.Problem) string {
	return strings.TrimPrefix(problemPlace(&p.Location, ", ", false)+": ", ": ") + string(p.Kind) + ": " + p.Message
}

// problemBrief shows the first problems, one line per cause even if many files share it. Unread input is never omitted silently.
func problemBrief(ps []finding.Problem) []field {
	type cause struct {
		kind            finding.ProblemKind
		message, server string
	}
	counts := map[cause]int{}
	var causes []int // the first problem of each
	of := func(f *finding.Problem) cause {
		return cause{f.Kind, f.Message, f.Location.Server + f.Location.Origin + f.Location.Item}
	}
	for i := range ps {
		k := of(&ps[i])
		if counts[k]++; counts[k] == 1 {
			causes = append(causes, i)
		}
	}
	return firstOf("Unread", " problems", len(causes), func(i int) string {
		f := &ps[causes[i]]
		text := problemText(f)
		if n := counts[of(f)] - 1; n > 0 {
			text += fmt.Sprintf(" (and the same %s)", countNoun(n, "more time"))
		}
		return text
	})
}

// checkSection lists the checks. Those whose result is as complete as their findings suggest ask for nothing.
func checkSection(r *result.Report) section {
	s := section{ID: "checks", Title: "Checks", Lines: true, Heads: []string{"", "Check"}, Noun: "check"}
	if parts := cutShortChecks(r.Coverage.Checks); parts != nil {
		s.Short = []field{{Label: "Cut short", Text: strings.Join(parts, "; ")}}
	}
	s.quiet = func(i int) bool { return cutShort(&r.Coverage.Checks[i]) == "" }
	return withRows(s, r.Coverage.Checks, func(c *result.CheckCoverage) row {
		one := row{Badge: c.State, Title: string(c.Rule) + "  " + c.Name, Text: cutShort(c)}
		if one.Text == "" {
			one.Text = c.Reason
		}
		one.add("looked at", groupDigits(c.Items))
		one.add("findings", groupDigits(c.Findings))
		return one
	})
}

// cutShort says why the result of a check is less complete than its findings suggest, "" if it is not.
func cutShort(c *result.CheckCoverage) string {
	switch {
	case c.State == "failed":
		return "failed: " + c.Reason
	case c.Withheld > 0:
		return "left out " + countNoun(c.Withheld, "more finding")
	}
	return ""
}

// skippedSection lists the checks that did not run and what each needs.
func skippedSection(r *result.Report) section {
	s := section{ID: "skipped", Title: "Skipped checks", Lines: true, InHead: true, Noun: "skipped check", Brief: "Skipped"}
	if len(r.Skipped) > 0 {
		needs, by := skippedNeeds(r.Skipped)
		for i, n := range needs {
			needs[i] = fmt.Sprintf("%s (%d)", n, len(by[n]))
		}
		need := ", which need "
		if len(r.Skipped) == 1 {
			need = ", which needs "
		}
		s.Remark = countNoun(len(r.Skipped), "check") + need + strings.Join(needs, ", ")
	}
	return withRows(s, r.Skipped, func(s *result.Skip) row {
		return row{Badge: string(s.Rule), Title: s.Name, Text: "needs " + s.Needs, Test: &junitTest{name: string(s.Rule) + " " + s.Name, outcome: "skipped"}}
	})
}

// skippedNeeds returns what skipped checks need, in order of first occurrence, and the checks that need it.
func skippedNeeds(skips []result.Skip) (needs []string, by map[string][]string) {
	by = map[string][]string{}
	for _, s := range skips {
		if by[s.Needs] == nil {
			needs = append(needs, s.Needs)
		}
		by[s.Needs] = append(by[s.Needs], string(s.Rule))
	}
	return needs, by
}

// cutShortChecks names the checks whose result is less complete than their findings suggest.
func cutShortChecks(checks []result.CheckCoverage) (out []string) {
	for i := range checks {
		if text := cutShort(&checks[i]); text != "" {
			out = append(out, fmt.Sprintf("%s %s", checks[i].Rule, text))
		}
	}
	return out
}

// serversAsked reports whether there is a server whose posture can be described.
func serversAsked(r *result.Report) bool {
	return (r.Clients == nil && r.Coverage.Trace == nil || r.Summary.Servers > 0) && !attacksOnly(r)
}

// serverSection has a row per scanned server and per unscanned entry of a configuration, the worst findings first. A
// server that is alone has none.
func serverSection(r *result.Report) section {
	type key struct{ server, file string }
	index := map[key]int{}
	type scanned struct {
		row
		found severityTally
	}
	var servers []scanned
	for i := range r.Coverage.Servers {
		s := &r.Coverage.Servers[i]
		k := key{s.Server, cmp.Or(s.File, s.Origin)}
		if _, twice := index[k]; !twice {
			index[k] = len(servers)
		}
		items := 0
		for _, l := range s.Lists {
			if l.Kind != finding.Server {
				items += l.Items
			}
		}
		one := row{Title: cmp.Or(s.Server, "(unnamed)"), Where: k.file}
		one.add("items", groupDigits(items))
		servers = append(servers, scanned{row: one})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if at, ok := index[key{f.Location.Server, cmp.Or(f.Location.File, f.Location.Origin)}]; ok {
			servers[at].found[min(f.Severity, finding.Critical)]++
		}
	}
	slices.SortStableFunc(servers, func(a, b scanned) int { return slices.Compare(b.found.worstFirst(), a.found.worstFirst()) })
	var sorted []row
	for _, s := range servers {
		marks := s.found.counts()
		for _, mark := range marks {
			mark.Label = "findings"
			s.Fields = append(s.Fields, mark)
		}
		if marks == nil {
			s.add("findings", "no findings")
		}
		sorted = append(sorted, s.row)
	}
	if r.Clients != nil {
		for i := range r.Clients.Entries {
			if e := &r.Clients.Entries[i]; e.State != result.Scanned {
				one := row{Title: entryName(e), Where: e.File}
				one.add("items", "-")
				one.add("findings", entryOutcome(e))
				sorted = append(sorted, one)
			}
		}
	}
	if len(sorted) < 2 {
		sorted = nil
	}
	s := section{ID: "servers", Title: "Servers", Lines: true, PageOnly: true, Brief: "Servers", Heads: []string{"", "Server", "Items", "Findings", "Where"}, Aligned: &aligned{}}
	return listRows(s, sorted)
}

// worstFirst returns the numbers, the severest first: one severer finding outweighs any number of milder ones.
func (by severityTally) worstFirst() []int {
	out := slices.Clone(by[:])
	slices.Reverse(out)
	return out
}

// stateWords are the states of the posture map in words.
var stateWords = map[result.State]string{
	result.Seen:       "seen",
	result.NotSeen:    "not seen",
	result.NeedsProbe: "requires an active probe",
	result.Invisible:  "not observable",
}

// stateMarks make the states of the posture map easy to find. None says that a state is good or bad.
var stateMarks = map[result.State]string{result.Seen: "● ", result.NotSeen: "○ ", result.NeedsProbe: "? "}

// postureSection is the coverage map. It only says what was examined.
func postureSection(r *result.Report) section {
	s := section{ID: "posture", Title: "Posture map", Lines: true, Heads: []string{"", "Defence"}, Counted: true, Brief: "Posture", Noun: "defence"}
	if len(r.Posture) == 0 || !serversAsked(r) {
		return s
	}
	by := map[result.State]int{}
	for _, signal := range r.Posture {
		by[signal.State]++
	}
	s.Remark = fmt.Sprintf("of %s %d seen, %d not seen, %d to be probed, %d not visible to a client", countNoun(len(r.Posture), "defence"),
		by[result.Seen], by[result.NotSeen], by[result.NeedsProbe], by[result.Invisible])
	return withRows(s, r.Posture, func(p *result.Signal) row {
		return row{Group: p.Layer, Badge: cmp.Or(stateMarks[p.State], "· ") + cmp.Or(stateWords[p.State], string(p.State)), Title: p.Name, Text: p.Detail}
	})
}
