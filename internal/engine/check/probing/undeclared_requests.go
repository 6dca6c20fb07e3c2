package probing

import (
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

// Undeclared is the step of P27: a call by a client that declares no capability.
const Undeclared = "no capabilities during "

var _ = add(Probe{
	ID: "P27", Asks: "whether the server asks for sampling, forms or roots that the client did not declare", Effect: probe.Writes, HTTP: true, Stdio: true,
	Signal: "capability-honesty", Judge: judgeUndeclared, Unless: "no tool may be called, or none answered",
	Rule: check.Check{
		ID: "GNT-444", Name: "undeclared-request", Severity: finding.Medium, Axis: "capabilities",
		Taxonomy: "MCP02:2025 close, ASI03 close, CWE-807 weak, L4 close, L3 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle",
		Doc: `During a call the server requested a capability that the client had not declared: a completion by the user's model
(sampling/createMessage), a form (elicitation/create) or the roots. A client that answers anyway lets the server use what the user never granted.`,
		Advice: "Ask only for what the client declared in this conversation, or in this request from 2026-07-28 on.",
	},
})

// asks are the requests of a server that need a capability of the client.
var asks = []string{mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList}

func judgeUndeclared(e *probe.Protocol) Verdict {
	calls := 0
	for _, x := range exchanges(e, "P27") {
		tool, ok := strings.CutPrefix(x.Step, Undeclared)
		if !ok {
			continue
		}
		calls++
		for _, raw := range x.Before {
			if method := message(raw).Get("method").Text(); slices.Contains(asks, method) && message(raw).Get("id").Exists() {
				return brokenBy(x, "during "+tool+" the server asked a client without that capability: "+method)
			}
		}
		for m := range message(x.Body).Get("result").Get("inputRequests").Members() {
			if method := m.Value.Get("method").Text(); slices.Contains(asks, method) {
				return brokenBy(x, "during "+tool+" the server asked a client without that capability for input: "+method)
			}
		}
	}
	if calls == 0 {
		return Verdict{}
	}
	return held(excerpt.Count(calls, "call") + " without capabilities: the server asked for nothing")
}

var _ = add(Probe{
	ID: "P32", Asks: "whether the server sends log messages or changes that nobody asked for", Effect: probe.Writes, HTTP: true, Stdio: true,
	Judge: judgeNotices, Unless: "no tool may be called, or none answered",
	Rule: check.Check{
		ID: "GNT-445", Name: "unasked-notification", Severity: finding.Low, Axis: "transport",
		Taxonomy: "MCP10:2025 weak, ASI08 weak, CWE-200 weak, L5 weak, L4 close", Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index",
		Doc: `The server sent a log message to a request of revision 2026-07-28 that names no level, or a resource update to a client that
has no subscription. Clients may show or store unsolicited messages in unexpected places.`,
		Advice: "Send log messages only for requests with a logLevel, and updates only to subscribers.",
	},
})

func judgeNotices(e *probe.Protocol) Verdict {
	calls := 0
	for i := range e.Exchanges {
		x := &e.Exchanges[i]
		if x.ID != "P27" || !x.Answered {
			continue
		}
		calls++
		for _, raw := range x.Before {
			method := message(raw).Get("method").Text()
			if method == mcp.NotifyMessage && x.Era == probe.Stateless || method == mcp.NotifyResourcesUpdated {
				return brokenBy(x, "in answer to "+x.Step+" the server sent "+method+", which nobody asked for")
			}
		}
	}
	if calls == 0 {
		return Verdict{}
	}
	return held(excerpt.Count(calls, "call") + ": nothing came that nobody had asked for")
}

// judgeOutputs compares the results of calls with what their tools declare that they return.
func judgeOutputs(e *probe.Protocol) Verdict {
	compared := 0
	for _, x := range exchanges(e, "P27") {
		if x.Expect == "" || !isResult(x) {
			continue
		}
		r := message(x.Body).Get("result")
		if r.Get("isError").Raw() == "true" || r.Get("inputRequests").Exists() || r.Get("task").Exists() {
			continue
		}
		what, ok := breaksSchema(x.Expect, r.Get("structuredContent"))
		switch {
		case !ok:
			continue
		case what != "":
			return brokenBy(x, "the result of "+strings.TrimPrefix(x.Step, Undeclared)+" is not what its outputSchema says: "+what)
		}
		compared++
	}
	if compared == 0 {
		return Verdict{}
	}
	return held(excerpt.Count(compared, "result") + " as the output schemas say")
}
