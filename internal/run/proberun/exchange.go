package proberun

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// maxAnswer bounds what is read of one answer, in bytes.
const maxAnswer = 4 << 20

// record sends one probe and keeps the response and whether the server still answers. If it does not, nothing more is sent.
func (p *httpProber) record(ctx context.Context, e probe.Exchange, at string) *probe.Exchange {
	if p.ended {
		return &probe.Exchange{ID: e.ID, Step: e.Step, Answer: map[string]string{}}
	}
	got := p.send(ctx, cmp.Or(e.Verb, http.MethodPost), at, e.Sent, e.Header)
	e.Status, e.Answer, e.Body, e.Problem, e.Answered, e.Result, e.Before = got.Status, got.Answer, got.Body, got.Problem, got.Status != 0, got.Result, got.Before
	delete(e.Header, "Authorization")
	e.Alive = e.Answered
	if !e.Alive {
		after := p.send(ctx, http.MethodPost, p.URL, initialize, nil)
		e.Alive, e.Gone = after.Status != 0, after.Problem == refused
		if p.ended = !e.Alive; p.ended {
			noMore(p.out, &e)
		}
	}
	return p.keep(e)
}

func (p *prober) keep(e probe.Exchange) *probe.Exchange {
	p.out.Exchanges = append(p.out.Exchanges, e)
	return &p.out.Exchanges[len(p.out.Exchanges)-1]
}

// keptHeader lists the response headers that probes are judged by.
var keptHeader = []string{"Mcp-Session-Id", "Www-Authenticate", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Content-Type", "Retry-After", "Strict-Transport-Security", "Server", "X-Powered-By"}

func keepHeader(e *probe.Exchange, res *http.Response) {
	for _, name := range keptHeader {
		if v := res.Header.Get(name); v != "" {
			e.Answer[name] = v[:min(len(v), 1024)]
		}
	}
}

// send makes one request. The answer is read up to the response in it, at most maxBody.
func (p *httpProber) send(ctx context.Context, method, at, body string, header map[string]string) probe.Exchange {
	e := probe.Exchange{Answer: map[string]string{}}
	res, problem := p.ask(ctx, method, at, body, header)
	if e.Problem = problem; res == nil {
		return e
	}
	defer res.Body.Close()
	e.Status = res.StatusCode
	keepHeader(&e, res)
	if method != http.MethodGet || !isEventStream(res) { // the stream that GET opens need not deliver anything
		p.readAnswer(ctx, res, &e, strings.HasPrefix(body, "["))
	}
	return e
}

// ask makes one request, in which an empty header value omits the field. If nothing answers it returns why.
func (p *httpProber) ask(ctx context.Context, method, at, body string, header map[string]string) (res *http.Response, problem string) {
	req, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(body))
	if err != nil {
		return nil, "the request cannot be made"
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range p.Header {
		name, v, _ := strings.Cut(h, "=")
		req.Header.Set(name, v)
	}
	if p.Token != "" {
		req.Header.Set("Authorization", "Bearer "+p.Token)
	}
	for name, v := range header {
		switch {
		case name == "Host":
			req.Host = v
		case v == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, v)
		}
	}
	res, err = p.client.Do(req)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, refused
	case err != nil:
		return nil, silent
	}
	return res, ""
}

func isEventStream(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

// readAnswer reads the body, of an event stream only up to the response, since a server may leave it open. Server requests in
// between are answered. A batch may get two responses.
func (p *httpProber) readAnswer(ctx context.Context, res *http.Response, e *probe.Exchange, batch bool) {
	body := io.LimitReader(res.Body, maxAnswer)
	if !isEventStream(res) {
		whole, _ := io.ReadAll(body) // what arrived before an error counts
		takeResponse(e, string(whole))
		return
	}
	var text strings.Builder
	next := wire.ReadEvents(io.TeeReader(body, &text), maxAnswer)
	for {
		data, err := next()
		if err != nil {
			break
		}
		if data = strings.TrimSpace(data); p.takeEvent(ctx, e, data) {
			if !batch || e.Before != nil {
				return
			}
			keepBefore(e, data)
		}
	}
	if e.Body == "" {
		e.Body = clipText(text.String(), maxBody)
	}
}

// takeEvent records one message of a stream and answers it if it is a request. It reports whether it was the response.
func (p *httpProber) takeEvent(ctx context.Context, e *probe.Exchange, data string) bool {
	if data == "" {
		return false
	}
	m := wire.Decode(data)
	switch m.Kind {
	case wire.Response, wire.Error, wire.Batch:
		takeResponse(e, data)
		return true
	case wire.Request:
		if res, _ := p.ask(ctx, http.MethodPost, p.URL, answerTo(m, p.mayAsk), p.inSession()); res != nil {
			_ = res.Body.Close() // whatever it says
		}
	}
	keepBefore(e, data)
	return false
}
