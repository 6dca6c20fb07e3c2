package report

import (
	"bufio"
	"io"
)

// A TablePage is the content of a page without findings: a verdict, what was not read, and tables.
type TablePage struct {
	Title, Verdict string
	Class          string   // style of the verdict: bad, open, ok, or "" if nothing is judged
	Missing        []string // what was not read
	Read           string   // what was read
	Tables         []Table
}

// A Table has a heading, an introduction, and rows as long as Head.
type Table struct {
	ID, Title, Intro string
	Head             []string
	Rows             [][]string
}

// WriteTables writes a page in the style of a report. Its texts may be untrusted.
func WriteTables(to io.Writer, p *TablePage) error {
	w := bufio.NewWriterSize(to, 64<<10)
	var nav []navLink
	for _, t := range p.Tables {
		nav = append(nav, navLink{t.ID, clipEnd(Visible(t.Title), 60)})
	}
	writeHTMLHead(w, "gauntlet: "+p.Title)
	if err := htmlPage().ExecuteTemplate(w, "verdict", map[string]any{"Title": p.Title, "Class": p.Class, "Verdict": Visible(p.Verdict), "Exit": "", "Counts": nil,
		"Missing": p.Missing, "Complete": true, "Read": p.Read, "Nav": nav}); err != nil {
		return err
	}
	_, _ = w.WriteString("<main id=\"main\">\n")
	for _, t := range p.Tables {
		if err := htmlPage().ExecuteTemplate(w, "table", section{ID: t.ID, Title: Visible(t.Title), Intro: t.Intro, Head: t.Head, Rows: t.Rows}); err != nil {
			return err
		}
	}
	writeHTMLEnd(w, "gauntlet", false)
	return w.Flush()
}
