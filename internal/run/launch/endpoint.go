package launch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// An Endpoint is where a sandboxed server listens.
type Endpoint struct {
	URL string
	SSE bool // it speaks HTTP+SSE of 2024-11-05
}

const (
	// stdioLead is how long a listening server may still answer on stdio, which takes precedence: some open a port for other
	// purposes.
	stdioLead = 2 * time.Second
	// mostKnocks bounds how often a socket is tested for MCP: its routes may be set up after it opens.
	mostKnocks  = 5
	knockTime   = 3 * time.Second
	lookEvery   = 100 * time.Millisecond
	mostSockets = 8
)

var usualPaths = []string{"/mcp", "/sse", "/", "/mcp/", "/api/mcp", "/mcp/sse", "/sse/", "/v1/mcp", "/stream", "/http", "/message"}

// A Clue is prior knowledge of where a server listens; the zero Clue is none.
type Clue struct {
	At   string   // named by the user: nothing else is tested
	Last Endpoint // where it was in an earlier start; the port may differ now
}

// FindEndpoint waits until a sandboxed server listens somewhere and answers MCP there, and returns the endpoint. It returns false
// if ctx or the server ends first.
func FindEndpoint(ctx context.Context, o *Opened, c Clue) (Endpoint, bool) {
	client := &http.Client{Transport: InsideTransport(o.Sandbox), Timeout: knockTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	s := search{ctx, client, o, c, map[netip.AddrPort]time.Time{}, map[netip.AddrPort]int{}}
	for {
		sockets, _ := o.Sandbox.Listening() // it is read again
		if e, ok := s.askSockets(sockets[:min(len(sockets), mostSockets)]); ok {
			return e, true
		}
		select {
		case <-ctx.Done():
			return Endpoint{}, false
		case <-o.Process.Exited():
			return Endpoint{}, false
		case <-look.C:
		}
	}
}

// A search looks for where a server listens.
type search struct {
	ctx    context.Context
	client *http.Client
	opened *Opened
	clue   Clue
	seen   map[netip.AddrPort]time.Time // when each socket was first seen
	knocks map[netip.AddrPort]int
}

func (s *search) askSockets(sockets []netip.AddrPort) (Endpoint, bool) {
	for _, at := range sockets {
		if _, known := s.seen[at]; !known {
			s.seen[at] = time.Now()
		}
		switch {
		case s.clue.At != "":
			if listensAt(sockets, s.clue.At) {
				return Endpoint{URL: s.clue.At, SSE: answersMCP(s.ctx, s.client, s.clue.At) == elsewhere && opensStream(s.ctx, s.client, s.clue.At)}, true
			}
			continue
		case s.clue.Last.URL != "":
			if e, ok := s.askAgain(at); ok {
				return e, true
			}
			continue
		case time.Since(s.seen[at]) < stdioLead || s.knocks[at] >= mostKnocks:
			continue
		}
		s.knocks[at]++
		said, _ := s.opened.Process.Stderr()
		if e, ok := knock(s.ctx, s.client, at, said); ok {
			return e, true
		}
	}
	return Endpoint{}, false
}

// askAgain tests a socket at the earlier path.
func (s *search) askAgain(at netip.AddrPort) (Endpoint, bool) {
	e := s.clue.Last
	u, err := url.Parse(e.URL)
	if err != nil {
		return Endpoint{}, false
	}
	if u.Port() != strconv.Itoa(int(at.Port())) {
		u.Host = hostOf(at)
		e.URL = u.String()
	}
	if e.SSE {
		return e, opensStream(s.ctx, s.client, e.URL)
	}
	return e, answersMCP(s.ctx, s.client, e.URL) == streamable
}

func listensAt(sockets []netip.AddrPort, address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.ContainsFunc(sockets, func(at netip.AddrPort) bool { return strconv.Itoa(int(at.Port())) == u.Port() })
}

// knock tests a socket for MCP at the usual paths and those the server printed.
func knock(ctx context.Context, client *http.Client, at netip.AddrPort, said string) (Endpoint, bool) {
	hosts := []string{hostOf(at)}
	if at.Addr().IsLoopback() || at.Addr().IsUnspecified() {
		hosts = append(hosts, "localhost:"+strconv.Itoa(int(at.Port()))) // some accept only their own name
	}
	paths := append(namedPaths(said, at.Port()), usualPaths...)
	for _, host := range hosts {
		for _, path := range paths {
			e := Endpoint{URL: "http://" + host + path}
			switch answersMCP(ctx, client, e.URL) {
			case streamable:
				return e, true
			case elsewhere:
				if e.SSE = opensStream(ctx, client, e.URL); e.SSE {
					return e, true
				}
			case silent:
				return Endpoint{}, false
			}
		}
	}
	return Endpoint{}, false
}

var namedURL = lazyregexp.New(`https?://(?:\[[0-9a-f:]*\])?[^\s"'<>()\[\]{},;]*`)

// namedPaths returns the paths of URLs with the port in a text, in order.
func namedPaths(text string, port uint16) (out []string) {
	for _, raw := range namedURL.FindAllString(text, 50) {
		u, err := url.Parse(strings.TrimRight(raw, "."))
		if err == nil && u.Port() == strconv.Itoa(int(port)) && len(u.Path) > 1 && !slices.Contains(out, u.Path) {
			out = append(out, u.EscapedPath())
		}
	}
	return out
}

// A firstReply classifies the answer to the first message.
type firstReply int

const (
	elsewhere  firstReply = iota // something answers, but not MCP
	streamable                   // a JSON-RPC answer, or a demand for a token
	silent                       // nothing answers
)

// opening is the first message: servers of every transport know it.
const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{},"clientInfo":{"name":"gauntlet","version":"1"}}}`

// mostKnocked bounds what is read of an answer.
const mostKnocked = 64 << 10

func answersMCP(ctx context.Context, client *http.Client, at string) firstReply {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(opening))
	if err != nil {
		return elsewhere
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return silent
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusUnauthorized {
		return streamable
	}
	if res.StatusCode == http.StatusNotFound {
		return elsewhere
	}
	if holdsResponse(res) {
		return streamable
	}
	return elsewhere
}

// holdsResponse reports whether an answer contains a response to the first message, as a body or in an event stream, which may stay
// open.
func holdsResponse(res *http.Response) bool {
	body := io.LimitReader(res.Body, mostKnocked)
	isResponse := func(text string) bool {
		m := wire.Decode(strings.TrimSpace(text))
		return m.Kind == wire.Response && m.ID == "1"
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		text, _ := io.ReadAll(body) // what arrived before an error counts
		return isResponse(string(text))
	}
	next := wire.ReadEvents(body, mostKnocked)
	for {
		data, err := next()
		if err != nil || isResponse(data) {
			return err == nil
		}
	}
}

// opensStream reports whether a GET opens an HTTP+SSE stream, whose first event names the POST endpoint.
func opensStream(ctx context.Context, client *http.Client, at string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return false
	}
	line, _ := bufio.NewReader(io.LimitReader(res.Body, mostKnocked)).ReadString('\n') // a stream without a complete line opened nothing
	return strings.TrimSpace(line) == "event: endpoint" || strings.TrimSpace(line) == "event:endpoint"
}

// SpeakAt connects to a sandboxed server's port instead of its stdio. Further stdio output is read and discarded.
func (d *Dialer) SpeakAt(s *Server, o *Opened, e Endpoint, tap Tap) error {
	transport := InsideTransport(o.Sandbox)
	h, err := wire.Dial(wire.Endpoint{URL: e.URL, Header: s.Header, Bearer: s.Bearer, Secret: s.Guard, SSE: e.SSE, Transport: transport, Limits: d.Limits, Agent: d.Agent})
	if err != nil {
		return err
	}
	o.Place = s.Program() + " at " + e.URL
	var record wire.Tap
	if tap != nil {
		record = tap(o.Place, h.Secrets(), nil)
	}
	h.Tap(tieCalls(o.Sandbox, record))
	server := &drained{sealed{o.Process, o.Sandbox}, make(chan struct{})}
	go server.drainOutput() // ends with the process
	o.Conn = &listener{&dialed{h, transport}, server}
	return nil
}

// InsideTransport returns a transport that reaches only the server in a sandbox.
func InsideTransport(box *sandbox.Sandbox) *http.Transport {
	t := wire.NewTransport()
	t.DialContext = box.Dial
	return t
}

// drained is a server whose stdout only we read.
type drained struct {
	sealed
	read chan struct{} // closed when the output has ended
}

// drainOutput reads a server's stdout beside its HTTP answers, so that it never blocks.
func (d *drained) drainOutput() {
	defer close(d.read)
	for {
		_, err := d.Process.Receive(context.Background()) // the process's end ends it
		var long *wire.LineTooLongError
		if err != nil && !errors.As(err, &long) {
			return
		}
	}
}

func (d *drained) Close() error {
	defer func() { <-d.read }()
	return d.sealed.Close()
}

func (d *drained) Kill() error {
	defer func() { <-d.read }()
	return d.sealed.Kill()
}

// listener is a connection to a server that listens in a sandbox, which ends with it.
type listener struct {
	*dialed
	server *drained
}

func (l *listener) Close() error { return errors.Join(l.dialed.Close(), l.server.Close()) }

func (l *listener) Kill() error { return errors.Join(l.dialed.Kill(), l.server.Kill()) }

// hostOf returns the host by which a listening socket is reached from its own machine.
func hostOf(at netip.AddrPort) string {
	host := at.Addr().String()
	switch {
	case at.Addr() == netip.IPv6Unspecified(), at.Addr() == netip.IPv4Unspecified():
		host = "127.0.0.1" // an unspecified IPv6 address usually accepts IPv4 too
	}
	return net.JoinHostPort(host, strconv.Itoa(int(at.Port())))
}
