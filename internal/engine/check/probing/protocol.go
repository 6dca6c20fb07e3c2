package probing

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
)

// protocolCheck registers a check that reads what the protocol probes recorded. judge returns what
// is wrong, "" for nothing; where evidence is missing it says nothing.
func protocolCheck(c check.Check, judge func(*probe.Protocol) (string, finding.Severity)) *check.Check {
	c.Maturity, c.Needs = check.Experimental, check.Probes
	c.Doc += "\n\nNot reported where the probe was not sent; the posture map says why. See docs/probing.md."
	c.Run = func(p *check.Pass) {
		e := p.Probes.Protocol
		if e == nil {
			return
		}
		p.Looked(len(e.Exchanges))
		if what, severity := judge(e); what != "" {
			reportProtocol(p, c.ID, what, severity, e.Find(shownBy[c.ID].id, shownBy[c.ID].step)) // nil for most: the replay shows it then
		}
	}
	return register(c)
}

// shownBy are the exchanges that show what a rule reports.
var shownBy = map[finding.Rule]struct{ id, step string }{
	"SEC-017": {"P03", "no origin"}, "SEC-018": {"P01", ""}, "GNT-410": {"P02", ""}, "SEC-022": {"P11", "made-up token"}, "GNT-411": {"P09", "after the end"}, "GNT-446": {"P09", OtherSession},
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

func judgeTLS(e *probe.Protocol) (string, finding.Severity) {
	if e.Scheme == "http" && !e.Loopback && e.Find("P03", "no origin").HasResult() {
		return "the server answers over plain HTTP on an address that is not the loopback one", finding.None
	}
	return "", finding.None
}

func judgeOrigin(e *probe.Protocol) (string, finding.Severity) {
	x := e.Find("P01", "")
	if !x.HasResult() || !e.Find("P03", "no origin").HasResult() {
		return "", finding.None
	}
	text := fmt.Sprintf("a request with Origin %s was answered with a result (HTTP %d)", x.Header["Origin"], x.Status)
	if allowed := x.Answer["Access-Control-Allow-Origin"]; allowed == "*" || allowed == x.Header["Origin"] {
		text += ", and the page may read it: Access-Control-Allow-Origin is " + allowed
	}
	if !e.Loopback || e.Token {
		return text, finding.Medium
	}
	return text, finding.None
}

func judgeHost(e *probe.Protocol) (string, finding.Severity) {
	if x := e.Find("P02", ""); e.Loopback && x.HasResult() {
		return fmt.Sprintf("a request with Host %s was answered with a result (HTTP %d)", x.Header["Host"], x.Status), finding.None
	}
	return "", finding.None
}

func judgeTier(e *probe.Protocol) (string, finding.Severity) {
	if tier := Tier(e); tier != "" {
		return "authentication: " + tier, finding.None
	}
	return "", finding.None
}

// Tier says which authentication a server behind a URL asks for, "" where it was not asked.
func Tier(e *probe.Protocol) string {
	x := e.Find("P11", "no token")
	switch {
	case x == nil || !x.Answered:
		return ""
	case x.HasResult():
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

func judgeToken(e *probe.Protocol) (string, finding.Severity) {
	none := e.Find("P11", "no token")
	if none == nil || none.Status != 401 && none.Status != 403 {
		return "", finding.None
	}
	if e.Find("P11", "made-up token").HasResult() {
		return fmt.Sprintf("without a token the server answers HTTP %d, with a token that nobody issued it answers with a result", none.Status), finding.None
	}
	for _, x := range exchanges(e, "P12") {
		if x.Step != QueryStep && isResult(x) {
			return fmt.Sprintf("without a token the server answers HTTP %d, and with a result to %s", none.Status, x.Step), finding.None
		}
	}
	return "", finding.None
}

// QueryStep is the step of P12 that has the token in the address.
const QueryStep = "the token in the address alone"

// shortestID is the length below which a session id cannot hold 64 random bits.
const shortestID = 11

func judgeSessions(e *probe.Protocol) (string, finding.Severity) {
	seen := map[string]bool{}
	short := 0
	for _, id := range e.Sessions {
		if seen[id] {
			return fmt.Sprintf("%d sessions have the same id, of %d begun", 2, len(e.Sessions)), finding.High
		}
		seen[id] = true
		if len(id) < shortestID {
			short++
		}
	}
	if short > 0 {
		return fmt.Sprintf("%d of %d session ids have fewer than %d characters", short, len(e.Sessions), shortestID), finding.High
	}
	if end, after := e.Find("P09", "end"), e.Find("P09", "after the end"); end != nil && end.Status/100 == 2 && after.HasResult() {
		return fmt.Sprintf("the session was ended (HTTP %d) and still answers", end.Status), finding.None
	}
	return "", finding.None
}

func judgeLiveness(e *probe.Protocol) (string, finding.Severity) {
	for i := range e.Exchanges {
		if x := &e.Exchanges[i]; x.Gone && (x.Again || e.Transport != "stdio") && x.Effect == probe.Reads {
			return fmt.Sprintf("the server ended at %s: %s", nameOf(x), excerpt.Quote(x.Sent, 120)), finding.None
		}
	}
	return "", finding.None
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

func judgeStdout(e *probe.Protocol) (string, finding.Severity) {
	if e.Transport != "stdio" || e.Noise == 0 {
		return "", finding.None
	}
	text := fmt.Sprintf("%s on stdout that %s no message", excerpt.Count(e.Noise, "line"), map[bool]string{true: "is", false: "are"}[e.Noise == 1])
	if e.NoiseLine != "" {
		text += fmt.Sprintf(": %s, after %s", excerpt.Quote(e.NoiseLine, 200), e.NoiseAfter)
	}
	return text, finding.None
}
