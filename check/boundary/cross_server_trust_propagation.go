package boundary

import (
	"fmt"
	"strconv"

	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-060", Name: "cross-server-trust-propagation", Severity: finding.High, Maturity: check.Experimental,
	Axis: "cross-server-trust-propagation", Needs: check.Trace, Source: source,
	Doc: `A value that one server returned stands unmodified in a later call to another server, and no declared boundary allows it.

The second server trusts what the first one wrote: text of a web page becomes a query, an address in a mail becomes a
recipient. The check reads a recorded conversation (` + "`--trace`" + `) and compares values. A whole string of a result
(of tools/call, errors of tools included, resources/read and prompts/get) counts where it stands whole inside a string of a
later call's arguments on a server of another name; an array or object counts where an equal one stands in them. It must be
substantial: 12 characters, or a structure with such a string. Numbers and booleans never count, a string of digits does by its
length; words that all programs exchange and values that the schema of the called tool lists do not. There is no window: the
result may lie any number of messages back. Every earlier result that held the value is reported, 20 for one argument at
most, and the rest is counted.

That the client had sent the value before (in the prompt, in an earlier argument) is said and makes the finding medium. It
does not clear the flow.

A flow is clear only if ` + "`security.trust_boundary`" + ` of the suite file (` + "`--boundary`" + `) allows the pair of servers and the value passed every
required sanitizer: it was an argument of that tool, and what stands in the later call is that tool's output. The call to a
sanitizer, and its output going on, are no flows of their own; they are judged as one flow from where the text came. Without
a declaration nothing is allowed.

It proves that bytes went from one server to another, not that an attack took place. Text that a model rewrote is not
seen; what was only encoded or cut is SEC-060/transformed.`,
	Advice: "Declare the flow if it is meant to be, with the sanitizers it has to pass; otherwise keep the agent from handing the one server's text to the other.",
	Run: func(p *check.Pass) {
		f := flowsOf(p)
		p.Looked(len(f.talk.calls))
		var from, to opened
		for i := range f.crossed {
			reportFlow(p, f, &f.crossed[i], &from, &to)
		}
		p.Withhold(f.leftCrossed, f.limit)
		if f.cut > 0 {
			p.Limited("%d arguments hold more values of results than could stand in them side by side: not all of them were told apart", f.cut)
		}
	},
})

// reportFlow reports a verbatim flow, if it is one: values are compared here and not by hash.
func reportFlow(p *check.Pass, fs *flows, f *flow, from, into *opened) {
	src, to := &fs.talk.calls[f.from], &fs.talk.calls[f.to]
	result, request := &p.Trace.Messages[src.result], &p.Trace.Messages[to.request]
	fromAt, fromValue := from.at(p, result, src.title, f.held.offset)
	toAt, toValue := into.at(p, request, to.title, f.offset)
	r := check.Relation{At: toAt, Related: []check.Place{fromAt}, Severity: f.severity()}
	value := shown(f.value)
	if f.value == "" {
		if !rawjson.Equal(fromValue, toValue) {
			return
		}
		value = finding.Clip(toValue.Compact(), 90)
	} else {
		text := toValue.Text()
		if f.start+len(f.value) > len(text) || text[f.start:f.start+len(f.value)] != f.value {
			return
		}
		r.Start, r.End = f.start, f.start+len(f.value)
	}
	r.Message = fmt.Sprintf("%s of server %s returned %s (message %d, %s) and it stands in the arguments of %s to server %s (message %d, %s); %s",
		src.title, shown(src.server), value, result.Seq, fromValue.Pointer(), to.title, shown(to.server), request.Seq, toValue.Pointer(), f.clause)
	if f.through >= 0 {
		through := &fs.talk.calls[f.through]
		r.Related = append(r.Related, p.Message(&p.Trace.Messages[through.request], through.title, rawjson.Value{}))
		r.Message = fmt.Sprintf("what %s of server %s returned (message %d, %s) went through %s, whose output %s stands in the arguments of %s to server %s (message %d, %s); %s",
			src.title, shown(src.server), result.Seq, fromValue.Pointer(), through.title, value, to.title, shown(to.server), request.Seq, toValue.Pointer(), f.clause)
	}
	r.Message += knownBefore(f)
	r.Identity = []string{src.server, src.title, to.server, to.title, place(toValue), valueOf(f, toValue)}
	p.Report(r)
}

func knownBefore(f *flow) string {
	switch {
	case f.given:
		return "; the user had given it before"
	case f.known != 0:
		return "; the client had sent it before (message " + itoa(f.known) + ")"
	}
	return ""
}

func valueOf(f *flow, v rawjson.Value) string {
	if f.value != "" {
		return f.value
	}
	return v.Canonical()
}

func itoa(n int) string { return strconv.Itoa(n) }
