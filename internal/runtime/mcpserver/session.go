package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/runtime/wire"
)

// Errors of a message that does not reach the client.
var (
	// ErrNoChannel says that the client has nothing open that could carry the message: in the stateless era it has not subscribed
	// to it, or the request it belongs to is over.
	ErrNoChannel = errors.New("the client has nothing open that could receive this message")
	// ErrFull says that the client does not read the messages already queued.
	ErrFull = errors.New("the client does not read its messages")
	// ErrSessionEnded says that the session has ended.
	ErrSessionEnded = errors.New("the conversation is over")
	// ErrNoAnswer says that the client did not answer a request in time.
	ErrNoAnswer = errors.New("the client did not answer in time")
)

const (
	// mostCalls bounds the requests of one session in progress, and mostClientCalls those of one client of the stateless era, which
	// may be several indistinguishable clients.
	mostCalls       = 64
	mostClientCalls = 2048
	// mostQueued bounds the messages waiting for a client. Further notifications fail with ErrFull; answers wait for room.
	mostQueued = 256
)

// A Session is one client's session: a stdio process, an HTTP session, or an HTTP+SSE stream. The stateless era of 2026-07-28 has
// no sessions over HTTP; there it is everything from one address with one credential and one clientInfo. It is safe for concurrent
// use.
type Session struct {
	server *Server // nil in tests without a server
	number int
	most   int // requests in progress

	// order is held while a message is tapped and intercepted, and while a question is sent, so that both happen in order of
	// arrival.
	order sync.Mutex

	mu             sync.Mutex
	revision       string // negotiated by initialize, "" before
	version        string // what initialize was answered with, possibly no revision
	heard          string // the revision of the latest message
	client         string // capabilities claimed in it
	lastID         int    // of requests to the client
	pendingAnswers map[string]pendingAnswer
	running        map[*runningRequest]struct{}
	subscribed     []*subscription

	// post takes a message that belongs to no request and never waits; nil if the transport has no way to send one.
	post func(line string) error

	writing int           // answers being written over HTTP
	written chan struct{} // closed when there are none

	over  chan struct{} // closed when the client will not send anything more
	quiet sync.Once     // closes it
}

func (s *Server) initSession(t *Session, post func(string) error) {
	t.server, t.number, t.most, t.post, t.over = s, int(s.sessionCount.Add(1)), mostCalls, post, make(chan struct{})
}

// Number numbers a server's sessions from 1 in order of their start.
func (t *Session) Number() int { return t.number }

// Done returns a channel that is closed when the client will not send anything more.
func (t *Session) Done() <-chan struct{} { return t.over }

// Revision returns the protocol revision negotiated by initialize, else the one claimed by the latest request, else "".
func (t *Session) Revision() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return cmp.Or(t.revision, t.heard)
}

// Client returns the capabilities that the client claims, as JSON: in initialize, or in the stateless era in its latest request. It
// is "" before, and if they exceed 16 KiB.
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

// setRevision sets the revision of a session that starts, and the version its client is told. It reports false for a session that
// has started already, unless it may start again.
func (t *Session) setRevision(revision, version string, again bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.revision != "" && !again {
		return false
	}
	t.revision, t.version = revision, version
	return true
}

// longestClaim bounds, in bytes, what is kept of every client.
const longestClaim = 16 << 10

// rememberClaims records what a request says about its client.
func (t *Session) rememberClaims(revision, capabilities string) {
	if len(capabilities) > longestClaim {
		capabilities = ""
	}
	// Cloned, so that the whole message need not stay in memory.
	revision, capabilities = strings.Clone(revision), strings.Clone(capabilities)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard, t.client = revision, capabilities
}

// Notify sends a notification that belongs to no request, without waiting for the client to read it. params is JSON, "" for none.
// In the stateless era it goes to every subscription to it.
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
	return t.postLine(wire.EncodeRequest("", method, params))
}

// Ask sends the client a request outside any of its own and waits for the answer, a [wire.Response] or [wire.Error], as long as ctx
// and [Options.Wait] allow. Since 2025-11-25 MCP allows only ping there, and the stateless era nothing; the request is sent if the
// transport can carry it.
func (t *Session) Ask(ctx context.Context, method, params string) (wire.Message, error) {
	wait, err := t.Post(ctx, method, params, nil)
	if err != nil {
		return wire.Message{}, err
	}
	return wait(ctx)
}

// Post is [Session.Ask] in two steps: the request is queued when Post returns; wait, called once, waits for the answer. heard, if
// not nil, is called with the answer on arrival, before later messages are processed and before wait returns; it must not block.
func (t *Session) Post(ctx context.Context, method, params string, heard func(wire.Message)) (wait func(context.Context) (wire.Message, error), err error) {
	return t.sendRequest(ctx, method, params, heard, func(_ context.Context, line string) error { return t.postLine(line) })
}

func (t *Session) postLine(line string) error {
	if t.post == nil {
		return ErrNoChannel
	}
	return t.post(line)
}

func (t *Session) askAndWait(ctx context.Context, method, params string, heard func(wire.Message), send func(context.Context, string) error) (wire.Message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.answerWait(), ErrNoAnswer)
	defer cancel()
	wait, err := t.sendRequest(ctx, method, params, heard, send)
	if err != nil {
		return wire.Message{}, err
	}
	return wait(ctx)
}

// sendRequest sends a request and returns the channel of its answer.
func (t *Session) sendRequest(ctx context.Context, method, params string, heard func(wire.Message), send func(context.Context, string) error) (func(context.Context) (wire.Message, error), error) {
	params, err := compactParams(params)
	if err != nil {
		return nil, err
	}
	id, answer := t.expectAnswer(heard)
	if err := send(ctx, wire.EncodeRequest(id, method, params)); err != nil {
		t.forgetAnswer(id)
		return nil, err
	}
	return func(ctx context.Context) (wire.Message, error) {
		defer t.forgetAnswer(id)
		return t.awaitAnswer(ctx, answer)
	}, nil
}

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

// A pendingAnswer is a request that waits for a client's answer.
type pendingAnswer struct {
	to    chan wire.Message  // buffered
	heard func(wire.Message) // called with it on arrival; may be nil
}

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

// deliverAnswer passes an answer of the client to the waiting request. Unexpected and repeated answers are dropped.
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

// stopWaiting ends all waits for answers: the client will not send any.
func (t *Session) stopWaiting() {
	if t.over != nil {
		t.quiet.Do(func() { close(t.over) })
	}
}

func (t *Session) endSession() {
	t.stopWaiting()
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.running {
		r.cancel(ErrSessionEnded)
	}
}

// isBusy reports whether a request or subscription is active.
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

func compactParams(params string) (string, error) {
	if params == "" {
		return "", nil
	}
	return Compact(params)
}

func (t *Session) answeredVersion() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version
}

// beginWriting and endWriting enclose the writing of an HTTP answer. Notifications take another stream, and one sent after an
// answer must not overtake it.
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
	select {
	case <-written:
	case <-time.After(writingGrace):
	}
}

const writingGrace = time.Second
