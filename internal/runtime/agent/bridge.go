package agent

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// An agent that can only start its servers starts bridges: each copies its standard streams to and from a local socket of the run.
// The first line is the run's token and the server's name, so that no other program of the machine can take part.

// Variables that configure a bridge.
const (
	EnvAddress = "GAUNTLET_BRIDGE_ADDRESS"
	EnvToken   = "GAUNTLET_BRIDGE_TOKEN" //nolint:gosec // the name of a variable
	EnvServer  = "GAUNTLET_BRIDGE_SERVER"
)

const (
	// helloTime bounds the wait for a client's first line, helloBytes its length.
	helloTime   = 10 * time.Second
	helloBytes  = 1 << 10
	mostBridges = 64
)

// A Hub accepts all bridges of one run.
type Hub struct {
	ln    net.Listener
	token string
}

// OpenHub opens a loopback socket. The caller must call Serve, which closes it.
func OpenHub(ctx context.Context) (*Hub, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &Hub{ln: ln, token: rand.Text()}, nil
}

// Server returns the mcp.json entry that starts a bridge to a server. program is gauntlet's path; the token is in the environment,
// which no process list shows.
func (h *Hub) Server(name, program string) Server {
	return Server{Name: name, Command: []string{program, "attack", "bridge"}, Env: map[string]string{
		EnvAddress: h.ln.Addr().String(), EnvToken: h.token, EnvServer: name,
	}}
}

// Serve calls serve for every bridge with the right token, with the requested name, until ctx ends. conn is closed when serve
// returns or ctx ends.
func (h *Hub) Serve(ctx context.Context, serve func(ctx context.Context, name string, conn net.Conn)) {
	stop := context.AfterFunc(ctx, func() { h.ln.Close() })
	defer stop()
	defer h.ln.Close()
	slots := make(chan struct{}, mostBridges)
	var all sync.WaitGroup
	defer all.Wait()
	for {
		conn, err := h.ln.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			select { // too many descriptors, or the client has left
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		all.Go(func() { // ends with the bridge or with ctx
			defer func() { <-slots }()
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			if name, in, ok := h.hello(conn); ok {
				serve(ctx, name, &buffered{Conn: conn, in: in})
			}
		})
	}
}

// hello reads the first line.
func (h *Hub) hello(conn net.Conn) (name string, in *bufio.Reader, ok bool) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTime)) // fails for a closed connection, as does the read
	in = bufio.NewReaderSize(conn, helloBytes)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return "", nil, false
	}
	token, name, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
	if subtle.ConstantTimeCompare([]byte(token), []byte(h.token)) != 1 {
		return "", nil, false
	}
	_ = conn.SetReadDeadline(time.Time{})
	return name, in, true
}

// A buffered connection starts with what was read after the first line.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

// Bridge copies in to the socket that lookup's variables name, and the socket to out, until either side ends. in may be a file
// whose Read cannot be interrupted: if the other side ends first, a blocked Read is left behind.
func Bridge(ctx context.Context, lookup func(string) string, in io.Reader, out io.Writer) error {
	address, token, name := lookup(EnvAddress), lookup(EnvToken), lookup(EnvServer)
	if address == "" || token == "" || name == "" || strings.ContainsAny(token+name, "\n") {
		return fmt.Errorf("the bridge finds no run to connect to: it is started by the mcp.json of attack run, which sets %s, %s and %s", EnvAddress, EnvToken, EnvServer)
	}
	if host, _, err := net.SplitHostPort(address); err != nil || !net.ParseIP(host).IsLoopback() {
		return fmt.Errorf("%s names no address of this machine", EnvAddress)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return errors.New("the run is over: nobody listens any more")
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := fmt.Fprintf(conn, "%s %s\n", token, name); err != nil {
		return err
	}
	// Ends with in, or is left behind in a Read.
	go func() {
		_, _ = io.Copy(conn, in) // the other direction reports the end
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
	}()
	_, err = io.Copy(out, conn)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
