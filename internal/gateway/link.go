package gateway

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"gauntlet/internal/peer"
	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// A link is an open connection to a server, over which any number of requests may be under
// way.
type link struct {
	seat *seat
	conn wire.Conn
	init string
	meta string // what every request carries as _meta, "" in the era of initialize

	sending chan struct{}  // held by who sends
	outbox  chan [2]string // notifications, method and params

	mu      sync.Mutex
	last    int // id of the latest request
	answers map[string]chan outcome
	err     error         // why it has ended
	over    chan struct{} // closed when it has
	once    sync.Once
}

// An outcome is what comes of a request.
type outcome struct {
	message wire.Message
	err     error
}

// firstID keeps our ids apart from those of the beginning of the conversation.
const firstID = 1_000

// mostOutbox is how many notifications may wait for a server to take them.
const mostOutbox = 256

// mostQuestions is how many requests of one server are put to the client at a time.
const mostQuestions = 32

func newLink(s *seat, conn wire.Conn, session *peer.Session) *link {
	return &link{
		seat: s, conn: conn, init: session.Opening().Init, meta: session.Meta(),
		sending: make(chan struct{}, 1), outbox: make(chan [2]string, mostOutbox), last: firstID, answers: map[string]chan outcome{}, over: make(chan struct{}),
	}
}

func (l *link) ended() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

func (l *link) close() { l.end(wire.ErrClosed) }

// end makes err the outcome of everything under way, once.
func (l *link) end(err error) {
	l.once.Do(func() {
		l.mu.Lock()
		l.err = err
		close(l.over)
		l.mu.Unlock()
		_ = l.conn.Close() // it is gone either way
		l.seat.lost(l, err)
	})
}

// send sends one message; one at a time, and no longer than ctx.
func (l *link) send(ctx context.Context, text string) error {
	select {
	case l.sending <- struct{}{}:
		defer func() { <-l.sending }()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-l.over:
		return l.err
	}
	return l.conn.Send(ctx, []byte(text))
}

// call makes a request and waits for its answer, a Response or an Error.
func (l *link) call(ctx context.Context, method, params string) (wire.Message, error) {
	answer := make(chan outcome, 1)
	l.mu.Lock()
	l.last++
	id := strconv.Itoa(l.last)
	l.answers[id] = answer
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.answers, id)
		l.mu.Unlock()
	}()
	if err := l.send(ctx, `{"jsonrpc":"2.0","id":`+id+`,"method":`+quote(method)+`,"params":`+l.params(params)+`}`); err != nil {
		return wire.Message{}, err
	}
	select {
	case out := <-answer:
		return out.message, out.err
	case <-l.over:
		select { // it may have come before the end
		case out := <-answer:
			return out.message, out.err
		default:
			return wire.Message{}, fmt.Errorf("the server has gone: %w", l.err)
		}
	case <-ctx.Done():
		l.cancel(id)
		return wire.Message{}, context.Cause(ctx)
	}
}

// cancel tells the server that nobody waits for an answer any more. Over HTTP in the stateless
// era the end of the request says so, and there is no such notification (revision 2026-07-28,
// basic/utilities/cancellation).
func (l *link) cancel(id string) {
	if _, web := l.conn.(*wire.HTTP); web && l.meta != "" {
		return
	}
	select {
	case l.outbox <- [2]string{"notifications/cancelled", `{"requestId":` + id + `,"reason":"the client gave up"}`}:
	default: // it takes nothing anyhow
	}
}

// post sends notifications in their order until the connection ends.
func (l *link) post() {
	for {
		select {
		case n := <-l.outbox:
			l.notify(l.seat.house.ctx, n[0], n[1])
		case <-l.over:
			return
		}
	}
}

// params returns the params of a request with what the era of the server wants in them.
func (l *link) params(params string) string {
	if params == "" || params[0] != '{' {
		params = "{}"
	}
	own := rawjson.LastMember(params, "_meta")
	switch {
	case l.meta == "", rawjson.LastMember(own, "io.modelcontextprotocol/protocolVersion") != "":
		return params
	case own == "" || own[0] != '{':
		return with(params, `"_meta":`+l.meta)
	}
	return replaced(params, "_meta", with(own, l.meta[1:len(l.meta)-1]))
}

func (l *link) notify(ctx context.Context, method, params string) {
	text := `{"jsonrpc":"2.0","method":` + quote(method)
	if params != "" {
		text += `,"params":` + params
	}
	_ = l.send(ctx, text+"}") // a server that cannot take it is told of in its next answer
}

// receive takes what the server says until it says no more.
func (l *link) receive() {
	questions := make(chan struct{}, mostQuestions)
	for {
		m, err := l.conn.Receive(l.seat.house.ctx)
		var failed *wire.RequestError
		var long *wire.LineTooLongError
		switch {
		case errors.As(err, &failed):
			l.answered(failed.ID, outcome{err: err})
			continue
		case errors.As(err, &long):
			l.seat.house.note("a message of %s was lost: %v", l.seat.up.Name, err)
			continue
		case err != nil:
			l.end(err)
			return
		}
		for part := range m.Parts() {
			l.take(part, questions)
		}
	}
}

func (l *link) take(m wire.Message, questions chan struct{}) {
	switch m.Kind {
	case wire.Response, wire.Error:
		l.answered(m.ID, outcome{message: m})
	case wire.Notification:
		l.seat.house.tell(l.seat, m)
	case wire.Request:
		select {
		case questions <- struct{}{}:
		default:
			l.refuse(m, -32000, "too many requests at a time")
			return
		}
		l.seat.house.busy.Add(1)
		go func() { // ends with the client's answer, the limit on it, or the house
			defer l.seat.house.busy.Done()
			defer func() { <-questions }()
			l.question(m)
		}()
	}
}

func (l *link) answered(id string, out outcome) {
	l.mu.Lock()
	answer := l.answers[id]
	delete(l.answers, id) // the first answer counts
	l.mu.Unlock()
	if answer != nil {
		answer <- out
	}
}

// question puts a request of the server's to the client and sends back what it says.
func (l *link) question(m wire.Message) {
	ctx := l.seat.house.ctx
	if m.Method == "ping" {
		_ = l.send(ctx, `{"jsonrpc":"2.0","id":`+m.ID+`,"result":{}}`)
		return
	}
	a, err := l.seat.house.ask(l.seat, m)
	switch {
	case err != nil:
		l.refuse(m, -32603, err.Error())
	case a.Kind == wire.Error:
		_ = l.send(ctx, `{"jsonrpc":"2.0","id":`+m.ID+`,"error":`+a.Error+`}`)
	default:
		_ = l.send(ctx, `{"jsonrpc":"2.0","id":`+m.ID+`,"result":`+a.Result+`}`)
	}
}

func (l *link) refuse(m wire.Message, code int, why string) {
	_ = l.send(l.seat.house.ctx, `{"jsonrpc":"2.0","id":`+m.ID+`,"error":{"code":`+strconv.Itoa(code)+`,"message":`+quote(why)+`}}`)
}
