package report

import (
	"cmp"
	"slices"

	"gauntlet/finding"
	"gauntlet/result"
)

// serversAsked reports whether there is a server whose posture can be described.
func serversAsked(r *result.Report) bool {
	return (r.Clients == nil && r.Coverage.Trace == nil || r.Summary.Servers > 0) && !attacksOnly(r)
}

// serverSection has a row per scanned server and per unscanned entry of a configuration, the worst findings first. A
// server that is alone has none.
func serverSection(r *result.Report) section {
	type key struct{ server, file string }
	index := map[key]int{}
	var rows []row
	var found []severityTally
	for i := range r.Coverage.Servers {
		s := &r.Coverage.Servers[i]
		k := key{s.Server, cmp.Or(s.File, s.Origin)}
		if _, twice := index[k]; !twice {
			index[k] = len(rows)
		}
		items := 0
		for _, l := range s.Lists {
			if l.Kind != finding.Server {
				items += l.Items
			}
		}
		one := row{Title: cmp.Or(s.Server, "(unnamed)"), Where: k.file}
		one.add("items", groupDigits(items))
		rows, found = append(rows, one), append(found, severityTally{})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if at, ok := index[key{f.Location.Server, cmp.Or(f.Location.File, f.Location.Origin)}]; ok {
			found[at][min(f.Severity, finding.Critical)]++
		}
	}
	order := make([]int, len(rows))
	for i := range rows {
		order[i] = i
		marks := found[i].counts()
		for _, mark := range marks {
			mark.Label = "findings"
			rows[i].Fields = append(rows[i].Fields, mark)
		}
		if marks == nil {
			rows[i].add("findings", "no findings")
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(found[b].worstFirst(), found[a].worstFirst()) })
	var sorted []row
	for _, i := range order {
		sorted = append(sorted, rows[i])
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
