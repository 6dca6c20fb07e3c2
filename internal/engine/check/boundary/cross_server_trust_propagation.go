package boundary

import (
	"cmp"
	"fmt"
	"strconv"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-060", Name: "cross-server-trust-propagation", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP06:2025 close, MCP10:2025 close, ASI08 weak, ASI07 weak, CWE-501 close, CWE-668 weak, AML.T0051.001 weak, AML.T0086 weak, SAFE-T1701 close, SAFE-T1703 weak, SAFE-T1304 weak, L2 close, L1 weak",
	Axis:     "cross-server-trust-propagation", Needs: check.Trace, Source: source,
	Doc: `A value that one server returned appears unchanged in a later call to another server, and no declared boundary
allows it.

The second server then trusts what the first one wrote: text of a web page becomes a query, an address in an
email becomes a recipient. The check reads a recorded conversation (` + "`--trace`" + `) and compares values. A string
counts if it occurs as a whole inside a string of a later message to another server; an array or object counts
if an equal one occurs there. Results are those of tools/call (tool errors included), resources/read and
prompts/get, at once or as a task (tasks/result, tasks/get), completions, the texts of definitions, and the messages and data of errors. Later messages are everything that the client sends: arguments of tools and prompts, addresses of
resources, completion arguments, notifications, and answers to sampling, elicitation and roots requests. White
space around a string does not matter, and a JSON text equals the array or object that it stands for.

A value must be substantial: at least 12 characters, or a structure that contains such a string. A shorter
string counts if it is the whole value of a parameter that takes a command, a path, an address or a
credential. Numbers and booleans never count; a string of digits counts by its length. Words that all programs
exchange do not count, nor do values that the schema of the called tool lists. Any number of messages may lie
between result and call. Every earlier result that held the value is reported, at most 20 for one argument;
the rest is counted.

If the client had sent the value before (in the prompt or in an earlier argument), the finding says so and its
severity is medium; it is still reported.

A flow is allowed only if ` + "`security.trust_boundary`" + ` of the suite file (` + "`--boundary`" + `) allows the pair of
servers and the value passed every required sanitizer: it was an argument of that tool, and the later call
holds that tool's output. A call to a sanitizer and the use of its output are not separate flows; they are
judged as one flow from the origin of the text. Without a declaration, nothing is allowed.

The finding proves that bytes went from one server to another, not that an attack took place. Text that a
model rewrote is not detected; text that was only encoded or shortened is SEC-060/transformed.`,
	Advice: "If the flow is intended, declare it with the sanitizers that it must pass. Otherwise keep the agent from passing text between the two servers.",
	Run: func(p *check.Pass) {
		f := flowsOf(p)
		p.Looked(len(f.log.calls))
		for _, flood := range p.Floods {
			p.Note("%s", flood)
		}
		var from, to parsedMessage
		for i := range f.crossed {
			reportFlow(p, f, &f.crossed[i], &from, &to)
		}
		p.Withhold(f.leftCrossed, f.limit)
		if f.cut > 0 {
			p.Limited("%d arguments contain too many overlapping values of results: not all were distinguished", f.cut)
		}
	},
})

func reportFlow(p *check.Pass, fs *flows, f *flow, from, into *parsedMessage) {
	src, to := &fs.log.calls[f.from], &fs.log.calls[f.to]
	result, request := &p.Trace.Messages[src.result], &p.Trace.Messages[to.request]
	fromAt, fromValue := from.locateValue(p, result, src.title, f.held.offset)
	toAt, toValue := into.locateValue(p, request, to.title, f.offset)
	r := check.Relation{At: toAt, Related: []check.Place{fromAt}, Severity: f.flowSeverity()}
	value := quoteValue(f.value)
	switch text := toValue.Text(); {
	case f.value == "":
		value = excerpt.Clip(toValue.Compact(), 90)
	case f.start+len(f.value) <= len(text) && text[f.start:f.start+len(f.value)] == f.value:
		r.Start, r.End = f.start, f.start+len(f.value)
	}
	r.Message = fmt.Sprintf("%s of server %s returned %s (message %d, %s) and it appears in %s to server %s (message %d, %s); %s",
		src.title, quoteValue(src.server), value, result.Seq, fromValue.Pointer(), to.input, quoteValue(to.server), request.Seq, toValue.Pointer(), f.clause)
	if f.through >= 0 {
		through := &fs.log.calls[f.through]
		r.Related = append(r.Related, p.Message(&p.Trace.Messages[through.request], through.title, rawjson.Value{}))
		r.Message = fmt.Sprintf("what %s of server %s returned (message %d, %s) went through %s, whose output %s appears in %s to server %s (message %d, %s); %s",
			src.title, quoteValue(src.server), result.Seq, fromValue.Pointer(), through.title, value, to.input, quoteValue(to.server), request.Seq, toValue.Pointer(), f.clause)
	}
	if f.role != "" {
		r.Message += "; the parameter takes " + f.role + ", where a short value counts"
	}
	r.Message += knownBefore(f)
	r.Identity = []string{src.server, src.title, to.server, to.title, generalPointer(toValue), cmp.Or(f.value, toValue.Canonical())}
	p.Report(r)
}

func knownBefore(f *flow) string {
	switch {
	case f.given:
		return "; the user had provided it before"
	case f.known != 0:
		return "; the client had sent it before (message " + strconv.Itoa(f.known) + ")"
	}
	return ""
}
