package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"gauntlet/diff"
	"gauntlet/finding"
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

// A section is one part of a report, told once: pretty, HTML, Markdown and JUnit render any section. Title, remark, labels
// and tones are our own words. All other texts may be a stranger's, as they came; each renderer escapes them in one place.
type section struct {
	ID, Title string
	Name      string   // follows the title: whom the section is about; not our own words
	Remark    string   // completes the title: "the scan is incomplete"
	Intro     []string // sentences before the rows
	Lines     bool     // a row is short: a line of text, a row of a table on a page; other rows are blocks, which a page folds
	Aligned   *aligned // a text shows a table, too; nil for lines or blocks
	Heads     []string // of a table: of the badge, the title, and the fields that come first; "" for a usual one
	None      string   // what a page says in a cell of a table without fields
	Figure    bool     // the script of a page draws the table: arrows from From to To with what is in What
	Noun      string   // what a row is, without the s of its plural
	Share     int      // bytes that the section may take of a Markdown page, 0 for what is left
	n         int      // number of rows
	row       func(int) row
	PageOnly  bool           // of less interest to readers of text
	InHead    bool           // the head of a page says the same
	Counted   bool           // a comment has no room for it
	Filter    bool           // a page has filters for the rows
	quiet     func(int) bool // reports whether there is nothing to act on: only a page has the row; nil for none
	Brief     string         // label of the section in the short text, "" if it is not there
	BriefRows bool           // the short text has the first rows, too, and not only the remark or introduction
	Short     []field        // what the short text says instead; nil for that
}

// A row is one item of a section.
type row struct {
	ID       string // anchor on a page, "" for none
	Group    string // what the row belongs to; rows of one group follow each other
	Tone     tone
	Badge    string // severity, outcome or state
	Title    string
	Link     string // address of the title, "" for none
	Where    string // the definition or file that the row is about
	Text     string // what happened, or why
	Evidence finding.Evidence
	Fields   []field
	More     []field // what only a page has room for

	Server, Rule string     // by which a page filters findings; Rule precedes the title
	Open         bool       // a page does not fold it
	Accept       string     // the entry of a suppressions file that accepts the row, to be copied from a page
	Test         *junitTest // what the row is as a test, with a message if that is not Text; nil for no test
}

// A field is a labelled text of a row, or a line of the short text, where "" continues the line before. An aside is of less interest.
type field struct {
	Label, Text string
	Aside       bool
	Tone        tone   // of the text in a table, and of a line that must not be overlooked
	Link        string // address of the text in a table, "" for none
	// Below says that the text stands on a line below the label, which may be long, and not our own words; Edits, a
	// changed text, follow it.
	Below bool
	Edits []diff.Edit
}

// A tone is the look of a badge: a severity, good, soft, or "" for plain. A page has a style of the same name.
type tone string

const (
	toneGood tone = "good"
	toneSoft tone = "soft"
	toneBold tone = "bold"
)

func toneOf(s finding.Severity) tone { return tone(min(s, finding.Critical).String()) }

func sectionsOf(r *result.Report) (out []section) {
	for _, of := range []func(*result.Report) section{
		vettedSection, attackMatrix, attackSection, rateSection, expectationSection, probeSection, findingSection, suppressedSection,
		unusedSection, serverSection, sandboxSection, clientSection, importedSection, checkSection, postureSection, skippedSection,
	} {
		out = append(out, of(r))
	}
	problems := problemSection(r.Problems, "the scan is incomplete")
	problems.Short = problemBrief(problemsBesideVerdicts(r))
	return append(append(out, advisorySections(r)...), problems)
}

// withRows gives s a row for each item.
func withRows[T any](s section, items []T, one func(*T) row) section {
	s.n, s.row = len(items), func(i int) row { return one(&items[i]) }
	return s
}

func listRows(s section, rows []row) section {
	return withRows(s, rows, func(r *row) row { return *r })
}

// listed returns the indexes of the rows with something to act on.
func (s *section) listed() (out []int) {
	for i := range s.n {
		if s.quiet == nil || !s.quiet(i) {
			out = append(out, i)
		}
	}
	return out
}

func (s *section) says(rows int) bool {
	return rows > 0 || s.Name != "" || s.Remark != "" || len(s.Intro) > 0
}

// add adds fields of one label, except empty ones.
func (r *row) add(label string, texts ...string) { r.addFields(field{Label: label}, texts) }

func (r *row) addAside(label string, texts ...string) {
	r.addFields(field{Label: label, Aside: true}, texts)
}

func (r *row) addFields(f field, texts []string) {
	for _, f.Text = range texts {
		if f.Text != "" {
			r.Fields = append(r.Fields, f)
		}
	}
}

// fewer returns fields with at most most of one label after each other; the others are counted.
func fewer(fields []field, most int) (out []field) {
	for i := 0; i < len(fields); {
		end := i
		for end < len(fields) && fields[end].Label == fields[i].Label && !fields[end].Below {
			end++
		}
		end = max(end, i+1)
		shown := end
		if end-i > most+1 {
			shown = i + most
		}
		out = append(out, fields[i:shown]...)
		if shown < end {
			out = append(out, field{Label: fields[i].Label, Text: fmt.Sprintf("… and %s more", groupDigits(end-shown)), Aside: true})
		}
		i = end
	}
	return out
}

// line returns what a row says besides its badge and place: "title: text; label: text".
func (r *row) line() string {
	text := r.Title
	if r.Text != "" {
		text = strings.TrimPrefix(r.Title+": "+r.Text, ": ")
	}
	for _, f := range r.Fields {
		text += "; " + f.Label + ": " + f.Text
	}
	return text
}
