package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"gauntlet/internal/leaf/excerpt"
)

// clientName is our name, shown to the user by the authorization server.
const clientName = "gauntlet"

// Identity is what the user specifies about the client.
type Identity struct {
	// ID and Secret, or Key, belong to a client registered beforehand. If Issuer is set, they are shown to no other.
	ID, Secret, Key, Issuer string
	// Document is the address of the user's own client id metadata document.
	Document string
	// Known holds registrations kept from earlier logins.
	Known []Registration
}

// chooseClient finds the client id for an issuer in the specification's order: registered by the user, the user's metadata
// document, dynamic registration. A dynamic registration from an earlier login is reused if its redirect address matches.
func (a *Authorizer) chooseClient(ctx context.Context, d *Discovery, redirect string) (*Registration, error) {
	server, who := &d.Server, &a.Identity
	switch {
	case who.ID != "":
		if who.Issuer != "" && !sameIssuer(who.Issuer, server.Issuer) {
			return nil, fmt.Errorf("the client id is for the issuer %q, and the server sends its users to %q", who.Issuer, excerpt.Clip(server.Issuer, 120))
		}
		r := &Registration{Issuer: server.Issuer, ID: who.ID, Secret: who.Secret, Key: who.Key, Way: Preregistered, Redirect: redirect}
		r.Method = authMethod(server, r)
		return r, nil
	case who.Document != "" && server.ClientIDMetadataDocumentSupported:
		return &Registration{Issuer: server.Issuer, ID: who.Document, Method: "none", Way: MetadataDocument, Redirect: redirect}, nil
	}
	for i := range who.Known {
		if r := who.Known[i]; r.Issuer == server.Issuer && r.Way == Dynamic && r.Redirect == redirect {
			return &r, nil
		}
	}
	return a.registerClient(ctx, server, redirect)
}

// registerClient registers a new client (RFC 7591).
func (a *Authorizer) registerClient(ctx context.Context, server *Metadata, redirect string) (*Registration, error) {
	if server.RegistrationEndpoint == "" {
		if a.Identity.Document != "" {
			return nil, errors.New("the authorization server takes no client id metadata documents and registers no clients: register one there and name it with --client-id")
		}
		return nil, errors.New("the authorization server registers no clients: register one there and name it with --client-id, or host a client id metadata document and name it with --client-metadata")
	}
	if err := a.Guard.Allow("registration_endpoint", server.RegistrationEndpoint); err != nil {
		return nil, err
	}
	method := firstSupported(server.TokenEndpointAuthMethodsSupported, "none", "client_secret_post", "client_secret_basic")
	got, err := oauthex.RegisterClient(ctx, server.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, ClientName: clientName, ApplicationType: "native", TokenEndpointAuthMethod: method,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	}, a.Guard.client())
	if err != nil {
		return nil, registrationError(err)
	}
	return takeRegistration(got, server, redirect, method)
}

// takeRegistration reads the result of a registration. A server that registers redirect addresses other than ours would send our
// codes there.
func takeRegistration(got *oauthex.ClientRegistrationResponse, server *Metadata, redirect, method string) (*Registration, error) {
	if len(got.RedirectURIs) > 0 && !slices.Equal(got.RedirectURIs, []string{redirect}) {
		return nil, errors.New("the authorization server registered redirect addresses other than the requested one: codes would go there")
	}
	if plainText(got.ClientID) != got.ClientID {
		return nil, errors.New("the registered client id is too long or has invalid characters")
	}
	r := &Registration{Issuer: server.Issuer, ID: got.ClientID, Secret: got.ClientSecret, Method: got.TokenEndpointAuthMethod, Way: Dynamic, Redirect: redirect}
	switch {
	case r.Method == "" && r.Secret == "":
		r.Method = "none"
	case r.Method == "":
		r.Method = cmp.Or(map[bool]string{true: method}[method != "none"], "client_secret_basic")
	}
	return r, nil
}

// registrationError explains a failed registration without repeating the response body.
func registrationError(err error) error {
	if refused, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok {
		return fmt.Errorf("the authorization server did not register us: %s", describeOAuthError(refused.ErrorCode, refused.ErrorDescription))
	}
	if r := wasRefused(err); r != nil {
		return r
	}
	return errors.New("the authorization server did not register us, and did not say why")
}

// authMethod chooses how a client with a secret or key authenticates.
func authMethod(server *Metadata, r *Registration) string {
	switch {
	case r.Key != "":
		return "private_key_jwt"
	case r.Secret == "":
		return "none"
	}
	// The default is that of RFC 8414.
	return cmp.Or(firstSupported(server.TokenEndpointAuthMethodsSupported, "client_secret_basic", "client_secret_post"), "client_secret_basic")
}

// firstSupported returns the first of wanted that is supported, or its first if supported is empty.
func firstSupported(supported []string, wanted ...string) string {
	for _, w := range wanted {
		if len(supported) == 0 || slices.Contains(supported, w) {
			return w
		}
	}
	return ""
}

// A Registration is a client's registration at one issuer; it is never shown to another.
type Registration struct {
	Issuer string `json:"issuer"`
	ID     string `json:"client_id"`
	Secret string `json:"client_secret,omitempty"`
	// Key is a private key in PEM (PKCS #8) that the client authenticates with instead of a secret.
	Key string `json:"private_key,omitempty"`
	// Method is the client authentication at the token endpoint: "none", "client_secret_post", "client_secret_basic",
	// "private_key_jwt".
	Method string `json:"token_endpoint_auth_method,omitempty"`
	Way    Way    `json:"way"`
	// Redirect is the address that receives codes.
	Redirect string `json:"redirect_uri,omitempty"`
}

// A Way is how a client got its id.
type Way string

// The ways, preferred first.
const (
	Preregistered    Way = "pre-registered"
	MetadataDocument Way = "client id metadata document"
	Dynamic          Way = "dynamic registration"
)

// A Login is the result of logging in at one server.
type Login struct {
	Server   string   `json:"server"`   // URL as named by the user
	Resource string   `json:"resource"` // audience of the token
	Grant    Grant    `json:"grant"`
	Scopes   []string `json:"scopes,omitempty"` // requested, or granted if the server said so

	Client          Registration `json:"client"`
	TokenEndpoint   string       `json:"token_endpoint"`
	RevokeEndpoint  string       `json:"revocation_endpoint,omitempty"`
	SigningAudience string       `json:"signing_audience,omitempty"`

	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token,omitempty"`
	Expiry  time.Time `json:"expiry,omitzero"` // zero if the server did not say
	Since   time.Time `json:"since"`           // time of the login, not of the latest renewal
}

// A Grant is how a login was authorized.
type Grant string

// The grants.
const (
	Code              Grant = "authorization code"
	Device            Grant = "device code"
	ClientCredentials Grant = "client credentials"
)

// Renewable reports whether a new token can be obtained without the user.
func (l *Login) Renewable() bool { return l.Refresh != "" || l.Grant == ClientCredentials }

// Expired reports whether the token has expired, or will within margin.
func (l *Login) Expired(now time.Time, margin time.Duration) bool {
	return !l.Expiry.IsZero() && now.Add(margin).After(l.Expiry)
}

// Secrets returns everything secret in the login, as NAME=VALUE.
func (l *Login) Secrets() (out []string) {
	for _, s := range [][2]string{{"access_token", l.Access}, {"refresh_token", l.Refresh}, {"client_secret", l.Client.Secret}, {"private_key", l.Client.Key}} {
		if s[1] != "" {
			out = append(out, s[0]+"="+s[1])
		}
	}
	return out
}

// joinScopes returns the scopes of both lists in order, without repeats.
func joinScopes(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// wantedScopes returns the scopes to request, in the specification's order: those the user names, else the refusal's, else those
// the resource supports, else none. offline_access is added if the authorization server offers it, since we store tokens.
func wantedScopes(d *Discovery, c Challenge, named []string) []string {
	wanted := named
	if wanted == nil {
		wanted = c.Scopes
	}
	if wanted == nil {
		wanted = d.ScopesSupported
	}
	const offline = "offline_access"
	if slices.Contains(d.Server.ScopesSupported, offline) {
		wanted = joinScopes(wanted, []string{offline})
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(s string) bool { return s == "" || strings.ContainsAny(s, " \"\\\r\n") })
}
