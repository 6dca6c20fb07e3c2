package report

import (
	"bufio"
	"io"
	"slices"

	"gauntlet/result"
)

// A Page is a report without findings: a verdict, what was not read, and tables. Its texts may be a stranger's, as they came.
type Page struct {
	Title, Verdict string
	Class          string   // style of the verdict: bad, open, ok, or "" if nothing is judged
	Missing        []string // what was not read or not done
	Read           string   // what was read
	Tables         []Table
}

// A Table has a heading, an introduction, and rows as long as Head.
type Table struct {
	ID, Title, Intro string
	Head             []string
	Rows             [][]string
}

// Write writes the page in the style of a report as "html", v as "json", and the page as text in any other format.
func (p *Page) Write(w io.Writer, format string, v any, opt Options) error {
	if format == "json" {
		return WriteJSON(w, v)
	}
	d := &document{Page: *p, Complete: true}
	for _, t := range p.Tables {
		d.sections = append(d.sections, t.section())
	}
	return d.write(w, format, opt)
}

// write writes a document as "html" or as text.
func (d *document) write(to io.Writer, format string, opt Options) error {
	w := bufio.NewWriterSize(to, 64<<10)
	write := writeText
	if format == "html" {
		write = writeHTMLPage
	}
	if err := write(w, d, opt); err != nil {
		return err
	}
	return w.Flush()
}

func (t *Table) section() section {
	shown := table{Head: t.Head, Whole: true}
	for _, row := range t.Rows {
		shown.addRow(row...)
	}
	return tableSection(t.ID, t.Title, shown, t.Intro)
}

// A document is what a page or a text shows: a head and parts.
type document struct {
	Page
	Exit     string // what follows the verdict
	Counts   []severityCount
	Complete bool // nothing is missing, even if Missing is empty
	Nav      []htmlPart

	title    string // of the window, "" for the Title
	tool     result.Tool
	sections []section
	parts    []htmlPart // after the sections
	graph    bool       // a part draws a graph
}

// documentFormats registers the formats of what of describes: text, JSON in the form of schema, and a page.
func documentFormats[T any](r *FormatsOf[T], schema string, of func(T) *document) bool {
	r.register("pretty", "for people", func(w *bufio.Writer, v T, opt Options) error { return writeText(w, of(v), opt) })
	r.register("json", "for programs, as "+schema, func(w *bufio.Writer, v T, _ Options) error { return WriteJSON(w, v) })
	return r.register("html", "for a browser: one self-contained file", func(w *bufio.Writer, v T, opt Options) error { return writeHTMLPage(w, of(v), opt) })
}

// mostMissing is the number of lines that a text has of what is missing; a page has all.
const mostMissing = 20

// writeText writes a document as text: the verdict, the parts, and last what is missing.
func writeText(w *bufio.Writer, d *document, opt Options) error {
	p := newPage(w, opt)
	p.verbose = true
	head := *p
	if p.whole {
		head.width = 1 << 20
	}
	for i, text := range []string{d.Title + ": " + d.Verdict, d.Exit, d.Read} {
		head.writeField(0, field{Text: text, Aside: i > 0}, 0)
	}
	for _, s := range d.sections {
		p.writeSection(s)
	}
	missing := section{Title: "What was not looked at", Noun: "reason", Lines: true}
	head.writeSection(withRows(missing, slices.Clone(d.Missing[:min(len(d.Missing), mostMissing)]), func(text *string) row { return row{Text: *text} }))
	if more := len(d.Missing) - mostMissing; more > 0 {
		p.writeIndented(2, p.dim("… and "+countNoun(more, "further reason")))
	}
	return nil // the writer keeps its first error for Flush
}
