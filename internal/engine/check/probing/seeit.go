package probing

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

// seeIt is one line with which a reader sees a finding themselves: curl for a request that stands by
// itself, else the command that sends the recorded call again.
func seeIt(rule finding.Rule, server, place string, x *probe.Exchange) string {
	again := "gauntlet probe --recording FILE --replay " + finding.Fingerprint(string(rule), server) + " TARGET"
	if x == nil || !strings.HasPrefix(place, "http") || x.Header[mcp.HeaderSessionID] != "" || x.Header["Mcp-Session-Id"] != "" || len(x.Sent) > 1000 {
		return again
	}
	var b strings.Builder
	b.WriteString("curl -si")
	if x.Verb != "" {
		b.WriteString(" -X " + x.Verb)
	}
	b.WriteString(" -H 'Accept: application/json, text/event-stream' -H 'Content-Type: application/json'")
	names := make([]string, 0, len(x.Header))
	for name := range x.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(" -H " + shellQuote(name+": "+x.Header[name]))
	}
	if x.Verb == "" {
		b.WriteString(" -d " + shellQuote(x.Sent))
	}
	return b.String() + " " + shellQuote(place)
}

// shellQuote writes a word for a shell. What is no printable ASCII becomes a question mark: the line
// is for a terminal.
func shellQuote(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
