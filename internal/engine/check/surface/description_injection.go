package surface

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/clause"
)

var _ = register(check.Check{
	ID: "SEC-001", Name: "description-injection", Severity: finding.High, Maturity: check.Stable,
	Taxonomy: "MCP03:2025 exact, ASI01 close, CWE-1427 close, AML.T0110 close, AML.T0051.001 close, SAFE-T1001 close, SAFE-T1102 weak, SAFE-T1401 weak, L6 close, L2 weak",
	Axis:     "tool-poisoning", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A definition carries an imperative aimed at the model: to drop earlier instructions or the user's
request, to act without the user's knowledge or consent, to run a command, to falsify what the user
gets, or text that poses as the system's own voice.

Everything a server lists is put before the model as it is, and models follow it. A description that
gives orders beyond the use of its own tool takes over the agent before any tool is called.

What is read: every string of tools, prompts, resources, resource templates and instructions, folded
to one form (Unicode compatibility forms, look-alike letters, invisible characters, spaced letters,
leetspeak), and one level of base64, base32, gzip, hex, percent, entity and JSON escapes and rot13. Sentences
become clauses, each with its act, its object, its destination and what governs it; rules over clauses decide
(docs/detection.md). A script element with code in a description fires too.

What stays quiet: how to use the tool itself, however urgent ("You MUST pass an ISO date",
"IMPORTANT: call list_projects first"), what the tool does, clauses that are negated or refused, and attacks
that a text quotes after saying that it detects them.`,
	Advice:  "Say what the tool does and how its parameters are used; leave every order to the model out of it.",
	RunItem: descriptionInjection,
})

func descriptionInjection(it *check.Item) {
	reportDirectives(it, clause.Override, clause.Conceal, clause.Consent, clause.Falsify, clause.Command)
	for i := range it.Fields {
		f := &it.Fields[i]
		if start, end := script(f.Text.Raw); end > 0 && f.Sort.Prose() {
			it.Report(check.Report{Field: f, Start: start, End: end, Message: where(f) + " holds a script element"})
		}
	}
}

// script returns the span of an HTML script element with code in it; end is 0 without one.
func script(s string) (start, end int) {
	if strings.IndexByte(s, '<') < 0 {
		return 0, 0
	}
	start = indexFold(s, "<script")
	if start < 0 {
		return 0, 0
	}
	n := indexFold(s[start:], "</script")
	if n < 0 || !strings.Contains(s[start:start+n], "(") {
		return 0, 0
	}
	return start, start + n
}

// indexFold is strings.Index with ASCII letter case ignored; sub is in lower case and
// begins with '<'.
func indexFold(s, sub string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], sub[0])
		if i < 0 || at+i+len(sub) > len(s) {
			return -1
		}
		if at += i; strings.EqualFold(s[at:at+len(sub)], sub) {
			return at
		}
	}
}
