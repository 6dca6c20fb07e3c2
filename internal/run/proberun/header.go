package proberun

import (
	"slices"
	"strings"
)

// hasHeader reports whether a request or mail since a moment had a header field, on its own line.
func (g *testbed) hasHeader(name string, since moment) bool {
	for i := len(g.fields); i < len(g.calls); i++ {
		g.fields = append(g.fields, strings.ToLower("\n"+headerOf(g.calls[i].Head)))
	}
	line := "\n" + strings.ToLower(name) + ":"
	return slices.ContainsFunc(g.fields[min(since.calls, len(g.fields)):], func(fields string) bool { return strings.Contains(fields, line) }) ||
		slices.ContainsFunc(g.headers[min(since.headers, len(g.headers)):], func(h string) bool { return strings.Contains(strings.ToLower("\n"+h), line) })
}

// headerOf returns the part before the first empty line: a body may contain any lines.
func headerOf(message string) string {
	header, _, _ := strings.Cut("\n"+strings.ReplaceAll(message, "\r\n", "\n"), "\n\n")
	return header
}

// mailHeaders returns the headers of the mails submitted in an SMTP session.
func mailHeaders(conversation string) (out []string) {
	rest := strings.ReplaceAll(conversation, "\r\n", "\n")
	for range 100 {
		_, mail, found := strings.Cut(rest, "\nDATA\n")
		if !found {
			_, mail, found = strings.Cut(rest, "\ndata\n")
		}
		if !found {
			return out
		}
		out = append(out, headerOf(mail))
		_, rest, _ = strings.Cut(mail, "\n.\n")
		rest = "\n" + rest
	}
	return out
}
