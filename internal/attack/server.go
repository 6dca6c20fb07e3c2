package attack

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// A server is an actor in the mode mcp_server: what the engine of package serve plays.
type server struct {
	*actor
	index  int // among the servers of the run
	engine *serve.Server
	wires  *wires   // nil without rules
	scenes []*scene // by phase; phases with one state share it

	mu     sync.Mutex
	talks  map[*serve.Talk]*conversation
	unsent []letter
	// ready is what answers in a phase whose state shows no templates, made when the first
	// request comes. That of one phase is kept: they follow each other.
	ready      *serve.Prepared
	readyPhase int
}

// A letter is what on_enter sends, while there is nobody to get it.
type letter struct {
	entry
	method, params string
}

// maxTalks is how many conversations are remembered: as many as the engine does.
const maxTalks = 10_000

func newServer(a *actor, index int) (*server, error) {
	s := &server{actor: a, index: index, talks: map[*serve.Talk]*conversation{}}
	a.send, a.moved = s.sendAll, s.dropUnsent
	read := map[rawjson.Value]*scene{}
	for at := range a.phases {
		state := a.phases[at].state
		if read[state] == nil {
			read[state] = readScene(state)
			for _, f := range read[state].faults {
				s.notice(Unplayed, at, "%s", f)
			}
		}
		s.scenes = append(s.scenes, read[state])
	}
	opt := a.run.opt.Serve
	opt.Player, opt.Tap = s, s.tap
	if s.wires = newWires(s); s.wires != nil {
		opt.Deliver = s.wires.deliver
	}
	var err error
	s.engine, err = serve.New(serve.State{Name: a.name}, opt)
	return s, err
}

// prepare makes the state of a phase ready to answer.
func (s *server) prepare(at int, x *expander) (*serve.Prepared, error) {
	scene := s.scenes[at]
	state := serve.State{
		Name: s.name, Unlisted: true,
		Call: func(ctx context.Context, c serve.Call) (string, error) { return s.call(ctx, at, c) },
	}
	var err error
	text := func(name, absent string) []string {
		v := given(scene.state, name)
		if !v.Exists() && absent == "" {
			return nil
		}
		if !v.Exists() {
			return []string{absent}
		}
		out, e := x.value(v)
		err = errors.Join(err, e)
		return []string{out}
	}
	state.Identity = text("server_info", `{"name":"oatf-server","version":"1.0.0"}`)
	state.Capabilities = text("capabilities", defaultCapabilities)
	state.Instructions = text("instructions", "")
	if v := given(scene.state, "protocol_version"); v.Kind() == rawjson.String {
		var e error
		state.Version, e = x.text(v.Text())
		err = errors.Join(err, e)
	}
	for l := range state.Lists {
		items, e := scene.items(l, x)
		err = errors.Join(err, e)
		state.Lists[l] = serve.List{Present: scene.has(l), Items: items}
	}
	if err != nil {
		return nil, err
	}
	return serve.Prepare(state)
}

// defaultCapabilities are those of a document that names none (§7.1.4). Lists change in it as phases do, and a
// client of 2026-07-28 hears of it only where that is declared.
const defaultCapabilities = `{"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{"listChanged":true}}`

// Hear is told every message of a client, and decides which phase answers it.
func (s *server) Hear(_ context.Context, t *serve.Talk, m wire.Message) serve.Turn {
	ctx := s.run.running()
	c, begins := s.meet(t)
	s.wires.heard(t, m.Method, begins)
	content := params(m)
	// A call that is sent again with what was asked for is still the same call.
	again := content.Get("requestState").Exists()
	at, then := s.hear(ctx, m.Method, oatf.SourceRequest, content, !again)
	if m.Kind == wire.Request {
		c.asks(m.ID, m.Method, at)
	}
	letters := s.deliverable(at, m.Method)
	s.tellEra(at, t, m)
	return serve.Turn{State: s.state(at, m, content), Said: func() {
		for _, l := range append(letters, s.open(c, m.Method)...) {
			s.post(ctx, c, l)
		}
		if then != nil {
			then()
		}
	}}
}

// params returns what a message asks, {} where it has none: params may be left out where
// they are empty.
func params(m wire.Message) rawjson.Value {
	tree := new(rawjson.Tree)
	if m.Params == "" || tree.Parse(m.Params, 0) != nil {
		_ = tree.Parse("{}", 0)
	}
	return tree.Root()
}

// state returns what answers a message.
func (s *server) state(at int, m wire.Message, content rawjson.Value) *serve.Prepared {
	if m.Kind != wire.Request {
		return nil
	}
	if s.scenes[at].fixed {
		return s.fixed(at)
	}
	x := s.expander(content)
	p, err := s.prepare(at, x)
	s.tellMissing(at, x)
	if err == nil {
		return p
	}
	s.notice(Unplayed, at, "templates are left empty in the answer to %s: %v", m.Method, err)
	return s.bare(at)
}

// fixed returns what answers in a phase without templates.
func (s *server) fixed(at int) *serve.Prepared {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == nil || s.readyPhase != at {
		s.ready, s.readyPhase = s.bare(at), at
	}
	return s.ready
}

// bare is what answers in a phase, templates empty.
func (s *server) bare(at int) *serve.Prepared {
	p, err := s.prepare(at, &expander{})
	if err != nil {
		s.notice(Trouble, at, "nothing can be shown: %v", err)
	}
	return p
}

// call answers tools/call, prompts/get and resources/read with the scene of the phase that
// the request came in.
func (s *server) call(ctx context.Context, at int, c serve.Call) (string, error) {
	select {
	case <-s.settled[at]:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	scene := s.scenes[at]
	request := params(wire.Message{Params: c.Params})
	x := s.expander(request)
	l, p := tools, (*prop)(nil)
	switch c.Method {
	case "tools/call":
		p = scene.find(tools, c.Name, x)
	case "prompts/get":
		l, p = prompts, scene.find(prompts, c.Name, x)
	default:
		l, p = resources, scene.resource(c.Name, x)
	}
	if p == nil {
		return "", serve.ErrUnknown
	}
	if l < resources {
		if err := s.elicit(ctx, at, scene, c, x); err != nil {
			return "", err
		}
		x.scope.Captures = s.run.captures.of(s.name) // with what the answer told
	}
	limited, cancel := s.run.looking()
	defer cancel()
	r, err := scene.respond(limited, l, p, c.Name, x)
	s.tellMissing(at, x)
	switch {
	case errors.Is(err, errSynthesize):
		s.notice(Synthesized, at, "%s %q: %v (W-006)", sceneLists[l].what, c.Name, err)
		return "", &serve.Error{Code: internalError, Message: "Internal error: " + err.Error()}
	case err != nil:
		s.notice(Unplayed, at, "%s %q: %v", sceneLists[l].what, c.Name, err)
		return "", &serve.Error{Code: internalError, Message: "Internal error"}
	case r.synthesized:
		s.notice(Synthesized, at, "%s %q: a model was to write the answer; what the document gives beside is sent instead (W-006)", sceneLists[l].what, c.Name)
	}
	return r.result, nil
}

const internalError = -32603

// elicit asks the client's user what the document wants asked upon a request.
func (s *server) elicit(ctx context.Context, at int, scene *scene, c serve.Call, x *expander) error {
	limited, cancel := s.run.looking()
	defer cancel()
	text, mode, err := scene.elicit(limited, x, func() string { return strings.ToLower(rand.Text()) })
	if err != nil || text == "" {
		if err != nil {
			s.notice(Unplayed, at, "an elicitation is left out: %v", err)
		}
		return nil
	}
	if !s.run.opt.ForceElicitation && !elicits(c.Client, mode) {
		s.notice(Unplayed, at, "an elicitation of mode %q is left out: the client does not claim to take it", mode)
		return nil
	}
	answer, err := c.Ask(ctx, "elicitation/create", text)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		s.notice(Trouble, at, "an elicitation has no answer: %v", err)
		return nil
	}
	s.hearAnswer(s.run.running(), at, "elicitation/create", answer)
	return nil
}

// hearAnswer takes what a client answered to a request of ours: an event under the name of
// the method. The extractors that look at it are those of the phase that asked, which may
// be over: the call that it belongs to still waits for what they find.
func (s *server) hearAnswer(ctx context.Context, asked int, method string, m wire.Message) {
	content := answer(m)
	s.extract(asked, oatf.SourceResponse, content)
	if then := s.happen(ctx, method, content); then != nil {
		then()
	}
}

// answer returns the result of an answer, or its error.
func answer(m wire.Message) rawjson.Value {
	tree := new(rawjson.Tree)
	if tree.Parse(cmp.Or(m.Result, m.Error), 0) != nil {
		return rawjson.Value{}
	}
	return tree.Root()
}

// elicits reports whether a client with these capabilities takes elicitations of a mode. An
// empty capability stands for forms.
func elicits(capabilities, mode string) bool {
	var tree rawjson.Tree
	if tree.Parse(capabilities, 0) != nil {
		return false
	}
	e := tree.Root().Get("elicitation")
	if mode == "form" && e.Kind() == rawjson.Object && !e.Get("url").Exists() {
		return true
	}
	return given(e, mode).Exists()
}

// tellEra says what of a phase the stateless era cannot show.
func (s *server) tellEra(at int, t *serve.Talk, m wire.Message) {
	if m.Kind == wire.Request && t.Revision() >= statelessEra && given(s.scenes[at].state, "protocol_version").Exists() {
		s.notice(Unplayed, at, "a client of %s has no handshake, so protocol_version is not shown to it", t.Revision())
	}
}

// statelessEra is the first revision without a handshake. Revisions are dates.
const statelessEra = "2026-07-28"
