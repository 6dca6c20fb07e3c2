package attackmcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// A server is an actor in mode mcp_server, played by package mcpserver's engine.
type server struct {
	*attack.Actor
	opt    Options
	engine *mcpserver.Server
	faults *faultInjector // nil without rules
	behind *upstream      // the real server behind overlays
	states []*serverState // by phase; phases with one state share it

	mu       sync.Mutex
	sessions map[*mcpserver.Session]*clientState
	unsent   []queuedMessage
	// ready answers in a phase whose state has no templates; it is built on the first request and kept for that phase.
	ready      *mcpserver.Prepared
	readyPhase int
}

// A queuedMessage is sent by on_enter while there is no client to receive it.
type queuedMessage struct {
	to             int             // phase index
	left           <-chan struct{} // closed when the phase ends
	method, params string
}

// maxTalks bounds the clients kept, as many as the engine's sessions.
const maxTalks = 10_000

func newServer(a *attack.Actor, o Options) (*server, error) {
	s := &server{Actor: a, opt: o, sessions: map[*mcpserver.Session]*clientState{}, behind: &upstream{opt: o, actor: a.Name}}
	read := map[rawjson.Value]*serverState{}
	for at := range a.Phases {
		state := a.Phases[at].State
		if read[state] == nil {
			read[state] = readServerState(state)
			for _, f := range read[state].faults {
				s.Notice(attack.Unplayed, at, "%s", f)
			}
		}
		s.states = append(s.states, read[state])
	}
	opt := o.Serve
	opt.Interceptor, opt.Tap = s, s.recordTapped
	if s.faults = newFaultInjector(s); s.faults != nil {
		opt.Deliver = s.faults.injectFault
	}
	var err error
	s.engine, err = mcpserver.New(mcpserver.State{Name: a.Name}, opt)
	return s, err
}

func (s *server) preparePhase(at int, x *attack.Expander) (*mcpserver.Prepared, error) {
	shown := s.states[at]
	state := mcpserver.State{
		Name: s.Name, Unlisted: true,
		Call: func(ctx context.Context, c mcpserver.Call) (string, error) { return s.answerCall(ctx, at, c) },
	}
	var err error
	text := func(name, absent string) []string {
		v := attack.Member(shown.state, name)
		if !v.Exists() && absent == "" {
			return nil
		}
		if !v.Exists() {
			return []string{absent}
		}
		out, e := x.ExpandValue(v)
		err = errors.Join(err, e)
		return []string{out}
	}
	state.Identity = text("server_info", `{"name":"oatf-server","version":"1.0.0"}`)
	state.Capabilities = text("capabilities", defaultCapabilities)
	state.Instructions = text("instructions", "")
	if v := attack.Member(shown.state, "protocol_version"); v.Kind() == rawjson.String {
		var e error
		state.Version, e = x.ExpandText(v.Text())
		err = errors.Join(err, e)
		state.HandshakeOnly = s.refusesStateless(state.Version)
	} else if s.speaksDefault() {
		state.Version = defaultVersion
	}
	for l := range state.Lists {
		items, e := shown.expandItems(l, x)
		err = errors.Join(err, e)
		state.Lists[l] = mcpserver.List{Present: shown.hasList(l), Items: items}
	}
	if o := overlayOf(shown.state); o != nil && s.opt.Dial != nil && err == nil {
		if err = s.overlayState(at, o, x, &state); err != nil {
			s.Finish(err) // without it, another attack would be played
		}
	}
	if err != nil {
		return nil, err
	}
	return mcpserver.Prepare(state)
}

// defaultVersion is initialize's answer if the document names none (§7.1.4).
const defaultVersion = "2025-11-25"

// speaksDefault reports whether this run's servers answer with defaultVersion.
func (s *server) speaksDefault() bool {
	spoken := s.opt.Serve.Revisions
	return !s.opt.Negotiate && (len(spoken) == 0 || slices.Contains(spoken, defaultVersion))
}

// refusesStateless reports whether a document that names this version wants a handshake, and servers may insist on it: a stateless
// client could not continue with an older version.
func (s *server) refusesStateless(version string) bool {
	spoken := s.opt.Serve.Revisions
	return mcp.HasHandshake(version) && (len(spoken) == 0 || slices.ContainsFunc(spoken, mcp.HasHandshake))
}

// defaultCapabilities are used if a document names none (§7.1.4). Lists change with the phases, and a client of 2026-07-28 is told
// only if that is declared.
const defaultCapabilities = `{"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{"listChanged":true}}`

// Intercept receives every message of a client and decides which phase answers it.
func (s *server) Intercept(_ context.Context, t *mcpserver.Session, m wire.Message) mcpserver.Decision {
	ctx := s.AwaitBegin()
	c, begins := s.clientOf(t)
	s.faults.observeMethod(t, m.Method, begins)
	content := parseParams(m)
	// A call repeated with requested input is still the same call.
	again := content.Get("requestState").Exists()
	at, then := s.ObserveMessage(ctx, m.Method, oatf.SourceRequest, content, !again)
	if m.Kind == wire.Request {
		c.rememberRequest(m.ID, m.Method, at)
	}
	queued := s.openClient(c, at, m.Method)
	s.noteEraLimits(at, t, m)
	if speaksBeforeAnswer(t, m) {
		s.postMessages(ctx, c, queued)
		queued = nil
	}
	sent := func() {}
	if len(queued) > 0 {
		s.Progress().ExpectEntry()
		sent = s.Progress().FinishEntry
	}
	d := mcpserver.Decision{State: s.preparedFor(at, m, content), Ready: s.Entered(at)}
	var response string
	if then != nil {
		d.Answered = func(answer string) { response = parseAnswer(wire.Decode(answer)).Raw() }
	}
	read := c.takeChanges(m.Method)
	d.AfterAnswer = func() {
		defer sent()
		defer read()
		s.postMessages(ctx, c, queued)
		if then != nil {
			then(response)
		}
	}
	return d
}

// speaksBeforeAnswer reports whether queued messages can be sent before the request is answered. In the stateless era they go to a
// subscription, which must be acknowledged first.
func speaksBeforeAnswer(t *mcpserver.Session, m wire.Message) bool {
	r := t.Revision()
	return m.Kind == wire.Request && r != "" && r < mcp.FirstStateless
}

func (s *server) postMessages(ctx context.Context, c *clientState, queued []queuedMessage) {
	for _, l := range queued {
		s.postMessage(ctx, c, l)
	}
}

// parseParams returns a message's params, {} if omitted.
func parseParams(m wire.Message) rawjson.Value {
	return rawjson.Read(cmp.Or(m.Params, "{}"))
}

func (s *server) preparedFor(at int, m wire.Message, content rawjson.Value) *mcpserver.Prepared {
	if m.Kind != wire.Request {
		return nil
	}
	if s.states[at].fixed {
		return s.preparedFixed(at)
	}
	x := s.Expander(content)
	p, err := s.preparePhase(at, x)
	s.NoteMissing(at, x)
	if err == nil {
		return p
	}
	s.Notice(attack.Unplayed, at, "templates are left empty in the answer to %s: %v", m.Method, err)
	return s.prepareWithoutTemplates(at)
}

// preparedFixed returns the state of a phase without templates.
func (s *server) preparedFixed(at int) *mcpserver.Prepared {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == nil || s.readyPhase != at {
		s.ready, s.readyPhase = s.prepareWithoutTemplates(at), at
	}
	return s.ready
}

// prepareWithoutTemplates returns the state of a phase with templates empty.
func (s *server) prepareWithoutTemplates(at int) *mcpserver.Prepared {
	p, err := s.preparePhase(at, &attack.Expander{})
	if err != nil {
		s.Notice(attack.Trouble, at, "nothing can be shown: %v", err)
	}
	return p
}

// answerCall answers tools/call, prompts/get and resources/read from the phase in which the request arrived.
func (s *server) answerCall(ctx context.Context, at int, c mcpserver.Call) (string, error) {
	select {
	case <-s.Settled(at):
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	state := s.states[at]
	request := parseParams(wire.Message{Params: c.Params})
	x := s.Expander(request)
	l := mcp.CallIndex(c.Method)
	p := state.findItem(l, c.Name, x)
	if p == nil {
		return "", mcpserver.ErrUnknown
	}
	if l < resources {
		if err := s.elicitFromClient(ctx, at, state, c, x); err != nil {
			return "", err
		}
		x.Scope.Captures = s.Captures() // including captures from the answer
	}
	result, err := s.replyTo(ctx, at, l, p, c, x)
	s.NoteMissing(at, x)
	if err != nil {
		return "", &mcpserver.Error{Code: mcp.CodeInternalError, Message: "Internal error"}
	}
	return result, nil
}

// replyTo builds the answer to a call of p. Its error is already reported.
func (s *server) replyTo(ctx context.Context, at, l int, p *stateItem, c mcpserver.Call, x *attack.Expander) (string, error) {
	limited, cancel := s.MatchContext()
	entry, err := p.chooseEntry(limited, x)
	cancel()
	if err == nil && attack.Member(entry, "synthesize").Exists() {
		if result, err := s.synthesizeReply(ctx, at, l, p, entry, c, x); result != "" || err != nil {
			return result, err
		}
	}
	var result string
	if err == nil {
		result, err = replyFrom(l, p, entry, c.Name, x)
	}
	if err != nil {
		s.Notice(attack.Unplayed, at, "%s %q: %v", mcp.Lists[l].Item, c.Name, err)
	}
	return result, err
}

// elicitFromClient sends the elicitation that the document triggers on a request.
func (s *server) elicitFromClient(ctx context.Context, at int, state *serverState, c mcpserver.Call, x *attack.Expander) error {
	limited, cancel := s.MatchContext()
	defer cancel()
	var id func() string
	if c.Session == nil || !c.Stateless && mcp.ElicitationIDs.In(c.Session.Revision()) {
		id = func() string { return strings.ToLower(rand.Text()) }
	}
	text, mode, err := state.elicitationFor(limited, x, id)
	if err != nil || text == "" {
		if err != nil {
			s.Notice(attack.Unplayed, at, "an elicitation is left out: %v", err)
		}
		return nil
	}
	if n := state.elicitations.CountHolding(limited, x.Scope.Request); n > 1 {
		s.Notice(attack.Unplayed, at, "%s %q: a call has one elicitation, and the when of %d entries holds: only the first is sent", c.Method, c.Name, n)
	}
	if !s.opt.ForceElicitation && !acceptsElicitation(c.Client, mode) {
		s.Notice(attack.Unplayed, at, "an elicitation of mode %q is left out: the client does not claim to take it", mode)
		return nil
	}
	var then func(string)
	_, err = c.AskInOrder(ctx, mcp.ElicitationCreate, text, func(answer wire.Message) {
		then = s.observeClientAnswer(s.AwaitBegin(), at, mcp.ElicitationCreate, text, answer)
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		s.Notice(attack.Trouble, at, "an elicitation has no answer: %v", err)
		return nil
	}
	if then != nil {
		then("")
	}
	return nil
}

// observeClientAnswer handles a client's answer to our request as an event under the method's name. The extractors are those of the
// phase that asked, which may be over: the call it belongs to still waits for them. It runs when the answer arrives, so that the
// client's next message falls into the phase the answer triggers; then, if not nil, begins that phase.
func (s *server) observeClientAnswer(ctx context.Context, asked int, method, params string, m wire.Message) (then func(string)) {
	content := parseAnswer(m)
	s.RunExtractors(asked, oatf.SourceResponse, content)
	return s.ObserveEvent(ctx, method, content, attack.Exchange{Request: params, Response: content.Raw()})
}

// parseAnswer returns an answer's result or error.
func parseAnswer(m wire.Message) rawjson.Value {
	return rawjson.Read(cmp.Or(m.Result, m.Error))
}

// acceptsElicitation reports whether a client with these capabilities accepts elicitations in a mode. An empty capability means
// forms.
func acceptsElicitation(capabilities, mode string) bool {
	e := rawjson.Read(capabilities).Get("elicitation")
	if mode == "form" && e.Kind() == rawjson.Object && !e.Get("url").Exists() {
		return true
	}
	return attack.Member(e, mode).Exists()
}

// noteEraLimits reports what of a phase the stateless era cannot show.
func (s *server) noteEraLimits(at int, t *mcpserver.Session, m wire.Message) {
	version := attack.Member(s.states[at].state, "protocol_version")
	if m.Kind != wire.Request || t.Revision() < mcp.FirstStateless || !version.Exists() {
		return
	}
	if s.refusesStateless(version.Text()) {
		s.Notice(attack.Unplayed, at, "%s of a client of %s was refused, so that it shakes hands: the document has the server speak %s", m.Method, t.Revision(), version.Text())
		return
	}
	s.Notice(attack.Unplayed, at, "a client of %s has no handshake, so protocol_version is not shown to it", t.Revision())
}
