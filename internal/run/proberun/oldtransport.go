package proberun

import (
	"context"
	"io"
	"maps"
	"net/http"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// probeOldTransport tests who may connect to a server that speaks HTTP+SSE of 2024-11-05. The other probes are for Streamable HTTP,
// where each message has its own response.
func (p *httpProber) probeOldTransport(ctx context.Context) {
	p.out.Unsent["others"] = "the server speaks HTTP+SSE, for which only connecting is probed"
	first := p.connect(ctx, probe.Exchange{ID: "P03", Step: "no origin"}, nil)
	if !probing.IsResult(first) {
		p.out.Unsent["others"] = "initialize was not answered over HTTP+SSE"
		return
	}
	p.out.Revision = agreedOn(first.Body)
	for _, x := range p.origins() {
		p.connect(ctx, x, x.Header)
	}
	p.connect(ctx, probe.Exchange{ID: "P11", Step: "no token"}, nil)
}

// connect opens a stream, posts initialize to the endpoint in its first event, and keeps the response from the stream. A refusal of
// either request is the answer.
func (p *httpProber) connect(ctx context.Context, e probe.Exchange, header map[string]string) *probe.Exchange {
	if e.ID == "P11" {
		defer p.as("")()
	}
	e.Effect, e.Sent, e.Header, e.Answer, e.Problem = probe.Writes, initialize, header, map[string]string{}, silent
	ctx, cancel := context.WithTimeout(ctx, p.client.Timeout)
	defer cancel()
	streams := map[string]string{"Accept": "text/event-stream"}
	maps.Copy(streams, header)
	if res, _ := p.ask(ctx, http.MethodGet, p.URL, "", streams); res != nil {
		defer res.Body.Close()
		e.Status, e.Problem = res.StatusCode, ""
		keepHeader(&e, res)
		if isEventStream(res) && res.StatusCode == http.StatusOK {
			p.shakeHands(ctx, &e, wire.ReadEvents(io.LimitReader(res.Body, maxAnswer), maxAnswer))
		}
	}
	e.Answered = e.Status != 0
	e.Alive = e.Answered
	return p.keep(e)
}

// shakeHands posts initialize and reads the stream to its response.
func (p *httpProber) shakeHands(ctx context.Context, e *probe.Exchange, next func() (string, error)) {
	place, err := next()
	if err != nil {
		return
	}
	at, err := p.at.Parse(place)
	if err != nil || at.Host != p.at.Host {
		return // a client does not go there either
	}
	res, _ := p.ask(ctx, http.MethodPost, at.String(), initialize, e.Header)
	if res == nil {
		e.Status, e.Problem = 0, silent
		return
	}
	_ = res.Body.Close() // the response arrives on the stream
	if res.StatusCode/100 != 2 {
		e.Status = res.StatusCode
		return
	}
	for {
		data, err := next()
		if err != nil {
			return
		}
		if k := wire.Decode(data).Kind; k == wire.Response || k == wire.Error {
			takeResponse(e, data)
			return
		}
	}
}
