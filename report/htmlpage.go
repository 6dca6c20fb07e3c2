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

// dagreScript lays out graphs in layers: dagre 3.1.3, byte for byte as published, under the MIT
// licence in web/dagre.LICENSE.
//
//go:embed web/dagre.min.js
var dagreScript string

// dagreNotice precedes the script on every page that contains it, as its licence requires.
const dagreNotice = "/* dagre 3.1.3, (c) 2012-2014 Chris Pettitt, MIT licence */\n"

// parsedTemplates are parsed when the first page is written, not at start-up.
var parsedTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"vis": visibleHTML, "vislines": visibleLinesHTML, "plain": Visible, "capital": capitalised, "quoted": evidenceHTML, "fields": fieldsHTML, "num": groupDigits,
		"short": func(s string) template.HTML { return visibleHTML(clipEnd(Visible(s), 60)) },
	}).Parse(htmlTemplates))
})

func executeHTML(w *bufio.Writer, name string, data any) error {
	return parsedTemplates().ExecuteTemplate(w, name, data)
}

// An htmlPart is a part of a page: its anchor, a title for the link to it, and what writes it.
type htmlPart struct {
	ID, Title string
	write     func(*bufio.Writer) error
}

// writeHTMLPage writes a document as a page.
func writeHTMLPage(w *bufio.Writer, d *document, _ Options) error {
	d.Nav = nil
	for i := range d.sections {
		d.Nav = append(d.Nav, d.sections[i].part())
	}
	d.Nav = append(d.Nav, d.parts...)
	writeHTMLHead(w, cmp.Or(d.title, "gauntlet: "+d.Title))
	if err := executeHTML(w, "verdict", d); err != nil {
		return err
	}
	_, _ = w.WriteString("<main id=\"main\">\n")
	for _, p := range d.Nav {
		if err := p.write(w); err != nil {
			return err
		}
	}
	writeHTMLEnd(w, strings.TrimSpace(cmp.Or(d.tool.Name, "gauntlet")+" "+d.tool.Version), d.graph)
	return nil
}

// executed returns a part that a template writes.
func executed(id, title, name string, data any) htmlPart {
	return htmlPart{id, title, func(w *bufio.Writer) error { return executeHTML(w, name, data) }}
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

// fieldsHTML is the markup of the fields of a row.
func fieldsHTML(r row) template.HTML {
	var b strings.Builder
	for _, f := range slices.Concat(r.Fields, r.More) {
		label := f.Label
		if !f.Below {
			label = capitalised(label)
		}
		b.WriteString("<dt>" + string(visibleHTML(label)) + "</dt><dd>")
		if f.Label == "id" && !f.Below {
			b.WriteString("<a href=\"#" + template.HTMLEscapeString(r.ID) + "\">" + string(visibleHTML(f.Text)) + "</a>")
		} else {
			b.WriteString(string(visibleHTML(f.Text)))
		}
		if f.Edits != nil {
			editsHTML(&b, f.Edits)
		}
		b.WriteString("</dd>\n")
	}
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
	_, _ = fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src %s; script-src %s %s; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>%s</title>\n<style>",
		hash(htmlStyle), hash(htmlScript), hash(graphScript()), template.HTMLEscapeString(clipEnd(Visible(title), 70)))
	_, _ = w.WriteString(htmlStyle)
	_, _ = w.WriteString("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n")
}

// graphScript returns the layout library without the address of its source map.
func graphScript() string {
	code, _, _ := strings.Cut(dagreScript, "//# sourceMappingURL=")
	return dagreNotice + code
}

// writeHTMLEnd closes the page with its scripts; graph adds the graph script.
func writeHTMLEnd(w *bufio.Writer, tool string, graph bool) {
	_, _ = fmt.Fprintf(w, "</main>\n<footer><p>%s. What servers say is shown as text; hidden characters stand in boxes by their numbers.</p></footer>\n", template.HTMLEscapeString(Visible(tool)))
	if graph {
		_, _ = w.WriteString("<script>" + graphScript() + "</script>\n")
	}
	_, _ = w.WriteString("<script>" + htmlScript + "</script>\n</body>\n</html>\n")
}
