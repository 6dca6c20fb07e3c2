package report

import (
	"bufio"
	"io"

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
	for i := range p.Tables {
		d.sections = append(d.sections, p.Tables[i].section())
	}
	return d.write(w, format, opt)
}

func (t *Table) section() section {
	s := section{ID: t.ID, Title: t.Title, Heads: append([]string{""}, t.Head...), Lines: true, Aligned: &aligned{Whole: true}}
	if t.Intro != "" {
		s.Intro = []string{t.Intro}
	}
	return withRows(s, t.Rows, func(texts *[]string) row {
		one := row{Title: (*texts)[0]}
		for i, text := range (*texts)[1:] {
			one.add(t.Head[i+1], text)
		}
		return one
	})
}

// A document is what any format for people shows: a head and sections.
type document struct {
	Page
	State    string  // completes the verdict: "The scan is complete."
	Exit     string  // what follows the verdict
	Next     string  // a command to go on with, "" for none
	About    []field // what was read, in texts that end with the verdict
	AtEnd    bool    // a text ends with the verdict: a terminal still shows it
	Complete bool    // nothing is missing, even if Missing is empty

	title    string // of the window and of a comment, in our own words; "" for the Title
	tool     result.Tool
	sections []section
}

// missing lists what was not read or not done.
func (d *document) missing() section {
	s := section{Title: "What was not looked at", Noun: "reason", Lines: true, Share: markdownLimit / 4}
	return withRows(s, d.Missing, func(text *string) row { return row{Text: *text} })
}

// write writes a document as "html", as "markdown", or as text.
func (d *document) write(to io.Writer, format string, opt Options) error {
	w := bufio.NewWriterSize(to, 64<<10)
	write := writeText
	switch format {
	case "html":
		write = writeHTML
	case "markdown":
		write = writeMarkdown
	}
	if err := write(w, d, opt); err != nil {
		return err
	}
	return w.Flush()
}

// documentFormats registers the formats of what of describes: text, JSON in the form of schema, and a page.
func documentFormats[T any](r *FormatsOf[T], schema string, of func(T) *document) bool {
	r.register("pretty", "for people", func(w *bufio.Writer, v T, opt Options) error { return writeText(w, of(v), opt) })
	r.register("json", "for programs, as "+schema, func(w *bufio.Writer, v T, _ Options) error { return WriteJSON(w, v) })
	return r.register("html", "for a browser: one self-contained file", func(w *bufio.Writer, v T, opt Options) error { return writeHTML(w, of(v), opt) })
}
