package boundary

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "SEC-060/transformed", Name: "cross-server-transformed-value", Severity: finding.Low, Maturity: check.Experimental,
	Taxonomy: "MCP06:2025 close, MCP10:2025 close, ASI08 weak, ASI07 weak, CWE-501 close, CWE-668 weak, AML.T0051.001 weak, AML.T0086 weak, SAFE-T1701 close, SAFE-T1703 weak, SAFE-T1304 weak, L2 close, L1 weak",
	Axis:     "cross-server-trust-propagation", Needs: check.Trace, Source: source,
	Doc: `A value that one server returned stands in a later call to another server after one reversible change, or in part.

The note beside SEC-060, and never a part of its verdict. It tells of a value that is there in base64, hex, URL encoding, with
HTML or JSON escapes (or that was returned like that and is there decoded), with other white space or letter case; of an argument
that is a part of what was returned; and of a common part of 48 characters and more, with its length. For parts,
letter case and white space do not count. What the client had sent before the result is only informational. Flows that are
allowed without a sanitizer, and what SEC-060 says of the same result and argument, are left out.

One change is undone, not two on top of each other. A common part shows that two texts agree, which boilerplate does as well.`,
	Advice: "Look whether the second server may have what the first one returned; a declared flow covers its encodings as well.",
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
		how = fmt.Sprintf("it stands %s in", f.how.describeHow())
	} else {
		how = fmt.Sprintf("%d characters of it, %s, stand in", f.chars, quoteValue(f.value))
	}
	r.Message = fmt.Sprintf("%s of server %s returned %s (message %d, %s) and %s %s to server %s (message %d, %s)",
		src.title, quoteValue(src.server), quoteValue(fromValue.Text()), result.Seq, fromValue.Pointer(), how, to.input, quoteValue(to.server), request.Seq, toValue.Pointer())
	if f.known != 0 || f.given {
		r.Severity = finding.Info
	}
	r.Message += knownBefore(f)
	r.Identity = []string{src.server, src.title, to.server, to.title, generalPointer(toValue), f.how.transformationName(), f.value}
	p.Report(r)
}
