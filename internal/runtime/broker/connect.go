package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Access says where NATS is and what it wants to see.
type Access struct {
	URL         string        // one or several, separated by commas
	Token       func() string // asked before each connection; nil for none
	Credentials string        // a .creds file, "" for none
	CA          []string      // files with the certificates to trust; none for those of the system
	Cert, Key   string        // files of a client certificate, "" for none
	// Away is told when the connection is lost, and again when it is there; nil for nobody.
	Away func(away bool)
}

// Waits of a client. It never gives up connecting again: a server that is away for an hour is one to wait for.
const (
	reconnectWait = 500 * time.Millisecond
	callTime      = 10 * time.Second // longest wait for one answer of the server
	pingInterval  = 5 * time.Second  // two lost ones end a connection that is dead without saying so
)

// A Client is a connection to NATS.
type Client struct {
	conn *nats.Conn
	js   jetstream.JetStream
}

// Connect connects, and connects again whenever the connection is lost, until Close.
func Connect(a Access) (*Client, error) {
	opts := []nats.Option{
		nats.Name("gauntlet-fleet"), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(200*time.Millisecond, 500*time.Millisecond),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // whoever asked gets the error; the default writes to standard error
	}
	if a.Token != nil {
		opts = append(opts, nats.TokenHandler(a.Token))
	}
	if a.Away != nil {
		opts = append(opts, nats.DisconnectErrHandler(func(*nats.Conn, error) { a.Away(true) }), nats.ReconnectHandler(func(*nats.Conn) { a.Away(false) }))
	}
	if a.Credentials != "" {
		opts = append(opts, nats.UserCredentials(a.Credentials))
	}
	if len(a.CA) > 0 {
		opts = append(opts, nats.RootCAs(a.CA...))
	}
	if a.Cert != "" {
		opts = append(opts, nats.ClientCert(a.Cert, a.Key))
	}
	if len(a.CA) > 0 || a.Cert != "" {
		opts = append(opts, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	conn, err := nats.Connect(a.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("NATS: %w", err)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(callTime))
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("NATS: %w", err)
	}
	return &Client{conn, js}, nil
}

// Close ends the connection, once the server has what was said last: that a job is put back, for one.
func (c *Client) Close() {
	_ = c.conn.FlushTimeout(time.Second) // else the job goes to another worker a little later
	c.conn.Close()
}

// again repeats a call while the server is away or changes its leader, until ctx ends.
func again(ctx context.Context, call func(context.Context) error) error {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 3*time.Second) {
		once, cancel := context.WithTimeout(ctx, callTime)
		err := call(once)
		cancel()
		if err == nil || !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// passing reports whether an error says that the server is away for a while or its queue full, and nothing about the question.
func passing(err error) bool {
	for _, e := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrNoServers, nats.ErrReconnectBufExceeded,
		nats.ErrStaleConnection, nats.ErrNoStreamResponse, jetstream.ErrNoStreamResponse, context.DeadlineExceeded, jetstream.ErrNoHeartbeat,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code == 503 // no leader, not ready, or a full stream
}
