package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"gauntlet/finding"
	"gauntlet/rawjson"
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
func visibleHTML(s any) template.HTML { return markUp(fmt.Sprint(s), false) }

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

// writeHTMLEnd closes the page with its script.
func writeHTMLEnd(w *bufio.Writer, tool string) {
	_, _ = fmt.Fprintf(w, "</main>\n<footer><p>%s. What servers say is shown as text; hidden characters stand in boxes by their numbers.</p></footer>\n", template.HTMLEscapeString(Visible(tool)))
	_, _ = w.WriteString("<script>" + htmlScript + "</script>\n</body>\n</html>\n")
}
