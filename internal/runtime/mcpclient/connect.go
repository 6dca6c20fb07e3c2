package mcpclient

import (
	"context"
	"errors"
	"fmt"

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
