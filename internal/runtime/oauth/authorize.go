// Package oauth is the OAuth client of an MCP client: it discovers a protected server's authorization server, registers, has the
// user authorize, and obtains, renews and revokes tokens, as MCP specifies (2025-11-25 and 2026-07-28, basic/authorization).
//
// Its input comes from strangers, so a [Guard] checks every request: it goes only to origins named by the user or verified
// metadata, to private addresses only if the server itself is private, and always over HTTPS except on this machine. Error messages
// hold no token, code, secret or control character.
package oauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

// An Authorizer obtains logins at one server. It is not safe for concurrent use.
type Authorizer struct {
	Guard    *Guard
	Identity Identity
	// Scopes are requested instead of those that the server names; nil requests the server's.
	Scopes []string
	// Issuer selects one of a server's authorization servers, "" for the first.
	Issuer string
	// Redirect is the loopback address that receives codes; "" for one with a free port.
	Redirect string
	// Open shows the user a page of the authorization server, whose address is already checked.
	Open func(ctx context.Context, address string) error
	// ShowDevice shows the user where to enter a code in the device flow.
	ShowDevice func(address, code string)
	// Wait is how long the user may take; 0 for five minutes.
	Wait time.Duration
	// Now is the clock; nil for time.Now.
	Now func() time.Time

	verifier string
}

const defaultWait = 5 * time.Minute

func (a *Authorizer) now() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
}

// Authorize has the user authorize us in a browser: authorization code flow with PKCE, a redirect to this machine, and the issuer
// compared (RFC 9207). before, if not nil, is a login whose scopes are requested too.
func (a *Authorizer) Authorize(ctx context.Context, server string, c Challenge, before *Login) (*Login, *Discovery, error) {
	d, err := Discover(ctx, a.Guard, server, c, a.Issuer)
	if err != nil {
		return nil, d, err
	}
	if d.Server.AuthorizationEndpoint == "" || d.Server.TokenEndpoint == "" {
		return nil, d, errors.New("the authorization server's metadata names no authorization_endpoint or no token_endpoint")
	}
	back, err := listenForCode(ctx, a.redirects())
	if err != nil {
		return nil, d, err
	}
	defer back.close()
	l, err := a.newLogin(ctx, d, server, c, Code, back.address)
	if err != nil {
		return nil, d, err
	}
	if before != nil && before.Client.Issuer == l.Client.Issuer {
		l.Scopes = joinScopes(before.Scopes, l.Scopes)
	}
	code, err := a.askForCode(ctx, d, l, back)
	if err != nil {
		return nil, d, err
	}
	return l, d, a.exchange(ctx, l, code)
}

// newLogin describes the login to obtain, with a client of the authorization server.
func (a *Authorizer) newLogin(ctx context.Context, d *Discovery, server string, c Challenge, grant Grant, redirect string) (*Login, error) {
	client, err := a.chooseClient(ctx, d, redirect)
	if err != nil {
		return nil, err
	}
	return &Login{
		Server: server, Resource: d.Resource, Grant: grant, Scopes: wantedScopes(d, c, a.Scopes), Client: *client, Since: a.now(),
		TokenEndpoint: d.Server.TokenEndpoint, RevokeEndpoint: d.Server.RevocationEndpoint, SigningAudience: d.Server.Issuer,
	}, nil
}

// redirects returns the addresses to try to listen at, in order: the user's, or those of kept registrations and a new one.
func (a *Authorizer) redirects() []string {
	if a.Redirect != "" {
		return []string{a.Redirect}
	}
	var out []string
	if a.Identity.ID == "" {
		for _, r := range a.Identity.Known {
			if r.Way == Dynamic && !slices.Contains(out, r.Redirect) {
				out = append(out, r.Redirect)
			}
		}
	}
	return append(out[:min(len(out), 5)], "http://127.0.0.1:0/callback")
}

// askForCode opens the authorization page and waits for the redirect.
func (a *Authorizer) askForCode(ctx context.Context, d *Discovery, l *Login, back *callback) (string, error) {
	conf := l.config()
	conf.Endpoint.AuthURL = d.Server.AuthorizationEndpoint
	a.verifier = oauth2.GenerateVerifier()
	state := rand.Text()
	page := conf.AuthCodeURL(state, oauth2.S256ChallengeOption(a.verifier), oauth2.SetAuthURLParam("resource", l.Resource))
	if _, err := a.Guard.Check("authorization_endpoint", page); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.Wait, defaultWait))
	defer cancel()
	back.expect(state)
	if err := a.Open(ctx, page); err != nil {
		return "", err
	}
	got, err := back.wait(ctx)
	if err != nil {
		return "", err
	}
	if err := checkIssuer(got.issuer, got.hasIssuer, &d.Server); err != nil {
		return "", err
	}
	if got.failure != "" {
		return "", fmt.Errorf("the authorization server refused: %s", describeOAuthError(got.failure, got.reason))
	}
	return got.code, nil
}

// checkIssuer compares the answering issuer with the expected one (RFC 9207), byte by byte: another authorization server's code
// must not be sent to this one. If none was promised and none came there is nothing to compare.
func checkIssuer(issuer string, has bool, m *Metadata) error {
	switch {
	case !has && m.AuthorizationResponseIssParameterSupported:
		return errors.New("the answer names no issuer (iss), although the authorization server promises one: it may come from another server")
	case has && issuer != m.Issuer:
		return fmt.Errorf("the answer comes from the issuer %q instead of %q: the code was not used", excerpt.Clip(plainText(issuer), 120), excerpt.Clip(m.Issuer, 120))
	}
	return nil
}

// config returns what package oauth2 needs to know of a login.
func (l *Login) config() *oauth2.Config {
	style := oauth2.AuthStyleInParams
	if l.Client.Method == "client_secret_basic" {
		style = oauth2.AuthStyleInHeader
	}
	secret := l.Client.Secret
	if l.Client.Method == "none" {
		secret = ""
	}
	return &oauth2.Config{ClientID: l.Client.ID, ClientSecret: secret, RedirectURL: l.Client.Redirect, Scopes: l.Scopes, Endpoint: oauth2.Endpoint{TokenURL: l.TokenEndpoint, AuthStyle: style}}
}

// withClient makes package oauth2 send its requests through the guard.
func (a *Authorizer) withClient(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, a.Guard.client())
}

// initialize is a request without any effect.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{},"clientInfo":{"name":"gauntlet","version":"1"}}}`

// Probe requests the server without a token, and returns its refusal. A server that does not refuse has status 200 or the like in
// its challenge.
func (a *Authorizer) Probe(ctx context.Context, server string) (Challenge, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server, strings.NewReader(initialize))
	if err != nil {
		return Challenge{}, refuse("the server's URL", server, "it cannot be read")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := a.Guard.client().Do(req)
	if err != nil {
		return Challenge{}, requestError("the server", err)
	}
	defer res.Body.Close()
	return ReadChallenge(res.StatusCode, res.Header), nil
}

// Device obtains a login by a code that the user enters on any device (RFC 8628).
func (a *Authorizer) Device(ctx context.Context, server string, c Challenge) (*Login, *Discovery, error) {
	d, err := Discover(ctx, a.Guard, server, c, a.Issuer)
	if err != nil {
		return nil, d, err
	}
	if d.Server.DeviceAuthorizationEndpoint == "" {
		return nil, d, errors.New("the authorization server offers no device flow")
	}
	l, err := a.newLogin(ctx, d, server, c, Device, "http://127.0.0.1/callback")
	if err != nil {
		return nil, d, err
	}
	return l, d, a.waitForDevice(ctx, d, l)
}

// waitForDevice shows the user the code and polls for the token until the user has entered it.
func (a *Authorizer) waitForDevice(ctx context.Context, d *Discovery, l *Login) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.Wait, defaultWait))
	defer cancel()
	conf := l.config()
	conf.Endpoint.DeviceAuthURL = d.Server.DeviceAuthorizationEndpoint
	resource := oauth2.SetAuthURLParam("resource", l.Resource)
	begun, err := conf.DeviceAuth(a.withClient(ctx), resource)
	if err != nil {
		return tokenError("the beginning of the device flow", err, l.Secrets())
	}
	if _, err := a.Guard.Check("verification_uri", begun.VerificationURI); err != nil {
		return err
	}
	a.ShowDevice(begun.VerificationURI, plainText(begun.UserCode))
	if begun.Interval <= 0 || begun.Interval > 60 { // seconds
		begun.Interval = 5
	}
	got, err := conf.DeviceAccessToken(a.withClient(ctx), begun, resource)
	if err != nil {
		return tokenError("the device code", err, append(l.Secrets(), "device_code="+begun.DeviceCode))
	}
	return l.take(got)
}
