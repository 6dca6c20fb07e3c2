package proberun

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// Notes on requests without an answer. Silence proves nothing.
const (
	silent  = "no answer"
	refused = "the connection was refused"
	isGone  = "the server has ended"
)

func (p *prober) post(ctx context.Context, e probe.Exchange) *probe.Exchange {
	return p.record(ctx, e, http.MethodPost, p.URL, e.Sent)
}

// record sends one probe and keeps the response and whether the server still answers. If it does not, nothing more is sent.
func (p *prober) record(ctx context.Context, e probe.Exchange, method, at, body string) *probe.Exchange {
	if p.ended {
		return &probe.Exchange{ID: e.ID, Step: e.Step, Answer: map[string]string{}}
	}
	got := p.send(ctx, method, at, body, e.Header)
	e.Status, e.Answer, e.Body, e.Problem, e.Answered, e.Result, e.Before = got.Status, got.Answer, got.Body, got.Problem, got.Status != 0, got.Result, got.Before
	delete(e.Header, "Authorization")
	e.Alive = got.Status != 0
	if !e.Alive {
		after := p.send(ctx, http.MethodPost, p.URL, initialize, nil)
		e.Alive, e.Gone = after.Status != 0, after.Problem == refused
		if p.ended = !e.Alive; p.ended {
			p.out.Unsent["others"] = "nothing was answered any more after " + strings.TrimSpace(e.ID+" "+e.Step)
		}
	}
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
func (p *prober) send(ctx context.Context, method, at, body string, header map[string]string) probe.Exchange {
	e := probe.Exchange{Answer: map[string]string{}}
	req, err := p.request(ctx, method, at, body, header)
	if err != nil {
		e.Problem = "the request cannot be made"
		return e
	}
	res, err := p.client.Do(req)
	if err != nil {
		if e.Problem = silent; errors.Is(err, syscall.ECONNREFUSED) {
			e.Problem = refused
		}
		return e
	}
	defer res.Body.Close()
	e.Status = res.StatusCode
	keepHeader(&e, res)
	if method == http.MethodGet && isEventStream(res) {
		return e // the stream is open, and need not deliver anything
	}
	p.readAnswer(ctx, res, &e, strings.HasPrefix(body, "["))
	return e
}

// request makes a request; an empty header value omits the field.
func (p *prober) request(ctx context.Context, method, at, body string, header map[string]string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(body))
	if err != nil {
		return nil, err
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
	return req, nil
}

func isEventStream(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

// readAnswer reads the body, of an event stream only up to the response, since a server may leave it open. Server requests in
// between are answered. A batch may get two responses.
func (p *prober) readAnswer(ctx context.Context, res *http.Response, e *probe.Exchange, batch bool) {
	if !isEventStream(res) {
		whole, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer)) // what arrived before an error counts
		takeResponse(e, string(whole))
		return
	}
	var text strings.Builder
	buffer := make([]byte, 4096)
	done := 0
	for text.Len() < maxAnswer {
		n, err := res.Body.Read(buffer)
		text.Write(buffer[:n])
		for {
			data, end := nextEvent(text.String(), done)
			if end < 0 {
				break
			}
			done = end
			if p.takeEvent(ctx, e, data) {
				if !batch || e.Before != nil {
					return
				}
				keepBefore(e, data)
			}
		}
		if err != nil {
			break
		}
	}
	if e.Body == "" {
		e.Body = clipText(text.String())
	}
}

// nextEvent returns the data of the event at an offset, and where the next one begins; -1 if the event is incomplete.
func nextEvent(text string, at int) (data string, end int) {
	stop := strings.Index(text[at:], "\n\n")
	step := 2
	if crlf := strings.Index(text[at:], "\r\n\r\n"); crlf >= 0 && (stop < 0 || crlf < stop) {
		stop, step = crlf, 4
	}
	if stop < 0 {
		return "", -1
	}
	var lines []string
	for line := range strings.Lines(text[at : at+stop]) {
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			lines = append(lines, strings.TrimSpace(value))
		}
	}
	return strings.Join(lines, "\n"), at + stop + step
}

// takeEvent records one message of a stream and answers it if it is a request. It reports whether it was the response.
func (p *prober) takeEvent(ctx context.Context, e *probe.Exchange, data string) bool {
	if data == "" {
		return false
	}
	m := wire.Decode(data)
	switch m.Kind {
	case wire.Response, wire.Error, wire.Batch:
		takeResponse(e, data)
		return true
	case wire.Request:
		p.sendOnly(ctx, answerTo(m, p.mayAsk))
	}
	keepBefore(e, data)
	return false
}

// sendOnly posts a message and ignores the answer.
func (p *prober) sendOnly(ctx context.Context, body string) {
	req, err := p.request(ctx, http.MethodPost, p.URL, body, p.inSession(nil))
	if err != nil {
		return
	}
	if res, err := p.client.Do(req); err == nil {
		_ = res.Body.Close()
	}
}

// maxBefore bounds the kept messages before a response.
const maxBefore = 16

func keepBefore(e *probe.Exchange, raw string) {
	if len(e.Before) < maxBefore {
		e.Before = append(e.Before, strings.ToValidUTF8(raw[:min(len(raw), 4<<10)], "\uFFFD"))
	}
}

// takeResponse records the beginning of a response, and whether it is a result.
func takeResponse(e *probe.Exchange, raw string) {
	m := wire.Decode(raw)
	e.Result = m.Kind == wire.Response
	e.Body = clipText(raw)
}

func clipText(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxBody)], "\uFFFD") }

// answerTo declines a server's request, in the form it expects.
func answerTo(m wire.Message, mayAsk bool) string {
	if mayAsk && m.Method == mcp.ElicitationCreate {
		return `{"jsonrpc":"2.0","id":` + m.ID + `,"result":{"action":"decline"}}`
	}
	return `{"jsonrpc":"2.0","id":` + m.ID + `,"error":{"code":-32601,"message":"this client cannot do that"}}`
}
