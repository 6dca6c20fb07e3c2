package probing

import (
	"net/url"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/schema"
	"gauntlet/internal/leaf/secret"
	"gauntlet/rawjson"
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
	return heldIn(calls, excerpt.Count(calls, "call")+" without capabilities: the server asked for nothing")
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
	for _, x := range exchanges(e, "P27") {
		calls++
		for _, raw := range x.Before {
			method := message(raw).Get("method").Text()
			if method == mcp.NotifyMessage && x.Era == probe.Stateless || method == mcp.NotifyResourcesUpdated {
				return brokenBy(x, "in answer to "+x.Step+" the server sent "+method+", which nobody asked for")
			}
		}
	}
	return heldIn(calls, excerpt.Count(calls, "call")+": nothing came that nobody had asked for")
}

// judgeOutputs compares the results of calls with what their tools declare that they return.
func judgeOutputs(e *probe.Protocol) Verdict {
	compared := 0
	for _, x := range exchanges(e, "P27") {
		if x.Expect == "" || !IsResult(x) {
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
	return heldIn(compared, excerpt.Count(compared, "result")+" as the output schemas say")
}

var _ = add(Probe{
	ID: "P35", Asks: "whether results are what the output schemas of their tools say", Effect: probe.Writes, HTTP: true, Stdio: true,
	Judge: judgeOutputs, Unless: "no tool with an outputSchema was called and answered",
	Rule: check.Check{
		ID: "GNT-450", Name: "output-breaks-schema", Severity: finding.Low, Axis: "input-validation",
		Taxonomy: "MCP03:2025 weak, ASI02 weak, CWE-1288 weak, CWE-684 close, L4 close, L3 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
		Doc: `A tool declares what it returns (outputSchema) and returned something else to an ordinary call, or no structured content at all. Clients that
trust the schema hand on what nobody looked at.

What stays quiet: errors; schemas that refer to other addresses or to themselves, or cannot be read; answers that are cut by a limit.`,
		Advice: "Validate results with the tool's own outputSchema before they are sent.",
	},
})

// breaksSchema says where a value differs from a schema, "" where it does not. It is not ok where the
// schema cannot be used.
func breaksSchema(form string, v rawjson.Value) (what string, ok bool) {
	s, err := schema.Parse(form)
	if err != nil {
		return "", false
	}
	if !v.Exists() {
		return "there is no structuredContent", true
	}
	if err := s.Check(v.Raw()); err != nil {
		return excerpt.Quote(err.Error(), 200), true
	}
	return "", true
}

// The steps of P21: the same call with a random text where a text is wanted, and with a list that
// holds another.
const (
	RightType = "a text to "
	WrongType = "a list to "
)

var _ = add(Probe{
	ID: "P21", Asks: "whether a tool takes a list where its schema wants a text", Effect: probe.Writes, HTTP: true, Stdio: true,
	Signal: "input-validation", Judge: judgeTypes, Unless: "no tool that may be called answered with a text that it was given",
	Rule: check.Check{
		ID: "GNT-449", Name: "input-not-validated", Severity: finding.Low, Axis: "input-validation",
		Taxonomy: "MCP05:2025 weak, ASI02 weak, CWE-20 exact, CWE-1287 exact, L4 close, L3 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
		Doc: `A tool whose schema wants a text took a list, and did with the random text in it what it does with a text: both answers are the same but for
the random values. Servers must validate what they are given; code that expects a text often has its guards on texts alone.`,
		Advice: "Validate arguments with the tool's own schema before anything is done with them.",
	},
})

func judgeTypes(e *probe.Protocol) Verdict {
	compared := 0
	for _, wrong := range exchanges(e, "P21") {
		tool, ok := strings.CutPrefix(wrong.Step, WrongType)
		right := e.Find("P21", RightType+tool)
		if !ok || right == nil {
			continue
		}
		ordinary, ok := toolText(right)
		if !ok || !strings.Contains(ordinary, right.Expect) || right.Expect == "" {
			continue
		}
		compared++
		if taken, ok := toolText(wrong); ok && wrong.Expect != "" && strings.Contains(taken, wrong.Expect) && without(taken, wrong.Expect) == without(ordinary, right.Expect) {
			return brokenBy(wrong, "the tool "+excerpt.Clip(tool, 80)+" took a list where its schema wants a text, and did the same with it: "+excerpt.Clip(wrong.Sent, 300))
		}
	}
	return heldIn(compared, "a list in place of a text was refused, or answered in another way")
}

// without takes a random value, and what lists are written with, out of an answer.
func without(text, value string) string {
	return strings.NewReplacer(value, "", "[", "", "]", "", `"`, "", "'", "", `\`, "", " ", "", "\n", "").Replace(text)
}

// MayAsk is the step of P25 and P26: a call by a client that declares that its user can be asked.
const MayAsk = "the user may be asked during "

const noForm = "no tool that was called asks the user for anything"

var _ = add(Probe{
	ID: "P25", Asks: "whether a form asks the user for a secret", Effect: probe.Writes, HTTP: true, Stdio: true, Unless: noForm,
	Judge: func(e *probe.Protocol) Verdict {
		return judgeQuestions(e, "form", secretField, "the form that the server shows during %s asks for a secret: the field ")
	},
	Rule: check.Check{
		ID: "GNT-451", Name: "form-asks-for-secret", Severity: finding.High, Axis: "authentication",
		Taxonomy: "MCP01:2025 close, ASI09 close, CWE-522 weak, L4 close, L2 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation",
		Doc: `During a call the server asked the user by a form for a password, key or token: a field has such a name or the format password. What is typed
there passes through the client and may reach the model. The specification forbids it; such things go to a page of the server's own.`,
		Advice: "Ask for secrets on a page of your own (URL mode), or not at all.",
	},
})

var _ = add(Probe{
	ID: "P26", Asks: "whether the user is led to a page without HTTPS, or with a secret in its address", Effect: probe.Writes, HTTP: true, Stdio: true, Unless: noForm,
	Judge: func(e *probe.Protocol) Verdict {
		return judgeQuestions(e, "url", unsafePage, "the user is led during %s to ")
	},
	Rule: check.Check{
		ID: "GNT-452", Name: "unsafe-page-for-user", Severity: finding.Medium, Axis: "authentication",
		Taxonomy: "MCP01:2025 close, ASI09 close, CWE-319 close, CWE-598 close, L4 close, L2 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation",
		Doc: `During a call the server led the user to a page whose address is no https (http on the loopback address is well), or holds a user's name and
password. Who is on the way reads what the user types there.`,
		Advice: "Lead users to https pages, and let the page itself find out who they are.",
	},
})

// judgeQuestions reads what the server asked a client that declares elicitation.
func judgeQuestions(e *probe.Protocol, mode string, wrong func(rawjson.Value) string, sentence string) Verdict {
	asked := 0
	for _, q := range questions(e) {
		if of := q.params.Get("mode").Text(); of != mode && (of != "" || mode != "form") {
			continue
		}
		asked++
		if what := wrong(q.params); what != "" {
			return broken(strings.Replace(sentence, "%s", q.during, 1) + what)
		}
	}
	return heldIn(asked, "what the user was asked for is no secret, and goes nowhere unsafe")
}

// A question is one elicitation of the server.
type question struct {
	during string
	params rawjson.Value
}

func questions(e *probe.Protocol) (out []question) {
	for _, m := range e.Asked {
		tree := new(rawjson.Tree)
		if tree.Parse(m.Raw, 0) != nil {
			continue
		}
		if tree.Root().Get("method").Text() == mcp.ElicitationCreate {
			out = append(out, question{m.During, tree.Root().Get("params")})
		}
	}
	for i := range e.Exchanges {
		x := &e.Exchanges[i]
		if x.ID != "P27" && x.ID != "P25" {
			continue
		}
		for m := range message(x.Body).Get("result").Get("inputRequests").Members() {
			if m.Value.Get("method").Text() == mcp.ElicitationCreate {
				out = append(out, question{x.Step, m.Value.Get("params")})
			}
		}
	}
	return out
}

func secretField(params rawjson.Value) string {
	for m := range params.Get("requestedSchema").Get("properties").Members() {
		name := m.Key.Text()
		if secret.IsFieldName(name) || m.Value.Get("format").Text() == "password" {
			return excerpt.Quote(name, 80)
		}
	}
	return ""
}

func unsafePage(params rawjson.Value) string {
	address := params.Get("url").Text()
	u, err := url.Parse(address)
	switch {
	case err != nil || address == "":
		return ""
	case u.User != nil:
		return "a page with a user in its address: " + excerpt.Quote(u.Redacted(), 120)
	case u.Scheme == "https", u.Scheme == "http" && (u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1"):
		return ""
	}
	return "a page without HTTPS: " + excerpt.Quote(address, 120)
}
