package oauth

import (
	"slices"
	"strings"
	"time"
)

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
