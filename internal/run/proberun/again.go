package proberun

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

// againHTTP repeats recorded exchanges with a server behind a URL, byte for byte except for session ids, which expire. recorded is
// the run they are from.
func againHTTP(ctx context.Context, t protocolTarget, transport http.RoundTripper, recorded *probe.Protocol, exchanges []probe.Exchange) *probe.Protocol {
	p := &prober{protocolTarget: t, out: copyOf(recorded, t.Place)}
	p.client = &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if u, err := url.Parse(t.URL); err == nil {
		if p.out.Scheme, p.out.Loopback = u.Scheme, isLoopback(u.Hostname()); p.out.Loopback {
			p.out.Listening = p.listening(u)
		}
	}
	if t.SSE {
		p.connectAgain(ctx, exchanges)
		missAnswers(p.out, exchanges)
		return p.out
	}
	for _, asking := range []bool{false, true} {
		chosen := ofUser(exchanges, asking)
		if len(chosen) > 0 && !opens(p.openAgain(ctx, asking), recorded, chosen) {
			p.out.Unsent[Again] = notOpened // a message to a server that is not there shows nothing
			continue
		}
		for _, x := range chosen {
			p.sendAgain(ctx, x)
		}
	}
	missAnswers(p.out, exchanges)
	return p.out
}

// Again is the key in Unsent for what keeps a replay from showing anything.
const Again = "again"

const notOpened = "the opening was not answered"

// ofUser returns the exchanges of the client with capabilities, or the others.
func ofUser(exchanges []probe.Exchange, asking bool) (out []probe.Exchange) {
	for _, x := range exchanges {
		if (x.ID == "P25") == asking {
			out = append(out, x)
		}
	}
	return out
}

// opens reports whether an opening was answered as in the recorded run, where servers without sessions, and those that require a
// token, refused it too.
func opens(opening probe.Exchange, recorded *probe.Protocol, exchanges []probe.Exchange) bool {
	stateless := !slices.ContainsFunc(exchanges, func(x probe.Exchange) bool { return x.Era != probe.Stateless })
	if recorded.Revision == "" || stateless {
		return opening.Status != 0
	}
	return opening.HasResult()
}

// missAnswers records in Unsent which exchanges have no usable answer. After a message that was shown to end a server over HTTP,
// nothing can be sent.
func missAnswers(p *probe.Protocol, exchanges []probe.Exchange) {
	over := p.Transport == "http" && slices.ContainsFunc(p.Exchanges, func(x probe.Exchange) bool { return x.Gone })
	for i := range exchanges {
		x := &exchanges[i]
		at := slices.IndexFunc(p.Exchanges, func(y probe.Exchange) bool { return y.ID == x.ID && y.Step == x.Step && y.Era == x.Era })
		if p.Unsent[Again] == "" && (at < 0 && !over || at >= 0 && isMissing(p.Transport, x, &p.Exchanges[at])) {
			p.Unsent[Again] = "no answer to " + strings.TrimSpace(x.ID+" "+x.Step)
		}
	}
}

// isMissing reports whether nothing is known of a repeated message. One without an answer in the recorded run needs none: the ping
// after it shows that the server is alive.
func isMissing(transport string, recorded, again *probe.Exchange) bool {
	if again.Gone { // over stdio a second end shows that, as the rule requires
		return transport == "stdio" && !again.Again
	}
	pinged := recorded.Era == probe.Handshake && recorded.ID != "P25"
	return !again.Answered && (recorded.Answered || !pinged || !again.Alive)
}

// copyOf returns a Protocol with what is known before anything is sent.
func copyOf(recorded *probe.Protocol, place string) *probe.Protocol {
	return &probe.Protocol{
		Transport: recorded.Transport, Place: cmp.Or(place, recorded.Place), Revision: recorded.Revision, Token: recorded.Token, Stateless: recorded.Stateless,
		Command: recorded.Command, Unsent: map[string]string{}, Exchanges: []probe.Exchange{},
	}
}

// openAgain opens a session, with or without client capabilities, and returns the opening exchange.
func (p *prober) openAgain(ctx context.Context, asking bool) probe.Exchange {
	opening := initialize
	if asking {
		opening = declared
	}
	got := p.send(ctx, http.MethodPost, p.URL, opening, nil)
	p.session, p.mayAsk = got.Answer["Mcp-Session-Id"], asking
	p.send(ctx, http.MethodPost, p.URL, initialized, p.inSession(nil))
	return got
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

// againOverStdio repeats recorded exchanges with servers started for it.
func againOverStdio(ctx context.Context, open Opener, recorded *probe.Protocol, exchanges []probe.Exchange) *probe.Protocol {
	return againStdio(ctx, open, recorded, exchanges, defaultWaits)
}

func againStdio(ctx context.Context, open Opener, recorded *probe.Protocol, exchanges []probe.Exchange, w waits) *probe.Protocol {
	s := &lineProber{open: open, waits: w, out: copyOf(recorded, "")}
	defer s.close()
	last, opened := "none", false
	for _, x := range exchanges {
		if kind := conversationOf(&x); kind != last {
			last = kind
			opened = s.openAgain(ctx, kind)
		}
		if !opened { // a message to a server that is not there shows nothing
			s.out.Unsent[Again] = notOpened
			continue
		}
		again := probe.Exchange{ID: x.ID, Step: x.Step, Effect: x.Effect, Sent: x.Sent, Era: x.Era, Expect: x.Expect}
		switch {
		case x.Era == probe.Handshake && x.ID != "P25":
			opened = s.record(ctx, again, x.Gone || !x.Answered)
		default:
			again = s.exchange(ctx, again)
			if x.ID == "P25" {
				s.out.Asked = appendAsked(s.out.Asked, x.Step[min(len(x.Step), len(probing.MayAsk)):], again.Before)
			}
			s.keep(again)
		}
	}
	missAnswers(s.out, exchanges)
	return s.out
}

// conversationOf returns the kind of session an exchange belongs to; exchanges of one kind share a session.
func conversationOf(x *probe.Exchange) string {
	switch {
	case x.Step == probing.FirstOfAll:
		return x.Step
	case x.ID == "P25":
		return "asking"
	}
	return string(x.Era)
}

// openAgain starts a server and opens a session of a kind. It reports whether the server answered.
func (s *lineProber) openAgain(ctx context.Context, kind string) bool {
	s.mayAsk = kind == "asking"
	switch kind {
	case "asking":
		return s.begin(ctx, declared)
	case string(probe.Handshake):
		return s.begin(ctx, initialize)
	}
	return s.start()
}
