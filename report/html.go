package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"gauntlet/finding"
	"gauntlet/rawjson"
	"gauntlet/result"
	"gauntlet/trace"
)

//go:embed web/report.tmpl
var htmlTemplates string

//go:embed web/report.css
var htmlStyle string

//go:embed web/report.js
var htmlScript string

// findingsAtOnce is the number of findings laid out at once. The rest waits in templates of findingsApart each, which
// cost a browser next to nothing.
const (
	findingsAtOnce = 200
	findingsApart  = 500
	mostOpen       = 5 // blocks of a section that are not folded, since few are soon read
)

// parsedTemplates are parsed when the first page is written, not at start-up.
var parsedTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"vis": visibleHTML, "vislines": visibleLinesHTML, "plain": Visible, "capital": capitalised, "quoted": evidenceHTML, "edits": editsHTML, "num": groupDigits,
		"short": func(s string) template.HTML { return visibleHTML(clipEnd(Visible(s), 60)) },
	}).Parse(htmlTemplates))
})

func executeHTML(w *bufio.Writer, name string, data any) error {
	return parsedTemplates().ExecuteTemplate(w, name, data)
}

// A block is a section as a template shows it.
type block struct {
	section
	Table table // of a section whose rows are short
}

// writeHTML writes a document as one self-contained page from Go templates and a small script: nothing needs a build, the
// page is readable without scripts, and one escaping template handles every server string.
func writeHTML(w *bufio.Writer, d *document, _ Options) error {
	d.sections = slices.DeleteFunc(d.sections, func(s section) bool { return s.InHead || !s.Filter && !s.says(s.n) })
	head := struct {
		*document
		Nav []section
	}{d, d.sections}
	writeHTMLHead(w, cmp.Or(d.title, "gauntlet: "+d.Title))
	if err := executeHTML(w, "verdict", head); err != nil {
		return err
	}
	_, _ = w.WriteString("<main id=\"main\">\n")
	for _, s := range d.sections {
		if err := writeHTMLSection(w, &block{section: s}); err != nil {
			return err
		}
	}
	writeHTMLEnd(w, strings.TrimSpace(cmp.Or(d.tool.Name, "gauntlet")+" "+d.tool.Version))
	return nil
}

// writeHTMLSection writes a table, or blocks that can be unfolded.
func writeHTMLSection(w *bufio.Writer, b *block) error {
	if b.Lines {
		b.Table = b.table()
		return executeHTML(w, "table", b)
	}
	if err := executeHTML(w, "blocks", b); err != nil {
		return err
	}
	few := mostOpen
	if b.Filter {
		few = 0
	}
	for i := range b.n {
		switch {
		case i == 0:
			_, _ = fmt.Fprintf(w, "<ul class=\"findings\" id=\"%s-list\">\n", b.ID)
		case b.Filter && i >= findingsAtOnce && (i-findingsAtOnce)%findingsApart == 0:
			_, _ = w.WriteString("</ul>" + strings.Repeat("</template>", min(i/findingsApart, 1)) + "\n<template class=\"more\"><ul>\n")
		}
		r := b.row(i)
		r.Open = r.Open || b.n <= few
		if err := executeHTML(w, "row", r); err != nil {
			return err
		}
	}
	if b.n > 0 {
		_, _ = w.WriteString("</ul>\n")
	}
	if b.Filter && b.n > findingsAtOnce {
		_, _ = w.WriteString("</template>\n")
	}
	if b.Filter && b.n > 0 {
		_, _ = w.WriteString("<button type=\"button\" id=\"more\" hidden>Show more</button>\n")
	}
	_, _ = w.WriteString("</section>\n") // the writer keeps its first error for Flush
	return nil
}

// AtOnce is the number of rows laid out at once.
func (b *block) AtOnce() int { return min(b.n, findingsAtOnce) }

// Rows is the number of rows.
func (b *block) Rows() int { return b.n }

// Sentences returns what stands before the rows.
func (b *block) Sentences() []string {
	if b.Remark == "" {
		return b.Intro
	}
	return slices.Concat([]string{capitalised(b.Remark) + "."}, b.Intro)
}

// visibleHTML is Visible as markup: each hidden character is a box with its code point.
func visibleHTML(s any) template.HTML { return markUp(bounded(fmt.Sprint(s)), false) }

// visibleLinesHTML is visibleHTML that keeps line breaks, for preformatted text.
func visibleLinesHTML(s any) template.HTML { return markUp(fmt.Sprint(s), true) }

func markUp(s string, lines bool) template.HTML {
	if firstHidden(s) == len(s) {
		return template.HTML(template.HTMLEscapeString(s))
	}
	var b strings.Builder
	plain := 0
	for i, r := range s {
		if !rawjson.Hidden(r) {
			continue
		}
		template.HTMLEscape(&b, []byte(strings.ToValidUTF8(s[plain:i], "\uFFFD")))
		plain = i + len(string(r))
		if lines && r == '\n' {
			b.WriteString("\n")
			continue
		}
		fmt.Fprintf(&b, `<span class="hid">U+%04X</span>`, r)
	}
	template.HTMLEscape(&b, []byte(strings.ToValidUTF8(s[plain:], "\uFFFD")))
	return template.HTML(b.String())
}

// evidenceHTML shows the offending text, marked, in its surroundings.
func evidenceHTML(e finding.Evidence) template.HTML {
	if e.Raw == "" {
		return ""
	}
	raw, cut := clipBytes(e.Raw)
	return visibleLinesHTML(e.Before) + "<mark>" + visibleLinesHTML(raw) + "</mark>" + template.HTML(cut) + visibleLinesHTML(e.After)
}

// writeHTMLHead writes everything up to the body. Its content security policy allows this page's style and scripts by
// hash, and nothing else: no request, no form, no frame.
func writeHTMLHead(w *bufio.Writer, title string) {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	_, _ = fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>%s</title>\n<style>",
		hash(htmlStyle), hash(htmlScript), template.HTMLEscapeString(clipEnd(Visible(title), 70)))
	_, _ = w.WriteString(htmlStyle)
	_, _ = w.WriteString("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n")
}

func writeHTMLEnd(w *bufio.Writer, tool string) {
	_, _ = fmt.Fprintf(w, "</main>\n<footer><p>%s. What servers say is shown as text; hidden characters stand in boxes by their numbers.</p></footer>\n", template.HTMLEscapeString(Visible(tool)))
	_, _ = w.WriteString("<script>" + htmlScript + "</script>\n</body>\n</html>\n")
}

const (
	maxFlows    = 80  // of the diagram, which is unreadable beyond that; the findings have all
	maxArrows   = 400 // messages of a diagram
	maxDiagrams = 12  // conversations on a page
)

// A flowEnd is one end of a flow: a tool, a server, or the agent.
type flowEnd struct{ name, server string }

// flowRow is a row of a path that data can take or took. link is the address of the finding that reports it, "" for none.
func flowRow(from, to flowEnd, what, why, link string) row {
	one := row{Title: from.name, Text: why}
	for _, f := range []field{{Label: "From", Text: from.server, Tone: toneSoft}, {Label: "To", Text: to.name}, {Label: "To", Text: to.server, Tone: toneSoft}, {Label: "What", Text: what, Link: link}} {
		if f.Text != "" {
			one.Fields = append(one.Fields, f)
		}
	}
	return one
}

func flowSection(r *result.Report) section {
	s := section{ID: "flows", Title: "What can flow where", Lines: true, PageOnly: true, Figure: true, Heads: []string{"", "From", "To", "What"}}
	var rows []row
	ids := findingIDs(r.Findings)
	for _, i := range severestFirst(r.Findings) {
		f := &r.Findings[i]
		for k := range f.Related {
			here, there := endOf(&f.Location), endOf(&f.Related[k])
			switch f.Rule.Base() {
			case "SEC-035":
				rows = append(rows, flowRow(here, there, string(f.Rule), f.Message, "#"+ids[i]))
			case "SEC-060":
				rows = append(rows, flowRow(there, here, string(f.Rule), f.Message, "#"+ids[i]))
			}
		}
	}
	if len(rows) > maxFlows {
		rows = rows[:maxFlows]
		s.Intro = []string{"Further flows are omitted; the findings list them."}
	}
	return listRows(s, rows)
}

// endOf returns the tool of a location; for a message that is its tool, not its method.
func endOf(l *finding.Location) flowEnd {
	name := l.Item
	if l.Seq > 0 {
		if _, after, ok := strings.Cut(name, " "); ok {
			name = after
		}
	}
	return flowEnd{cmp.Or(name, kindWord(l.Kind)), l.Server}
}

// conversationSections show the conversations and mark the messages that findings and indicators refer to.
func conversationSections(r *result.Report, all []Conversation) (out []section) {
	for i, c := range all[:min(len(all), maxDiagrams)] {
		s := conversationSection(c, marksOf(r, c.File))
		s.ID = fmt.Sprintf("conversation-%d", i+1)
		out = append(out, s)
	}
	return out
}

// WriteConversation writes a page that shows a recorded conversation without judging it.
func WriteConversation(to io.Writer, c Conversation) error {
	d := &document{Page: Page{Title: c.File, Class: "open", Verdict: countNoun(len(c.Trace.Messages), "message") + ", not judged"}, Complete: c.Trace.Unread == 0}
	for _, p := range c.Trace.Problems {
		d.Missing = append(d.Missing, p.Error())
	}
	d.Missing = append(d.Missing, "this recording has not been judged: use gauntlet scan --trace or gauntlet attack judge")
	d.sections = conversationSections(&result.Report{}, []Conversation{c})
	return d.write(to, "html", Options{})
}

// marksOf returns, per message of a trace, the findings and indicators that refer to it.
func marksOf(r *result.Report, file string) map[int]string {
	marks := map[int]string{}
	add := func(seq int, what string) {
		if seq > 0 && !strings.Contains(marks[seq], what) {
			marks[seq] = strings.TrimSpace(marks[seq] + " " + what)
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Location.Seq == 0 || f.Location.File != file {
			continue
		}
		add(f.Location.Seq, string(f.Rule))
		for k := range f.Related {
			add(f.Related[k].Seq, string(f.Rule)+" (from)")
		}
	}
	for i := range r.Attacks {
		a := &r.Attacks[i]
		if a.Verdict == nil || a.Trace != file {
			continue
		}
		for k := range a.Verdict.Indicators {
			if n := &a.Verdict.Indicators[k]; n.Result == "matched" {
				add(n.Message, n.ID)
			}
		}
	}
	return marks
}

func conversationSection(c Conversation, marks map[int]string) section {
	s := section{Title: "Conversation", Name: c.File, Lines: true, PageOnly: true, Figure: true, Heads: []string{"", "Message", "From", "To", "What", "Says", "Remarks"}}
	shown := c.Trace.Messages[:min(len(c.Trace.Messages), maxArrows)]
	intro := countNoun(len(c.Trace.Messages), "message") + "."
	if len(shown) < len(c.Trace.Messages) {
		intro += fmt.Sprintf(" The first %s are drawn.", groupDigits(len(shown)))
	}
	if c.Trace.Unread > 0 {
		intro += " " + countNoun(c.Trace.Unread, "line") + " could not be read."
	}
	if len(marks) > 0 {
		intro += " Messages referenced by findings or indicators are marked."
	}
	s.Intro = []string{intro}
	tree := &rawjson.Tree{}
	return withRows(s, shown, func(m *trace.Message) row {
		from, to := ends(m)
		if m.Direction == trace.ToClient {
			from, to = to, from
		}
		one := row{Title: fmt.Sprint(m.Seq)}
		one.add("From", from)
		one.add("To", to)
		one.add("What", clipLine(messageTitle(m), 34))
		one.add("Says", clipLine(gist(m, tree), 400))
		one.add("Remarks", strings.Join(remarks(m, ""), " "))
		if mark := marks[m.Seq]; mark != "" {
			one.Fields = append(one.Fields, field{Label: "Remarks", Text: mark, Tone: "high"})
		}
		return one
	})
}
