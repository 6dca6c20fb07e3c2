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
		Doc: `The metadata of the server or of its authorization server names a URL that no client should request or open: one with a
scheme other than https (javascript: is critical, because clients open it), a private or link-local address on a public server, one that contains
a user name or shell metacharacters. Clients send codes, tokens and secrets to these URLs.

What stays quiet: http on the loopback address if the server itself is there.`,
		Advice: "Use only https URLs of public hosts in metadata.",
	}, judgeAddresses)
	_ = authorizationCheck(check.Check{
		ID: "GNT-430", Name: "authorization-metadata-missing", Severity: finding.Medium,
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-287 weak, L5 close, L4 weak", Source: authorizationPage,
		Doc: `A server that refuses requests without a token does not say where to get one: it has no protected resource metadata (RFC 9728), the metadata
names no authorization server, or that server's own metadata (RFC 8414) is missing. Clients then guess, and users paste tokens by hand.`,
		Advice: "Serve /.well-known/oauth-protected-resource with authorization_servers, and point to it in WWW-Authenticate.",
	}, judgeMissing)
	_ = authorizationCheck(check.Check{
		ID: "GNT-431", Name: "authorization-metadata-mismatch", Severity: finding.High,
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-346 close, L5 close, L4 weak", Source: authorizationPage,
		Doc: `The metadata at the server's URL describes another resource, or the metadata at an issuer's URL names another issuer. A client
that does not compare them requests a token for the wrong resource, or sends its code to the wrong server (mix-up attack).`,
		Advice: "Set resource to the URL of the server, and issuer to the URL that the metadata is served from.",
	}, judgeMismatch)
	_ = authorizationCheck(check.Check{
		ID: "GNT-432", Name: "weak-code-challenge", Severity: finding.High,
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-757 close, L5 close, L4 weak", Source: "https://www.rfc-editor.org/rfc/rfc9700",
		Doc: `The authorization server does not announce PKCE with S256, so anyone can redeem a leaked code, and MCP clients
refuse the server. Severity low if it accepts plain as well as S256.`,
		Advice: "Require S256, and list only S256 in code_challenge_methods_supported.",
	}, judgeChallenge)
	_ = authorizationCheck(check.Check{
		ID: "GNT-433", Name: "open-registration", Severity: finding.High,
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-601 close, L5 close, L4 weak", Source: "https://www.rfc-editor.org/rfc/rfc7591",
		Doc: `The authorization server registered an unknown client whose redirect URI has a wildcard for the host. An attacker who registers such a client
and gets a user to follow a link receives the user's code. Tried with --register only.`,
		Advice: "Compare redirect URIs exactly, and refuse wildcards and unknown hosts.",
	}, judgeRegistration)
	_ = authorizationCheck(check.Check{
		ID: "GNT-434", Name: "token-in-address", Severity: finding.Medium,
		Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-598 exact, L5 close, L4 weak", Source: authorizationPage,
		Doc: `The server accepts tokens in the URL query (bearer_methods_supported has query), or the authorization server returns them in
a URL (response_types_supported has token). URLs end up in logs, browser histories and Referer headers.`,
		Advice: "Accept tokens only in the Authorization header, and issue them only at the token endpoint.",
	}, judgeTokenInAddress)
	_ = authorizationCheck(check.Check{
		ID: "GNT-435", Name: "answers-name-no-issuer", Severity: finding.Low,
		Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-346 weak, L5 close, L4 weak", Source: "https://www.rfc-editor.org/rfc/rfc9207",
		Doc: `The authorization server does not announce that its responses name their issuer (authorization_response_iss_parameter_supported, RFC 9207). A
client of several authorization servers cannot tell which of them responded.`,
		Advice: "Send iss in every authorization response, and announce it in the metadata.",
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
