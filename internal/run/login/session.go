// Package login stores logins at protected MCP servers, and makes connections use and renew them.
//
// A login is stored by its server's origin: in the system's keyring if there is one, else in a file readable only by its owner. It
// is used only for the URL logged in at and paths below it.
package login

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/runtime/oauth"
	"gauntlet/internal/runtime/wire"
)

const (
	// margin is how long before its expiry a token is renewed.
	margin = 30 * time.Second
	// mostAuthorizations bounds how often a run asks the user: for the login, and for scopes found missing. A server that is never
	// satisfied would ask for ever.
	mostAuthorizations = 3
	// renewTime bounds a renewal, which several requests may await.
	renewTime = time.Minute
)

// Sessions are the logins in use by one run of the program; connections to one server share one.
type Sessions struct {
	Store *Store
	// Interactive prepares logging the user in if there is no sufficient login; nil if nobody can be asked.
	Interactive func(a *oauth.Authorizer)
	// Wanted, if not nil, is called once for a server that requires a login where there is none.
	Wanted func(server string)
	// Identity is what the user specifies about the client.
	Identity oauth.Identity
	// Scopes, Issuer and Redirect are those of [oauth.Authorizer]; Origins are further origins named by the user.
	Scopes           []string
	Issuer, Redirect string
	Origins          []string

	mu     sync.Mutex
	open   map[string]*Session
	hide   []func([]string)
	hidden []string
}

// A Session is a login in use. It implements wire.Login.
type Session struct {
	all    *Sessions
	server string

	mu      sync.Mutex // held while the login changes
	login   *oauth.Login
	loaded  bool
	failed  error // why the store could not be read
	renewed string
	asked   int // how often the user was asked
}

// For returns the session of a server.
func (s *Sessions) For(server string) wire.Login {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]*Session{}
	}
	if s.open[server] == nil {
		s.open[server] = &Session{all: s, server: server}
	}
	return s.open[server]
}

// Hide calls f with all secrets, as NAME=VALUE, present and future.
func (s *Sessions) Hide(f func([]string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide = append(s.hide, f)
	f(slices.Clone(s.hidden))
}

func (s *Sessions) tell(secrets []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range secrets {
		if !slices.Contains(s.hidden, one) {
			s.hidden = append(s.hidden, one)
		}
	}
	for _, f := range s.hide {
		f(secrets)
	}
}

// load reads the login from the store, once.
func (s *Session) load() {
	if s.loaded {
		return
	}
	s.loaded = true
	s.login, s.failed = s.all.Store.Find(s.server)
	if s.login != nil {
		s.all.tell(s.login.Secrets())
	}
}

// Secrets returns what messages must not show, as NAME=VALUE.
func (s *Session) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	if s.login == nil {
		return nil
	}
	return s.login.Secrets()
}

// Token returns the login's token, renewed if about to expire; "" if there is no login.
func (s *Session) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	if s.failed != nil {
		return "", s.failed
	}
	if s.login == nil {
		return "", nil
	}
	if s.login.Expired(time.Now(), margin) && s.login.Renewable() {
		if err := s.renew(ctx); err != nil && s.login.Expired(time.Now(), 0) && s.all.Interactive == nil {
			return "", err
		}
	}
	return s.login.Access, nil
}

// Refused finds another token for a refused request.
func (s *Session) Refused(ctx context.Context, token string, status int, header http.Header) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := oauth.ReadChallenge(status, header)
	if s.login != nil && s.login.Access != token {
		return true, nil // another request was refused earlier, and found one
	}
	if status == http.StatusForbidden && c.Error != "insufficient_scope" {
		return false, nil
	}
	if status == http.StatusUnauthorized && s.login != nil && s.login.Renewable() && s.renewed != token {
		if err := s.renew(ctx); err == nil {
			s.renewed = s.login.Access // if it is refused too, that ends it
			return true, nil
		}
	}
	return s.obtain(ctx, c)
}

// obtain logs in if no login suffices, as far as the user allowed.
func (s *Session) obtain(ctx context.Context, c oauth.Challenge) (bool, error) {
	if s.all.Interactive == nil || s.asked >= mostAuthorizations {
		return false, s.explain(c)
	}
	s.asked++
	a, err := s.all.newAuthorizer(ctx, s.server)
	if err != nil {
		return false, err
	}
	l, _, err := a.Authorize(ctx, s.server, c, s.login)
	if err != nil {
		return false, fmt.Errorf("login: %w", err)
	}
	s.keep(l)
	return true, s.all.Store.Save(l)
}

// explain says what the user can do about a refusal.
func (s *Session) explain(c oauth.Challenge) error {
	switch {
	case s.asked >= mostAuthorizations:
		return nil // the refusal is self-explanatory
	case c.Error == "insufficient_scope":
		return fmt.Errorf("the login lacks a scope that the server requires: log in again with gauntlet login and --scope %q", strings.Join(c.Scopes, " "))
	case s.login == nil && c.Status == http.StatusUnauthorized && s.all.Wanted != nil:
		s.asked = mostAuthorizations // to say it only once
		s.all.Wanted(Shown(s.server))
	case s.login != nil:
		return errors.New("the server no longer accepts the login: log in again with gauntlet login")
	}
	return nil
}

// renew obtains a new token without the user. The stored login is checked first: another process may have renewed it, and refresh
// tokens are often single-use.
func (s *Session) renew(ctx context.Context) error {
	if stored, err := s.all.Store.Find(s.server); err == nil && stored != nil && stored.Access != s.login.Access && !stored.Expired(time.Now(), margin) {
		s.keep(stored)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	guard, err := oauth.NewGuard(ctx, s.server, s.all.Origins)
	if err != nil {
		return err
	}
	next := *s.login
	if err := (&oauth.Authorizer{Guard: guard}).Renew(ctx, &next); err != nil {
		return fmt.Errorf("the login could not be renewed: %w", err)
	}
	s.keep(&next)
	return s.all.Store.Save(&next)
}

func (s *Session) keep(l *oauth.Login) {
	s.all.tell(l.Secrets())
	s.login, s.loaded = l, true
}

func (s *Sessions) newAuthorizer(ctx context.Context, server string) (*oauth.Authorizer, error) {
	guard, err := oauth.NewGuard(ctx, server, s.Origins)
	if err != nil {
		return nil, err
	}
	a := &oauth.Authorizer{Guard: guard, Identity: s.Identity, Scopes: s.Scopes, Issuer: s.Issuer, Redirect: s.Redirect}
	kept, err := s.Store.At(server)
	if err != nil {
		return nil, err
	}
	for i := range kept {
		a.Identity.Known = append(a.Identity.Known, kept[i].Client)
	}
	if s.Interactive != nil {
		s.Interactive(a)
	}
	return a, nil
}
