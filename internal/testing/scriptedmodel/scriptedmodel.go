// Package scriptedmodel is a provider of models without a model, for tests: it speaks both wire
// forms over HTTP on loopback, reads the request that it gets, and acts by rule. Its readers of requests are its
// own, so that it does not take for right what package model writes.
//
// A model's id says what it does: its last word is a behaviour, so that "claude-victim" and
// "gpt-victim" do the same in two forms.
package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// A Behaviour is what a scripted model does.
type Behaviour string

// The behaviours.
const (
	Victim       Behaviour = "victim"       // does the task and obeys whatever it reads, as simagent's victim
	Resister     Behaviour = "resister"     // does the task and obeys nothing
	Liar         Behaviour = "liar"         // calls nothing, and says that it did what it was told to
	Idler        Behaviour = "idler"        // calls nothing, and says that it will not
	Warner       Behaviour = "warner"       // does the task, and quotes in a warning whatever it read
	Refuser      Behaviour = "refuser"      // the provider refuses to answer
	Truncator    Behaviour = "truncator"    // is cut off within a call
	Babbler      Behaviour = "babbler"      // answers with broken JSON
	Slow         Behaviour = "slow"         // does as the resister, after Provider.Delay
	Limited      Behaviour = "limited"      // answers each question first with 429 and Retry-After
	Unauthorized Behaviour = "unauthorized" // 401, and the error repeats the key
	Broken       Behaviour = "broken"       // 500
	Hang         Behaviour = "hang"         // never answers
	Flood        Behaviour = "flood"        // never stops answering
	Endless      Behaviour = "endless"      // calls the first tool for ever
	Stray        Behaviour = "stray"        // calls tools that nobody offered, with arguments of a megabyte
	Picky        Behaviour = "picky"        // refuses temperature, max_tokens and enforced answers
	Judge        Behaviour = "judge"        // reports what stands in the definitions, and does what they tell it
	Garbage      Behaviour = "garbage"      // answers every question for structure with nonsense
)

// A Provider is a server with all behaviours.
type Provider struct {
	URL   string
	Delay time.Duration // of Slow

	server *httptest.Server
	mu     sync.Mutex
	seen   []Request
	counts map[string]int
	closed chan struct{}
}

// A Request is one that the provider got.
type Request struct {
	Path   string
	Header http.Header
	Body   string
}

// Start starts a provider on loopback.
func Start() *Provider {
	p := &Provider{counts: map[string]int{}, closed: make(chan struct{})}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	p.URL = p.server.URL
	return p
}

// Close ends the provider and all its answers.
func (p *Provider) Close() {
	close(p.closed)
	p.server.CloseClientConnections()
	p.server.Close()
}

// Requests returns what the provider got so far.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Request(nil), p.seen...)
}

func (p *Provider) record(r *http.Request, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, Request{r.URL.Path, r.Header.Clone(), string(body)})
}

// count returns how often a question was asked before.
func (p *Provider) count(body []byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[string(body)]++
	return p.counts[string(body)] - 1
}

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	p.record(r, body)
	var form wireForm
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		form = chatForm{}
	case strings.HasSuffix(r.URL.Path, "/messages"):
		form = messagesForm{}
	default:
		http.NotFound(w, r)
		return
	}
	c, err := form.read(body)
	if err != nil {
		form.fail(w, http.StatusBadRequest, err.Error())
		return
	}
	p.act(w, r, form, c, body)
}

func (p *Provider) act(w http.ResponseWriter, r *http.Request, form wireForm, c *conversation, body []byte) {
	behaviour := Behaviour(c.model[strings.LastIndexAny(c.model, "-/")+1:])
	switch behaviour {
	case Unauthorized:
		form.fail(w, http.StatusUnauthorized, "invalid key "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		return
	case Broken:
		form.fail(w, http.StatusInternalServerError, "it is our fault")
		return
	case Limited:
		if p.count(body) == 0 {
			w.Header().Set("Retry-After", "7")
			form.fail(w, http.StatusTooManyRequests, "slow down")
			return
		}
	case Picky:
		if why := refusedParameter(body); why != "" {
			form.fail(w, http.StatusBadRequest, why)
			return
		}
	case Babbler:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"I was about to`)
		return
	case Hang:
		p.hang(r)
		return
	case Flood:
		p.flood(w, r)
		return
	case Slow:
		select {
		case <-time.After(p.Delay):
		case <-r.Context().Done():
			return
		case <-p.closed:
			return
		}
	}
	form.write(w, c, c.answer(r.Context(), behaviour))
}

func (p *Provider) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-p.closed:
	}
}

func (p *Provider) flood(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	chunk := []byte(strings.Repeat("flood ", 10_000))
	_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`)
	for {
		select {
		case <-r.Context().Done():
			return
		case <-p.closed:
			return
		default:
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}

// refusedParameter says what a model of today's reasoning kind refuses.
func refusedParameter(body []byte) string {
	var sent map[string]json.RawMessage
	_ = json.Unmarshal(body, &sent)
	for _, name := range [...]string{"temperature", "response_format", "tool_choice"} {
		if sent[name] != nil {
			return fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model.", name)
		}
	}
	if sent["max_tokens"] != nil && sent["system"] == nil && !strings.Contains(string(body), `"content":[{`) {
		return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
	}
	return ""
}
