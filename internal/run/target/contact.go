package target

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// A contactListener records the responses of an HTTP session.
type contactListener struct {
	mu   sync.Mutex // responses of several requests arrive concurrently
	seen probe.Contact
}

// around returns a tap that also listens.
func (l *contactListener) around(tap wire.Tap) wire.Tap {
	return func(p wire.Passage) {
		if !p.Sent && p.HTTP != nil {
			l.take(p.HTTP)
		}
		if tap != nil {
			tap(p)
		}
	}
}

// take records one response.
func (l *contactListener) take(a *wire.HTTPAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &l.seen
	switch {
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		c.Refused, c.Challenge = a.Status, a.Header.Get("Www-Authenticate")
	case a.Status/100 == 2:
		c.Answered = true
	}
	if id := a.Header.Get(mcp.HeaderSessionID); id != "" {
		c.Session = len(id)
	}
	keep(&c.ReadBy, a.Header.Get("Access-Control-Allow-Origin"))
	keep(&c.Revision, a.Header.Get(mcp.HeaderProtocolVersion))
	keep(&c.Transport, a.Header.Get("Strict-Transport-Security"))
	if c.Software == nil {
		for _, name := range []string{"Server", "X-Powered-By"} {
			if v := a.Header.Get(name); v != "" {
				c.Software = append(c.Software, v)
			}
		}
	}
}

func keep(to *string, value string) {
	if value != "" {
		*to = value
	}
}

// heard returns the record of a session with a target behind a URL, nil for another target. A user's header may be a credential
// too.
func (l *contactListener) heard(t *Target, place string, login bool, err error) *probe.Contact {
	scheme, _, ok := strings.Cut(t.URL, "://")
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.seen
	c.Place, c.Scheme, c.Token = place, strings.ToLower(scheme), login || t.Bearer != "" || len(t.Header) > 0
	if refused := refusedStatus(err); refused != nil {
		c.Refused, c.Challenge = refused.Status, refused.Header.Get("Www-Authenticate")
	}
	if c.Answered { // a login intervened
		c.Refused = 0
	}
	return &c
}

// refusedStatus returns the response with which a server refused us, or nil.
func refusedStatus(err error) *wire.HTTPAnswer {
	var e *wire.RequestError
	if errors.As(err, &e) && e.HTTP != nil && (e.HTTP.Status == http.StatusUnauthorized || e.HTTP.Status == http.StatusForbidden) {
		return e.HTTP
	}
	return nil
}
