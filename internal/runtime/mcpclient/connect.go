package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gauntlet/internal/runtime/wire"
)

// A Server is one that an agent may use, reached by Dial or, without that, at URL.
type Server struct {
	Name, URL string
	Dial      func(context.Context) (wire.Conn, error)
}

// A Task is what an agent in this process is given for one run.
type Task struct {
	Prompt  string // the user's words
	Servers []Server
	// Pending is what the servers are about to send: the agent listens for it behind every call, and in the end beyond its idle time.
	Pending Pending
	// Shown are the other texts of a conversation, such as a message of the system, an earlier turn, or what a front end shares of its
	// state; nil where there is no conversation.
	Shown []Shown
	// Called is told of every call of a tool with its arguments and what came of it; nil tells nobody.
	Called func(server, tool, arguments, result string)
}

// A Shown is a text of a conversation that is not the user's task, and where it stands.
type Shown struct{ Where, Text string }

// A Connection is a session that its owner closes.
type Connection struct {
	*Session
	Name string // of the server
	conn wire.Conn
}

// Close ends the session.
func (c *Connection) Close() { _ = c.conn.Close() } // the session is over anyway

// ConnectAll opens a session with every server of a task that it reaches, and listens to it. each is told what came of every one, in
// order, and owns the connections. The error says that there is none, although the task is no conversation or names servers.
func (t *Task) ConnectAll(ctx context.Context, options func(server string) Options, each func(server string, c *Connection, err error)) error {
	var first error
	reached := len(t.Servers) == 0 && t.Shown != nil
	for _, s := range t.Servers {
		c, err := connect(ctx, s, options(s.Name))
		if err != nil && first == nil {
			first = fmt.Errorf("server %s: %w", s.Name, err)
		}
		reached = reached || err == nil
		each(s.Name, c, err)
	}
	switch {
	case reached:
		return nil
	case first == nil:
		return errors.New("no server was named")
	}
	return first
}

func connect(ctx context.Context, s Server, opt Options) (*Connection, error) {
	if s.Dial == nil {
		s.Dial = func(context.Context) (wire.Conn, error) { return wire.Dial(wire.Endpoint{URL: s.URL}) }
	}
	conn, err := s.Dial(ctx)
	if err != nil {
		return nil, err
	}
	session, err := Open(ctx, conn, opt)
	if err != nil {
		_ = conn.Close() // the error is reported
		return nil, err
	}
	session.Hear(ctx)
	return &Connection{Session: session, Name: s.Name, conn: conn}, nil
}

// A Pending tells whether servers are about to send something. The zero Pending knows nothing.
type Pending struct {
	// Settled returns a channel that is closed once the servers have finished what their clients will be notified of.
	Settled func() <-chan struct{}
	// Due reports whether a server will send something by itself within a time, for example because its definitions change after
	// two seconds.
	Due func(within time.Duration) bool
}

// Patience returns how long a client that would listen for idle must do so: zero if nothing is due in that time.
func (p Pending) Patience(idle time.Duration) time.Duration {
	if p.Due != nil && idle > 0 && !p.Due(idle) {
		return 0
	}
	return idle
}

// PendingWait is the longest time a client listens only because something is pending.
const PendingWait = 10 * time.Second

// Listening returns a context for listening to servers: it ends after wait but, while something is pending, only once that is
// settled, within PendingWait. pending says whether something is.
func (p Pending) Listening(ctx context.Context, wait time.Duration) (listening context.Context, cancel context.CancelFunc, pending bool) {
	settled := p.settled()
	if settled == nil {
		listening, cancel = context.WithTimeout(ctx, wait)
		return listening, cancel, false
	}
	listening, cancel = context.WithTimeout(ctx, max(wait, PendingWait))
	go func() { // ends with listening
		defer cancel()
		select {
		case <-time.After(wait):
		case <-listening.Done():
		}
		select {
		case <-settled:
		case <-listening.Done():
		}
	}()
	return listening, cancel, true
}

// settled returns a channel that is closed once nothing is pending, or nil.
func (p Pending) settled() <-chan struct{} {
	if p.Settled == nil {
		return nil
	}
	settled := p.Settled()
	select {
	case <-settled:
		return nil
	default:
		return settled
	}
}

// Await listens to all sessions at once, for wait and while something is pending, and returns which of them announced a change;
// the first announcement ends all waits. Without either it returns what was received. pending says that there may be more.
func (p *Pending) Await(ctx context.Context, wait time.Duration, sessions []*Session) (changed []bool, pending bool) {
	listening, cancel, pending := p.Listening(ctx, wait)
	defer cancel()
	if pending {
		wait = max(wait, PendingWait)
	}
	changed = make([]bool, len(sessions))
	var all sync.WaitGroup
	for i, s := range sessions {
		all.Go(func() { // ends with listening, or when the time is over
			if s.Idle(listening, wait) != "" {
				changed[i] = true
				cancel()
			}
		})
	}
	all.Wait()
	if pending && !slices.Contains(changed, true) {
		<-listening.Done() // there may be no way to hear anything
		if errors.Is(listening.Err(), context.DeadlineExceeded) {
			p.Settled = nil // it is awaited once
		}
	}
	return changed, pending
}
