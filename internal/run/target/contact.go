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

// A contactListener notes what comes along with a conversation over HTTP.
type contactListener struct {
	mu   sync.Mutex // messages of several requests come side by side
	seen probe.Contact
}

// around returns a tap that listens as well.
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

// take notes one answer.
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

// heard is what was noted of a conversation with a target behind a URL, nil for another target.
// A header of the user's may be a credential as well.
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
	if c.Answered { // a login came between
		c.Refused = 0
	}
	return &c
}

// refusedStatus is the answer with which a server refused us, nil for none.
func refusedStatus(err error) *wire.HTTPAnswer {
	var e *wire.RequestError
	if errors.As(err, &e) && e.HTTP != nil && (e.HTTP.Status == http.StatusUnauthorized || e.HTTP.Status == http.StatusForbidden) {
		return e.HTTP
	}
	return nil
}
