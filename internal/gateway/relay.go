package gateway

import (
	"context"
	"errors"
	"strings"
	"sync"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// relay answers a request of the client's: lists by asking all servers, everything else by
// asking the one that it is for.
func (h *house) relay(ctx context.Context, c serve.Call) (string, error) {
	if err := h.claims(rawjson.LastMember(rawjson.LastMember(c.Params, "_meta"), "io.modelcontextprotocol/clientCapabilities")); err != nil {
		return "", err
	}
	for l := range listed {
		if listed[l].method == c.Method {
			return h.list(ctx, l)
		}
	}
	params := c.Params
	var s *seat
	switch c.Method {
	case "tools/call", "prompts/get":
		r, err := h.route(ctx, c.Method, rawjson.UnquoteString(rawjson.LastMember(params, "name")))
		if err != nil {
			return "", err
		}
		if s = r.seat; r.name != rawjson.UnquoteString(rawjson.LastMember(params, "name")) {
			params = replaced(params, "name", quote(r.name))
		}
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return h.readResource(ctx, c, rawjson.UnquoteString(rawjson.LastMember(params, "uri")))
	case "completion/complete":
		r, err := h.completes(ctx, params)
		if err != nil {
			return "", err
		}
		s, params = r.seat, r.name
	case "logging/setLevel":
		return h.everybody(ctx, c)
	default:
		if len(h.seats) != 1 {
			return "", serve.ErrUnhandled
		}
		s = h.seats[0]
	}
	return h.forward(ctx, s, c, params)
}

// forward makes the request of one server, and gives it what it asks for on the way.
func (h *house) forward(ctx context.Context, s *seat, c serve.Call, params string) (string, error) {
	l, err := s.reached(ctx)
	if err != nil {
		return "", err
	}
	p := s.begin(&c)
	defer s.finish(p)
	asked := params
	for round := 0; ; round++ {
		m, err := h.guarded(ctx, l, c.Method, asked)
		switch {
		case err != nil:
			return "", unreachable(s, err)
		case m.Kind == wire.Error:
			code, message, data := failure(m.Error)
			return "", &serve.Error{Code: code, Message: message, Data: data}
		case l.meta == "" || rawjson.UnquoteString(rawjson.LastMember(m.Result, "resultType")) != "input_required" || round == maxRounds:
			return own(m.Result), nil
		}
		more, err := h.inputs(ctx, c, m.Result)
		if err != nil {
			return "", err
		}
		asked = with(without(params, "inputResponses", "requestState"), more)
	}
}

// own returns a result without the mark of the stateless era, which the front sets anew.
func own(result string) string {
	if rawjson.LastMember(result, "resultType") == "" {
		return result
	}
	return without(result, "resultType")
}

// guarded makes a request of a server if the declared boundary allows it.
func (h *house) guarded(ctx context.Context, l *link, method, params string) (wire.Message, error) {
	g := h.gateway.opt.Guard
	if g == nil {
		return l.call(ctx, method, params)
	}
	answered, err := g.Asks(l.seat.up.Name, method, params)
	if err != nil {
		return wire.Message{}, h.forbidden(l.seat.up.Name+" "+method, err)
	}
	m, err := l.call(ctx, method, params)
	if err != nil || m.Kind == wire.Error {
		return m, err
	}
	if err := answered(m.Result); err != nil {
		return wire.Message{}, h.forbidden("the result of "+l.seat.up.Name+" "+method, err)
	}
	return m, nil
}

// claims asks whether a client may say that it can do this.
func (h *house) claims(capabilities string) error {
	g := h.gateway.opt.Guard
	if g == nil || capabilities == "" {
		return nil
	}
	if err := g.Claims(capabilities); err != nil {
		return h.forbidden("a request", err)
	}
	return nil
}

// forbidden is what a client is told of something that was kept back.
func (h *house) forbidden(what string, why error) error {
	h.note("kept back: %s: %v", what, why)
	return &serve.Error{Code: blocked, Message: "gateway: " + why.Error()}
}

// away is the code of a request whose server cannot be reached.
const away = -32001

// blocked is the code of a request that the declared boundary forbids, one of those that
// JSON-RPC leaves to servers.
const blocked = -32090

// maxRounds is how often a server of the stateless era may want something more.
const maxRounds = 10

// inputs asks the client for what a result of the stateless era wants, and returns the
// members that the next request carries for it.
func (h *house) inputs(ctx context.Context, c serve.Call, result string) (string, error) {
	var answers []string
	var failed error
	eachMember(rawjson.LastMember(result, "inputRequests"), func(key, value string) bool {
		m, err := c.Ask(ctx, rawjson.UnquoteString(rawjson.LastMember(value, "method")), rawjson.LastMember(value, "params"))
		switch {
		case err != nil:
			failed = err
		case m.Kind == wire.Error:
			code, message, data := failure(m.Error)
			failed = &serve.Error{Code: code, Message: message, Data: data}
		default:
			answers = append(answers, key+":"+m.Result)
		}
		return failed == nil
	})
	out := `"inputResponses":{` + strings.Join(answers, ",") + `}`
	if state := rawjson.LastMember(result, "requestState"); state != "" {
		out += `,"requestState":` + state
	}
	return out, failed
}

// reached returns the connection of a server that a client waits for.
func (s *seat) reached(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, s.house.gateway.opt.Connect)
	defer cancel()
	l, err := s.connected(ctx)
	if err != nil {
		return nil, unreachable(s, err)
	}
	return l, nil
}

func unreachable(s *seat, err error) error {
	var own *serve.Error
	if errors.Is(err, context.Canceled) || errors.As(err, &own) {
		return err
	}
	return &serve.Error{Code: away, Message: "gateway: " + s.up.Name + " cannot be reached: " + err.Error()}
}

// everybody makes a request of all servers that declare what it is about, of all at the same
// time and no longer than it may take to connect, and fails only if all of them do.
func (h *house) everybody(ctx context.Context, c serve.Call) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, h.gateway.opt.Connect)
	defer cancel()
	type answer struct {
		result string
		err    error
	}
	answers := make([]answer, len(h.seats))
	var all sync.WaitGroup
	for i, s := range h.seats {
		answers[i].err = serve.ErrUnhandled
		if rawjson.LastMember(rawjson.LastMember(s.opening(), "capabilities"), "logging") != "" {
			all.Go(func() { answers[i].result, answers[i].err = h.forward(ctx, s, c, c.Params) })
		}
	}
	all.Wait()
	err := error(serve.ErrUnhandled)
	for _, a := range answers {
		if a.err == nil {
			return a.result, nil
		}
		if a.err != serve.ErrUnhandled {
			err = a.err
		}
	}
	return "", err
}
