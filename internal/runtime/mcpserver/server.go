// Package mcpserver is gauntlet's MCP server: one engine that answers for a [State], whatever
// the state was made from: a snapshot, the tools of other servers, a phase of an attack.
//
// It is two-way. A [Interceptor] decides message by message which state answers, calls ask their
// client and notify it ([Call]), and a [Session] reaches a client without a request of its
// own, as far as the client's revision has a way for that. A [Tapped] is every message, both ways,
// as it was.
//
// The engine knows messages and revisions, not transports. [Server.Stdio] and [Server.HTTP]
// carry its answers: stdio, Streamable HTTP with sessions (2025-03-26 to 2025-11-25), the
// stateless form of 2026-07-28 on the same endpoint, and HTTP+SSE of 2024-11-05.
//
// What a state holds goes out as it came in: definitions, instructions and capabilities
// lose the white space between their tokens and nothing else.
package mcpserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/mcp"
)

// Options say how a Server speaks. A zero field means its default.
type Options struct {
	Revisions []string // that are spoken, any of [Revisions]; default all
	PageSize  int      // most items of one list answer; default all of them
	// Streams makes a POST be answered by an event stream where the client takes one.
	Streams bool
	// IdleStream answers a GET of a session with a stream on which nothing ever comes.
	// Otherwise it is answered with 405, as the specification allows.
	IdleStream bool
	HTTP       HTTPOptions

	// Interceptor says message by message what is answered; nil answers everything for the
	// server's state. With an Interceptor a client may begin a conversation again, and
	// gets a stream for a GET.
	Interceptor Interceptor
	// Tap is told of every message in both directions once: of what comes before anything
	// is done with it, of what goes when it is given to the transport. It is called from
	// several goroutines at once, and must not wait long: the message does. nil taps nothing.
	Tap func(Tapped)
	// Deliver, unless nil, is offered every message of a conversation in place of its being
	// written, and reports whether it has written it, in its own way. It holds up what goes
	// the same way behind it, and nothing else. ctx ends with the client, as far as that can be known.
	Deliver func(ctx context.Context, o *Outgoing) bool
	// Wait is the longest wait for a client's answer; default DefaultWait.
	Wait time.Duration
}

// DefaultWait is the default of [Options.Wait]: time for a person to read and decide.
const DefaultWait = time.Minute

// HTTPOptions bound what HTTP clients may do. A zero field means its default.
type HTTPOptions struct {
	Hosts   []string      // names allowed in the Host header beside those of this machine, without port
	Origins []string      // allowed in the Origin header beside the server's own, as "https://app.example"
	Body    int           // longest request body, in bytes; default DefaultBody
	Read    time.Duration // longest time for a request's header, and again for its body; default DefaultRead
	Write   time.Duration // longest time for one answer or event to be taken; default DefaultWrite
	// Token, unless empty, is what every request must carry as Authorization: Bearer. Without it
	// any program of this machine, whoever runs it, is served.
	Token string
	// Idle ends sessions that nothing was heard of for so long and that have nothing under way
	// and no stream; 0 for never. The client of one gets 404 and begins anew.
	Idle time.Duration
}

// The defaults of HTTPOptions.
const (
	DefaultBody  = 4 << 20
	DefaultRead  = 10 * time.Second
	DefaultWrite = time.Minute
)

// A Server answers for a State. It is safe for concurrent use; any number of transports
// may carry it at once.
type Server struct {
	opt       Options
	handshake []string // revisions that are spoken, oldest first
	stateless []string
	state     atomic.Pointer[Prepared]
	key       [32]byte // of cursors

	sessionCount atomic.Int64 // conversations that there were
	exchanges    atomic.Int64 // and exchanges of HTTP
	suspended    suspendedCalls
}

// New returns a server for state. It fails where a text in state is not JSON, or for a
// revision that is unknown.
func New(state State, opt Options) (*Server, error) {
	if opt.Revisions == nil {
		opt.Revisions = mcp.Revisions()
	}
	if opt.HTTP.Body == 0 {
		opt.HTTP.Body = DefaultBody
	}
	if opt.HTTP.Read == 0 {
		opt.HTTP.Read = DefaultRead
	}
	if opt.HTTP.Write == 0 {
		opt.HTTP.Write = DefaultWrite
	}
	if opt.Wait == 0 {
		opt.Wait = DefaultWait
	}
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

// Set replaces what the server answers, in all conversations from their next request on.
// Cursors given out before are refused afterwards. With an error nothing is replaced.
func (s *Server) Set(state State) error {
	p, err := Prepare(state)
	if err != nil {
		return err
	}
	s.state.Store(p)
	return nil
}

// supported returns the revisions spoken, newest first, as clients choose from them.
func (s *Server) supported() []string {
	out := slices.Concat(s.handshake, s.stateless)
	slices.Reverse(out)
	return out
}
