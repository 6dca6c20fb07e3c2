package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/report"
	"gauntlet/result"
	"gauntlet/trace"
)

// Captured is what a live server said.
type Captured struct {
	Text    string          // the snapshot
	Gaps    []mcpclient.Gap // what it lacks although requested
	Secrets []string        // what the server was given and must not disclose, as NAME=VALUE
	Notes   []Note          // the lines to show about it

	name  string        // name in messages
	era   mcpclient.Era // the detected era
	again string        // the snapshot after a list changed; "" if none did
	after string        // the notification of that change
	err   error         // why nothing is known

	askings []asking       // set with Options.Differential
	contact *probe.Contact // response headers over HTTP; nil over stdio
}

// A Note is a line to show about one server. It is held back until all servers are done, so that lines do not mix and keep the
// targets' order.
type Note struct {
	Text   string
	Quote  bool   // it quotes the server
	Server string // the server if there are several; "" otherwise and for a quote
}

// Capture starts the server or connects to it, asks it everything and ends it. The result is never nil; on an error it holds only
// notes. It may be called concurrently.
func (r *Reader) Capture(ctx context.Context, t Target) (*Captured, error) {
	if !r.Differential {
		return r.holdConversation(ctx, t, conversation{as: r.ownClient(), only: true})
	}
	got, err := r.holdConversation(ctx, t, conversation{as: r.ownClient(), wait: changeWait})
	if err == nil {
		err = r.askAgain(ctx, t, got)
	}
	return got, err
}

// A conversation says how to hold one session.
type conversation struct {
	as   client
	only bool          // the only one: in a sandbox we may introduce ourselves as an agent
	era  mcpclient.Era // detected earlier; zero if unknown
	wait time.Duration // how long to wait for a list change before reading again; 0 for not at all
}

// holdConversation runs one session, from starting or connecting to the end.
func (r *Reader) holdConversation(ctx context.Context, t Target, how conversation) (*Captured, error) {
	got := &Captured{name: t.Name}
	limits := wire.Limits{Message: min(r.Dialer.Limits.Message, r.Limits.Bytes), Total: int64(r.Limits.Bytes)}
	dialer := r.Dialer
	dialer.Limits, dialer.Agent, dialer.SandboxName = limits, how.as.name, t.Name
	if t.URL == "" {
		got.name = cmp.Or(t.Name, t.Program())
		r.Progress.Step("starting %s", got.name)
	}
	listener := new(contactListener)
	server, err := dialer.Open(t.Server, func(place string, secrets, credentials []string) wire.Tap {
		return listener.around(r.Trace.Tap(cmp.Or(t.Name, place), trace.AsClient, secrets, credentials))
	})
	if err != nil {
		if t.Name != "" {
			err = fmt.Errorf("%s: %w", t.Name, err)
		}
		return got, err
	}
	got.name, got.Secrets = cmp.Or(t.Name, server.Place), server.Secrets
	if t.URL != "" {
		r.Progress.Step("connecting to %s", got.name)
	}
	inTime, cancel := context.WithTimeout(ctx, r.Total)
	defer cancel()
	name, version := how.as.name, how.as.version
	if how.only {
		name, version = server.IntroducedAs(name, version)
	}
	var session *mcpclient.Session
	server.WhileSilent(r.Progress.Tell, func() {
		session, err = mcpclient.Open(inTime, server.Conn, mcpclient.Options{
			Era: how.era, Name: name, Version: version, Timeout: r.Timeout, Pages: r.Pages, Items: r.Limits.Items, Limits: limits, Redact: server.Conn.Redact,
			Progress: func(method string, n int) { r.Progress.Step("%s: %s, %d items so far", got.name, method, n) },
		})
	})
	var snap *mcpclient.Snapshot
	if err == nil {
		read := session.ReadSettled
		if r.Differential { // which compares both states, in each conversation alike
			read = session.Read
		}
		snap = read(inTime)
		got.era = snap.Era
		got.readAgain(inTime, session, how.wait)
	}
	end := server.Conn.Close
	if inTime.Err() != nil { // no time is left for a clean end
		end = server.Conn.Kill
	}
	leak := end()
	got.Secrets, got.contact = server.SecretsByNow(), listener.heard(&t, got.name, len(server.SecretsByNow()) > len(server.Secrets), err)
	if ctx.Err() != nil {
		return got, interrupt.Err
	}
	if err != nil {
		got.noteStderr(server.Process)
		if inTime.Err() == nil { // otherwise the limit is not that of a single answer
			err = advise(&t.Server, r.Timeout, err)
		}
		return got, fmt.Errorf("%s: %w", got.name, err)
	}
	got.takeSnapshot(snap, server, leak)
	return got, nil
}

// readAgain reads the server again if a list has changed.
func (c *Captured) readAgain(ctx context.Context, session *mcpclient.Session, wait time.Duration) {
	if wait == 0 {
		return
	}
	if c.after = session.Changed(ctx, wait); c.after != "" {
		c.again = string(session.ReadSettled(ctx).Bytes())
	}
}

// takeSnapshot stores the text of a snapshot and notes oddities.
func (c *Captured) takeSnapshot(snap *mcpclient.Snapshot, server *launch.Opened, leak error) {
	if leak != nil {
		snap.Errors = append(snap.Errors, mcpclient.Gap{Method: "exit", Message: leak.Error()})
	}
	for _, g := range snap.Errors {
		if !g.Absent {
			c.Gaps = append(c.Gaps, g)
		}
	}
	if c.Gaps != nil {
		c.noteStderr(server.Process)
	}
	if n := snap.Noise.Count; n > 0 {
		where := "wrote %d lines to its stdout"
		if server.Process == nil {
			where = "sent %d texts"
		}
		text := fmt.Sprintf("the server "+where+" that are not MCP messages", n)
		if lines := snap.Noise.Lines; len(lines) > 0 {
			text += ", the first: " + clipLine(server.Conn.Redact(lines[0]), 120)
		}
		c.Notes = append(c.Notes, Note{Text: text})
	}
	c.Text = string(snap.Bytes())
}

const (
	stderrHead  = 6  // first lines of a failed server's stderr that are shown
	stderrTail  = 14 // and last lines
	stderrWidth = 300
)

// noteStderr notes the stderr of a failed server: its end, and its beginning, since a program that prints its usage reports the
// error above that. A server behind a URL has none.
func (c *Captured) noteStderr(server *wire.Process) {
	if server == nil {
		return
	}
	lines := excerptStderr(server.Stderr())
	if lines == nil {
		return
	}
	c.Notes = append(c.Notes, Note{Text: "what the server wrote to its stderr:"})
	for _, l := range lines {
		c.Notes = append(c.Notes, Note{Text: clipLine(l, stderrWidth), Quote: true})
	}
}

// excerptStderr returns the first and last lines of a text that is preceded by before bytes, nil if it has no words.
func excerptStderr(text string, before int64) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	if left := len(lines) - stderrHead - stderrTail; left > 1 {
		lines = slices.Concat(lines[:stderrHead], []string{fmt.Sprintf("… %d lines …", left)}, lines[len(lines)-stderrTail:])
	}
	if before > 0 {
		lines = slices.Insert(lines, 0, "…")
	}
	return lines
}

// clipLine shortens a stranger's line, counting displayed characters.
func clipLine(s string, n int) string {
	r := []rune(report.Visible(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}

// A contactListener records the responses of an HTTP session.
type contactListener struct {
	mu   sync.Mutex // responses of several requests arrive concurrently
	seen probe.Contact
}

func (l *contactListener) around(tap wire.Tap) wire.Tap {
	return func(p wire.Passage) {
		if !p.Sent && p.HTTP != nil {
			l.take(p.HTTP)
		}
		if tap != nil {
			tap(p)
		}
	}
}

func (l *contactListener) take(a *wire.HTTPAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &l.seen
	switch {
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		c.Refused, c.Challenge = a.Status, a.Header.Get("Www-Authenticate")
	case a.Status/100 == 2:
		c.Answered = true
	}
	if id := a.Header.Get(mcp.HeaderSessionID); id != "" {
		c.Session = len(id)
	}
	keep(&c.ReadBy, a.Header.Get("Access-Control-Allow-Origin"))
	keep(&c.Revision, a.Header.Get(mcp.HeaderProtocolVersion))
	keep(&c.Transport, a.Header.Get("Strict-Transport-Security"))
	if c.Software == nil {
		for _, name := range []string{"Server", "X-Powered-By"} {
			if v := a.Header.Get(name); v != "" {
				c.Software = append(c.Software, v)
			}
		}
	}
}

func keep(to *string, value string) {
	if value != "" {
		*to = value
	}
}

// heard returns the record of a session with a target behind a URL, nil for another target. A user's header may be a credential
// too.
func (l *contactListener) heard(t *Target, place string, login bool, err error) *probe.Contact {
	scheme, _, ok := strings.Cut(t.URL, "://")
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.seen
	c.Place, c.Scheme, c.Token = place, strings.ToLower(scheme), login || t.Bearer != "" || len(t.Header) > 0
	if refused := refusedStatus(err); refused != nil {
		c.Refused, c.Challenge = refused.Status, refused.Header.Get("Www-Authenticate")
	}
	if c.Answered { // a login intervened
		c.Refused = 0
	}
	return &c
}

// refusedStatus returns the response with which a server refused us, or nil.
func refusedStatus(err error) *wire.HTTPAnswer {
	var e *wire.RequestError
	if errors.As(err, &e) && e.HTTP != nil && (e.HTTP.Status == http.StatusUnauthorized || e.HTTP.Status == http.StatusForbidden) {
		return e.HTTP
	}
	return nil
}

// Ledger returns the report of a scan of the snapshot without checks, on which a capture's exit code is based. Its problems are
// what the server did not provide.
func (c *Captured) Ledger(limits catalog.Limits) (*result.Report, error) {
	snapshot, err := catalog.Parse("", c.Text, limits)
	if err != nil {
		return nil, err
	}
	r := scanner.Run(snapshot, scanner.Options{Checks: []*check.Check{}})
	r.Problems = nil
	for _, g := range c.Gaps {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: g.Method + ": " + g.Message})
	}
	return r, nil
}

// A client is the name we introduce ourselves by. All claim the same capabilities: none.
type client struct{ name, version string }

func (r *Reader) ownClient() client { return client{"gauntlet", r.Version} }

// otherClient is Claude Desktop's name: an agent that no server rejects.
func otherClient() client { return client{"claude-ai", "0.1.0"} }

// changeWait bounds the wait for a list change from a server that announces them.
const changeWait = 2 * time.Second

// An asking is what a live server said at another time, or why it said nothing.
type asking struct {
	as    client
	self  bool   // under our real name
	after string // the notification after which the first session read it again
	text  string
	err   error
}

// askAgain asks a server that answered first as another client. If the answers differ, both clients ask once more, so that a change
// over time is not taken for a difference between clients. The error is interrupt.Err or nil.
func (r *Reader) askAgain(ctx context.Context, t Target, first *Captured) error {
	if first.again != "" {
		first.askings = append(first.askings, asking{as: r.ownClient(), self: true, after: first.after, text: first.again})
	}
	for i, as := range []client{otherClient(), r.ownClient(), otherClient()} {
		got, err := r.holdConversation(ctx, t, conversation{as: as, era: first.era})
		if errors.Is(err, interrupt.Err) {
			return err
		}
		first.askings = append(first.askings, asking{as: as, self: as == r.ownClient(), text: got.Text, err: err})
		first.contact.NoteAsking(err, got.Text != first.Text)
		if i == 0 && (err != nil || got.Text == first.Text) {
			break
		}
	}
	return nil
}

func (g *Gathered) addAskings(of *catalog.Server, askings []asking, limits catalog.Limits) {
	for _, q := range askings {
		var held *catalog.Catalog
		err := q.err
		if err == nil {
			limits.Bytes = len(q.text)
			held, err = catalog.Parse("", q.text, limits)
		}
		if err != nil {
			g.Failures = append(g.Failures, finding.Problem{Kind: finding.Failed,
				Message: fmt.Sprintf("asked as %q: %s", q.as.name, err), Location: finding.Location{Server: of.Name, Origin: of.Document.Origin}})
			continue
		}
		held.Documents[0].Origin = of.Document.Origin
		for i := range held.Problems {
			held.Problems[i].Location.Origin = of.Document.Origin
		}
		g.Askings = append(g.Askings, check.Asking{Of: of, Catalog: held, As: q.as.name, Self: q.self, After: q.after})
	}
}
