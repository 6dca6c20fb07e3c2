package gateway

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// An upstreamConn is an open connection to a server that carries any number of concurrent requests.
type upstreamConn struct {
	upstream *upstream
	conn     wire.Conn
	init     string
	meta     string // _meta of every request, "" in the handshake era

	asking  atomic.Int32     // questions of the server in progress
	flood   trace.FloodMeter // used by receiveMessages only
	sending chan struct{}    // held while sending
	outbox  chan [2]string   // notifications, method and params

	mu      sync.Mutex
	last    int // id of the latest request
	answers map[string]chan callOutcome
	err     error         // why it has ended
	over    chan struct{} // closed when it has ended
	once    sync.Once
}

// A callOutcome is the outcome of a request.
type callOutcome struct {
	message wire.Message
	err     error
}

// firstID keeps our ids apart from those used to open the session.
const firstID = 1_000

// maxOutbox bounds the notifications waiting for a server.
const maxOutbox = 256

// maxQuestions bounds a server's requests put to the client at a time.
const maxQuestions = 32

func newUpstreamConn(s *upstream, conn wire.Conn, session *mcpclient.Session) *upstreamConn {
	return &upstreamConn{
		upstream: s, conn: conn, init: session.Opening().Init, meta: session.Meta(),
		sending: make(chan struct{}, 1), outbox: make(chan [2]string, maxOutbox), last: firstID, answers: map[string]chan callOutcome{}, over: make(chan struct{}),
	}
}

func (uc *upstreamConn) isClosed() bool { return wire.IsClosed(uc.over) }

func (uc *upstreamConn) closeConn() { uc.fail(wire.ErrClosed) }

// fail ends the connection, once, with err as the outcome of all pending requests.
func (uc *upstreamConn) fail(err error) {
	uc.once.Do(func() {
		uc.mu.Lock()
		uc.err = err
		close(uc.over)
		uc.mu.Unlock()
		_ = uc.conn.Close() // it has ended either way
		uc.upstream.session.gateway.freeSlot(uc.upstream.up)
		uc.upstream.connLost(uc, err)
	})
}

// sendRaw sends one message at a time, within ctx.
func (uc *upstreamConn) sendRaw(ctx context.Context, text string) error {
	select {
	case uc.sending <- struct{}{}:
		defer func() { <-uc.sending }()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-uc.over:
		return uc.err
	}
	return uc.conn.Send(ctx, []byte(text))
}

// callUpstream sends a request and waits for its answer, a Response or an Error. If the server has ended the session, e.g. after a
// restart, the request is repeated in a new one.
func (uc *upstreamConn) callUpstream(ctx context.Context, method, params string) (wire.Message, error) {
	m, err := uc.callInSession(ctx, method, params)
	if !errors.Is(err, errSessionEnded) {
		return m, err
	}
	fresh, done, err := uc.upstream.awaitConn(ctx)
	if err != nil {
		return wire.Message{}, err
	}
	defer done()
	return fresh.callInSession(ctx, method, params)
}

// errSessionEnded says that a request was not executed because its session had ended.
var errSessionEnded = errors.New("the server has ended the session")

func (uc *upstreamConn) callInSession(ctx context.Context, method, params string) (wire.Message, error) {
	if err := uc.upstream.session.gateway.checkRecording(); err != nil {
		return wire.Message{}, err
	}
	answer := make(chan callOutcome, 1)
	uc.mu.Lock()
	uc.last++
	id := strconv.Itoa(uc.last)
	uc.answers[id] = answer
	uc.mu.Unlock()
	defer func() {
		uc.mu.Lock()
		delete(uc.answers, id)
		uc.mu.Unlock()
	}()
	if params != "" || uc.meta != "" { // a request without them stays without
		params = uc.paramsForEra(params)
	}
	if err := uc.sendRaw(ctx, wire.EncodeRequest(id, method, params)); err != nil {
		return wire.Message{}, err
	}
	select {
	case out := <-answer:
		return out.message, out.err
	case <-uc.over:
		if err := uc.upstream.session.gateway.checkRecording(); err != nil {
			return wire.Message{}, err // which is why the connection ended
		}
		select { // it may have arrived before the end
		case out := <-answer:
			return out.message, out.err
		default:
			if end, ok := errors.AsType[*wire.EndError](uc.err); ok && end.Refused == id {
				return wire.Message{}, errSessionEnded
			}
			return wire.Message{}, fmt.Errorf("the server has gone: %w", uc.err)
		}
	case <-ctx.Done():
		uc.cancelCall(id)
		return wire.Message{}, context.Cause(ctx)
	}
}

// cancelCall tells the server that the answer is no longer awaited. Over HTTP in the stateless era closing the request does that,
// and there is no such notification (revision 2026-07-28, basic/utilities/cancellation).
func (uc *upstreamConn) cancelCall(id string) {
	if _, web := uc.conn.(interface{ SSE() bool }); web && uc.meta != "" {
		return
	}
	select {
	case uc.outbox <- [2]string{mcp.NotifyCancelled, `{"requestId":` + id + `,"reason":"the client gave up"}`}:
	default: // it reads nothing anyway
	}
}

// sendOutbox sends notifications in order until the connection ends.
func (uc *upstreamConn) sendOutbox() {
	for {
		select {
		case n := <-uc.outbox:
			uc.sendNotification(uc.upstream.session.ctx, n[0], n[1])
		case <-uc.over:
			return
		}
	}
}

// paramsForEra adapts a request's params to the server's era.
func (uc *upstreamConn) paramsForEra(params string) string {
	if params == "" || params[0] != '{' {
		params = "{}"
	}
	own := rawjson.LastMember(params, "_meta")
	stateless := rawjson.LastMember(own, mcp.MetaProtocolVersion) != ""
	switch {
	case uc.meta == "" && stateless: // the server would take the revision for the session's
		if own = rawjson.Without(own, mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities); own == "{}" {
			return rawjson.Without(params, "_meta")
		}
		return rawjson.Replace(params, "_meta", own)
	case uc.meta == "", stateless:
		return params
	}
	return wire.WithMeta(params, uc.meta)
}

func (uc *upstreamConn) sendNotification(ctx context.Context, method, params string) {
	if uc.upstream.session.gateway.checkRecording() != nil {
		return
	}
	_ = uc.sendRaw(ctx, wire.EncodeRequest("", method, params)) // a server that cannot read it shows that at its next answer
}

func (uc *upstreamConn) receiveMessages() {
	questions := make(chan struct{}, maxQuestions)
	for {
		m, err := uc.conn.Receive(uc.upstream.session.ctx)
		var failed *wire.RequestError
		var long *wire.LineTooLongError
		switch {
		case errors.As(err, &failed):
			uc.deliverAnswer(failed.ID, callOutcome{err: err})
			continue
		case errors.As(err, &long):
			uc.upstream.session.noteLost(uc.upstream, err)
			continue
		case err != nil:
			uc.fail(err)
			return
		}
		for part := range m.Parts() {
			uc.dispatchIncoming(part, questions)
		}
	}
}

func (uc *upstreamConn) dispatchIncoming(m wire.Message, questions chan struct{}) {
	err := uc.upstream.session.gateway.checkRecording()
	if id := m.Answers(); id != "" {
		out := callOutcome{message: m, err: err}
		if m.Kind == wire.Invalid && err == nil {
			out.err = &wire.InvalidError{Method: "the request", Note: m.Note}
		}
		if uc.deliverAnswer(id, out) {
			return
		}
	}
	if uc.flood.Count(time.Now()) {
		uc.upstream.session.noteEvent("%s floods: more than %d messages within %s that answer nothing", uc.upstream.up.Name, trace.FloodMessages, trace.FloodWindow)
	}
	if err != nil {
		return // nothing passes unrecorded, and the server's requests stay unanswered
	}
	switch m.Kind {
	case wire.Notification:
		uc.upstream.session.forwardNotification(uc.upstream, m)
	case wire.Request:
		select {
		case questions <- struct{}{}:
		default:
			uc.refuseQuestion(m, -32000, "too many requests at a time")
			return
		}
		uc.asking.Add(1)
		uc.upstream.session.busy.Go(func() { // ends with the client's answer, its time limit, or the session
			defer uc.asking.Add(-1)
			defer func() { <-questions }()
			uc.answerQuestion(m)
		})
	}
}

// deliverAnswer passes an answer to its pending call, and reports whether there was one.
func (uc *upstreamConn) deliverAnswer(id string, out callOutcome) bool {
	uc.mu.Lock()
	answer := uc.answers[id]
	delete(uc.answers, id) // the first answer counts
	uc.mu.Unlock()
	if answer != nil {
		answer <- out
	}
	return answer != nil
}

// answerQuestion puts a server's request to the client and returns the answer.
func (uc *upstreamConn) answerQuestion(m wire.Message) {
	ctx := uc.upstream.session.ctx
	stateless := uc.upstream.session.clientIdentity().stateless // where there is no ping
	var a wire.Message
	err := error(mcpserver.ErrNoChannel)
	if m.Method != mcp.Ping || !stateless {
		a, err = uc.upstream.session.askClient(uc.upstream, m)
	}
	switch {
	case err != nil && m.Method == mcp.Ping:
		_ = uc.sendRaw(ctx, wire.EncodeAnswer(m.ID, "result", "{}"))
		return
	case err != nil:
		uc.refuseQuestion(m, mcp.CodeInternalError, err.Error())
		return
	}
	member, value := a.Outcome()
	if err := uc.upstream.checkAnswer(m.Method, member, value); err != nil {
		uc.refuseQuestion(m, codeForbidden, "gateway: the client's answer is kept back by the declared boundary")
		return
	}
	_ = uc.sendRaw(ctx, wire.EncodeAnswer(m.ID, member, value))
}

func (uc *upstreamConn) refuseQuestion(m wire.Message, code int, why string) {
	_ = uc.sendRaw(uc.upstream.session.ctx, wire.EncodeAnswer(m.ID, "error", wire.EncodeError(code, why, "")))
}
