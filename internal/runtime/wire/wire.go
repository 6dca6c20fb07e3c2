// Package wire carries JSON-RPC messages between gauntlet and a peer without changing a
// byte of them, whatever the peer sends.
//
// A [Conn] moves whole messages: a [Process] does so over the standard streams of a server
// it started, a [Stream] over any two byte streams, on either end of a conversation, an
// [HTTP] over the transports of MCP that use HTTP, on the client's end. A
// [Message] is the text as received plus the few envelope fields that say what it is; what
// it carries stays text for the reader of that text. A [Client] asks and finds the answers.
//
// Everything a stranger sends is bounded: the length of a message, the bytes of a
// connection, the messages that answer nothing. Nesting costs this package nothing, since
// it only skips over values; who reads a value bounds that.
package wire

import "context"

// A Conn carries whole messages both ways. One goroutine may send while another receives.
//
// What a transport knows beyond the bytes (the status and headers of an HTTP answer)
// belongs into Message, so that evidence stays together.
type Conn interface {
	// Send queues one message, without its line end, and keeps no reference to it. It
	// waits while the queue is full until ctx is done; with a ctx that is done already it
	// queues at once or not at all. That a message was queued does not mean that the peer
	// reads it.
	Send(ctx context.Context, msg []byte) error

	// Receive returns the next message, of any kind. After a [LineTooLongError] the
	// conversation goes on behind the line, and a [RequestError] is the end of one
	// request only; every other error but that of ctx is final.
	Receive(ctx context.Context) (Message, error)

	// Close ends the conversation and everything that was started for it, and waits for
	// that. Closing twice is harmless.
	Close() error
}

// Limits bound what is taken from a peer. A zero field means its default.
type Limits struct {
	Message int   // longest message, in bytes; default DefaultMessage
	Total   int64 // bytes received over the connection; default DefaultTotal
	// Strays is how many messages may come while one request waits without being its
	// answer, and TotalStrays how many over the connection; defaults DefaultStrays and
	// DefaultTotalStrays.
	Strays, TotalStrays int
}

// The defaults of Limits. Honest servers stay far below: a thousand tools have under 1 MB.
const (
	DefaultMessage     = 64 << 20
	DefaultTotal       = 1 << 30
	DefaultStrays      = 10_000
	DefaultTotalStrays = 100_000
)

func (l Limits) withDefaults() Limits {
	if l.Message == 0 {
		l.Message = DefaultMessage
	}
	if l.Total == 0 {
		l.Total = DefaultTotal
	}
	if l.Strays == 0 {
		l.Strays = DefaultStrays
	}
	if l.TotalStrays == 0 {
		l.TotalStrays = DefaultTotalStrays
	}
	return l
}
