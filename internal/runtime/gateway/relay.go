package gateway

import (
	"context"
	"errors"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// relayRequest answers a client's request: lists from all servers, everything else from the one it is for.
func (cs *clientSession) relayRequest(ctx context.Context, c mcpserver.Call) (string, error) {
	cs.underWay.Add(1)
	defer cs.underWay.Add(-1)
	if err := cs.checkClaims(rawjson.LastMember(rawjson.LastMember(c.Params, "_meta"), mcp.MetaClientCapabilities)); err != nil {
		return "", err
	}
	if l := mcp.ListIndex(c.Method); l >= 0 && len(cs.upstreams) == 1 {
		return cs.passList(ctx, l, c)
	} else if l >= 0 {
		return cs.mergeList(ctx, l)
	}
	params := c.Params
	var s *upstream
	switch c.Method {
	case mcp.ToolsCall, mcp.PromptsGet:
		r, err := cs.routeByName(ctx, c.Method, rawjson.LastText(params, "name"))
		if err != nil {
			return "", err
		}
		if s = r.upstream; r.name != rawjson.LastText(params, "name") {
			params = rawjson.Replace(params, "name", rawjson.Quote(r.name))
		}
	case mcp.ResourcesRead, mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe:
		return cs.readResource(ctx, c, rawjson.LastText(params, "uri"))
	case mcp.CompletionComplete:
		r, err := cs.routeCompletion(ctx, params)
		if err != nil {
			return cs.askEach(ctx, c) // one may complete for what it does not list
		}
		s, params = r.upstream, r.name
	case mcp.LoggingSetLevel:
		return cs.callLoggingServers(ctx, c)
	default:
		return cs.askEach(ctx, c)
	}
	return cs.forwardRequest(ctx, s, c, params)
}

// askEach sends a request that nothing assigns to a server to one after the other, until one knows it: a method of its own, say.
func (cs *clientSession) askEach(ctx context.Context, c mcpserver.Call) (result string, err error) {
	for _, s := range cs.upstreams {
		result, err = cs.forwardRequest(ctx, s, c, c.Params)
		refused, ok := errors.AsType[*mcpserver.Error](err)
		if !ok || refused.Code != mcp.CodeMethodNotFound && refused.Code != mcp.CodeInvalidParams && refused.Code != codeUnreachable {
			break
		}
	}
	return result, err
}

// forwardRequest sends the request to one server, and passes its questions to the client.
func (cs *clientSession) forwardRequest(ctx context.Context, s *upstream, c mcpserver.Call, params string) (string, error) {
	l, done, err := s.connWithin(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	p := s.beginCall(&c)
	defer s.finishCall(p)
	asked := params
	for round := 0; ; round++ {
		m, err := cs.callGuarded(ctx, l, c.Method, asked)
		switch {
		case err != nil:
			return "", unreachableError(s, err)
		case m.Kind == wire.Error:
			refused := readError(m)
			refused.Raw = m.Error
			return "", refused
		case c.Stateless == (l.meta != ""): // server and client speak the same era
			if c.AsIs != nil {
				c.AsIs()
			}
			return m.Result, nil
		case l.meta == "" || rawjson.LastText(m.Result, "resultType") != "input_required" || round == maxRounds:
			return dropResultType(m.Result), nil
		}
		more, err := cs.askForInputs(ctx, c, m.Result)
		if err != nil {
			return "", err
		}
		asked = rawjson.Join(rawjson.Without(params, "inputResponses", "requestState"), more)
	}
}

// dropResultType removes resultType from a result; the front sets its own.
func dropResultType(result string) string {
	if rawjson.LastMember(result, "resultType") == "" {
		return result
	}
	return rawjson.Without(result, "resultType")
}

// callGuarded sends a request to a server if the declared boundary allows it.
func (cs *clientSession) callGuarded(ctx context.Context, l *upstreamConn, method, params string) (wire.Message, error) {
	g := cs.gateway.opt.Guard
	if g == nil {
		return l.callUpstream(ctx, method, params)
	}
	answered, err := g.Asks(l.upstream.up.Name, method, params)
	if err != nil {
		return wire.Message{}, cs.refuseForbidden(l.upstream.up.Name+" "+method, err)
	}
	m, err := l.callUpstream(ctx, method, params)
	if err != nil {
		return m, err
	}
	if err := answered(m.Outcome()); err != nil {
		return wire.Message{}, cs.refuseForbidden("the result of "+l.upstream.up.Name+" "+method, err)
	}
	return m, nil
}

// checkClaims asks whether a client may claim these capabilities.
func (cs *clientSession) checkClaims(capabilities string) error {
	g := cs.gateway.opt.Guard
	if g == nil || capabilities == "" {
		return nil
	}
	if err := g.Claims(capabilities); err != nil {
		return cs.refuseForbidden("a request", err)
	}
	return nil
}

func (cs *clientSession) refuseForbidden(what string, why error) error {
	cs.noteEvent("kept back: %s: %v", what, why)
	return &mcpserver.Error{Code: codeForbidden, Message: "gateway: " + why.Error()}
}

// codeUnreachable is the error code for an unreachable server.
const codeUnreachable = -32001

// codeForbidden is the error code for a request that the declared boundary forbids, from JSON-RPC's range for servers.
const codeForbidden = -32090

// maxRounds bounds how often a stateless server may ask for more input.
const maxRounds = 10

// askForInputs asks the client for what a stateless result requests, and returns the members of the retry as an object.
func (cs *clientSession) askForInputs(ctx context.Context, c mcpserver.Call, result string) (string, error) {
	var answers []string
	for asked := range rawjson.Read(rawjson.LastMember(result, "inputRequests")).Members() {
		m, err := c.Ask(ctx, asked.Value.Get("method").Text(), asked.Value.Get("params").Raw())
		switch {
		case err != nil:
			return "", err
		case m.Kind == wire.Error:
			return "", readError(m)
		}
		answers = append(answers, asked.Key.Raw()+":"+m.Result)
	}
	return rawjson.Build("inputResponses", "{"+strings.Join(answers, ",")+"}", "requestState", rawjson.LastMember(result, "requestState")), nil
}

// connWithin returns the connection to a server that a client waits for.
func (s *upstream) connWithin(ctx context.Context) (l *upstreamConn, done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, s.session.gateway.opt.Connect)
	defer cancel()
	l, done, err = s.awaitConn(ctx)
	if err != nil {
		return nil, nil, unreachableError(s, err)
	}
	return l, done, nil
}

func unreachableError(s *upstream, err error) error {
	if _, own := errors.AsType[*mcpserver.Error](err); own || errors.Is(err, context.Canceled) {
		return err
	}
	return &mcpserver.Error{Code: codeUnreachable, Message: "gateway: " + s.up.Name + " cannot be reached: " + err.Error()}
}

// callLoggingServers sends a request concurrently to all servers that declare the capability, within the connection timeout, and
// fails only if all of them do.
func (cs *clientSession) callLoggingServers(ctx context.Context, c mcpserver.Call) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cs.gateway.opt.Connect)
	defer cancel()
	type answer struct {
		result string
		err    error
	}
	answers := make([]answer, len(cs.upstreams))
	var all sync.WaitGroup
	for i, s := range cs.upstreams {
		answers[i].err = mcpserver.ErrUnhandled
		if rawjson.LastMember(rawjson.LastMember(s.initResult(), "capabilities"), "logging") != "" {
			all.Go(func() { answers[i].result, answers[i].err = cs.forwardRequest(ctx, s, c, c.Params) })
		}
	}
	all.Wait()
	err := error(mcpserver.ErrUnhandled)
	for _, a := range answers {
		if a.err == nil {
			return a.result, nil
		}
		if a.err != mcpserver.ErrUnhandled {
			err = a.err
		}
	}
	return "", err
}
