// Package wire carries JSON-RPC messages between gauntlet and a peer without changing a byte of them, whatever the peer sends.
//
// A [Conn] moves whole messages: a [Process] over the standard streams of a server it started, a [Stream] over two byte streams at
// either end, an [HTTP] over MCP's HTTP transports at the client's end. A [Message] is the text as received plus the envelope
// fields that say what it is; its contents stay text. A [Client] sends requests and matches answers.
//
// Everything a stranger sends is bounded: message length, bytes per connection, stray messages. Nesting costs nothing here, since
// values are only skipped; whoever reads a value bounds its depth.
package wire

import (
	"cmp"
	"context"
)

// A Conn carries whole messages both ways. One goroutine may send while another receives.
//
// What a transport knows beyond the bytes (HTTP status and headers) goes into Message, so that evidence stays together.
type Conn interface {
	// Send queues one message, without its line end, and keeps no reference to it. It waits for room until ctx is done; if ctx is
	// done already, it queues at once or not at all. A queued message may never be read by the peer.
	Send(ctx context.Context, msg []byte) error

	// Receive returns the next message of any kind. A [LineTooLongError] or [RequestError] leaves the connection usable; every
	// other error but ctx's is final.
	Receive(ctx context.Context) (Message, error)

	// Close ends the connection and everything started for it, and waits for that. Closing twice is harmless.
	Close() error
}

// Limits bound what is accepted from a peer. A zero field means its default.
type Limits struct {
	Message int   // longest message, in bytes; default DefaultMessage
	Total   int64 // bytes received over the connection; default DefaultTotal
	// Strays bounds the messages that may arrive while a request waits without being its answer, TotalStrays those over the
	// connection; defaults DefaultStrays and DefaultTotalStrays.
	Strays, TotalStrays int
}

// Defaults of Limits. Honest servers stay far below: a thousand tools take under 1 MB.
const (
	DefaultMessage     = 64 << 20
	DefaultTotal       = 1 << 30
	DefaultStrays      = 10_000
	DefaultTotalStrays = 100_000
)

func (l Limits) withDefaults() Limits {
	l.Message = cmp.Or(l.Message, DefaultMessage)
	l.Total = cmp.Or(l.Total, DefaultTotal)
	l.Strays = cmp.Or(l.Strays, DefaultStrays)
	l.TotalStrays = cmp.Or(l.TotalStrays, DefaultTotalStrays)
	return l
}
