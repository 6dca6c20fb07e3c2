package probing

import (
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// reportProtocol reports what protocol probes show, by an exchange or, where that is nil, by more than one.
func reportProtocol(p *check.Pass, rule finding.Rule, text string, severity finding.Severity, by *probe.Exchange) {
	server := p.Probes.Server
	text += seeIt(p.Probes, finding.Fingerprint(string(rule), server), by)
	p.Report(check.Relation{At: p.At(p.Catalog.Servers[0], nil, rawjson.Value{}), Message: text, Severity: severity, Identity: []string{server}})
}

// seeIt is one line with which a reader sees a finding themselves: curl for a request that stands by
// itself, else the command of the run with --replay. "" where the run has no command line.
func seeIt(e *probe.Evidence, fingerprint string, x *probe.Exchange) string {
	again := ""
	if e.Again != "" {
		again = "; see it: " + strings.Replace(e.Again, probe.AgainFingerprint, fingerprint, 1)
	}
	if x == nil || e.Protocol.Token || !strings.HasPrefix(e.Protocol.Place, "http") || x.Header[mcp.HeaderSessionID] != "" || x.Header["Mcp-Session-Id"] != "" || len(x.Sent) > 1000 || !printable(x) {
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
	return "; see it: " + b.String() + " " + shellQuote(e.Protocol.Place)
}

// printable reports whether a terminal can show what was sent: a line with anything else would send something else.
func printable(x *probe.Exchange) bool {
	other := func(r rune) bool { return r < ' ' || r > '~' }
	for name, value := range x.Header {
		if strings.ContainsFunc(name+value, other) {
			return false
		}
	}
	return !strings.ContainsFunc(x.Sent, other)
}

// shellQuote writes a word for a shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
