package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A clientSession is one client's session with its connections to the servers.
type clientSession struct {
	gateway    *Gateway
	downstream *mcpserver.Session
	upstreams  []*upstream
	ctx        context.Context // ends with the session
	end        context.CancelFunc
	busy       sync.WaitGroup
	state      atomic.Pointer[mcpserver.Prepared]
	lastUsed   atomic.Int64 // time of the client's latest message, in nanoseconds
	underWay   atomic.Int32 // requests of the client in progress

	notedMu sync.Mutex
	noted   map[string]bool // notes already reported

	mu             sync.Mutex
	client         clientIdentity
	routes         [2]map[string]route      // of tools and prompts, by front name
	resourceOwners [2]map[string]*upstream  // of resources and templates
	questionTokens map[string]questionToken // owners of progress tokens, by the token as JSON at the front
}

// clientIdentity is how the client introduced itself; it is repeated to every server.
type clientIdentity struct {
	info, capabilities string // JSON objects
	revision           string // requested or claimed
	stateless          bool
}

// identityOf returns what a request says about its client beyond the defaults.
func (g *Gateway) identityOf(m wire.Message) clientIdentity {
	meta := rawjson.LastMember(m.Params, "_meta")
	c := clientIdentity{rawjson.LastMember(meta, mcp.MetaClientInfo), rawjson.LastMember(meta, mcp.MetaClientCapabilities), rawjson.LastText(meta, mcp.MetaProtocolVersion), true}
	if m.Method == mcp.Initialize {
		c = clientIdentity{rawjson.LastMember(m.Params, "clientInfo"), rawjson.LastMember(m.Params, "capabilities"), rawjson.LastText(m.Params, "protocolVersion"), false}
	}
	c.capabilities = objectOrEmpty(c.capabilities)
	if c.info == "" || c.info[0] != '{' {
		c.info = g.serverInfo()
	}
	return c
}

// A route maps a front name to a server.
type route struct {
	upstream *upstream
	name     string // at the server
}

func newClientSession(g *Gateway, t *mcpserver.Session) *clientSession {
	cs := &clientSession{gateway: g, downstream: t, noted: map[string]bool{}, questionTokens: map[string]questionToken{}}
	cs.ctx, cs.end = context.WithCancel(context.Background())
	for i := range g.opt.Upstreams {
		cs.upstreams = append(cs.upstreams, &upstream{session: cs, up: &g.opt.Upstreams[i]})
	}
	cs.state.Store(g.base)
	cs.rebuildState()
	return cs
}

// awaitClosed waits until no goroutine of the session runs.
func (cs *clientSession) awaitClosed() {
	for _, s := range cs.upstreams {
		s.closeUpstream()
	}
	cs.busy.Wait()
	for _, s := range cs.upstreams {
		if n := s.lost.Load(); n > 1 {
			cs.noteEvent("%d messages of %s were lost in conversation %d", n, s.up.Name, cs.downstream.Number())
		}
	}
}

func (cs *clientSession) preparedState() *mcpserver.Prepared { return cs.state.Load() }

// connectUpstreams records the client's identity and connects to all servers, as far as they respond in time.
func (cs *clientSession) connectUpstreams(ctx context.Context, m wire.Message) {
	cs.mu.Lock()
	cs.client = cs.gateway.identityOf(m)
	cs.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, cs.gateway.opt.Connect)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range cs.upstreams {
		all.Go(func() {
			_, done, err := s.awaitConn(ctx)
			switch {
			case err == nil:
				done()
			case cs.ctx.Err() == nil:
				cs.noteEvent("%s cannot be reached: %v", s.up.Name, err)
			}
		})
	}
	all.Wait()
	cs.rebuildState()
}

func (cs *clientSession) clientIdentity() clientIdentity {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.client
}

// meets records the client's identity from its first request, if that is not initialize.
func (cs *clientSession) meets(m wire.Message) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.client.info == "" {
		cs.client = cs.gateway.identityOf(m)
	}
}

func objectOrEmpty(s string) string {
	if s == "" || s[0] != '{' {
		return "{}"
	}
	return s
}

// rebuildState builds the state that the front answers from out of the servers' answers.
func (cs *clientSession) rebuildState() {
	state := mcpserver.State{Name: cs.gateway.opt.Name, Identity: []string{cs.gateway.serverInfo()}, Relay: cs.relayRequest, Mirrors: cs.mirrorsOf}
	var said []string
	caps := map[string]bool{}
	subscribe := false
	for _, s := range cs.upstreams {
		init := s.initResult()
		if init == "" {
			continue
		}
		if text := rawjson.LastText(init, "instructions"); text != "" {
			if len(cs.upstreams) > 1 {
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
			parts = append(parts, rawjson.Quote(name)+":{}")
		}
	}
	state.Capabilities = []string{"{" + strings.Join(parts, ",") + "}"}
	if len(said) > 0 {
		state.Instructions = []string{rawjson.Quote(strings.Join(said, "\n\n"))}
	}
	if init := cs.upstreams[0].initResult(); len(cs.upstreams) == 1 && init != "" {
		cs.adoptIdentity(&state, init)
	}
	if p, err := mcpserver.Prepare(state); err == nil { // otherwise a server's own text is not JSON
		cs.state.Store(p)
	}
}

// adoptIdentity lets a single server introduce itself in its own words, unchanged if the client asks in the same way.
func (cs *clientSession) adoptIdentity(state *mcpserver.State, init string) {
	if version := rawjson.LastText(init, "protocolVersion"); version != "" {
		state.Version, state.Initialized = version, init
	} else {
		state.Discovered = init
	}
	if v := rawjson.LastMember(init, "serverInfo"); v != "" {
		state.Identity = []string{v}
	} else if v := rawjson.LastMember(rawjson.LastMember(init, "_meta"), mcp.MetaServerInfo); v != "" {
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

func (cs *clientSession) relayNotification(m wire.Message) {
	switch m.Method {
	case mcp.NotifyInitialized, mcp.NotifyCancelled:
		return // the connections have sent their own, and a cancelled call says so itself
	case mcp.NotifyProgress:
		token := rawjson.LastMember(m.Params, "progressToken")
		cs.mu.Lock()
		to := cs.questionTokens[token]
		cs.mu.Unlock()
		if to.upstream != nil {
			to.upstream.queueNotification(m.Method, rawjson.Replace(m.Params, "progressToken", to.token))
		}
		return
	}
	for _, s := range cs.upstreams {
		s.queueNotification(m.Method, m.Params)
	}
}

// forwardNotification passes on a server's notification to those who listen.
func (cs *clientSession) forwardNotification(s *upstream, m wire.Message) {
	switch m.Method {
	case mcp.NotifyCancelled, mcp.NotifySubscriptionsAcknowledged:
		return
	case mcp.NotifyProgress:
		if call := s.callByToken(rawjson.LastMember(m.Params, "progressToken")); call != nil {
			cs.noteLost(s, call.Notify(cs.ctx, m.Method, m.Params))
			return
		}
	}
	params := m.Params
	if meta := rawjson.LastMember(params, "_meta"); rawjson.LastMember(meta, mcp.MetaSubscriptionID) != "" { // the front sets its client's own
		params = rawjson.Replace(params, "_meta", rawjson.Without(meta, mcp.MetaSubscriptionID))
	}
	cs.noteLost(s, cs.downstream.Notify(cs.ctx, m.Method, params))
}

// noteLost records a lost message, unless nobody wanted it. The first is reported at once, the total when the session ends: a
// server may send a million.
func (cs *clientSession) noteLost(s *upstream, err error) {
	if err == nil || cs.ctx.Err() != nil || errors.Is(err, mcpserver.ErrNoChannel) || errors.Is(err, mcpserver.ErrSessionEnded) {
		return
	}
	if s.lost.Add(1) == 1 {
		cs.noteEvent("a message of %s was lost: %v; further ones are counted", s.up.Name, err)
	}
}

// askClient passes a server's question to the client, as part of the call it belongs to if that is unambiguous.
func (cs *clientSession) askClient(s *upstream, m wire.Message) (wire.Message, error) {
	params, done := cs.renameToken(s, m.Params)
	defer done()
	if call := s.onlyCall(); call != nil {
		return call.Ask(cs.ctx, m.Method, params)
	}
	return cs.downstream.Ask(cs.ctx, m.Method, params)
}

// A questionToken names the server whose question a progress token belongs to.
type questionToken struct {
	upstream *upstream
	token    string // at the server, as JSON
}

// renameToken records whose progress token a question holds until done is called. A token already used by another question is
// replaced.
func (cs *clientSession) renameToken(s *upstream, params string) (out string, done func()) {
	meta := rawjson.LastMember(params, "_meta")
	token := rawjson.LastMember(meta, "progressToken")
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if token == "" || len(cs.questionTokens) >= maxQuestionTokens {
		return params, func() {}
	}
	front := token
	for n := 1; cs.questionTokens[front].upstream != nil; n++ {
		front = rawjson.Quote("gateway-" + strconv.Itoa(n))
	}
	cs.questionTokens[front] = questionToken{s, token}
	if front != token {
		params = rawjson.Replace(params, "_meta", rawjson.Replace(meta, "progressToken", front))
	}
	return params, func() {
		cs.mu.Lock()
		delete(cs.questionTokens, front)
		cs.mu.Unlock()
	}
}

// maxQuestionTokens bounds the tokens that servers can make a session remember.
const maxQuestionTokens = 1_000

func readError(m wire.Message) *mcpserver.Error {
	e := wire.AnswerErrorOf("", m)
	return &mcpserver.Error{Code: int(cmp.Or(e.Code, mcp.CodeInternalError)), Message: cmp.Or(e.Message, "the server answered with an error without a message"), Data: e.Data}
}

func (cs *clientSession) noteEvent(format string, args ...any) {
	cs.gateway.opt.Note(fmt.Sprintf(format, args...))
}

const maxNotedOnce = 1_000

// noteOnce reports a note once that every listing would repeat. It uses its own lock, since callers may hold the session's.
func (cs *clientSession) noteOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	cs.notedMu.Lock()
	said := cs.noted[text] || len(cs.noted) >= maxNotedOnce
	if !said {
		cs.noted[text] = true
	}
	cs.notedMu.Unlock()
	if !said {
		cs.gateway.opt.Note(text)
	}
}
