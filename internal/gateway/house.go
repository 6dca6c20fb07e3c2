package gateway

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// A house is one conversation at the front with its connections to the servers.
type house struct {
	gateway *Gateway
	talk    *serve.Talk
	seats   []*seat
	ctx     context.Context // ends with the house
	end     context.CancelFunc
	busy    sync.WaitGroup
	state   atomic.Pointer[serve.Prepared]

	saying sync.Mutex
	noted  map[string]bool // what was said once

	mu     sync.Mutex
	client client
	names  [2]map[string]route // of tools and of prompts, by the name at the front
	uris   [2]map[string]*seat // of resources and of templates
	asking map[string]asker    // whose progress token this is, by the token as JSON at the front
}

// client is how the client at the front introduced itself.
type client struct{ name, version, capabilities string }

// A route says where a name at the front leads.
type route struct {
	seat *seat
	name string // at the server
}

func newHouse(g *Gateway, t *serve.Talk) *house {
	h := &house{gateway: g, talk: t, noted: map[string]bool{}, asking: map[string]asker{}}
	h.ctx, h.end = context.WithCancel(context.Background())
	for i := range g.opt.Upstreams {
		h.seats = append(h.seats, &seat{house: h, up: &g.opt.Upstreams[i]})
	}
	h.state.Store(g.base)
	h.refresh()
	return h
}

// wait waits until nothing of the house runs any more.
func (h *house) wait() {
	for _, s := range h.seats {
		s.close()
	}
	h.busy.Wait()
}

func (h *house) current() *serve.Prepared { return h.state.Load() }

// greet notes who the client is and connects to all servers, as far as they come in time.
func (h *house) greet(ctx context.Context, m wire.Message) {
	c := client{name: h.gateway.opt.Name, version: h.gateway.opt.Version, capabilities: h.talk.Client()}
	info := rawjson.LastMember(m.Params, "clientInfo")
	if info == "" {
		info = rawjson.LastMember(rawjson.LastMember(m.Params, "_meta"), "io.modelcontextprotocol/clientInfo")
	}
	if name := rawjson.UnquoteString(rawjson.LastMember(info, "name")); name != "" {
		c.name, c.version = name, rawjson.UnquoteString(rawjson.LastMember(info, "version"))
	}
	if c.capabilities == "" || c.capabilities[0] != '{' {
		c.capabilities = "{}"
	}
	h.mu.Lock()
	h.client = c
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, h.gateway.opt.Connect)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range h.seats {
		all.Go(func() {
			if _, err := s.connected(ctx); err != nil && h.ctx.Err() == nil {
				h.note("%s cannot be reached: %v", s.up.Name, err)
			}
		})
	}
	all.Wait()
	h.refresh()
}

func (h *house) introduced() client {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.client.name == "" { // a client of the stateless era that did not ask for server/discover
		return client{h.gateway.opt.Name, h.gateway.opt.Version, cmpObject(h.talk.Client())}
	}
	return h.client
}

func cmpObject(s string) string {
	if s == "" || s[0] != '{' {
		return "{}"
	}
	return s
}

// refresh makes the state that the front answers from of what the servers said.
func (h *house) refresh() {
	state := serve.State{Name: h.gateway.opt.Name, Identity: []string{h.gateway.identity()}, Relay: h.relay}
	var said []string
	caps := map[string]bool{"tools": true, "prompts": true, "resources": true}
	subscribe := false
	for _, s := range h.seats {
		init := s.opening()
		if init == "" {
			continue
		}
		if text := rawjson.UnquoteString(rawjson.LastMember(init, "instructions")); text != "" {
			if len(h.seats) > 1 {
				text = "Server " + s.up.Name + ":\n" + text
			}
			said = append(said, text)
		}
		own := rawjson.LastMember(init, "capabilities")
		for _, name := range []string{"logging", "completions"} {
			caps[name] = caps[name] || rawjson.LastMember(own, name) != ""
		}
		subscribe = subscribe || rawjson.LastMember(rawjson.LastMember(own, "resources"), "subscribe") == "true"
	}
	parts := []string{`"tools":{"listChanged":true}`, `"prompts":{"listChanged":true}`, `"resources":{"listChanged":true`}
	if subscribe {
		parts[2] += `,"subscribe":true`
	}
	parts[2] += "}"
	for _, name := range []string{"logging", "completions"} {
		if caps[name] {
			parts = append(parts, quote(name)+":{}")
		}
	}
	state.Capabilities = []string{"{" + strings.Join(parts, ",") + "}"}
	if len(said) > 0 {
		state.Instructions = []string{quote(strings.Join(said, "\n\n"))}
	}
	if init := h.seats[0].opening(); len(h.seats) == 1 && init != "" {
		h.alone(&state, init)
	}
	if p, err := serve.Prepare(state); err == nil { // else a server's own words are no JSON
		h.state.Store(p)
	}
}

// alone lets the only server introduce itself in its own words.
func (h *house) alone(state *serve.State, init string) {
	if v := rawjson.LastMember(init, "serverInfo"); v != "" {
		state.Identity = []string{v}
	} else if v := rawjson.LastMember(rawjson.LastMember(init, "_meta"), "io.modelcontextprotocol/serverInfo"); v != "" {
		state.Identity = []string{v}
	}
	if v := rawjson.LastMember(init, "capabilities"); v != "" {
		state.Capabilities = []string{v}
	}
	state.Instructions = nil
	if v := rawjson.LastMember(init, "instructions"); v != "" {
		state.Instructions = []string{v}
	}
}

// relayNotification passes on what the client tells.
func (h *house) relayNotification(m wire.Message) {
	switch m.Method {
	case "notifications/initialized", "notifications/cancelled":
		return // the connections have had theirs, and a call that is given up says so itself
	case "notifications/progress":
		token := rawjson.LastMember(m.Params, "progressToken")
		h.mu.Lock()
		to := h.asking[token]
		h.mu.Unlock()
		if to.seat != nil {
			to.seat.notify(m.Method, replaced(m.Params, "progressToken", to.token))
		}
		return
	}
	for _, s := range h.seats {
		s.notify(m.Method, m.Params)
	}
}

// tell passes on what a server tells, to whoever listens.
func (h *house) tell(s *seat, m wire.Message) {
	switch m.Method {
	case "notifications/cancelled":
		return
	case "notifications/progress":
		if call := s.waiting(rawjson.LastMember(m.Params, "progressToken")); call != nil {
			h.passOn(s, call.Notify(h.ctx, m.Method, m.Params))
			return
		}
	}
	h.passOn(s, h.talk.Notify(h.ctx, m.Method, m.Params))
}

// passOn notes that a message was lost, unless nobody wanted it.
func (h *house) passOn(s *seat, err error) {
	if err != nil && h.ctx.Err() == nil && !errors.Is(err, serve.ErrUnheard) && !errors.Is(err, serve.ErrOver) {
		h.note("a notification of %s was lost: %v", s.up.Name, err)
	}
}

// ask puts a server's question to the client, as part of the call it belongs to where there
// is one only.
func (h *house) ask(s *seat, m wire.Message) (wire.Message, error) {
	params, done := h.tokened(s, m.Params)
	defer done()
	if call := s.onlyCall(); call != nil {
		return call.Ask(h.ctx, m.Method, params)
	}
	return h.talk.Ask(h.ctx, m.Method, params)
}

// An asker is the server whose question a progress token belongs to.
type asker struct {
	seat  *seat
	token string // at the server, as JSON
}

// tokened keeps whose progress token stands in a question until done is called. One that
// another question has at the same time becomes another one.
func (h *house) tokened(s *seat, params string) (out string, done func()) {
	meta := rawjson.LastMember(params, "_meta")
	token := rawjson.LastMember(meta, "progressToken")
	h.mu.Lock()
	defer h.mu.Unlock()
	if token == "" || len(h.asking) >= mostTokens {
		return params, func() {}
	}
	front := token
	for n := 1; h.asking[front].seat != nil; n++ {
		front = quote("gateway-" + strconv.Itoa(n))
	}
	h.asking[front] = asker{s, token}
	if front != token {
		params = replaced(params, "_meta", replaced(meta, "progressToken", front))
	}
	return params, func() {
		h.mu.Lock()
		delete(h.asking, front)
		h.mu.Unlock()
	}
}

// mostTokens bounds what servers can make a house remember.
const mostTokens = 1_000
