// Package fleet runs a plan over many targets: it makes jobs of the plan, has workers do them in processes of their own, and
// collects what came of each.
package fleet

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

// A Home is the directory beside a plan in which its keys, its list of jobs and, without a cluster, its store are.
type Home struct{ Dir string }

// HomeOf is the home of a plan file.
func HomeOf(plan string) Home {
	return Home{strings.TrimSuffix(plan, filepath.Ext(plan)) + ".fleet"}
}

func (h Home) file(name string) string { return filepath.Join(h.Dir, name) }

// WorkerKeys is the name of the file that workers on other machines need.
func (h Home) WorkerKeys() string { return h.file("worker.key") }

const maxSmallFile = 4096

// ReadKeys reads a file with the keys of an owner or of a worker.
func ReadKeys(name string, owner bool) (*Keys, error) {
	text, err := userfile.ReadText(name, nil, maxSmallFile)
	var keys *Keys
	if err == nil {
		keys, err = ParseKeys([]byte(text), owner)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, userfile.Reason(err))
	}
	return keys, nil
}

// OpenKeys reads the keys of the plan, and makes them and the directory if there are none.
func (h Home) OpenKeys() (*Keys, error) {
	keys, err := ReadKeys(h.file("plan.key"), true)
	if !errors.Is(err, userfile.ErrMissing) {
		return keys, err
	}
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return nil, err
	}
	if keys, err = NewKeys(rand.Reader); err != nil {
		return nil, err
	}
	return keys, errors.Join(writeJSON(h.WorkerKeys(), keys.Worker()), writeJSON(h.file("plan.key"), keys))
}

func writeJSON(name string, v any) error {
	return userfile.WritePrivate(name, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// readList reads the list of all jobs of the plan, none of them done.
func (h Home) readList() (*result.Fleet, error) {
	name := h.file("jobs.json")
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l := &result.Fleet{}
	if err := json.NewDecoder(f).Decode(l); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Access says where NATS is and what it wants to see.
type Access struct {
	URL         string   // one or several, separated by commas; "" for the server of the plan on this machine
	Credentials string   // a .creds file, "" for none
	CA          []string // files with the certificates to trust; none for those of the system
	Cert, Key   string   // files of a client certificate, "" for none
	// Away is told when the connection is lost, and again when it is there; nil for nobody.
	Away func(away bool)
}

// Times of the servers and of their clients. A client never gives up connecting again: a server that is away for an hour is one to
// wait for.
const (
	startTime     = 5 * time.Minute // for the store to be read: a million queued jobs take seconds
	reconnectWait = 500 * time.Millisecond
	callTime      = 10 * time.Second // longest wait for one answer of the server
	pingInterval  = 5 * time.Second  // two lost ones end a connection that is dead without saying so
)

// storeLimit is no bound: each stream has its own, and the server would count those as taken from the start.
const storeLimit = 1 << 50

// A Server is NATS as a plan's owner or a worker reaches it: a server in this process with a store on disk, or one elsewhere.
type Server struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	embedded *server.Server // nil where another process has it
}

// Close ends the connection, once the server has what was said last: that a job is put back, for one; and the embedded server if this
// process has it, whose store stays.
func (s *Server) Close() {
	_ = s.conn.FlushTimeout(time.Second) // else the job goes to another worker a little later
	s.conn.Close()
	if s.embedded != nil {
		shutDown(s.embedded)
	}
}

func shutDown(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// An address says where the embedded server of a home is, or was: one that is begun anew takes the same port if it can, where
// clients of the earlier one find it again. It listens on loopback only, and only whoever has its token gets in.
type address struct {
	Port  int    `json:"port"`
	Token string `json:"token"`
}

func (h Home) address() (at address) {
	if text, err := userfile.ReadText(h.file("server.json"), nil, maxSmallFile); err != nil || json.Unmarshal([]byte(text), &at) != nil {
		return address{}
	}
	return at
}

// Join reaches NATS at access, or the embedded server of this home that another process has if access has no address. It connects
// again whenever the connection is lost.
func (h Home) Join(a Access) (*Server, error) {
	opts := []nats.Option{
		nats.Name("gauntlet-fleet"), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(200*time.Millisecond, 500*time.Millisecond),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // whoever asked gets the error; the default writes to standard error
	}
	url := a.URL
	if url == "" {
		url = fmt.Sprint("nats://127.0.0.1:", h.address().Port)
		opts = append(opts, nats.TokenHandler(func() string { return h.address().Token })) // asked before each connection
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
	conn, err := nats.Connect(url, opts...)
	if err != nil && a.URL == "" {
		return nil, fmt.Errorf("%s: no program runs this plan on this machine: begin it with gauntlet-fleet run", h.Dir)
	}
	s := &Server{conn: conn}
	if err == nil {
		if s.js, err = jetstream.New(conn, jetstream.WithDefaultTimeout(callTime)); err != nil {
			conn.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("NATS: %w", err)
	}
	return s, nil
}

// Begin reaches NATS at access, or starts the embedded server of this home if access has no address.
func (h Home) Begin(a Access) (*Server, error) {
	if a.URL != "" {
		return h.Join(a)
	}
	if s, err := h.Join(a); err == nil {
		s.Close()
		return nil, fmt.Errorf("another process has the server of %s open: it runs the plan, or looks at it", h.Dir)
	}
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return nil, err
	}
	embedded, at, err := startEmbedded(h.file("store"), h.address().Port)
	if err != nil {
		return nil, fmt.Errorf("the NATS server: %w", err)
	}
	var s *Server
	if err = writeJSON(h.file("server.json"), at); err == nil {
		s, err = h.Join(a)
	}
	if err != nil {
		shutDown(embedded)
		return nil, err
	}
	s.embedded = embedded
	return s, nil
}

// startEmbedded starts a server over the store in a directory, at a port if it is free.
func startEmbedded(dir string, port int) (*server.Server, address, error) {
	l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
	if err != nil { // somebody else has it now
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, address{}, err
	}
	at := address{l.Addr().(*net.TCPAddr).Port, rand.Text()}
	l.Close()
	s, err := server.NewServer(&server.Options{
		ServerName: "gauntlet-fleet", Host: "127.0.0.1", Port: at.Port, Authorization: at.Token,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: storeLimit, JetStreamMaxMemory: 64 << 20,
		NoLog: true, NoSigs: true, MaxPayload: 1 << 20, MaxControlLine: 4096,
	})
	if err != nil {
		return nil, at, err
	}
	go s.Start() // Close ends it
	if !s.ReadyForConnections(startTime) {
		err = fmt.Errorf("over %s it was not ready after %s", dir, startTime)
	} else if !s.JetStreamEnabled() {
		err = errors.New("it cannot use its store in " + dir)
	}
	if err != nil {
		shutDown(s)
	}
	return s, at, err
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
