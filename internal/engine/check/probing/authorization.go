package probing

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// authorizationCheck registers a check that reads what discovery saw.
func authorizationCheck(c check.Check, judge func(*authorization) Verdict) *check.Check {
	c.Axis = "authentication"
	return protocolCheck(c, func(e *probe.Protocol) Verdict {
		if e.Authorization == nil {
			return Verdict{}
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

// authorization is evidence with its documents read.
type authorization struct {
	*probe.Authorization
	resources, servers []metadata
}

// metadata is one document that was found.
type metadata struct {
	probe.Document
	root rawjson.Value
}

func readAuthorization(e *probe.Authorization) *authorization {
	return &authorization{Authorization: e, resources: readDocuments(e, probe.ResourceMetadata), servers: readDocuments(e, probe.ServerMetadata)}
}

// readDocuments reads the documents of a kind; what is no JSON object is left out.
func readDocuments(e *probe.Authorization, kind probe.MetadataKind) (out []metadata) {
	for _, d := range e.Found(kind) {
		tree := new(rawjson.Tree)
		if tree.Parse(d.Body, 0) != nil || tree.Root().Kind() != rawjson.Object {
			continue
		}
		out = append(out, metadata{d, tree.Root()})
	}
	return out
}

// text returns a member that is a string, "" for none.
func (m *metadata) text(name string) string {
	if v := m.root.Get(name); v.Kind() == rawjson.String {
		return v.Text()
	}
	return ""
}

// list returns the strings of a member that is an array, and whether there is one.
func (m *metadata) list(name string) (out []string, ok bool) {
	v := m.root.Get(name)
	if v.Kind() != rawjson.Array {
		return nil, false
	}
	return v.Texts(), true
}

// addressMembers are the members of metadata that clients ask or open.
var addressMembers = []string{"issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint", "device_authorization_endpoint", "introspection_endpoint", "jwks_uri"}

func judgeAddresses(a *authorization) Verdict {
	type named struct{ member, address string }
	var all []named
	for i := range a.resources {
		list, _ := a.resources[i].list("authorization_servers")
		for _, s := range list {
			all = append(all, named{"authorization_servers", s})
		}
	}
	for i := range a.servers {
		for _, m := range addressMembers {
			if s := a.servers[i].text(m); s != "" {
				all = append(all, named{m, s})
			}
		}
	}
	worst, text := finding.None, ""
	for _, n := range all {
		what, severity := judgeAddress(n.address, hostscope.Scope(a.Near))
		if what != "" && (text == "" || severity > worst) {
			worst, text = severity, fmt.Sprintf("%s is %q: %s", n.member, excerpt.Clip(n.address, 120), what)
		}
	}
	if text == "" {
		return Verdict{}
	}
	return Verdict{State: Broken, Severity: worst, Text: text}
}

// judgeAddress says what is wrong with an address that metadata names, near being how near the server is.
func judgeAddress(address string, near hostscope.Scope) (what string, severity finding.Severity) {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("\"'<>`\\^{|};", r) }) {
		return "it has characters that a shell or a terminal acts upon", finding.Critical
	}
	u, err := hostscope.ParseURL(address)
	switch {
	case err != nil:
		return "it cannot be read", finding.High
	case u.Scheme != "https" && u.Scheme != "http":
		return "a client that opens it runs what it says", finding.Critical
	case u.User != nil:
		return "it has a user or a password in it", finding.High
	}
	host := hostscope.Of(u.Hostname())
	switch {
	case host == hostscope.LinkLocal:
		return "cloud metadata services are at addresses of that kind", finding.Critical
	case host != hostscope.Public && near == hostscope.Public, host == hostscope.Loopback && near == hostscope.Private:
		return "it is a private address, and the server is not", finding.Critical
	case u.Scheme == "http" && host != hostscope.Loopback:
		return "codes and tokens go there unencrypted", finding.High
	}
	return "", finding.None
}

func judgeMissing(a *authorization) Verdict {
	if !a.Refused || len(a.Documents) == 0 || slices.ContainsFunc(a.Documents, wasUnclear) {
		return Verdict{}
	}
	if len(a.resources) == 0 {
		return broken(fmt.Sprintf("requests without a token are refused, and no protected resource metadata was found at %d addresses", countOf(a.Documents, probe.ResourceMetadata)))
	}
	if servers, _ := a.resources[0].list("authorization_servers"); len(servers) == 0 {
		return broken("the protected resource metadata names no authorization server")
	}
	if tried := countOf(a.Documents, probe.ServerMetadata); tried > 0 && len(a.servers) == 0 {
		return broken(fmt.Sprintf("no metadata of the authorization server was found at %d addresses", tried))
	}
	return Verdict{}
}

// wasUnclear reports whether a document was neither found nor said not to be there.
func wasUnclear(d probe.Document) bool { return d.Status == 0 || d.Status >= 500 || d.Problem != "" }

func countOf(all []probe.Document, kind probe.MetadataKind) (n int) {
	for _, d := range all {
		if d.Kind == kind {
			n++
		}
	}
	return n
}

func judgeMismatch(a *authorization) Verdict {
	for i := range a.resources {
		if resource := a.resources[i].text("resource"); !coversServer(resource, a.Server) {
			return broken(fmt.Sprintf("the metadata of %s is about %q", a.Server, excerpt.Clip(resource, 120)))
		}
	}
	for i := range a.servers {
		m := &a.servers[i]
		if issuer := m.text("issuer"); strings.TrimSuffix(issuer, "/") != strings.TrimSuffix(m.Expect, "/") {
			return broken(fmt.Sprintf("the metadata at the issuer %q says that it is that of %q", excerpt.Clip(m.Expect, 120), excerpt.Clip(issuer, 120)))
		}
	}
	return Verdict{}
}

// coversServer reports whether a resource is the server, or the part of its origin in which it is.
func coversServer(resource, server string) bool {
	r, err := url.Parse(resource)
	s, err2 := url.Parse(server)
	if err != nil || err2 != nil || r.Scheme != s.Scheme || !strings.EqualFold(r.Host, s.Host) {
		return false
	}
	want, has := strings.TrimSuffix(r.Path, "/"), strings.TrimSuffix(s.Path, "/")
	return has == want || strings.HasPrefix(has, want+"/")
}

func judgeChallenge(a *authorization) Verdict {
	for i := range a.servers {
		methods, ok := a.servers[i].list("code_challenge_methods_supported")
		switch {
		case !ok || len(methods) == 0:
			return broken("the authorization server names no code challenge method, so that a client cannot know that codes are compared at all")
		case !slices.Contains(methods, "S256"):
			return broken(fmt.Sprintf("the authorization server compares codes by %q and not by S256", excerpt.Clip(strings.Join(methods, " "), 80)))
		case slices.Contains(methods, "plain"):
			return Verdict{State: Broken, Severity: finding.Low, Text: "the authorization server takes plain code challenges beside S256"}
		}
	}
	return Verdict{}
}

func judgeRegistration(a *authorization) Verdict {
	r := a.Registration
	if r == nil || r.Status/100 != 2 {
		return Verdict{}
	}
	for _, address := range r.Registered {
		if slices.Contains(r.Asked, address) && strings.Contains(address, "*") {
			left := "and it is still there"
			if r.Removed {
				left = "which was removed again"
			}
			return broken(fmt.Sprintf("anybody can register a client with the redirect address %s (HTTP %d), %s", address, r.Status, left))
		}
	}
	return Verdict{}
}

func judgeTokenInAddress(a *authorization) Verdict {
	if a.InQuery {
		return broken("the server refuses requests without a token, and answered one that had it in its address alone")
	}
	for i := range a.resources {
		if methods, _ := a.resources[i].list("bearer_methods_supported"); slices.Contains(methods, "query") {
			return broken("the server says that it takes tokens in the query of its address")
		}
	}
	for i := range a.servers {
		types, _ := a.servers[i].list("response_types_supported")
		for _, t := range types {
			if slices.Contains(strings.Fields(t), "token") {
				return broken(fmt.Sprintf("the authorization server hands out tokens in an address: response_types_supported has %q", excerpt.Clip(t, 40)))
			}
		}
	}
	return Verdict{}
}

func judgeIssuer(a *authorization) Verdict {
	for i := range a.servers {
		if says, ok := a.servers[i].root.Get("authorization_response_iss_parameter_supported").Bool(); !ok || !says {
			return broken("the metadata of the authorization server does not say that its answers name their issuer")
		}
	}
	return Verdict{}
}

func judgeAudience(a *authorization) Verdict {
	if !a.Accepted || len(a.Audience) == 0 {
		return Verdict{}
	}
	own := []string{a.Server}
	for i := range a.resources {
		own = append(own, a.resources[i].text("resource"))
	}
	for _, aud := range a.Audience {
		if coversServer(aud, a.Server) || slices.Contains(own, aud) {
			return Verdict{}
		}
	}
	if !slices.ContainsFunc(a.Audience, isAddress) {
		return Verdict{} // a name, which can be the server's own for its authorization server
	}
	return broken(fmt.Sprintf("the server took a token that is for %q", excerpt.Clip(strings.Join(a.Audience, " "), 160)))
}

func isAddress(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}
