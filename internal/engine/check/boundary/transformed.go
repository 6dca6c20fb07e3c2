package boundary

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "SEC-060/transformed", Name: "cross-server-transformed-value", Severity: finding.Low, Maturity: check.Experimental,
	Taxonomy: "MCP06:2025 close, MCP10:2025 close, ASI08 weak, ASI07 weak, CWE-501 close, CWE-668 weak, AML.T0051.001 weak, AML.T0086 weak, SAFE-T1701 close, SAFE-T1703 weak, SAFE-T1304 weak, L2 close, L1 weak",
	Axis:     "cross-server-trust-propagation", Needs: check.Trace, Source: source,
	Doc: `A value that one server returned appears in a later call to another server after one reversible change, or in
part.

This supplements SEC-060 and never changes its verdict. It reports a value in base64, hex or URL encoding,
with HTML or JSON escapes (or one that was returned in such a form and is now decoded), with other white space
or letter case; an argument that is a part of what was returned; and a common part of at least 48 characters,
with its length. For parts, letter case and white space do not matter. What the client had sent before the
result is informational. Flows that are allowed without a sanitizer, and what SEC-060 reports for the same
result and argument, are left out.

Only one change is undone, not two in a row. A common part shows that two texts agree, which is also true of
boilerplate.`,
	Advice: "Check whether the second server may have what the first one returned. A declared flow covers its encodings as well.",
	Run: func(p *check.Pass) {
		f := flowsOf(p)
		p.Looked(len(f.log.calls))
		var from, to parsedMessage
		for i := range f.changed {
			reportChanged(p, f, &f.changed[i], &from, &to)
		}
		p.Withhold(f.leftChanged, f.limit)
	},
})

func reportChanged(p *check.Pass, fs *flows, f *flow, from, into *parsedMessage) {
	src, to := &fs.log.calls[f.from], &fs.log.calls[f.to]
	result, request := &p.Trace.Messages[src.result], &p.Trace.Messages[to.request]
	fromAt, fromValue := from.locateValue(p, result, src.title, f.held.offset)
	toAt, toValue := into.locateValue(p, request, to.title, f.offset)
	r := check.Relation{At: toAt, Related: []check.Place{fromAt}}
	var how string
	if f.how != inPart {
		how = fmt.Sprintf("it appears %s in", f.how.describeHow())
	} else {
		how = fmt.Sprintf("%d characters of it, %s, appear in", f.chars, quoteValue(f.value))
	}
	r.Message = fmt.Sprintf("%s of server %s returned %s (message %d, %s) and %s %s to server %s (message %d, %s)",
		src.title, quoteValue(src.server), quoteValue(fromValue.Text()), result.Seq, fromValue.Pointer(), how, to.input, quoteValue(to.server), request.Seq, toValue.Pointer())
	if f.known != 0 || f.given {
		r.Severity = finding.Info
	}
	r.Message += knownBefore(f)
	r.Identity = []string{src.server, src.title, to.server, to.title, generalPointer(toValue), strconv.Itoa(int(f.how)), f.value}
	p.Report(r)
}

// noteTransformed notes what reached this argument transformed or in part, except what also occurs verbatim from the
// same result or in an allowed flow.
func (a *argument) noteTransformed(other []hit) {
	found := map[int]bool{}
	for _, h := range other {
		u := &a.index.units[h.unit]
		if a.log.isExcluded(u.text, &a.log.calls[a.to]) {
			continue
		}
		if h.how == inWhole && u.text == "" {
			continue
		}
		for i := range u.holders {
			for _, from := range u.holders[i].firsts {
				f := flow{from: from.call, held: from, value: u.text, how: h.how, known: a.sentBefore(u, from), given: u.given}
				if h.how == inWhole {
					f.how, f.chars = inPart, utf8.RuneCountInString(a.entry.text)
				}
				a.addTransformed(f, found)
			}
		}
	}
	if a.entry.text == "" || len(found) > 0 || len(a.flows.changed) >= a.limits.Findings {
		return
	}
	f := foldText(a.entry.text)
	for _, s := range a.index.blocks.findCommonParts(f, a.limits.CommonPart, func(h held) bool { return a.isNoteworthy(h.call) && !found[h.call] }) {
		text := strings.TrimSpace(s.text)
		a.addTransformed(flow{from: s.held.call, held: s.held, value: text, how: inPart, chars: utf8.RuneCountInString(text)}, found)
	}
}

// isNoteworthy reports whether a result could have reached this argument otherwise unnoticed.
func (a *argument) isNoteworthy(from int) bool {
	src, to := &a.log.calls[from], &a.log.calls[a.to]
	switch {
	case src.result > to.request || src.server == to.server || a.whole[from] || a.passed[from] != nil || a.isCovered(from):
		return false
	case src.sanitizer != 0 && !src.failed:
		return false
	}
	return !(a.required == 0 && a.allowsFlow(src, to))
}

// addTransformed adds a note, one per result.
func (a *argument) addTransformed(f flow, found map[int]bool) {
	if found[f.from] || !a.isNoteworthy(f.from) {
		return
	}
	found[f.from] = true
	f.to, f.offset, f.through = a.to, a.entry.offset, -1
	switch {
	case len(found) > a.limits.Producers || len(a.flows.changed) >= a.limits.Findings:
		a.flows.leftChanged++
	default:
		a.flows.changed = append(a.flows.changed, f)
	}
}
