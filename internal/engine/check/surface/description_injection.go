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
	Doc: `A definition gives the model an order: to drop its earlier instructions or the user's request, to act without
the user's knowledge or consent, to run a command, or to falsify what the user gets. A text that poses as a
system message counts too.

Clients put everything that a server lists into the model's context, and models follow what they read there. A
description that gives orders beyond the use of its own tool can take over the agent before any tool is
called.

The check reads every string of tools, prompts, resources, resource templates and instructions. It first
undoes disguises: Unicode compatibility forms, look-alike letters, invisible characters, spaced letters,
leetspeak, and one level of base64, base32, gzip, hex, percent, entity and JSON escapes and rot13. It then
splits sentences into clauses with their action, object and destination, and applies rules to the clauses
(docs/classifier.md). A sentence that no rule understands but that resembles known attacks more than nearly all real
definitions do is reported as a suspicion, with its score and confidence low; so it is for SEC-002, SEC-003 and
SEC-006. A script element that contains code is reported too.

Not reported: instructions for using the tool itself, however urgent ("You MUST pass an ISO date", "IMPORTANT:
call list_projects first"), statements of what the tool does, negated or refused clauses, and attacks that a
text quotes after saying that it detects them.`,
	Advice:  "Describe what the tool does and how to use its parameters, and remove every other instruction to the model.",
	RunItem: descriptionInjection,
})

func descriptionInjection(it *check.Item) {
	reportDirectives(it, clause.Override, clause.Conceal, clause.Consent, clause.Command)
	for i := range it.Fields {
		f := &it.Fields[i]
		if start, end := script(f.Text.Raw); end > 0 && f.Sort.Prose() {
			it.Report(check.Report{Field: f, Start: start, End: end, Message: where(f) + " contains a script element"})
		}
	}
}

// script returns the span of an HTML script element that contains code; end is 0 if there is none.
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

// indexFold is strings.Index ignoring ASCII case; sub is lower-case and begins with '<'.
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
