package probing

import (
	"net/url"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/secret"
	"gauntlet/rawjson"
)

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
	if asked == 0 {
		return Verdict{}
	}
	return held("what the user was asked for is no secret, and goes nowhere unsafe")
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
