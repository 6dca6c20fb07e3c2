package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/oauth"
	"gauntlet/report"
)

// Done is the result of a login.
type Done struct {
	Login *oauth.Login
	Place Place // where it is kept
}

// LogIn has the user, or the client by its own credentials, log in at a server, and stores the login.
func (s *Sessions) LogIn(ctx context.Context, server string, grant oauth.Grant) (*Done, error) {
	server = withoutFragment(server)
	a, err := s.newAuthorizer(ctx, server)
	if err != nil {
		return nil, err
	}
	s.tell((&oauth.Login{Client: oauth.Registration{Secret: a.Identity.Secret, Key: a.Identity.Key}}).Secrets())
	c, err := a.Probe(ctx, server)
	if err != nil {
		return nil, err
	}
	if c.Status/100 == 2 && c.ResourceMetadata == "" {
		d, err := oauth.Discover(ctx, a.Guard, server, c, a.Issuer)
		if err != nil || !slices.ContainsFunc(d.Documents, func(d probe.Document) bool { return d.Kind == probe.ResourceMetadata && d.Status == 200 }) {
			return nil, errors.New("the server answers without a login, and names no authorization server")
		}
	}
	l, err := logInBy(ctx, a, server, c, grant)
	if err != nil {
		return nil, err
	}
	s.tell(l.Secrets())
	if err := s.Store.Save(l); err != nil {
		return nil, err
	}
	places, err := s.Store.Origins()
	return &Done{l, places[originOf(server)]}, err
}

func logInBy(ctx context.Context, a *oauth.Authorizer, server string, c oauth.Challenge, grant oauth.Grant) (l *oauth.Login, err error) {
	switch grant {
	case oauth.Device:
		l, _, err = a.Device(ctx, server, c)
	case oauth.ClientCredentials:
		l, _, err = a.ClientCredentials(ctx, server, c)
	default:
		l, _, err = a.Authorize(ctx, server, c, nil)
	}
	return l, err
}

// LogOut revokes and deletes the login at a server. revoked says whether the authorization server supports revocation; a failed
// revocation does not keep the login from being deleted.
func (s *Sessions) LogOut(ctx context.Context, server string) (revoked bool, err error) {
	l, err := s.Store.Find(withoutFragment(server))
	if err != nil {
		return false, err
	}
	if l == nil {
		return false, fmt.Errorf("there is no login at %s", Shown(server))
	}
	s.tell(l.Secrets())
	a, err := s.newAuthorizer(ctx, l.Server)
	if err != nil {
		return false, err
	}
	revoked, failed := a.Revoke(ctx, l)
	if err := s.Store.Remove(l.Server); err != nil {
		return false, err
	}
	if failed != nil {
		return false, fmt.Errorf("the login is deleted here, but %w", failed)
	}
	return revoked, nil
}

// A Line describes a stored login without secrets.
type Line struct {
	Server    string    `json:"server"`
	Issuer    string    `json:"issuer"`
	Grant     string    `json:"grant"`
	Client    string    `json:"client"` // how the client got its id
	Scopes    []string  `json:"scopes"`
	Since     time.Time `json:"since"`
	Expiry    time.Time `json:"expiry,omitzero"`
	Renewable bool      `json:"renewable"`
	Place     Place     `json:"place"`
	Problem   string    `json:"problem,omitempty"` // why nothing else is known
}

// List lists all logins by server.
func (s *Store) List() ([]Line, error) {
	origins, err := s.Origins()
	if err != nil {
		return nil, err
	}
	out := []Line{}
	for origin, place := range origins {
		logins, err := s.At(origin)
		if err != nil {
			out = append(out, Line{Server: origin, Place: place, Problem: err.Error()})
		}
		for i := range logins {
			l := &logins[i]
			out = append(out, Line{
				Server: Shown(l.Server), Issuer: l.Client.Issuer, Grant: string(l.Grant), Client: string(l.Client.Way), Scopes: append([]string{}, l.Scopes...),
				Since: l.Since, Expiry: l.Expiry, Renewable: l.Renewable(), Place: place,
			})
		}
	}
	slices.SortFunc(out, func(a, b Line) int { return strings.Compare(a.Server, b.Server) })
	return out, nil
}

// Shown returns a URL without user, password and query, for messages.
func Shown(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return "a URL that cannot be read"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func withoutFragment(server string) string {
	before, _, _ := strings.Cut(server, "#")
	return before
}

// WriteLines writes the stored logins, one per line.
func WriteLines(w io.Writer, lines []Line) error {
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "no logins are stored")
		return err
	}
	for _, l := range lines {
		state := "does not say when it ends"
		switch {
		case l.Problem != "":
			state = l.Problem
		case l.Renewable:
			state = "renewed by itself"
		case !l.Expiry.IsZero():
			state = "ends " + l.Expiry.Format(time.RFC3339)
		}
		text := fmt.Sprintf("%s by %s (%s), scopes %q, %s, in the %s", l.Server, l.Issuer, l.Grant, strings.Join(l.Scopes, " "), state, l.Place)
		if _, err := fmt.Fprintln(w, report.Visible(text)); err != nil {
			return err
		}
	}
	return nil
}
