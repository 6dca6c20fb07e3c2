package oauth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
)

// Metadata is an authorization server's metadata (RFC 8414, OpenID Connect Discovery).
type Metadata struct {
	oauthex.AuthServerMeta
	// DeviceAuthorizationEndpoint starts the device flow (RFC 8628); "" if there is none.
	DeviceAuthorizationEndpoint string `json:"device_authorization_endpoint,omitempty"`
}

// A Challenge is a server's refusal of a request (RFC 6750, RFC 9728).
type Challenge struct {
	Status           int
	ResourceMetadata string   // metadata address, "" for none
	Scopes           []string // required by the request
	Error            string   // "invalid_token", "insufficient_scope"
}

// ReadChallenge reads the WWW-Authenticate header of a refusal. An unreadable one yields only the status.
func ReadChallenge(status int, header http.Header) Challenge {
	out := Challenge{Status: status}
	values := header.Values("WWW-Authenticate")
	if len(values) > 8 {
		values = values[:8]
	}
	for _, v := range values {
		found, err := oauthex.ParseWWWAuthenticate([]string{excerpt.Clip(v, 4096)})
		if err != nil {
			continue
		}
		for _, c := range found {
			if c.Scheme != "bearer" && c.Scheme != "dpop" {
				continue
			}
			out.ResourceMetadata = cmp.Or(out.ResourceMetadata, c.Params["resource_metadata"])
			out.Error = cmp.Or(out.Error, c.Params["error"])
			if scope := c.Params["scope"]; scope != "" && out.Scopes == nil {
				out.Scopes = strings.Fields(scope)
			}
		}
	}
	return out
}

// A Discovery is where a protected server sends its users.
type Discovery struct {
	// Resource is the identifier to request tokens for: the server's URL, or a parent of it.
	Resource string
	// ScopesSupported are the resource's.
	ScopesSupported []string
	Server          Metadata
	// Guessed says that there is no metadata and the endpoints are the defaults of 2025-03-26.
	Guessed bool
	// Documents holds all responses, also of a discovery that failed.
	Documents []probe.Document
}

type discoverer struct {
	guard  *Guard
	client *http.Client
	server *url.URL
	issuer string // named by the user, or ""
	found  *Discovery
}

// Discover fetches the metadata of the server, then of the authorization server it names. A document that exists but is wrong ends
// it: nothing is guessed instead. The discovery is never nil. issuer selects one of several authorization servers, "" the first.
func Discover(ctx context.Context, g *Guard, server string, c Challenge, issuer string) (*Discovery, error) {
	found := &Discovery{}
	u, err := g.Check("the server's URL", server)
	if err != nil {
		return found, err
	}
	u.Fragment = ""
	d := &discoverer{guard: g, client: g.client(), server: u, issuer: issuer, found: found}
	chosen, legacy, err := d.readResource(ctx, c)
	if err != nil {
		return found, err
	}
	if err := g.Allow("the issuer", chosen); err != nil {
		return found, err
	}
	return found, d.readServer(ctx, chosen, legacy)
}

// readResource reads the protected resource metadata and returns the issuer. legacy says that there is none, so that, as in
// 2025-03-26, the server's origin is the issuer.
func (d *discoverer) readResource(ctx context.Context, c Challenge) (issuer string, legacy bool, err error) {
	for _, at := range d.resourceAddresses(c.ResourceMetadata) {
		if u, err := d.guard.Check("resource_metadata", at); err != nil {
			return "", false, err
		} else if originOf(u) != originOf(d.server) && !d.guard.named(u) {
			return "", false, refuse("resource_metadata", at, "it is on a different origin from the server; if that is right, name the origin with --allow-origin")
		}
		var m oauthex.ProtectedResourceMetadata
		doc, err := d.get(ctx, probe.ResourceMetadata, at, d.server.String(), &m)
		switch {
		case err != nil:
			return "", false, err
		case doc.Status != http.StatusOK:
			continue
		}
		chosen, err := d.chooseIssuer(&m)
		return chosen, false, err
	}
	d.found.Resource = d.server.String()
	return strings.TrimSuffix((&url.URL{Scheme: d.server.Scheme, Host: d.server.Host}).String(), "/"), true, nil
}

// resourceAddresses returns the possible addresses of the server's metadata, in the specification's order: from the refusal, the
// well-known path with the server's path, the root.
func (d *discoverer) resourceAddresses(told string) (out []string) {
	const known = "/.well-known/oauth-protected-resource"
	if told != "" {
		out = append(out, told)
	}
	at := *d.server
	if path := strings.Trim(at.Path, "/"); path != "" {
		at.Path, at.RawPath = known+"/"+path, ""
		out = append(out, at.String())
	}
	at.Path, at.RawPath, at.RawQuery = known, "", ""
	return append(out, at.String())
}

// chooseIssuer uses the server's metadata if it is about this server.
func (d *discoverer) chooseIssuer(m *oauthex.ProtectedResourceMetadata) (string, error) {
	if !covers(m.Resource, d.server) {
		return "", fmt.Errorf("the metadata is about %q, not about this server: a token for it would be for somebody else", excerpt.Clip(m.Resource, 120))
	}
	d.found.Resource, d.found.ScopesSupported = m.Resource, m.ScopesSupported
	switch {
	case len(m.AuthorizationServers) == 0:
		return "", errors.New("the server's metadata names no authorization server")
	case d.issuer == "":
		return m.AuthorizationServers[0], nil
	}
	for _, s := range m.AuthorizationServers {
		if sameIssuer(s, d.issuer) {
			return s, nil
		}
	}
	return "", fmt.Errorf("the server does not name the issuer %q; it names %q", excerpt.Clip(d.issuer, 120), excerpt.Clip(strings.Join(m.AuthorizationServers, " "), 200))
}

// covers reports whether a resource identifier names the server or a path on its origin that contains it.
func covers(resource string, server *url.URL) bool {
	u, err := parseAddress("resource", resource)
	if err != nil || u.Fragment != "" || originOf(u) != originOf(server) {
		return false
	}
	want, has := strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(server.Path, "/")
	return (has == want || strings.HasPrefix(has, want+"/")) && (u.RawQuery == "" || u.RawQuery == server.RawQuery)
}

// sameIssuer compares issuers, ignoring one trailing slash.
func sameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

func (d *discoverer) readServer(ctx context.Context, issuer string, legacy bool) error {
	for _, at := range serverAddresses(issuer) {
		var m Metadata
		doc, err := d.get(ctx, probe.ServerMetadata, at, issuer, &m)
		switch {
		case err != nil:
			return err
		case doc.Status == http.StatusOK:
			return d.takeServer(&m, issuer)
		}
	}
	if !legacy {
		return fmt.Errorf("no metadata of the authorization server %q was found", excerpt.Clip(issuer, 120))
	}
	d.found.Guessed = true
	d.found.Server.Issuer = issuer
	d.found.Server.AuthorizationEndpoint, d.found.Server.TokenEndpoint, d.found.Server.RegistrationEndpoint = issuer+"/authorize", issuer+"/token", issuer+"/register"
	return nil
}

// serverAddresses returns the possible addresses of an issuer's metadata: RFC 8414 and OpenID Connect with the well-known path
// before the issuer's path, and OpenID Connect's own form with it after.
func serverAddresses(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	path := strings.Trim(u.Path, "/")
	var out []string
	for _, p := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		u.Path, u.RawPath, u.RawQuery = strings.TrimSuffix(p+"/"+path, "/"), "", ""
		out = append(out, u.String())
	}
	if path != "" {
		u.Path = "/" + path + "/.well-known/openid-configuration"
		out = append(out, u.String())
	}
	return out
}

// takeServer accepts metadata if it is the issuer's own and every address in it is allowed.
func (d *discoverer) takeServer(m *Metadata, issuer string) error {
	if !sameIssuer(m.Issuer, issuer) {
		return fmt.Errorf("the metadata at the issuer %q says that it is that of %q", excerpt.Clip(issuer, 120), excerpt.Clip(m.Issuer, 120))
	}
	for _, e := range m.endpoints() {
		if e.address == "" {
			continue
		}
		if err := d.guard.Allow(e.name, e.address); err != nil {
			return err
		}
	}
	if err := checkEndpointQuery(m.AuthorizationEndpoint); err != nil {
		return err
	}
	if !slices.Contains(m.CodeChallengeMethodsSupported, "S256") {
		return errors.New("the authorization server does not declare PKCE with S256; the specification requires clients to refuse it")
	}
	d.found.Server = *m
	return nil
}

type endpoint struct{ name, address string }

// endpoints returns the addresses that we would request or open.
func (m *Metadata) endpoints() []endpoint {
	return []endpoint{
		{"authorization_endpoint", m.AuthorizationEndpoint}, {"token_endpoint", m.TokenEndpoint}, {"registration_endpoint", m.RegistrationEndpoint},
		{"revocation_endpoint", m.RevocationEndpoint}, {"device_authorization_endpoint", m.DeviceAuthorizationEndpoint},
	}
}

// checkEndpointQuery refuses an authorization endpoint whose query already contains our parameters: an authorization server may use
// the first of two.
func checkEndpointQuery(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	for name := range u.Query() {
		switch name {
		case "client_id", "redirect_uri", "response_type", "state", "scope", "resource", "code_challenge", "code_challenge_method", "response_mode":
			return refuse("authorization_endpoint", address, "it sets "+name+" itself")
		}
	}
	return nil
}

// get fetches a JSON document and records the response. Status 4xx means that there is no such document, and is no error. Anything
// else that is no document ends the discovery.
func (d *discoverer) get(ctx context.Context, kind probe.MetadataKind, at, expect string, into any) (*probe.Document, error) {
	doc := probe.Document{Kind: kind, URL: at, Expect: expect}
	err := d.fetch(ctx, &doc, into)
	if err != nil {
		doc.Problem = err.Error()
	}
	d.found.Documents = append(d.found.Documents, doc)
	return &doc, err
}

func (d *discoverer) fetch(ctx context.Context, doc *probe.Document, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, doc.URL, nil)
	if err != nil {
		return refuse(string(doc.Kind), doc.URL, "it cannot be read")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	res, err := d.client.Do(req)
	if err != nil {
		return requestError("the "+string(doc.Kind), err)
	}
	defer res.Body.Close()
	doc.Status = res.StatusCode
	switch {
	case res.StatusCode/100 == 4:
		return nil
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("the request for the %s was answered with HTTP %d", doc.Kind, res.StatusCode)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return requestError("the "+string(doc.Kind), err)
	}
	doc.Body = string(bytes.ToValidUTF8(body, []byte("\uFFFD")))
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the %s is not a JSON object with the members of its kind", doc.Kind)
	}
	return nil
}

// requestError explains a failed request without its address, which may contain a code.
func requestError(what string, err error) error {
	if r := wasRefused(err); r != nil {
		return r
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
		err = fmt.Errorf("the answer has more than %d bytes", long.Limit)
	}
	return fmt.Errorf("%s: %s", what, plainText(err.Error()))
}

// plainText shortens a stranger's text to one line of printable characters.
func plainText(s string) string {
	words := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, excerpt.Clip(s, 1000))), " ")
	return excerpt.Clip(words, 200)
}
