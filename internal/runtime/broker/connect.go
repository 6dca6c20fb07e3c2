package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Access says where NATS is and what it wants to see.
type Access struct {
	URL         string // one or several, separated by commas
	Token       string
	Credentials string   // a .creds file, "" for none
	CA          []string // files with the certificates to trust; none for those of the system
	Cert, Key   string   // files of a client certificate, "" for none
	Name        string   // of this client, in the server's lists
	// Embedded connects within this process, nil for over the network.
	Embedded *Embedded
	// Current, unless nil, is asked before each connection where the server is now and what token it wants: an embedded one that
	// was begun anew is somewhere else. "" is what it was.
	Current func() (address, token string)
	// Away is told when the connection is lost, and again when it is there; nil for nobody.
	Away func(away bool)
}

// dialer connects to where a server is now.
type dialer struct {
	current func() (address, token string)
}

func (d dialer) Dial(network, address string) (net.Conn, error) {
	if now, _ := d.current(); now != "" {
		address = strings.TrimPrefix(now, "nats://")
	}
	return net.DialTimeout(network, address, 2*time.Second)
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
		nats.Name(a.Name), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(200*time.Millisecond, 500*time.Millisecond),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // whoever asked gets the error; the default writes to standard error
	}
	switch {
	case a.Current != nil:
		opts = append(opts, nats.SetCustomDialer(dialer{a.Current}), nats.IgnoreAuthErrorAbort(), nats.TokenHandler(func() string {
			if _, token := a.Current(); token != "" {
				return token
			}
			return a.Token
		}))
	case a.Token != "":
		opts = append(opts, nats.Token(a.Token))
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
	if a.Embedded != nil {
		opts = append(opts, nats.InProcessServer(a.Embedded.server), nats.Token(a.Embedded.Token))
	}
	conn, err := nats.Connect(a.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("NATS: %w", err)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(callTime), jetstream.WithPublishAsyncMaxPending(1024))
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("NATS: %w", err)
	}
	return &Client{conn, js}, nil
}

// Close ends the connection.
func (c *Client) Close() { c.conn.Close() }

// again repeats a call while the server is away or changes its leader, until ctx ends.
func again(ctx context.Context, call func(context.Context) error) error {
	wait := 100 * time.Millisecond
	for {
		once, cancel := context.WithTimeout(ctx, callTime)
		err := call(once)
		cancel()
		if err == nil || ctx.Err() != nil || !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, 3*time.Second)
	}
}

// passing reports whether an error says that the server is away for a while, and nothing about the question.
func passing(err error) bool {
	for _, e := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrNoServers, nats.ErrReconnectBufExceeded,
		nats.ErrStaleConnection, nats.ErrNoStreamResponse, jetstream.ErrNoStreamResponse, context.DeadlineExceeded, jetstream.ErrAsyncPublishTimeout, jetstream.ErrNoHeartbeat,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code == 503 // no leader, not ready, insufficient resources for the moment
}
