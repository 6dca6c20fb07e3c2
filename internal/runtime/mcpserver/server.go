// Package mcpserver is gauntlet's MCP server: one engine that answers for a [State], made from a snapshot, the tools of other
// servers, or a phase of an attack.
//
// An [Interceptor] decides for each message which state answers. Calls can send requests and notifications to their client
// ([Call]), and a [Session] reaches a client outside any request if the client's revision allows that. A [Tapped] is one message in
// either direction, unchanged.
//
// The engine knows messages and revisions, not transports. [Server.Stdio] and [Server.HTTP] carry its answers: stdio, Streamable
// HTTP with sessions (2025-03-26 to 2025-11-25), the stateless form of 2026-07-28 on the same endpoint, and HTTP+SSE of 2024-11-05.
//
// A state's definitions, instructions and capabilities are sent unchanged except for white space between tokens.
package mcpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
)

// Options configure a Server. A zero field means its default.
type Options struct {
	Revisions []string // supported ones out of [Revisions]; default all
	PageSize  int      // most items per list page; default unlimited
	// Streams answers POSTs with an event stream if the client accepts one.
	Streams bool
	// IdleStream answers a session's GET with a stream that stays silent. Otherwise the answer is 405, as the specification allows.
	IdleStream bool
	HTTP       HTTPOptions

	// Interceptor decides for each message how it is answered; nil uses the server's state for all. With an Interceptor a client
	// may initialize again, and GET opens a stream.
	Interceptor Interceptor
	// Tap is called once for every message in both directions: incoming before it is processed, outgoing when it is given to the
	// transport. It must be safe for concurrent use and quick, since the message waits. nil taps nothing.
	Tap func(Tapped)
	// Deliver, if not nil, is offered every outgoing message of a session and reports whether it wrote the message itself. Later
	// messages on the same transport wait for it. ctx ends when the client is known to have left.
	Deliver func(ctx context.Context, o *Outgoing) bool
	// Wait bounds the wait for a client's answer; default DefaultWait.
	Wait time.Duration
}

// DefaultWait is the default of [Options.Wait]: time for a person to read and decide.
const DefaultWait = time.Minute

// HTTPOptions bound what HTTP clients may do. A zero field means its default.
type HTTPOptions struct {
	Hosts   []string      // further allowed Host names, without port
	Origins []string      // further allowed origins, as "https://app.example"
	Body    int           // longest request body, in bytes; default DefaultBody
	Read    time.Duration // time limit for a request's header, and again for its body; default DefaultRead
	Write   time.Duration // time limit for writing one answer or event; default DefaultWrite
	// Token, if not empty, must be sent with every request as Authorization: Bearer. Without it every program on this machine, of
	// any user, is served.
	Token string
	// Idle ends sessions that have been silent that long with no request in progress and no stream; 0 means never. The client then
	// gets 404 and starts again.
	Idle time.Duration
}

// Defaults of HTTPOptions.
const (
	DefaultBody  = 4 << 20
	DefaultRead  = 10 * time.Second
	DefaultWrite = time.Minute
)

// A Server answers for a State. It is safe for concurrent use by any number of transports.
type Server struct {
	opt       Options
	handshake []string // supported handshake revisions, oldest first
	stateless []string
	state     atomic.Pointer[Prepared]
	key       [32]byte // authenticates cursors

	sessionCount atomic.Int64 // sessions so far
	exchanges    atomic.Int64 // HTTP exchanges so far
	told         atomic.Int64 // messages sent over HTTP so far
	suspended    suspendedCalls
}

// New returns a server for state. It fails if a text in state is not JSON, or on an unknown revision.
func New(state State, opt Options) (*Server, error) {
	if opt.Revisions == nil {
		opt.Revisions = mcp.Revisions()
	}
	opt.HTTP.Body = cmp.Or(opt.HTTP.Body, DefaultBody)
	opt.HTTP.Read = cmp.Or(opt.HTTP.Read, DefaultRead)
	opt.HTTP.Write = cmp.Or(opt.HTTP.Write, DefaultWrite)
	opt.Wait = cmp.Or(opt.Wait, DefaultWait)
	s := &Server{opt: opt}
	for _, r := range opt.Revisions {
		if !slices.Contains(mcp.Revisions(), r) {
			return nil, fmt.Errorf("protocol revision %q is unknown: the revisions known are %s", r, strings.Join(mcp.Revisions(), ", "))
		}
	}
	unspoken := func(r string) bool { return !slices.Contains(opt.Revisions, r) }
	s.handshake = slices.DeleteFunc(mcp.HandshakeRevisions(), unspoken)
	s.stateless = slices.DeleteFunc(mcp.StatelessRevisions(), unspoken)
	if _, err := rand.Read(s.key[:]); err != nil {
		return nil, err
	}
	return s, s.Set(state)
}

// Set replaces the state, in all sessions from their next request on. Earlier cursors are then refused. On an error nothing is
// replaced.
func (s *Server) Set(state State) error {
	p, err := Prepare(state)
	if err != nil {
		return err
	}
	s.state.Store(p)
	return nil
}

// supported returns the supported revisions, newest first, the order in which clients choose.
func (s *Server) supported() []string {
	out := slices.Concat(s.handshake, s.stateless)
	slices.Reverse(out)
	return out
}

// ConnectInMemory returns a connection to a server in this process, whose messages tap sees unless it is nil. The session ends when
// the connection is closed.
func ConnectInMemory(server *Server, tap wire.Tap) wire.Conn {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends by memoryConn.Close
		defer close(done)
		_ = server.Stdio(ctx, fromClient, toClient) // the other end sees its end
		_ = toClient.Close()
		_ = fromClient.Close()
	}()
	return &memoryConn{wire.NewStream(fromServer, toServer, wire.Limits{Total: math.MaxInt64}, tap), func() {
		cancel()
		_ = toServer.Close()
		_ = fromServer.Close()
		<-done
	}}
}

type memoryConn struct {
	*wire.Stream
	end func()
}

// Close also ends the server's side.
func (c *memoryConn) Close() error {
	err := c.Stream.Close()
	c.end()
	return err
}
