package protocolprobe

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

// AgainHTTP sends recorded exchanges again to a server behind a URL, byte for byte but for the ids of
// sessions, which end. recorded is the run that they are from.
func AgainHTTP(ctx context.Context, t Target, transport http.RoundTripper, recorded *probe.Protocol, exchanges []probe.Exchange) *probe.Protocol {
	p := &prober{Target: t, out: copyOf(recorded, t.Place)}
	p.client = &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if u, err := url.Parse(t.URL); err == nil {
		if p.out.Scheme, p.out.Loopback = u.Scheme, isLoopback(u.Hostname()); p.out.Loopback {
			p.out.Listening = listening(portOf(u))
		}
	}
	for _, asking := range []bool{false, true} {
		p.openAgain(ctx, asking)
		for _, x := range exchanges {
			if (x.ID == "P25") == asking {
				p.sendAgain(ctx, x)
			}
		}
	}
	return p.out
}

// copyOf is what a run knows before anything is sent.
func copyOf(recorded *probe.Protocol, place string) *probe.Protocol {
	return &probe.Protocol{
		Transport: recorded.Transport, Place: cmp.Or(place, recorded.Place), Revision: recorded.Revision, Token: recorded.Token, Stateless: recorded.Stateless,
		Command: recorded.Command, Unsent: map[string]string{}, Exchanges: []probe.Exchange{},
	}
}

// openAgain begins a session, of a client whose user can be asked or of one without capabilities.
func (p *prober) openAgain(ctx context.Context, asking bool) {
	opening := initialize
	if asking {
		opening = declared
	}
	p.session, p.mayAsk = p.send(ctx, http.MethodPost, p.URL, opening, nil).Answer["Mcp-Session-Id"], asking
	p.send(ctx, http.MethodPost, p.URL, initialized, p.inSession(nil))
}

func (p *prober) sendAgain(ctx context.Context, x probe.Exchange) {
	again := probe.Exchange{ID: x.ID, Step: x.Step, Effect: x.Effect, Sent: x.Sent, Era: x.Era, Verb: x.Verb, Expect: x.Expect, Header: maps.Clone(x.Header)}
	if _, in := again.Header[mcp.HeaderSessionID]; in && x.Era == probe.Handshake {
		again.Header[mcp.HeaderSessionID] = p.session
	}
	token := p.Token
	if x.ID == "P11" {
		p.Token = ""
	}
	body := again.Sent
	if again.Verb != "" {
		body = ""
	}
	e := p.record(ctx, again, cmp.Or(again.Verb, http.MethodPost), p.URL, body)
	p.Token = token
	if x.ID == "P25" {
		p.out.Asked = appendAsked(p.out.Asked, x.Step[min(len(x.Step), len(probing.MayAsk)):], e.Before)
	}
}

// AgainStdio sends recorded exchanges again to servers that are started for it.
func AgainStdio(ctx context.Context, open Opener, recorded *probe.Protocol, exchanges []probe.Exchange) *probe.Protocol {
	return againStdio(ctx, open, recorded, exchanges, defaultWaits)
}

func againStdio(ctx context.Context, open Opener, recorded *probe.Protocol, exchanges []probe.Exchange, w waits) *probe.Protocol {
	s := &lineProber{open: open, waits: w, out: copyOf(recorded, "")}
	defer s.close()
	last := ""
	for _, x := range exchanges {
		if kind := conversationOf(&x); kind != last {
			last = kind
			s.openAgain(ctx, kind)
		}
		again := probe.Exchange{ID: x.ID, Step: x.Step, Effect: x.Effect, Sent: x.Sent, Era: x.Era, Expect: x.Expect}
		switch {
		case x.Era == probe.Handshake && x.ID != "P25":
			s.record(ctx, again, x.Gone || !x.Answered)
		default:
			again = s.exchange(ctx, again)
			if x.ID == "P25" {
				s.out.Asked = appendAsked(s.out.Asked, x.Step[min(len(x.Step), len(probing.MayAsk)):], again.Before)
			}
			s.keep(again)
		}
	}
	return s.out
}

// conversationOf says in which conversation an exchange is sent: exchanges of one kind share it.
func conversationOf(x *probe.Exchange) string {
	switch {
	case x.Step == probing.FirstOfAll:
		return x.Step
	case x.ID == "P25":
		return "asking"
	}
	return string(x.Era)
}

func (s *lineProber) openAgain(ctx context.Context, kind string) {
	s.mayAsk = kind == "asking"
	switch kind {
	case "asking":
		s.begin(ctx, declared)
	case string(probe.Handshake):
		s.begin(ctx, initialize)
	default:
		s.start()
	}
}
