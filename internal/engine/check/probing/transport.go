package probing

import (
	"fmt"
	"net/netip"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// protocolCheck registers a check without a probe of its own. Where evidence is missing, judge says nothing, or why.
func protocolCheck(c check.Check, judge func(*probe.Protocol) Verdict) *check.Check {
	c.Doc += "\n\nNot reported where the probe was not sent; the posture map says why. See docs/probing.md."
	return registerProtocol(c, judge)
}

const transportPage = "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports"

var (
	_ = protocolCheck(check.Check{
		ID: "SEC-017", Name: "tls-required", Severity: finding.High, Axis: "transport",
		Taxonomy: "MCP07:2025 close, ASI07 close, CWE-319 exact, L5 close, L4 weak", Source: transportPage,
		Doc: `The server is on another machine and reached over plain HTTP, so anyone on the network path can read and change every message.`, Advice: "Serve HTTPS, and redirect or refuse HTTP.",
	}, judgeTLS)
	_ = protocolCheck(check.Check{
		ID: "SEC-018", Name: "origin-validation", Severity: finding.High, Axis: "transport",
		Taxonomy: "MCP07:2025 close, ASI07 close, CWE-346 exact, L5 close, L4 weak", Source: transportPage,
		Doc: `The server answered a request with the right Host and a foreign Origin with a result; the specification requires HTTP
403. Any page in the user's browser can then call a server on the user's machine. The message says so if the response also lets that page read it
(Access-Control-Allow-Origin). Severity medium for a server that is not on the loopback address or requires a token.`,
		Advice: "Check Origin against an allowlist, and answer 403 before doing anything else.",
	}, judgeOrigin)
	_ = protocolCheck(check.Check{
		ID: "GNT-410", Name: "host-validation", Severity: finding.Medium, Axis: "transport",
		Taxonomy: "MCP07:2025 close, ASI07 close, CWE-346 close, L5 close, L4 weak", Source: transportPage,
		Doc: `A server on the loopback address answered a request whose Host is a foreign name. A web page that resolves its own name to the
loopback address (DNS rebinding) then has the same origin as the server and sends no foreign Origin.`,
		Advice: "Answer only requests whose Host is localhost or the address that the server listens on.",
	}, judgeHost)
	_ = protocolCheck(check.Check{
		ID: "SEC-021", Name: "posture-tier", Severity: finding.Info, Axis: "authentication",
		Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-306 weak, L5 weak, L4 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization",
		Doc: `Reports how a server at a URL authenticates clients: not at all, by bearer token, or by OAuth with metadata. This is information, not a defect.`, Advice: "Require a token on every server that others can reach.",
	}, judgeTier)
	_ = protocolCheck(check.Check{
		ID: "SEC-022", Name: "token-audience", Severity: finding.Critical, Axis: "authentication",
		Taxonomy: "MCP07:2025 exact, ASI03 close, CWE-287 exact, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization",
		Doc: `A server that refuses requests without a token accepted a made-up one.`, Advice: "Validate the signature, issuer, audience and expiry of every token.",
	}, judgeToken)
	_ = protocolCheck(check.Check{
		ID: "GNT-411", Name: "session-handling", Severity: finding.Medium, Axis: "transport",
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-330 close, L5 close, L4 weak", Source: transportPage,
		Doc: `Session ids repeat, are short or sequential, or a session still answers after it was ended. The message gives the sample size.`, Advice: "Use ids of at least 128 random bits, and answer 404 once a session has ended.",
	}, judgeSessions)
	_ = protocolCheck(check.Check{
		ID: "GNT-412", Name: "survives-malformed-messages", Severity: finding.Medium, Axis: "denial-of-service",
		Taxonomy: "MCP07:2025 weak, ASI08 close, CWE-400 close, L5 close, L4 weak", Source: "https://www.jsonrpc.org/specification",
		Doc: `The server ended at one message that is malformed, unknown or of another revision: its connection was closed, or refused, where it
had been answering before. One that could be started again ended at the same message again. Silence is no proof and not reported.`, Advice: "Answer -32700 or -32600 and go on.",
	}, judgeLiveness)
	_ = protocolCheck(check.Check{
		ID: "GNT-413", Name: "stdout-purity", Severity: finding.Low, Axis: "transport",
		Taxonomy: "MCP07:2025 weak, ASI08 weak, CWE-116 weak, L5 weak, L4 weak", Source: transportPage,
		Doc: `The server wrote lines to stdout that are no message, which the specification forbids and which breaks clients.`, Advice: "Write logs to stderr.",
	}, judgeStdout)
)

func judgeTLS(e *probe.Protocol) Verdict {
	if x := e.Find("P03", "no origin"); e.Scheme == "http" && !e.Loopback && IsResult(x) {
		return brokenBy(x, "the server answers over plain HTTP on an address that is not the loopback one")
	}
	return Verdict{}
}

func judgeOrigin(e *probe.Protocol) Verdict {
	x := e.Find("P01", "")
	if !IsResult(x) || !IsResult(e.Find("P03", "no origin")) {
		return Verdict{}
	}
	text := fmt.Sprintf("a request with Origin %s was answered with a result (HTTP %d)", x.Header["Origin"], x.Status)
	if allowed := x.Answer["Access-Control-Allow-Origin"]; allowed == "*" || allowed == x.Header["Origin"] {
		text += ", and the page may read it: Access-Control-Allow-Origin is " + allowed
	}
	v := brokenBy(x, text)
	if !e.Loopback || e.Token {
		v.Severity = finding.Medium
	}
	return v
}

func judgeHost(e *probe.Protocol) Verdict {
	if x := e.Find("P02", ""); e.Loopback && IsResult(x) {
		return brokenBy(x, fmt.Sprintf("a request with Host %s was answered with a result (HTTP %d)", x.Header["Host"], x.Status))
	}
	return Verdict{}
}

func judgeTier(e *probe.Protocol) Verdict {
	if tier := Tier(e); tier != "" {
		return broken("authentication: " + tier)
	}
	return Verdict{}
}

// Tier says which authentication a server behind a URL asks for, "" where it was not asked.
func Tier(e *probe.Protocol) string {
	x := e.Find("P11", "no token")
	switch {
	case x == nil || !x.Answered:
		return ""
	case IsResult(x):
		return "none"
	case x.Status != 401 && x.Status != 403:
		return ""
	}
	if a := e.Authorization; a != nil && len(a.Found(probe.ResourceMetadata)) > 0 {
		return "OAuth"
	}
	if m := e.Find("P11", "metadata"); m != nil && m.Status == 200 && strings.Contains(m.Body, "authorization_servers") {
		return "OAuth"
	}
	return "bearer token"
}

func judgeToken(e *probe.Protocol) Verdict {
	const unanswered = "a request without a token, or with one that nobody issued, was not answered"
	none, madeUp := e.Find("P11", "no token"), e.Find("P11", "made-up token")
	switch {
	case none == nil || !none.Answered:
		return unprobed(unanswered)
	case none.Status != 401 && none.Status != 403:
		return unprobed("the server refuses no request without a token, so that a made-up one shows nothing")
	case IsResult(madeUp):
		return broken(fmt.Sprintf("without a token the server answers HTTP %d, with a token that nobody issued it answers with a result", none.Status))
	}
	for _, x := range exchanges(e, "P12") {
		if x.Step != QueryStep && IsResult(x) {
			return broken(fmt.Sprintf("without a token the server answers HTTP %d, and with a result to %s", none.Status, x.Step))
		}
	}
	if madeUp == nil || !madeUp.Answered {
		return unprobed(unanswered)
	}
	return held("tokens that nobody issued are refused")
}

// QueryStep is the step of P12 that has the token in the address.
const QueryStep = "the token in the address alone"

// shortestID is the length below which a session id cannot hold 64 random bits.
const shortestID = 11

func judgeSessions(e *probe.Protocol) Verdict {
	seen := map[string]bool{}
	short := 0
	for _, id := range e.Sessions {
		if seen[id] {
			return Verdict{State: Broken, Severity: finding.High, Text: fmt.Sprintf("%d sessions have the same id, of %d begun", 2, len(e.Sessions))}
		}
		seen[id] = true
		if len(id) < shortestID {
			short++
		}
	}
	if short > 0 {
		return Verdict{State: Broken, Severity: finding.High, Text: fmt.Sprintf("%d of %d session ids have fewer than %d characters", short, len(e.Sessions), shortestID)}
	}
	end, after := e.Find("P09", "end"), e.Find("P09", "after the end")
	switch {
	case end != nil && end.Status/100 == 2 && IsResult(after):
		return broken(fmt.Sprintf("the session was ended (HTTP %d) and still answers", end.Status))
	case len(e.Sessions) < 2:
		return unprobed("the server gave no two session ids to compare")
	case end == nil || !end.Answered:
		return unprobed("no session could be ended")
	case end.Status/100 == 2 && (after == nil || !after.Answered):
		return unprobed("nothing was answered in a session after its end")
	}
	return held("ids differ, and after its end a session is refused")
}

func judgeLiveness(e *probe.Protocol) Verdict {
	for i := range e.Exchanges {
		if x := &e.Exchanges[i]; x.Gone && (x.Again || e.Transport != "stdio") && x.Effect == probe.Reads {
			return broken(fmt.Sprintf("the server ended at %s: %s", nameOf(x), excerpt.Quote(x.Sent, 120)))
		}
	}
	return Verdict{}
}

// silentAfter names a message after which nothing was answered in time though nothing shows that the
// server ended; "" for none.
func silentAfter(e *probe.Protocol) string {
	for i := range e.Exchanges {
		if x := &e.Exchanges[i]; !x.Alive && !x.Gone {
			return nameOf(x)
		}
	}
	return ""
}

func judgeStdout(e *probe.Protocol) Verdict {
	if e.Transport != "stdio" || e.Noise == 0 {
		return Verdict{}
	}
	text := fmt.Sprintf("%s on stdout that %s no message", excerpt.Count(e.Noise, "line"), map[bool]string{true: "is", false: "are"}[e.Noise == 1])
	if e.NoiseLine != "" {
		text += fmt.Sprintf(": %s, after %s", excerpt.Quote(e.NoiseLine, 200), e.NoiseAfter)
	}
	return broken(text)
}

var _ = add(Probe{
	ID: "P05", Asks: "whether a server on this machine listens on its other addresses as well", Effect: probe.NoEffect, HTTP: true,
	Signal: "bind-address", Unless: "the server is on another machine, or its system does not tell who listens",
	Judge: func(e *probe.Protocol) Verdict {
		if len(e.Listening) == 0 {
			return Verdict{}
		}
		open := false
		for _, a := range e.Listening {
			at, err := netip.ParseAddr(a)
			if err != nil {
				return Verdict{}
			}
			if at.IsLoopback() {
				return held("something listens on " + a + " alone at this port, and was spoken to")
			}
			open = open || at.IsUnspecified()
		}
		if open {
			return broken("the server was spoken to on the loopback address, and its port is open on every address of this machine: it listens on " + strings.Join(e.Listening, ", "))
		}
		return Verdict{}
	},
	Rule: check.Check{
		ID: "GNT-440", Name: "listens-on-every-address", Severity: finding.Medium, Axis: "transport",
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-1327 exact, L5 close, L4 weak", Source: transportPage,
		Doc: `A server that runs on this machine listens on all of its addresses (0.0.0.0 or ::), so that everybody in the same network reaches it.
The specification wants the loopback address for local servers. Read from the system's table of sockets; severity low for a server that asks for a token.

What stays quiet: a server on another machine; a port at which the loopback address has a socket of its own.`,
		Advice: "Listen on 127.0.0.1 unless the user says otherwise.",
	},
})

var _ = add(Probe{
	ID: "P07", Asks: "whether a request whose headers contradict its body is answered", Effect: probe.Reads, HTTP: true, Era: probe.Stateless,
	Steps: []Step{
		{Name: "Mcp-Method names another method", Body: statelessList, Header: map[string]string{mcp.HeaderMethod: "prompts/list"}},
		{Name: "Mcp-Method in capitals", Body: statelessList, Header: map[string]string{mcp.HeaderMethod: "TOOLS/LIST"}},
		{Name: "Mcp-Method missing", Body: statelessList, Header: map[string]string{mcp.HeaderMethod: ""}},
		{Name: "MCP-Protocol-Version of another revision", Body: statelessList, Header: map[string]string{mcp.HeaderProtocolVersion: mcp.Revision2025Nov}},
		{Name: "MCP-Protocol-Version missing", Body: statelessList, Header: map[string]string{mcp.HeaderProtocolVersion: ""}},
		{Name: "a body without _meta", Body: plainList},
	},
	Signal: "protocol-version",
	Judge:  resultsOf("P07", "requests whose headers contradict their body were answered with a result", "refused"),
	Rule: check.Check{
		ID: "GNT-441", Name: "header-body-mismatch", Severity: finding.Medium, Axis: "transport",
		Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-436 close, CWE-444 weak, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http",
		Doc: `A request of revision 2026-07-28 whose headers say something else than its body was answered with a result. Gateways and firewalls decide by
the headers (which method, which tool, which revision); where the server does not compare them, they can be passed by.

What stays quiet: servers that do not answer the same request with headers that fit; servers of earlier revisions, which have no such headers.`,
		Advice: "Compare MCP-Protocol-Version, Mcp-Method and Mcp-Name with the body, and answer HTTP 400 with -32020.",
	},
})

var _ = add(Probe{
	ID: "P19", Asks: "whether a batch, which only revision 2025-03-26 has, is answered", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake,
	Steps: []Step{{Body: `[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"ping"}]`, Quiet: true}},
	Judge: func(e *probe.Protocol) Verdict {
		x := e.Find("P19", "")
		switch {
		case x == nil || !x.Answered:
			return unprobed("not probed: the batch was not answered in time")
		case e.Revision == "" || e.Revision == "2025-03-26" || e.Revision == "2024-11-05":
			return unprobed("not probed: no session of a revision without batches")
		case hasResults(x):
			return brokenBy(x, "in a session of revision "+e.Revision+" the requests of a batch were answered with results")
		}
		return held("refused: " + how(x))
	},
	Rule: check.Check{
		ID: "GNT-442", Name: "batch-answered", Severity: finding.Low, Axis: "transport",
		Taxonomy: "MCP07:2025 weak, ASI08 weak, CWE-436 close, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2025-06-18/changelog",
		Doc: `A JSON-RPC batch was answered with results in a session of a revision that has no batches any more (2025-06-18 and later). A gateway that
reads one message a line, as those revisions say, sees none of the calls in it.`,
		Advice: "Answer arrays with -32600.",
	},
})

// hasResults reports whether requests of a batch were answered: in a list, or one by one.
func hasResults(x *probe.Exchange) bool {
	if IsResult(x) {
		return true
	}
	if x.Status != 0 && x.Status/100 != 2 {
		return false
	}
	m := message(x.Body)
	if m.Kind() != rawjson.Array {
		return false
	}
	for _, one := range m.Elements() {
		if one.Get("result").Exists() {
			return true
		}
	}
	return false
}

var _ = add(Probe{
	ID: "P08", Asks: "whether GET, DELETE and session ids, which revision 2026-07-28 does not have, are answered", Effect: probe.Reads, HTTP: true, Era: probe.Stateless,
	Steps: []Step{
		{Name: "GET", Verb: "GET"},
		{Name: "DELETE", Verb: "DELETE"},
		{Name: "a session id", Body: statelessList, Header: map[string]string{mcp.HeaderSessionID: "gauntlet-made-up"}},
	},
})
