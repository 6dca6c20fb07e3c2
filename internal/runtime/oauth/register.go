package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"gauntlet/internal/leaf/excerpt"
)

// clientName is how we introduce ourselves to the user at the authorization server.
const clientName = "gauntlet"

// Identity is what the user says about the client.
type Identity struct {
	// ID and Secret, or Key, are those of a client that was registered beforehand. Issuer, if not
	// empty, is the only one that they are shown to.
	ID, Secret, Key, Issuer string
	// Document is the address of the user's own client id metadata document.
	Document string
	// Known are registrations that are kept from earlier logins.
	Known []Registration
}

// chooseClient finds the client's id at an issuer, in the order of the specification: the one that
// the user registered, the user's metadata document, and dynamic registration, of which the result
// of an earlier login is used again where it has the same redirect address.
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

// takeRegistration reads what a registration yielded. A server that registers other redirect addresses
// than ours would send our codes there.
func takeRegistration(got *oauthex.ClientRegistrationResponse, server *Metadata, redirect, method string) (*Registration, error) {
	if len(got.RedirectURIs) > 0 && !slices.Equal(got.RedirectURIs, []string{redirect}) {
		return nil, errors.New("the authorization server registered other redirect addresses than the one that was asked for: codes would go there")
	}
	if plainText(got.ClientID) != got.ClientID {
		return nil, errors.New("the client id that was registered is too long or has characters that no id has")
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

// registrationError says why there is no registration; the answer's body is not repeated.
func registrationError(err error) error {
	var refused *oauthex.ClientRegistrationError
	if errors.As(err, &refused) {
		return fmt.Errorf("the authorization server did not register us: %s", describeOAuthError(refused.ErrorCode, refused.ErrorDescription))
	}
	if r := wasRefused(err); r != nil {
		return r
	}
	return errors.New("the authorization server did not register us, and did not say why")
}

// authMethod chooses how a client that has a secret or a key says who it is.
func authMethod(server *Metadata, r *Registration) string {
	switch {
	case r.Key != "":
		return "private_key_jwt"
	case r.Secret == "":
		return "none"
	}
	// RFC 8414 says what silence means.
	return cmp.Or(firstSupported(server.TokenEndpointAuthMethodsSupported, "client_secret_basic", "client_secret_post"), "client_secret_basic")
}

// firstSupported returns the first of wanted that is supported; the first if nothing is said.
func firstSupported(supported []string, wanted ...string) string {
	for _, w := range wanted {
		if len(supported) == 0 || slices.Contains(supported, w) {
			return w
		}
	}
	return ""
}
