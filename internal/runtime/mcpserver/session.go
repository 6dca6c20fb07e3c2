package mcpserver

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// Why a message does not reach a client.
var (
	// ErrUnheard says that the client has nothing open that may carry the message: in the
	// stateless era it has not subscribed to it, or the request that it belongs to is over.
	ErrNoChannel = errors.New("the client has nothing open that takes this message")
	// ErrFull says that the client does not take what is waiting for it already.
	ErrFull = errors.New("the client does not take its messages")
	// ErrOver says that the conversation has ended.
	ErrSessionEnded = errors.New("the conversation is over")
	// ErrNoAnswer says that the client did not answer a request in time.
	ErrNoAnswer = errors.New("the client did not answer in time")
)

const (
	// mostCalls is how many requests of one conversation may be under way at a time, and
	// mostClientCalls how many of one client of the stateless era, who may be several that look
	// alike.
	mostCalls       = 64
	mostClientCalls = 2048
	// mostQueued is how many messages may wait for a client to take them. A further
	// notification is not sent, and whoever wants to send it is told (ErrFull); an answer
	// waits, and with it whoever it is for.
	mostQueued = 256
)

// A Session is one conversation with one client: a process on stdio, a session over HTTP, a
// stream of HTTP+SSE. The stateless era of 2026-07-28 has no conversations over HTTP; there
// it is what comes from one address under one credential and one clientInfo. It is safe for
// concurrent use.
type Session struct {
	server *Server // nil in tests of messages alone
	number int
	most   int // requests under way

	// order is held while a message is tapped and heard, so that both are in order of
	// arrival, and while a question is.
	order sync.Mutex

	mu             sync.Mutex
	revision       string // agreed on by initialize, "" before
	version        string // what initialize was answered with, which may be no revision
	heard          string // the revision of the latest message
	client         string // the capabilities claimed in it
	lastID         int    // of requests to the client
	pendingAnswers map[string]pendingAnswer
	running        map[*runningRequest]struct{}
	subscribed     []*subscription

	// post takes a message that belongs to no request and never waits; nil where there is
	// no way for such messages.
	post func(line string) error

	writing int           // answers being written over HTTP
	written chan struct{} // closed when there are none

	over  chan struct{} // closed when the client will not send any more
	quiet sync.Once     // closes it
}

// initSession begins a conversation.
func (s *Server) initSession(t *Session, post func(string) error) {
	t.server, t.number, t.most, t.post, t.over = s, int(s.sessionCount.Add(1)), mostCalls, post, make(chan struct{})
}

// Number counts the conversations of a server from 1 in the order in which they began.
func (t *Session) Number() int { return t.number }

// Done returns a channel that is closed when the client will not send any more.
func (t *Session) Done() <-chan struct{} { return t.over }

// Revision returns the protocol revision: the one that initialize agreed on or, where there
// was none, the one that the latest request claims; "" if there is neither.
func (t *Session) Revision() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.revision != "" {
		return t.revision
	}
	return t.heard
}

// Client returns the capabilities that the client claims, as JSON: in initialize, in the
// stateless era in its latest request; "" before, and where they are longer than 16 KiB.
func (t *Session) Client() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.client
}

func (t *Session) agreedRevision() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.revision
}

// setRevisionOnce notes the revision, unless there is one already.
func (t *Session) setRevisionOnce(revision string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.revision != "" {
		return false
	}
	t.revision = revision
	return true
}

// setRevisionAndVersion notes the revision of a conversation that begins, for a second time too, and the
// version that its client is told.
func (t *Session) setRevisionAndVersion(revision, version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision, t.version = revision, version
}

// longestClaim bounds what is remembered of every client.
const longestClaim = 16 << 10

// rememberClaims notes what a request says of its client.
func (t *Session) rememberClaims(revision, capabilities string) {
	if len(capabilities) > longestClaim {
		capabilities = ""
	}
	// They are parts of a message that is not to stay in memory for them.
	revision, capabilities = strings.Clone(revision), strings.Clone(capabilities)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard, t.client = revision, capabilities
}

// Notify sends a notification that belongs to no request, and does not wait for the
// client to take it. params is JSON, "" for none. In the stateless era it goes to every
// subscription that asked for it.
func (t *Session) Notify(ctx context.Context, method, params string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	params, err := compactParams(params)
	if err != nil {
		return err
	}
	if found, err := t.notifySubscriptions(method, params); found {
		return err
	}
	if t.agreedRevision() == "" {
		return ErrNoChannel
	}
	return t.postLine(encodeNotification(method, params))
}

// Ask sends a request that belongs to none of the client's, and waits for its answer for
// as long as ctx and [Options.Wait] allow. The answer is a [wire.Response] or a
// [wire.Error]. MCP has no such requests since 2025-11-25 but ping, and in the stateless era none at
// all; they are sent where there is a way for them.
func (t *Session) Ask(ctx context.Context, method, params string) (wire.Message, error) {
	wait, err := t.Post(ctx, method, params, nil)
	if err != nil {
		return wire.Message{}, err
	}
	return wait(ctx)
}

// Post is [Session.Ask] in two steps: the request has its place among what goes out when Post returns,
// and wait, which is called once, waits for the answer. heard, unless nil, is told of the answer when it arrives, before
// anything behind it is heard and before wait returns it; it must not wait.
func (t *Session) Post(ctx context.Context, method, params string, heard func(wire.Message)) (wait func(context.Context) (wire.Message, error), err error) {
	return t.sendRequest(ctx, method, params, heard, func(_ context.Context, line string) error { return t.postLine(line) })
}

func (t *Session) postLine(line string) error {
	if t.post == nil {
		return ErrNoChannel
	}
	return t.post(line)
}

// askAndWait sends a request and waits for its answer.
func (t *Session) askAndWait(ctx context.Context, method, params string, heard func(wire.Message), send func(context.Context, string) error) (wire.Message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.answerWait(), ErrNoAnswer)
	defer cancel()
	wait, err := t.sendRequest(ctx, method, params, heard, send)
	if err != nil {
		return wire.Message{}, err
	}
	return wait(ctx)
}

// sendRequest sends a request and returns what waits for its answer.
func (t *Session) sendRequest(ctx context.Context, method, params string, heard func(wire.Message), send func(context.Context, string) error) (func(context.Context) (wire.Message, error), error) {
	params, err := compactParams(params)
	if err != nil {
		return nil, err
	}
	id, answer := t.expectAnswer(heard)
	if err := send(ctx, encodeRequest(id, method, params)); err != nil {
		t.forgetAnswer(id)
		return nil, err
	}
	return func(ctx context.Context) (wire.Message, error) {
		defer t.forgetAnswer(id)
		return t.awaitAnswer(ctx, answer)
	}, nil
}

// awaitAnswer waits for the answer of a client.
func (t *Session) awaitAnswer(ctx context.Context, answer <-chan wire.Message) (wire.Message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.answerWait(), ErrNoAnswer)
	defer cancel()
	select {
	case m := <-answer:
		return m, nil
	case <-t.over:
		return wire.Message{}, ErrSessionEnded
	case <-ctx.Done():
		return wire.Message{}, context.Cause(ctx)
	}
}

func (t *Session) answerWait() time.Duration {
	if t.server == nil {
		return DefaultWait
	}
	return t.server.opt.Wait
}

// A pendingAnswer is what waits for the answer of a client.
type pendingAnswer struct {
	to    chan wire.Message  // has room for it
	heard func(wire.Message) // is told of it when it arrives; nil for nobody
}

// expectAnswer makes an id, and room for the answer.
func (t *Session) expectAnswer(heard func(wire.Message)) (string, <-chan wire.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pendingAnswers == nil {
		t.pendingAnswers = map[string]pendingAnswer{}
	}
	t.lastID++
	id := strconv.Itoa(t.lastID)
	to := make(chan wire.Message, 1)
	t.pendingAnswers[id] = pendingAnswer{to, heard}
	return id, to
}

func (t *Session) forgetAnswer(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pendingAnswers, id)
}

// deliverAnswer hands an answer of the client to whoever asked. What nobody asked for, or what
// was answered already, is dropped.
func (t *Session) deliverAnswer(m wire.Message) {
	t.mu.Lock()
	id := wire.AnswerID(m.ID)
	pending, ok := t.pendingAnswers[id]
	delete(t.pendingAnswers, id)
	t.mu.Unlock()
	if !ok {
		return
	}
	if pending.heard != nil {
		pending.heard(m)
	}
	pending.to <- m
}

// stopWaiting ends all waiting for answers: the client will not send any more.
func (t *Session) stopWaiting() {
	if t.over != nil {
		t.quiet.Do(func() { close(t.over) })
	}
}

// endSession ends the conversation and cancels what is under way.
func (t *Session) endSession() {
	t.stopWaiting()
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.running {
		r.cancel(ErrSessionEnded)
	}
}

// isBusy reports whether anything is under way, or listened to.
func (t *Session) isBusy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.running)+len(t.pendingAnswers)+len(t.subscribed) > 0
}

// cancelRequest cancels the requests with this id: they get no answer.
func (t *Session) cancelRequest(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.running {
		if r.cancelIfID(id) {
			r.cancel(context.Canceled)
		}
	}
}

// encodeNotification writes a notification.
func encodeNotification(method, params string) string {
	return `{"jsonrpc":"2.0","method":` + rawjson.Quote(method) + paramsMember(params) + `}`
}

// encodeRequest writes a request.
func encodeRequest(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":` + rawjson.Quote(method) + paramsMember(params) + `}`
}

func paramsMember(params string) string {
	if params == "" {
		return ""
	}
	return `,"params":` + params
}

func compactParams(params string) (string, error) {
	if params == "" {
		return "", nil
	}
	return Compact(params)
}

// answeredVersion returns the version that initialize was answered with.
func (t *Session) answeredVersion() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version
}

// beginWriting and release enclose the writing of an answer over HTTP, where notifications go another
// way: what was sent behind an answer must not come before it.
func (t *Session) beginWriting() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.writing++; t.writing == 1 {
		t.written = make(chan struct{})
	}
}

func (t *Session) endWriting() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.writing--; t.writing == 0 {
		close(t.written)
	}
}

// waitForWriting waits until no answer is being written, but not for a client that does not read.
func (t *Session) waitForWriting() {
	t.mu.Lock()
	n, written := t.writing, t.written
	t.mu.Unlock()
	if n == 0 {
		return
	}
	timer := time.NewTimer(writingGrace)
	defer timer.Stop()
	select {
	case <-written:
	case <-timer.C:
	}
}

const writingGrace = time.Second
