package probing

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
)

// authorizationCheck registers a check that reads what discovery saw.
func authorizationCheck(c check.Check, judge func(*authorization) (string, finding.Severity)) *check.Check {
	c.Axis = "authentication"
	return protocolCheck(c, func(e *probe.Protocol) (string, finding.Severity) {
		if e.Authorization == nil {
			return "", finding.None
		}
		return judge(readAuthorization(e.Authorization))
	})
}

const authorizationPage = "https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization"

var (
	_ = authorizationCheck(check.Check{
		ID: "SEC-019", Name: "unsafe-authorization-address", Severity: finding.High,
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-918 close, CWE-319 weak, L3 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices",
		Doc: `The metadata of the server or of its authorization server names an address that no client should ask or open: one with another
scheme than https (javascript: is critical: clients open it), a private or link-local address though the server is public, one with
a user in it or with characters that a shell acts upon. Codes, tokens and secrets go there.

What stays quiet: http on the loopback address, where the server itself is there.`,
		Advice: "Name https addresses of public hosts in metadata.",
	}, judgeAddresses)
	_ = authorizationCheck(check.Check{
		ID: "GNT-430", Name: "authorization-metadata-missing", Severity: finding.Medium,
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-287 weak, L5 close, L4 weak", Source: authorizationPage,
		Doc: `A server that refuses requests without a token does not say where tokens are to be had: no protected resource metadata (RFC 9728), none
that names an authorization server, or one whose own metadata (RFC 8414) is not to be found. Clients then guess, and users paste tokens by hand.`,
		Advice: "Serve /.well-known/oauth-protected-resource with authorization_servers, and name it in WWW-Authenticate.",
	}, judgeMissing)
	_ = authorizationCheck(check.Check{
		ID: "GNT-431", Name: "authorization-metadata-mismatch", Severity: finding.High,
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-346 close, L5 close, L4 weak", Source: authorizationPage,
		Doc: `The metadata at the server's address is about another resource, or that at an issuer's address says that it is another issuer's. A client
that does not compare them asks for a token for somebody else, or shows its code to the wrong server (mix-up).`,
		Advice: "Let resource be the URL of the server, and issuer the address that leads to the metadata.",
	}, judgeMismatch)
	_ = authorizationCheck(check.Check{
		ID: "GNT-432", Name: "weak-code-challenge", Severity: finding.High,
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-757 close, L5 close, L4 weak", Source: "https://www.rfc-editor.org/rfc/rfc9700",
		Doc: `The authorization server does not say that it compares codes with S256 (PKCE), so that a code that leaks can be used, and clients of
MCP refuse the server. Severity low where it takes plain beside S256.`,
		Advice: "Require S256, and list it alone in code_challenge_methods_supported.",
	}, judgeChallenge)
	_ = authorizationCheck(check.Check{
		ID: "GNT-433", Name: "open-registration", Severity: finding.High,
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-601 close, L5 close, L4 weak", Source: "https://www.rfc-editor.org/rfc/rfc7591",
		Doc: `The authorization server registered a client of nobody whose redirect address has a wildcard for the host. Whoever registers such a client
and has a user follow a link gets the user's code. Tried with --register only.`,
		Advice: "Compare redirect addresses exactly; refuse wildcards, and hosts that nobody vouches for.",
	}, judgeRegistration)
	_ = authorizationCheck(check.Check{
		ID: "GNT-434", Name: "token-in-address", Severity: finding.Medium,
		Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-598 exact, L5 close, L4 weak", Source: authorizationPage,
		Doc: `The server takes tokens in the query of its address (bearer_methods_supported has query), or the authorization server hands them out in
one (response_types_supported has token). Addresses end up in logs, histories and referrers.`,
		Advice: "Take tokens in the header Authorization alone, and issue them at the token endpoint alone.",
	}, judgeTokenInAddress)
	_ = authorizationCheck(check.Check{
		ID: "GNT-435", Name: "answers-name-no-issuer", Severity: finding.Low,
		Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-346 weak, L5 close, L4 weak", Source: "https://www.rfc-editor.org/rfc/rfc9207",
		Doc: `The authorization server does not say that its answers name their issuer (authorization_response_iss_parameter_supported, RFC 9207). A
client that speaks with several authorization servers cannot tell which of them answered.`,
		Advice: "Send iss in every authorization response, and say so in the metadata.",
	}, judgeIssuer)
	_ = authorizationCheck(check.Check{
		ID: "GNT-436", Name: "token-for-another-server", Severity: finding.Critical,
		Taxonomy: "MCP07:2025 exact, ASI03 close, CWE-863 close, L5 close, L4 weak", Source: authorizationPage,
		Doc: `The server took a token that says itself that it is for others. Whoever gets a token of the user for any of those servers can then act here
with it, and the other way round.

What stays quiet: tokens that say nothing that can be read, and those that name this server beside others.`,
		Advice: "Refuse tokens whose audience (aud) is not this server.",
	}, judgeAudience)
)
