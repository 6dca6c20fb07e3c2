package attacka2a

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A server is an actor in mode a2a_server: an agent with a card that answers messages from the document.
type server struct {
	*attack.Actor
	opt    Options
	pusher *http.Client

	mu        sync.Mutex
	own       string // its URL, "" until it listens
	exchanges int
	tasks     map[string]string // answered tasks, by id, as JSON
	order     []string          // their ids, oldest first
	pushes    map[string]string // push configurations by task, unchanged
}

// mostTasks bounds the tasks kept for later requests.
const mostTasks = 1000

func newServer(a *attack.Actor, opt Options) *server {
	s := &server{Actor: a, opt: opt, tasks: map[string]string{}, pushes: map[string]string{}}
	s.pusher = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for at := range a.Phases {
		if s.Phases[at].Faults != nil {
			s.Notice(attack.Unplayed, at, "x-gauntlet-wire is for MCP servers: what an A2A agent sends goes out as usual")
		}
	}
	return s
}

// Server is where a transport attaches.
func (s *server) Server() attack.Server {
	return attack.Server{Actor: s.Name, Protocol: a2a.Protocol, Path: "/", HTTP: s.serveHTTP, OpenReplay: s.openReplay, MadeUp: []string{"url"}} // the port differs each time
}

// Send reports an action that has no message in this protocol.
func (s *server) Send(_ context.Context, e attack.Entry, method, _ string) {
	s.Notice(attack.Unplayed, e.Phase(), "%s is not sent: an A2A agent says nothing unasked but push notifications", method)
}

// Moved does nothing.
func (s *server) Moved() {}

func (s *server) serveHTTP(ctx context.Context, ln net.Listener) error {
	s.mu.Lock()
	s.own = "http://" + ln.Addr().String() + "/"
	s.mu.Unlock()
	hs := &http.Server{Handler: s, ReadTimeout: s.opt.Timeout, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(ln) }() // ends by Close below
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if hs.Shutdown(grace) != nil {
		_ = hs.Close()
	}
	<-ended
	return nil
}

// ServeHTTP answers a request once the run has begun; earlier ones wait.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.AwaitBegin()
	x := s.newExchange(w, r)
	switch {
	case !s.isOwnHost(r.Host) || r.Header.Get("Origin") != "" && !s.isOwnOrigin(r.Header.Get("Origin")):
		x.refuse(http.StatusForbidden, "the Host or Origin header names a foreign host")
	case r.Method == http.MethodGet && (r.URL.Path == a2a.CardPath || r.URL.Path == "/.well-known/agent.json"):
		x.serveDocument(a2a.CardGet, func() string { return x.card(rawjson.Read("{}")) })
	case r.Method == http.MethodGet && r.URL.Path == a2a.KeysPath:
		x.serveKeys()
	case r.Method == http.MethodPost:
		x.serveCall()
	default:
		x.refuse(http.StatusNotFound, "not found: the card is at "+a2a.CardPath)
	}
}

func (s *server) isOwnHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(strings.ToLower(host), "[]")
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || host == "localhost" || slices.Contains(s.opt.Hosts, host)
}

func (s *server) isOwnOrigin(origin string) bool {
	_, host, ok := strings.Cut(origin, "://")
	return ok && s.isOwnHost(host)
}

// An exchange is an HTTP request with its response, and the phase that answers it.
type exchange struct {
	*server
	w      http.ResponseWriter
	r      *http.Request
	number int
	at     int
	then   func(string)
}

func (s *server) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exchanges++
	return &exchange{server: s, w: w, r: r, number: s.exchanges}
}

// begin reports an event, and waits until its phase may answer.
func (x *exchange) begin(event string, content rawjson.Value) context.Context {
	ctx := x.AwaitBegin()
	x.at, x.then = x.ObserveMessage(ctx, event, oatf.SourceRequest, content, true)
	select {
	case <-x.Entered(x.at):
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
	}
	return ctx
}

// end reports the answer and applies the event's effects.
func (x *exchange) end(ctx context.Context, result string) {
	x.RunExtractors(x.at, oatf.SourceResponse, rawjson.Read(result))
	if x.then != nil {
		x.then(result)
	}
}

func (x *exchange) record(m trace.Message, status int) {
	x.AwaitBegin()
	m.Time, m.Actor, m.Server, m.Session, m.Protocol, m.Role = x.Now(), x.Name, x.Name, "s1", a2a.Protocol, trace.AsServer
	m.Phase = x.Phases[x.at].Name
	m.HTTP = &trace.HTTP{Exchange: x.ExchangeNumber(x.number), Method: x.r.Method, Status: status}
	if status == 0 {
		m.HTTP.Credential = x.Credential(x.r.Header.Get("Authorization"))
	}
	x.Record(m)
}

func (x *exchange) refuse(status int, why string) {
	x.at = x.LastPhase()
	x.record(trace.Message{Direction: trace.ToServer, Kind: trace.Invalid, Note: "refused: " + why}, 0)
	http.Error(x.w, why, status)
}

// serveDocument serves what a client fetches outside of JSON-RPC, which is an event.
func (x *exchange) serveDocument(event string, text func() string) {
	x.at = x.LastPhase()
	x.record(trace.Message{Direction: trace.ToServer, Kind: trace.Event, Method: event}, 0)
	ctx := x.begin(event, rawjson.Read("{}"))
	document := text()
	x.record(trace.Message{Direction: trace.ToClient, Kind: trace.Event, Method: event, Raw: document}, http.StatusOK)
	x.writeJSON(document)
	x.end(ctx, document)
}

func (x *exchange) readBody() (string, error) {
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, int64(x.opt.Body)))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return "", errors.New("the body is too long")
	}
	return string(body), err
}
