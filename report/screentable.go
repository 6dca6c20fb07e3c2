package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// mostServers is the number of servers in the table on a terminal.
const mostServers = 10

// A serverRow is a row of the server table. Its texts are Visible.
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
	slices.SortStableFunc(rows, func(a, b serverRow) int { return cmp.Compare(b.weight(), a.weight()) })
	shown := rows
	if height > 0 && len(rows) > mostServers+1 {
		shown = rows[:mostServers]
	}
	l := tableLayout{name: len("Server"), items: len("Items")}
	for i := range shown {
		l.name, l.items = max(l.name, columns(shown[i].name)), max(l.items, columns(shown[i].items))
	}
	if !p.whole {
		l.name = min(l.name, p.width/3)
	}
	p.writeIndented(0, p.dim(padTo("Server", l.name)+"  "+padTo("Items", l.items)+"  Findings"))
	for i := range shown {
		p.serverRow(&shown[i], l)
	}
	if n := len(rows) - len(shown); n > 0 {
		p.writeIndented(0, p.dim(fmt.Sprintf("… and %s: -v lists them", countNoun(n, "more server"))))
	}
	p.writeBlank()
}

// A tableLayout holds the column widths of the server table.
type tableLayout struct{ name, items int }

func (p *page) serverRow(row *serverRow, l tableLayout) {
	used := l.name + l.items + 4
	plain := row.words()
	text := p.fit(plain, used)
	if painted := severityCounts(row.by, p.colourSeverity); text == plain && painted != "" && row.state == "" {
		text = painted
	}
	where := ""
	if room := p.width - used - columns(plain) - 2; row.where != "" && (p.whole || room > 12) {
		where = "  " + p.fit(row.where, p.width-room)
	}
	name := row.name
	if !p.whole {
		name = clipText(name, l.name)
	}
	p.writeIndented(0, padTo(name, l.name), "  ", p.dim(padTo(row.items, l.items)), "  ", text, p.dim(where))
}

// padTo pads s with spaces to n columns.
func padTo(s string, n int) string { return s + strings.Repeat(" ", max(n-columns(s), 0)) }

// words says what was found, or why an entry was not scanned.
func (row *serverRow) words() string {
	if row.state != "" {
		return row.state
	}
	return cmp.Or(severityCounts(row.by, func(_ finding.Severity, s string) string { return s }), "no findings")
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
		rows = append(rows, serverRow{name: Visible(cmp.Or(s.Server, "(unnamed)")), where: Visible(k.file), items: groupDigits(countItems(s))})
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
			rows = append(rows, serverRow{name: Visible(entryName(e)), where: Visible(e.File), items: "-", state: Visible(became(e))})
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
