package report

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

const (
	defaultWidth = 100
	minWidth     = 50
)

var _ = formats.register(defaultFormat, "for people: one line per finding, the worst first; with --verbose grouped by definition, with the offending text underlined", writePretty)

// writePretty writes one screen of text or, if verbose, everything.
func writePretty(w *bufio.Writer, r *result.Report, opt Options) error {
	p := &page{w: w, palette: palette(opt.Color), width: max(opt.Width, minWidth), verbose: opt.Verbose, whole: opt.Width == 0}
	if p.whole {
		p.width = defaultWidth
	}
	if opt.Verbose {
		p.writeEverything(r)
		p.writeEnding(r, opt)
		return nil
	}
	return p.writeScreen(r, opt)
}

// writeEverything writes findings, problems, what was not scanned and, last because a terminal still shows the end, the summary.
func (p *page) writeEverything(r *result.Report) {
	for _, g := range grouped(r.Findings) {
		p.writeServerGroup(g)
	}
	p.imported(r.Imported)
	p.advisory(r.Advisory)
	p.attacks(r.Attacks)
	p.rates(r.Rates)
	p.expectations(r.Expectations)
	p.vettingLines(r)
	p.probing(r.Probing)
	p.suppressed(r.Suppressed)
	p.decisions(r.Suppressions)
	p.clients(r.Clients)
	p.sandboxes(r.Sandboxes)
	p.problems(r.Problems)
	p.checks(r.Coverage.Checks)
	p.skipped(r.Skipped)
	if serversAsked(r) {
		p.posture(r.Posture)
	}
	if attacksOnly(r) {
		p.attackSum(r)
		return
	}
	p.coverage(r)
	p.writeSummary(r)
}

// serversAsked reports whether there is a server whose posture can be described.
func serversAsked(r *result.Report) bool {
	return (r.Clients == nil && r.Coverage.Trace == nil || r.Summary.Servers > 0) && !attacksOnly(r)
}

// writeEnding explains the exit code and names the next command.
func (p *page) writeEnding(r *result.Report, opt Options) {
	if g := opt.Gate; g != nil {
		p.writeIndented(0, fmt.Sprintf("Exit code %d: %s.", r.ExitCode(g.FailOn, g.AllowPartial), r.ExitReason(g.FailOn, g.AllowPartial)))
	}
	if opt.Next != "" {
		p.writeIndented(0, "Next: ", p.bold(Visible(opt.Next)))
	}
}

// A page is pretty output being written. Callers make server text Visible first.
type page struct {
	palette
	w       *bufio.Writer
	width   int
	whole   bool // not a terminal: lines of the short text are not clipped
	verbose bool
}

func (p *page) writeIndented(indent int, parts ...string) {
	_, _ = fmt.Fprintf(p.w, "%*s%s\n", indent, "", strings.Join(parts, ""))
}

func (p *page) heading(s, remark string) {
	p.writeIndented(0, p.bold(s), p.dim(remark))
}

func (p *page) writeBlank() { _ = p.w.WriteByte('\n') }

// labelled writes text after a label and aligns further lines with it.
func (p *page) labelled(indent int, label, text string) {
	p.painted(indent, label, text, func(s string) string { return s })
}

func (p *page) painted(indent int, label, text string, paint func(string) string) {
	const room = 10
	for i, l := range wrap(text, p.width-indent-room) {
		if i > 0 {
			label = ""
		}
		p.writeIndented(indent, p.dim(label), strings.Repeat(" ", max(room-columns(label), 1)), paint(l))
	}
}

func (p *page) writeServerGroup(g *serverGroup) {
	name := g.server
	if name == "" {
		name = "(unnamed server)"
		if g.items[0].first.Kind == "" {
			name = "the file itself" // the configuration, not one of its servers
			if client := g.items[0].first.Client; client != "" {
				name += " (" + client + ")"
			}
		}
	}
	p.heading(p.titled(name, g.file))
	p.writeBlank()
	for _, item := range g.items {
		p.writeItemGroup(item)
	}
}

// titled makes a title and its place Visible and shares one line between them.
func (p *page) titled(title, where string) (string, string) {
	where = spaced(clipText(Visible(where), p.width/2-4))
	return clipText(Visible(title), p.width-2-columns(where)), where
}

func (p *page) writeItemGroup(g *itemGroup) {
	title, where := p.titled(itemTitle(g.first), describeLocation(g.first, false))
	p.writeIndented(2, p.bold(title), p.dim(where))
	for _, f := range g.findings {
		p.finding(f)
	}
}

func (p *page) finding(f *finding.Finding) {
	badge := fmt.Sprintf("%-8s", strings.ToUpper(f.Severity.String()))
	rule := Visible(string(f.Rule))
	p.writeIndented(4, p.colourSeverity(f.Severity, badge), "  ", p.bold(rule), "  ", clipText(Visible(f.Name), max(p.width-4-len(badge)-4-columns(rule), 1)))
	for _, row := range excerptRows(f.Evidence, p.width-8, maxFolded) {
		p.writeIndented(6, p.dim("│ "), row.text)
		if row.to > row.from {
			p.writeIndented(6, p.dim("│ "), strings.Repeat(" ", row.from), p.colourSeverity(f.Severity, underline(row.to-row.from)))
		}
	}
	if n := f.Evidence.Normalized; n != "" && n != f.Evidence.Raw {
		p.labelled(6, "reads as:", clipText(Visible(n), 3*p.width))
	}
	p.labelled(6, "why:", Visible(f.Message))
	if f.Advice != "" {
		p.labelled(6, "do:", Visible(f.Advice))
	}
	if at := describeLocation(&f.Location, true); at != "" {
		p.painted(6, "at:", Visible(at), p.dim)
	}
	if len(f.Also) > 0 {
		p.painted(6, "also:", joinRules(f.Also)+" on the same words", p.dim)
	}
	p.related(f.Related)
	p.steps(f.Steps)
	if f.Fingerprint != "" {
		p.painted(6, "id:", Visible(f.Fingerprint), p.dim)
	}
	p.writeBlank()
}

// related lists the other locations of a finding.
func (p *page) related(ls []finding.Location) {
	label := "also:"
	for i := range ls {
		text := also(&ls[i])
		if at := describeLocation(&ls[i], true); at != "" {
			text += "  " + at
		}
		p.painted(6, label, Visible(text), p.dim)
		label = ""
	}
}

// steps lists a data flow, one place per line.
func (p *page) steps(steps []finding.Step) {
	label := "path:"
	for i := range steps {
		s := &steps[i]
		p.painted(6, label, Visible(s.Text+"  "+s.File+":"+strconv.Itoa(s.Line)), p.dim)
		label = ""
	}
}

func joinRules(ids []finding.Rule) string {
	var out []string
	for _, id := range ids {
		out = append(out, string(id))
	}
	return strings.Join(out, ", ")
}

// also names a related location: "server b, tool read_file". The result is not Visible yet.
func also(l *finding.Location) string {
	server := l.Server
	if server == "" && l.Origin == "" && strings.HasPrefix(l.Pointer, "/inputSchema/properties/") && l.Line > 0 { // in source code
		return itemTitle(l) + ", parameter " + strings.TrimPrefix(l.Pointer, "/inputSchema/properties/")
	}
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

// describeLocation returns file:line for a definition; exact adds the column and the pointer. The result is not Visible yet.
func describeLocation(l *finding.Location, exact bool) string {
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
