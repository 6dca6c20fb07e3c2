package oauth

import (
	"context"
	"errors"

	"golang.org/x/oauth2"
)

// Device obtains a login by a code that the user enters on any device (RFC 8628).
func (a *Authorizer) Device(ctx context.Context, server string, c Challenge) (*Login, *Discovery, error) {
	d, err := Discover(ctx, a.Guard, server, c, a.Issuer)
	if err != nil {
		return nil, d, err
	}
	if d.Server.DeviceAuthorizationEndpoint == "" {
		return nil, d, errors.New("the authorization server offers no device flow")
	}
	client, err := a.chooseClient(ctx, d, "http://127.0.0.1/callback")
	if err != nil {
		return nil, d, err
	}
	l := &Login{Server: server, Resource: d.Resource, Grant: Device, Client: *client, Since: a.now()}
	l.takeEndpoints(&d.Server)
	l.Scopes = wantedScopes(d, c, a.Scopes)
	return l, d, a.waitForDevice(ctx, d, l)
}

// waitForDevice shows the user the code and polls for the token until the user has entered it.
func (a *Authorizer) waitForDevice(ctx context.Context, d *Discovery, l *Login) error {
	ctx, cancel := context.WithTimeout(ctx, a.patience())
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
