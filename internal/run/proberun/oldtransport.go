package proberun

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// probeOldTransport tests who may connect to a server that speaks HTTP+SSE of 2024-11-05. The other probes are for Streamable HTTP,
// where each message has its own response.
func (p *prober) probeOldTransport(ctx context.Context, u *url.URL) {
	p.out.Unsent["others"] = "the server speaks HTTP+SSE, for which only connecting is probed"
	first := p.connect(ctx, probe.Exchange{ID: "P03", Step: "no origin"})
	if !first.HasResult() {
		p.out.Unsent["others"] = "initialize was not answered over HTTP+SSE"
		return
	}
	p.out.Revision = agreedOn(first.Body)
	p.connect(ctx, probe.Exchange{ID: "P01", Header: map[string]string{"Origin": "https://" + foreign}})
	p.connect(ctx, probe.Exchange{ID: "P02", Header: map[string]string{"Host": foreign}})
	p.connect(ctx, probe.Exchange{ID: "P03", Step: "own origin", Header: map[string]string{"Origin": u.Scheme + "://" + u.Host}})
	p.Token = ""
	p.connect(ctx, probe.Exchange{ID: "P11", Step: "no token"})
}

func (p *prober) connectAgain(ctx context.Context, exchanges []probe.Exchange) {
	token := p.Token
	for _, x := range exchanges {
		if p.Token = token; x.ID == "P11" {
			p.Token = ""
		}
		p.connect(ctx, probe.Exchange{ID: x.ID, Step: x.Step, Header: maps.Clone(x.Header)})
	}
}

// connect opens a stream, posts initialize to the endpoint in its first event, and keeps the response from the stream. A refusal of
// either request is the answer.
func (p *prober) connect(ctx context.Context, e probe.Exchange) *probe.Exchange {
	e.Effect, e.Sent, e.Answer, e.Problem = probe.Writes, initialize, map[string]string{}, silent
	ctx, cancel := context.WithTimeout(ctx, p.client.Timeout)
	defer cancel()
	if res := p.ask(ctx, http.MethodGet, p.URL, "", e.Header); res != nil {
		defer res.Body.Close()
		e.Status, e.Problem = res.StatusCode, ""
		keepHeader(&e, res)
		if isEventStream(res) && res.StatusCode == http.StatusOK {
			p.shakeHands(ctx, &e, bufio.NewReader(io.LimitReader(res.Body, maxAnswer)))
		}
	}
	e.Answered = e.Status != 0
	e.Alive = e.Answered
	p.out.Exchanges = append(p.out.Exchanges, e)
	return &p.out.Exchanges[len(p.out.Exchanges)-1]
}

// shakeHands posts initialize and reads the stream to its response.
func (p *prober) shakeHands(ctx context.Context, e *probe.Exchange, stream *bufio.Reader) {
	place, ok := nextData(stream)
	base, err := url.Parse(p.URL)
	if !ok || err != nil {
		return
	}
	at, err := base.Parse(place)
	if err != nil || at.Host != base.Host {
		return // a client does not go there either
	}
	res := p.ask(ctx, http.MethodPost, at.String(), initialize, e.Header)
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
		data, ok := nextData(stream)
		if !ok {
			return
		}
		if k := wire.Decode(data).Kind; k == wire.Response || k == wire.Error {
			takeResponse(e, data)
			return
		}
	}
}

// ask makes one request; nil if nothing answers.
func (p *prober) ask(ctx context.Context, method, at, body string, header map[string]string) *http.Response {
	req, err := p.request(ctx, method, at, body, maps.Clone(header))
	if err != nil {
		return nil
	}
	if method == http.MethodGet {
		req.Header.Set("Accept", "text/event-stream")
	}
	res, err := p.client.Do(req)
	if err != nil {
		return nil
	}
	return res
}

// nextData returns the data of a stream's next event, false at its end. HTTP+SSE has only single-line events.
func nextData(stream *bufio.Reader) (string, bool) {
	for {
		line, err := stream.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			return strings.TrimSpace(data), true
		}
		if err != nil {
			return "", false
		}
	}
}
