package report

import (
	"cmp"
	"slices"

	"gauntlet/finding"
	"gauntlet/result"
)

// mostServers is the number of servers in the table on a terminal.
const mostServers = 10

// A serverRow is a row of the server table.
type serverRow struct {
	name, where, items string
	by                 severityTally
	state              string // for an entry that was not scanned
}

// serverTable lists several servers with what was read and found, the worst findings first and unscanned entries last.
func (p *page) serverTable(r *result.Report, height int) {
	rows := serverRows(r)
	if len(rows) < 2 {
		return
	}
	t := serversTable(rows).Table
	if height > 0 {
		t.Most, t.Rest = mostServers, "-v lists them"
	}
	p.writeTable(0, *t)
	p.writeBlank()
}

// serversTable has a row per server, the worst findings first.
func serversTable(rows []serverRow) section {
	t := table{Head: []string{"Server", "Items", "Findings", "Where"}, Least: []int{20, 5, 40, 0}}
	slices.SortStableFunc(rows, func(a, b serverRow) int { return cmp.Compare(b.weight(), a.weight()) })
	for i := range rows {
		row := &rows[i]
		var found cell
		for _, c := range row.by.counts() {
			found = append(found, mark{Class: c.Name, Text: groupDigits(c.N) + " " + c.Name})
		}
		if found == nil {
			found = cell{{Text: cmp.Or(row.state, "no findings")}}
		}
		t.Rows = append(t.Rows, []cell{{{Text: row.name}}, {{Class: "soft", Text: row.items}}, found, {{Class: "soft", Text: row.where}}})
	}
	return tableSection("servers", "Servers", t)
}

// weight orders rows: one severer finding outweighs any number of milder ones.
func (row *serverRow) weight() float64 {
	w := 0.0
	for sev := finding.Critical; sev > finding.None; sev-- {
		w = w*1e6 + float64(row.by[sev])
	}
	if w > 0 {
		return w + 1
	}
	if row.state != "" {
		return 1
	}
	return 0
}

// serverRows makes a row per scanned server and per unscanned entry.
func serverRows(r *result.Report) []serverRow {
	type key struct{ server, file string }
	index := map[key]int{}
	var rows []serverRow
	for i := range r.Coverage.Servers {
		s := &r.Coverage.Servers[i]
		k := key{s.Server, cmp.Or(s.File, s.Origin)}
		if _, twice := index[k]; !twice {
			index[k] = len(rows)
		}
		rows = append(rows, serverRow{name: cmp.Or(s.Server, "(unnamed)"), where: k.file, items: groupDigits(countItems(s))})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if at, ok := index[key{f.Location.Server, cmp.Or(f.Location.File, f.Location.Origin)}]; ok {
			rows[at].by[min(f.Severity, finding.Critical)]++
		}
	}
	if r.Clients == nil {
		return rows
	}
	for i := range r.Clients.Entries {
		if e := &r.Clients.Entries[i]; e.State != result.Scanned {
			rows = append(rows, serverRow{name: entryName(e), where: e.File, items: "-", state: entryOutcome(e)})
		}
	}
	return rows
}

func countItems(s *result.ServerCoverage) int {
	n := 0
	for _, l := range s.Lists {
		if l.Kind != finding.Server {
			n += l.Items
		}
	}
	return n
}
