package report

import (
	"fmt"
	"strings"

	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/result"
)

// A section is one part of a report, told once: pretty, HTML and Markdown render any section. Title, remark, labels and
// tones are our own words. All other texts may be a stranger's, as they came; each renderer escapes them in one place.
type section struct {
	ID, Title string
	Name      string   // follows the title: whom the section is about; not our own words
	Remark    string   // completes the title: "the scan is incomplete"
	Intro     []string // sentences before the rows
	// Lines says that a row is short: a line of text, or a row of a table whose first columns are Heads, of badge and title.
	// Other rows are blocks, which a page folds.
	Lines     bool
	Heads     [2]string
	Noun      string // what a row is, without the s of its plural
	Share     int    // bytes that the section may take of a Markdown page, 0 for what is left
	n         int    // number of rows
	row       func(int) row
	Table     *table             // columns of its own instead of rows; nil for none
	PageOnly  bool               // of less interest to readers of text
	Filter    *findingFilter     // of findings on a page; nil for other sections
	quiet     func(int) bool     // reports whether there is nothing to act on: only a page has the row; nil for none
	Brief     string             // label of the section in the short text, "" if it is not there
	BriefRows bool               // the short text has the first rows, too, and not only the remark or introduction
	brief     func() []briefLine // what the short text says instead; nil for that
}

// A row is one item of a section.
type row struct {
	ID       string    // anchor on a page, "" for none
	Group    []heading // what the row belongs to, from the outside in; rows of one group follow each other
	Tone     tone
	Badge    string // severity, outcome or state
	Title    string
	Where    string // the definition or file that the row is about
	Text     string // what happened, or why
	Evidence finding.Evidence
	Fields   []field
	More     []field // what only a page has room for

	Server, Rule string // by which a page filters findings; Rule precedes the title
	Open         bool   // a page does not fold it
	Accept       string // the entry of a suppressions file that accepts the row, to be copied from a page
}

// A heading is a title and its place.
type heading struct{ Title, Where string }

// A field is a labelled text of a row. An aside is of less interest.
type field struct {
	Label, Text string
	Aside       bool
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
)

func toneOf(s finding.Severity) tone { return tone(min(s, finding.Critical).String()) }

// sectionsOf returns the parts of a report in their order. Problems, which each format has in a place of their own, are
// not among them.
func sectionsOf(r *result.Report) (out []section) {
	for _, of := range []func(*result.Report) section{
		vettedSection, attackSection, rateSection, expectationSection, probeSection, findingSection, suppressedSection,
		unusedSection, sandboxSection, clientSection, importedSection, checkSection, postureSection, skippedSection,
	} {
		out = append(out, of(r))
	}
	return append(out, advisorySections(r)...)
}

// withRows gives s a row for each item.
func withRows[T any](s section, items []T, one func(*T) row) section {
	s.n, s.row = len(items), func(i int) row { return one(&items[i]) }
	return s
}

// listRows gives s the rows.
func listRows(s section, rows []row) section {
	return withRows(s, rows, func(r *row) row { return *r })
}

// onPages leaves the rows of s to pages.
func onPages(s section) section {
	s.PageOnly = true
	return s
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

// says reports whether s with that many rows says anything.
func (s *section) says(rows int) bool {
	return rows > 0 || s.Remark != "" || s.Intro != nil || s.Table != nil
}

// add adds fields of one label, except empty ones.
func (r *row) add(label string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			r.Fields = append(r.Fields, field{Label: label, Text: text})
		}
	}
}

// addAside adds fields of less interest.
func (r *row) addAside(label string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			r.Fields = append(r.Fields, field{Label: label, Text: text, Aside: true})
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
