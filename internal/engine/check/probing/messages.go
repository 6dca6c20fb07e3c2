package probing

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

var _ = []Probe{
	add(Probe{ID: "P16", Asks: "what a cursor is answered that the server never gave out", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, Steps: []Step{
		{Name: "forged cursor", Body: `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"gauntlet-forged"}}`},
		{Name: "long cursor", Body: `{"jsonrpc":"2.0","id":31,"method":"tools/list","params":{"cursor":"` + longID + `"}}`},
		{Name: "cursor that is no text", Body: `{"jsonrpc":"2.0","id":32,"method":"tools/list","params":{"cursor":{"$gt":""}}}`},
	}}),
	add(Probe{ID: "P17", Asks: "what unknown methods, tools, prompts and resources are answered", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, Steps: []Step{
		{Name: "unknown method", Body: `{"jsonrpc":"2.0","id":4,"method":"gauntlet/unknown"}`},
		{Name: "unknown tool", Body: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"gauntlet-unknown","arguments":{}}}`},
		{Name: "tool named like a member of every object", Body: `{"jsonrpc":"2.0","id":51,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}`},
		{Name: "unknown prompt", Body: `{"jsonrpc":"2.0","id":52,"method":"prompts/get","params":{"name":"gauntlet-unknown"}}`},
		{Name: "unknown resource", Body: `{"jsonrpc":"2.0","id":53,"method":"resources/read","params":{"uri":"gauntlet://unknown"}}`},
	}}),
	add(Probe{ID: "P18", Asks: "what messages are answered that are malformed", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, Steps: []Step{
		{Name: "malformed", Body: `{"jsonrpc":"2.0","id":6,"method":"tools/list"`, Quiet: true},
		{Name: "wrong version", Body: `{"jsonrpc":"1.0","id":7,"method":"ping"}`, Quiet: true},
		{Name: "null id", Body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, Quiet: true},
		{Name: "object as id", Body: `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, Quiet: true},
		{Name: "id of 64 KiB", Body: `{"jsonrpc":"2.0","id":"` + longID + `","method":"ping"}`, Quiet: true},
		{Name: "id that is no number of a program", Body: `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, Quiet: true},
		{Name: "number as method", Body: `{"jsonrpc":"2.0","id":71,"method":7}`, Quiet: true},
		{Name: "list as params", Body: `{"jsonrpc":"2.0","id":72,"method":"tools/call","params":[1]}`, Quiet: true},
		{Name: "response that nobody asked for", Body: `{"jsonrpc":"2.0","id":"gauntlet-unasked","result":{}}`, Quiet: true},
		{Name: "id used before", Body: `{"jsonrpc":"2.0","id":4,"method":"ping"}`, Quiet: true},
		{Name: "20,000 brackets", Body: deep, Quiet: true},
		{Name: "text that is no UTF-8", Body: "{\"jsonrpc\":\"2.0\",\"id\":73,\"method\":\"\xff\xfe\"}", Quiet: true},
	}}),
	add(Probe{ID: "P06", Asks: "whether a revision that does not exist is answered", Effect: probe.Reads, HTTP: true, Era: probe.Handshake, Steps: []Step{
		{Body: `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, Header: map[string]string{mcp.HeaderProtocolVersion: "1900-01-01"}},
	}}),
	add(Probe{ID: "P30", Asks: "whether two lists in a row are the same", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, Steps: []Step{
		{Name: "first", Body: `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`},
		{Name: "second", Body: `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`},
	}}),
}

// StatelessMeta is the member _meta of a request of revision 2026-07-28 from a client that declares
// no capability.
const StatelessMeta = `"_meta":{"` + mcp.MetaProtocolVersion + `":"` + mcp.Revision2026Jul + `","` + mcp.MetaClientCapabilities + `":{},"` + mcp.MetaClientInfo + `":{"name":"gauntlet","version":"1"}}`

// statelessList asks for the tools in revision 2026-07-28.
const statelessList = `{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{` + StatelessMeta + `}}`

// plainList asks for the tools without _meta, as it is done after initialize.
const plainList = `{"jsonrpc":"2.0","id":"plain","method":"tools/list"}`

// longID is an id that a server has to keep until it answers.
var longID = strings.Repeat("9", 64<<10)

// deep is JSON that is nested deeper than readers that call themselves can go.
var deep = strings.Repeat("[", 20_000)

var _ = add(Probe{
	ID: "P20", Asks: "whether errors show the inside of the server: frames of its stack", Effect: probe.Reads, HTTP: true, Stdio: true,
	Signal: "error-hygiene", Judge: judgeErrors, Unless: "no request was answered with an error",
})

// frames are how programs write where they were: a function or file, and a line.
var frames = []*lazyregexp.Regexp{
	lazyregexp.New(`\bat (?:[\w.$<>\[\] ]{1,120} \()?(?:file://)?(?:/|[A-Za-z]:\\|node:)[^\s()<>"]{1,300}:[0-9]{1,6}:[0-9]{1,5}`),
	lazyregexp.New(`File \\?"[^"\n\\]{1,200}\\?", line [0-9]{1,6}`),
	lazyregexp.New(`goroutine [0-9]{1,9} \[[a-z ]{1,40}\]:`),
	lazyregexp.New(`\bat [\w.$]{3,200}\([\w$]{1,80}\.(?:java|kt|scala):[0-9]{1,6}\)`),
	lazyregexp.New(`\bin [^\s:<>"]{1,200}\.cs:line [0-9]{1,6}`),
}

// judgeErrors looks for frames in everything that was answered with an error.
func judgeErrors(e *probe.Protocol) Verdict {
	errors := 0
	for i := range e.Exchanges {
		x := &e.Exchanges[i]
		if !isError(x) {
			continue
		}
		errors++
		for _, re := range frames {
			if at := re.FindString(x.Body); at != "" && !strings.Contains(x.Sent, at) {
				v := brokenBy(x, fmt.Sprintf("the error after %s shows where in the program it arose: %s", nameOf(x), excerpt.Quote(at, 160)))
				v.Severity = finding.Low
				return v
			}
		}
	}
	return heldIn(errors, "what was answered with errors holds no frame of a stack")
}

// isError reports whether an answer says that something went wrong.
func isError(x *probe.Exchange) bool {
	if !x.Answered {
		return false
	}
	m := message(x.Body)
	return x.Status >= 400 || m.Get("error").Kind() == rawjson.Object || m.Get("result").Get("isError").Raw() == "true"
}

func nameOf(x *probe.Exchange) string {
	if x.Step == "" {
		return x.ID
	}
	return x.ID + " (" + x.Step + ")"
}

// reportLeaks reports planted secrets in errors of tools, and else the frames of a stack in any error.
func reportLeaks(p *check.Pass) {
	reportProved("SEC-020")(p)
	if e := p.Probes.Protocol; e != nil {
		reportVerdict(p, "SEC-020", judgeErrors(e))
	}
}

// FirstOfAll is the step of P28 that is sent to a server to which nothing was said yet: the control.
const FirstOfAll = "no _meta, first of all"

var _ = add(Probe{
	ID: "P28", Asks: "whether a request without _meta inherits that of an earlier one", Effect: probe.Reads, Stdio: true, Era: probe.Stateless,
	Steps: []Step{
		{Name: "no _meta", Body: plainList},
		{Name: "a revision that does not exist", Body: strings.Replace(statelessList, mcp.Revision2026Jul, "1900-01-01", 1)},
	},
	Judge: func(e *probe.Protocol) Verdict {
		control, all := e.Find("P28", FirstOfAll), exchanges(e, "P28")
		switch {
		case control == nil || !control.Answered || len(all) < 2:
			return Verdict{}
		case IsResult(control):
			return unprobed("not probed: the server answers requests without _meta in any case")
		}
		return resultsOf("P28", "after a request with _meta the server answers without one, which it refuses first of all", "refused")(e)
	},
	Rule: check.Check{
		ID: "GNT-443", Name: "context-inherited", Severity: finding.Medium, Axis: "capabilities",
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-653 weak, CWE-668 weak, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index",
		Doc: `A request of revision 2026-07-28 says itself who asks, in which revision and with which capabilities. The server refused one that does not,
and answered the very same after another request had said so: it takes over what was said before. Where several clients share a pipe, one
then acts with the capabilities of another.`,
		Advice: "Read _meta of every request, and answer -32602 where it is missing.",
	},
})

// ListStep is the step of P31 with which every conversation of revision 2026-07-28 begins.
const ListStep = "tools/list"

// OtherUser is the step of P31 with a second token.
const OtherUser = "tools/list with another token"

var _ = add(Probe{
	ID: "P31", Asks: "whether lists say for how long and for whom they hold", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Stateless,
	Steps: []Step{{Name: ListStep, Body: statelessList}},
	Judge: judgeCache,
	Rule: check.Check{
		ID: "GNT-448", Name: "cache-hints", Severity: finding.Low, Axis: "transport",
		Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-524 close, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching",
		Doc: `A list of revision 2026-07-28 has no ttlMs of zero or more, or a cacheScope that is neither public nor private; severity high where it says
public and two users get different lists: a cache in between then hands one user's list to another.`,
		Advice: "Send ttlMs and cacheScope with every list; say private where the list depends on who asks.",
	},
})

func judgeCache(e *probe.Protocol) Verdict {
	x := e.Find("P31", ListStep)
	if x == nil || !x.Answered || !IsResult(x) {
		return Verdict{}
	}
	r := message(x.Body).Get("result")
	ttl, whole := r.Get("ttlMs").Int()
	scope := r.Get("cacheScope").Text()
	switch {
	case r.Get("ttlMs").Kind() != rawjson.Number || whole && ttl < 0 || strings.HasPrefix(r.Get("ttlMs").Raw(), "-"):
		return brokenBy(x, "the list of tools has no ttlMs of zero or more")
	case scope != "public" && scope != "private":
		return brokenBy(x, "the list of tools has no cacheScope of public or private")
	}
	if other := e.Find("P31", OtherUser); other != nil && IsResult(other) && scope == "public" && r.Get("tools").Sorted() != message(other.Body).Get("result").Get("tools").Sorted() {
		v := brokenBy(x, "the list of tools says that it is public, and another user gets another one")
		v.Severity = finding.High
		return v
	}
	return held("ttlMs " + excerpt.Clip(r.Get("ttlMs").Raw(), 20) + ", cacheScope " + scope)
}
