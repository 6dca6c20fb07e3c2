package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"gauntlet/internal/leaf/redact"
)

func (a *Authorizer) exchange(ctx context.Context, l *Login, code string) error {
	if err := a.Guard.Allow("token_endpoint", l.TokenEndpoint); err != nil {
		return err
	}
	params := url.Values{"resource": {l.Resource}}
	if err := a.assert(l, params); err != nil {
		return err
	}
	opts := []oauth2.AuthCodeOption{oauth2.VerifierOption(a.verifier)}
	for name := range params {
		opts = append(opts, oauth2.SetAuthURLParam(name, params.Get(name)))
	}
	got, err := l.config().Exchange(a.withClient(ctx), code, opts...)
	if err != nil {
		return tokenError("the code", err, append(l.Secrets(), "code="+code, "code_verifier="+a.verifier))
	}
	return l.take(got)
}

// Renew obtains a new token without the user, by refresh token or client credentials. An [oauth2.RetrieveError] with invalid_grant
// in its chain means that the login has ended.
func (a *Authorizer) Renew(ctx context.Context, l *Login) error {
	if err := a.Guard.Allow("token_endpoint", l.TokenEndpoint); err != nil {
		return err
	}
	params := url.Values{}
	if l.Grant != ClientCredentials {
		if l.Refresh == "" {
			return errors.New("the login has no refresh token")
		}
		// Package oauth2 refreshes without a resource, which MCP requires in every token request; its clientcredentials takes any
		// parameter, even another grant_type.
		params.Set("grant_type", "refresh_token")
		params.Set("refresh_token", l.Refresh)
	}
	return a.requestToken(ctx, l, params)
}

// ClientCredentials obtains a login by the client's own credentials, without a user.
func (a *Authorizer) ClientCredentials(ctx context.Context, server string, c Challenge) (*Login, *Discovery, error) {
	d, err := Discover(ctx, a.Guard, server, c, a.Issuer)
	if err != nil {
		return nil, d, err
	}
	if a.Identity.ID == "" || a.Identity.Secret == "" && a.Identity.Key == "" {
		return nil, d, errors.New("client credentials need an id and a secret or a key, and one of them is missing")
	}
	l, err := a.newLogin(ctx, d, server, c, ClientCredentials, "")
	if err != nil {
		return nil, d, err
	}
	return l, d, a.requestToken(ctx, l, url.Values{})
}

func (a *Authorizer) requestToken(ctx context.Context, l *Login, params url.Values) error {
	params.Set("resource", l.Resource)
	if err := a.assert(l, params); err != nil {
		return err
	}
	conf := l.config()
	cc := clientcredentials.Config{ClientID: conf.ClientID, ClientSecret: conf.ClientSecret, TokenURL: conf.Endpoint.TokenURL, AuthStyle: conf.Endpoint.AuthStyle, EndpointParams: params}
	if l.Grant == ClientCredentials {
		cc.Scopes = l.Scopes
	}
	got, err := cc.Token(a.withClient(ctx))
	if err != nil {
		return tokenError("the login", err, l.Secrets())
	}
	return l.take(got)
}

// take stores the token endpoint's answer. A token that is not valid in a header is rejected.
func (l *Login) take(got *oauth2.Token) error {
	switch {
	case got.AccessToken == "" || !headerValue(got.AccessToken) || !headerValue(got.RefreshToken):
		return errors.New("the authorization server sent a token that is empty, too long or has invalid characters")
	case !strings.EqualFold(got.Type(), "Bearer"):
		return fmt.Errorf("the authorization server sent a token of type %q, but MCP requires Bearer", plainText(got.Type()))
	}
	l.Access, l.Expiry = got.AccessToken, got.Expiry.UTC()
	if got.Expiry.IsZero() {
		l.Expiry = got.Expiry
	}
	if got.RefreshToken != "" { // otherwise the one that was used stays valid
		l.Refresh = got.RefreshToken
	}
	if granted, ok := got.Extra("scope").(string); ok && granted != "" {
		l.Scopes = strings.Fields(plainText(granted))
	}
	return nil
}

const longestToken = 32 << 10

func headerValue(s string) bool {
	return len(s) <= longestToken && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) < 0
}

// EndedError says that a token request was refused and only a new login helps.
type EndedError struct{ Reason string }

func (e *EndedError) Error() string { return e.Reason }

// tokenError explains a missing token. The answer is a stranger's: only the error's code and description are shown, shortened,
// without anything we sent even if it is repeated there.
func tokenError(what string, err error, secrets []string) error {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) {
		return requestError("the token endpoint", err)
	}
	text := describeOAuthError(answer.ErrorCode, answer.ErrorDescription)
	if answer.ErrorCode == "" && answer.Response != nil {
		text = fmt.Sprintf("HTTP %d", answer.Response.StatusCode)
	}
	text = redact.New(secrets).Replace(fmt.Sprintf("the authorization server did not accept %s: %s", what, text))
	if answer.ErrorCode == "invalid_grant" || answer.ErrorCode == "invalid_client" {
		return &EndedError{text}
	}
	return errors.New(text)
}

// describeOAuthError quotes an OAuth error as a stranger's words.
func describeOAuthError(code, description string) string {
	text := fmt.Sprintf("%q", plainText(code))
	if description != "" {
		text += fmt.Sprintf(", %q", plainText(description))
	}
	return text
}

// Revoke tells the authorization server that the tokens are no longer used (RFC 7009): the refresh token first, since many servers
// then revoke what was issued with it. It reports whether there is a revocation endpoint.
func (a *Authorizer) Revoke(ctx context.Context, l *Login) (bool, error) {
	if l.RevokeEndpoint == "" {
		return false, nil
	}
	if err := a.Guard.Allow("revocation_endpoint", l.RevokeEndpoint); err != nil {
		return true, err
	}
	var failed error
	for _, t := range [][2]string{{"refresh_token", l.Refresh}, {"access_token", l.Access}} {
		if t[1] != "" {
			failed = errors.Join(failed, a.revokeOne(ctx, l, t[0], t[1]))
		}
	}
	return true, failed
}

func (a *Authorizer) revokeOne(ctx context.Context, l *Login, kind, token string) error {
	form := url.Values{"token": {token}, "token_type_hint": {kind}}
	if err := a.assert(l, form); err != nil {
		return err
	}
	conf := l.config()
	if conf.Endpoint.AuthStyle == oauth2.AuthStyleInParams {
		form.Set("client_id", conf.ClientID)
		if conf.ClientSecret != "" {
			form.Set("client_secret", conf.ClientSecret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.RevokeEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return refuse("revocation_endpoint", l.RevokeEndpoint, "it cannot be read")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if conf.Endpoint.AuthStyle == oauth2.AuthStyleInHeader {
		req.SetBasicAuth(url.QueryEscape(conf.ClientID), url.QueryEscape(conf.ClientSecret))
	}
	res, err := a.Guard.client().Do(req)
	if err != nil {
		return requestError("the revocation endpoint", err)
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the authorization server did not revoke the %s: HTTP %d", strings.ReplaceAll(kind, "_", " "), res.StatusCode)
	}
	return nil
}

// assertionTime is how long a signed assertion is valid.
const assertionTime = time.Minute

// assert adds the parameters with which a client that has a key authenticates (RFC 7523); none for other clients.
func (a *Authorizer) assert(l *Login, params url.Values) error {
	if l.Client.Method != "private_key_jwt" {
		return nil
	}
	key, err := readKey(l.Client.Key)
	if err != nil {
		return err
	}
	signer, err := jose.NewSigner(key, new(jose.SignerOptions).WithType("JWT"))
	if err != nil {
		return errKey
	}
	now := a.now()
	signed, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": l.Client.ID, "sub": l.Client.ID, "aud": l.SigningAudience, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(assertionTime).Unix(),
	}).Serialize()
	if err != nil {
		return errors.New("the private key cannot sign")
	}
	params.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	params.Set("client_assertion", signed)
	return nil
}

var errKey = errors.New("not a usable private key: want PEM of an EC (P-256), RSA or Ed25519 key in PKCS #8")

func readKey(text string) (jose.SigningKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return jose.SigningKey{}, errKey
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return jose.SigningKey{}, errKey
	}
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if k.Curve == elliptic.P256() {
			return jose.SigningKey{Algorithm: jose.ES256, Key: k}, nil
		}
	case *rsa.PrivateKey:
		return jose.SigningKey{Algorithm: jose.RS256, Key: k}, nil
	case ed25519.PrivateKey:
		return jose.SigningKey{Algorithm: jose.EdDSA, Key: k}, nil
	}
	return jose.SigningKey{}, errKey
}
