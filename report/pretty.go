package report

import (
	"bufio"
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

const (
	defaultWidth = 100
	minWidth     = 50
	// perRule is how many findings of one rule in one definition are shown in full.
	perRule = 3
)

// writePretty writes what was found, what stood in the way, what was not looked at and,
// last because that is what a terminal still shows, the sum.
func writePretty(w *bufio.Writer, r *result.Report, opt Options) error {
	p := &page{w: w, palette: palette(opt.Color), width: max(opt.Width, minWidth), limit: perRule}
	if opt.Width == 0 {
		p.width = defaultWidth
	}
	if opt.Verbose {
		p.limit, p.verbose = len(r.Findings), true
	}
	for _, g := range grouped(r.Findings) {
		p.server(g)
	}
	p.attacks(r.Attacks, opt.Verbose)
	p.expectations(r.Expectations)
	p.suppressed(r.Suppressed)
	p.decisions(r.Suppressions)
	p.clients(r.Clients)
	p.problems(r.Problems)
	p.checks(r.Coverage.Checks)
	p.skipped(r.Skipped)
	if (r.Clients == nil && r.Coverage.Trace == nil || r.Summary.Servers > 0) && !attacksOnly(r) { // of no server there is nothing to see
		p.posture(r.Posture)
	}
	if attacksOnly(r) {
		p.attackSum(r)
		return nil
	}
	p.coverage(r)
	p.sum(r)
	return nil // the writer keeps its first error for Flush
}

// A page is the pretty output in the making. Whoever hands it a server's text makes it
// Visible first.
type page struct {
	palette
	w       *bufio.Writer
	width   int
	limit   int
	verbose bool
}

func (p *page) line(indent int, parts ...string) {
	_, _ = fmt.Fprintf(p.w, "%*s%s\n", indent, "", strings.Join(parts, ""))
}

func (p *page) heading(s, remark string) {
	p.line(0, p.bold(s), p.dim(remark))
}

func (p *page) gap() { _ = p.w.WriteByte('\n') }

// labelled writes text behind a label, further lines under the first.
func (p *page) labelled(indent int, label, text string) {
	p.painted(indent, label, text, func(s string) string { return s })
}

func (p *page) painted(indent int, label, text string, paint func(string) string) {
	const room = 10
	for i, l := range wrap(text, p.width-indent-room) {
		if i > 0 {
			label = ""
		}
		p.line(indent, p.dim(label), strings.Repeat(" ", max(room-columns(label), 1)), paint(l))
	}
}

func (p *page) server(g *serverGroup) {
	name := g.server
	if name == "" {
		name = "(unnamed server)"
		if g.items[0].first.Kind == "" {
			name = "the file itself" // a configuration, none of its servers
		}
	}
	p.heading(p.titled(name, g.file))
	p.gap()
	for _, item := range g.items {
		p.item(item)
	}
}

// titled makes a title and its place Visible and lets them share one line.
func (p *page) titled(title, where string) (string, string) {
	where = spaced(clip(Visible(where), p.width/2-4))
	return clip(Visible(title), p.width-2-columns(where)), where
}

func (p *page) item(g *itemGroup) {
	title, where := p.titled(itemTitle(g.first), place(g.first, false))
	p.line(2, p.bold(title), p.dim(where))
	full, more := g.shown(p.limit)
	for _, f := range full {
		p.finding(f)
	}
	for _, m := range more {
		p.line(4, p.dim(fmt.Sprintf("… and %s more of %s %s in this %s",
			number(m.count), Visible(string(m.rule)), Visible(m.name), Visible(kindWord(g.first.Kind)))))
	}
	if more != nil {
		p.gap()
	}
}

func (p *page) finding(f *finding.Finding) {
	badge := fmt.Sprintf("%-8s", strings.ToUpper(f.Severity.String()))
	rule := Visible(string(f.Rule))
	p.line(4, p.severity(f.Severity, badge), "  ", p.bold(rule), "  ", clip(Visible(f.Name), max(p.width-4-len(badge)-4-columns(rule), 1)))
	for _, row := range excerpt(f.Evidence, p.width-8) {
		p.line(6, p.dim("│ "), row.text)
		if row.to > row.from {
			p.line(6, p.dim("│ "), strings.Repeat(" ", row.from), p.severity(f.Severity, underline(row.to-row.from)))
		}
	}
	if n := f.Evidence.Normalized; n != "" && n != f.Evidence.Raw {
		p.labelled(6, "reads as:", clip(Visible(n), 3*p.width))
	}
	p.labelled(6, "why:", Visible(f.Message))
	if f.Advice != "" {
		p.labelled(6, "do:", Visible(f.Advice))
	}
	if at := place(&f.Location, true); at != "" {
		p.painted(6, "at:", Visible(at), p.dim)
	}
	p.related(f.Related)
	if f.Fingerprint != "" {
		p.painted(6, "id:", Visible(f.Fingerprint), p.dim)
	}
	p.gap()
}

// related lists the other places that a finding is about, a few of them unless verbose.
func (p *page) related(ls []finding.Location) {
	label := "also:"
	for i := range ls {
		if i == maxRelated && len(ls) > maxRelated+1 && !p.verbose {
			p.painted(6, label, fmt.Sprintf("… and %s more places", number(len(ls)-i)), p.dim)
			return
		}
		text := also(&ls[i])
		if at := place(&ls[i], true); at != "" {
			text += "  " + at
		}
		p.painted(6, label, Visible(text), p.dim)
		label = ""
	}
}

// maxRelated is how many related places of a finding are shown.
const maxRelated = 4

// also names a related place: "server b, tool read_file". The result is not yet Visible.
func also(l *finding.Location) string {
	server := l.Server
	if server == "" {
		server = "(unnamed)"
	}
	if l.Origin != "" {
		server += " (" + l.Origin + ")"
	}
	switch {
	case kindWord(l.Kind) != string(finding.Server):
	case l.Item == "":
		return "server " + server
	default:
		return "server " + server + ", " + l.Item
	}
	return "server " + server + ", " + itemTitle(l)
}

// place says where to look: file:line for a definition, and for a finding the pointer
// too and the column. It is not yet Visible.
func place(l *finding.Location, exact bool) string {
	file := l.File
	if file != "" && l.Line > 0 {
		file += fmt.Sprintf(":%d", l.Line)
		if exact && l.Column > 0 {
			file += fmt.Sprintf(":%d", l.Column)
		}
	}
	if !exact {
		return file
	}
	pointer := l.Pointer
	if l.Seq > 0 {
		pointer = strings.TrimSpace(fmt.Sprintf("message %d %s", l.Seq, pointer))
	}
	if l.IsKey {
		pointer += " (the name)"
	}
	return strings.TrimSpace(pointer + "  " + file)
}

func spaced(s string) string {
	if s == "" {
		return ""
	}
	return "  " + s
}
