package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
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

// htmlPage is parsed when the first page is written, not at start-up.
var htmlPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"vis": visibleHTML, "vislines": visibleLinesHTML, "num": groupDigits,
	}).Parse(htmlTemplates))
})

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

// maxQuoted is the number of bytes of evidence that a page shows; JSON has all of it.
const maxQuoted = 4_000

// evidenceHTML shows the offending text, marked, in its surroundings.
func evidenceHTML(e finding.Evidence) template.HTML {
	if e.Raw == "" {
		return ""
	}
	raw, cut := e.Raw, ""
	if len(raw) > maxQuoted {
		raw, cut = strings.ToValidUTF8(raw[:maxQuoted], ""), fmt.Sprintf("… %s more bytes", groupDigits(len(e.Raw)-maxQuoted))
	}
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
