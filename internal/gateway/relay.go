package gateway

import (
	"context"
	"errors"
	"strings"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
)

// relay answers a request of the client's: lists by asking all servers, everything else by
// asking the one that it is for.
func (h *house) relay(ctx context.Context, c serve.Call) (string, error) {
	for l := range listed {
		if listed[l].method == c.Method {
			return h.list(ctx, l)
		}
	}
	params := c.Params
	var s *seat
	switch c.Method {
	case "tools/call", "prompts/get":
		r, err := h.route(ctx, c.Method, str(member(params, "name")))
		if err != nil {
			return "", err
		}
		if s = r.seat; r.name != str(member(params, "name")) {
			params = replaced(params, "name", quote(r.name))
		}
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return h.readResource(ctx, c, str(member(params, "uri")))
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
	if g := h.gateway.opt.Guard; g != nil {
		if err := g.Asks(h.talk.Number(), s.up.Name, c.Method, params); err != nil {
			return "", &serve.Error{Code: blocked, Message: err.Error()}
		}
	}
	l, err := s.reached(ctx)
	if err != nil {
		return "", err
	}
	p := s.begin(&c)
	defer s.finish(p)
	asked := params
	for round := 0; ; round++ {
		m, err := l.call(ctx, c.Method, asked)
		switch {
		case err != nil:
			return "", unreachable(s, err)
		case m.Kind == wire.Error:
			code, message, data := failure(m.Error)
			return "", &serve.Error{Code: code, Message: message, Data: data}
		case l.meta == "" || str(member(m.Result, "resultType")) != "input_required" || round == maxRounds:
			if g := h.gateway.opt.Guard; g != nil {
				g.Answers(h.talk.Number(), s.up.Name, c.Method, params, m.Result)
			}
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
	if member(result, "resultType") == "" {
		return result
	}
	return without(result, "resultType")
}

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
	eachMember(member(result, "inputRequests"), func(key, value string) bool {
		m, err := c.Ask(ctx, str(member(value, "method")), member(value, "params"))
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
	if state := member(result, "requestState"); state != "" {
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
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &serve.Error{Code: -32001, Message: "gateway: " + s.up.Name + " cannot be reached: " + err.Error()}
}

// everybody makes a request of all servers that declare what it is about, and fails only if
// all of them do.
func (h *house) everybody(ctx context.Context, c serve.Call) (string, error) {
	result, err := "", error(serve.ErrUnhandled)
	for _, s := range h.seats {
		if member(member(s.opening(), "capabilities"), "logging") == "" {
			continue
		}
		if r, e := h.forward(ctx, s, c, c.Params); e == nil {
			result = r
		} else if result == "" {
			err = e
		}
	}
	if result != "" {
		return result, nil
	}
	return "", err
}
