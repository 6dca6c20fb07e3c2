// Package mcpclient is an MCP client over wire: handshake, paging, and a byte-exact snapshot of everything a server says about
// itself.
//
// A session has an era and a revision: the handshake era begins with initialize; in the stateless one of 2026-07-28 every request
// carries what a handshake would have said. Lists are read the same way in both. [Era] says how the era is detected.
package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// Options configure the client. A zero field means its default.
type Options struct {
	Era     Era
	Name    string        // name of the client; default "gauntlet"
	Version string        // of the client, sent to the server; default "dev"
	Timeout time.Duration // per request; default DefaultTimeout. The context bounds the whole.
	// Revision is offered in initialize; default the newest with a handshake.
	Revision string
	Pages    int         // most pages of one list; default DefaultPages
	Items    int         // most items of one list; default catalog.DefaultItems
	Limits   wire.Limits // limits on strays; those on bytes belong to the Conn
	// Info is the clientInfo, a JSON object; the default has Name and Version.
	Info string
	// Capabilities are those the client claims, a JSON object; default "{}". Answer answers requests that the server makes under
	// them: the raw result, or false to refuse. It is not called for anything unclaimed, unless Unclaimed is set.
	Capabilities string
	Answer       func(method, params string) (result string, ok bool)
	Unclaimed    bool
	// Opened, if not nil, is called with the request that opened the session, its params and the answer, and again each time the
	// session is reopened.
	Opened func(method, params string, answer wire.Message)
	// Heard, if not nil, is called with every notification of the server.
	Heard func(wire.Message)
	// Redact is applied to the server's text in error messages, if not nil. The snapshot's evidence is never redacted.
	Redact func(string) string
	// Progress, if not nil, is called with the current method and the number of items of that list so far.
	Progress func(method string, items int)
}

// Defaults of Options.
const (
	DefaultTimeout = 30 * time.Second
	DefaultPages   = 1_000
)

func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "gauntlet")
	o.Capabilities = cmp.Or(o.Capabilities, "{}")
	o.Revision = cmp.Or(o.Revision, mcp.NewestHandshake)
	o.Version = cmp.Or(o.Version, "dev")
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Pages = cmp.Or(o.Pages, DefaultPages)
	o.Items = cmp.Or(o.Items, catalog.DefaultItems)
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Opened == nil {
		o.Opened = func(string, string, wire.Message) {}
	}
	if o.Heard == nil {
		o.Heard = func(wire.Message) {}
	}
	if o.Progress == nil {
		o.Progress = func(string, int) {}
	}
	return o
}

// Capture opens a session with the server behind conn and reads its lists to the end: Open and Read. An error is Open's. Capture
// does not close conn.
func Capture(ctx context.Context, conn wire.Conn, opt Options) (*Snapshot, error) {
	s, err := Open(ctx, conn, opt)
	if err != nil {
		return nil, err
	}
	return s.ReadSettled(ctx), nil
}

// redacted is an error whose text has the secrets repeated by the server removed.
type redacted struct {
	text string
	err  error
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.err }

// conversation is the state of one session.
type conversation struct {
	client   *wire.Client
	conn     wire.Conn
	opt      Options
	out      *Snapshot
	http     bool   // the connection uses HTTP
	meta     string // _meta of every stateless request, "" in the handshake era
	changed  string // the latest list_changed notification, or ""
	stop     func() // ends the wait for one; nil if there is no wait
	renewals int    // sessions that replaced an ended one
	listens  bool   // the stream for unsolicited messages is open or not needed
}

func (c *conversation) handshake(ctx context.Context) error {
	c.opt.Progress(mcp.Initialize, 0)
	params := fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`,
		c.opt.Revision, c.opt.Capabilities, c.clientInfo())
	m, err := c.callInTime(ctx, mcp.Initialize, params)
	if err != nil {
		return err
	}
	if m.Result[0] != '{' {
		return fmt.Errorf("the result of initialize is not an object but %s", jsonKind(m.Result))
	}
	c.setInit(mcp.Initialize, m)
	c.opt.Opened(mcp.Initialize, params, m)
	version := rawjson.LastMember(m.Result, "protocolVersion")
	if version == "" || version[0] != '"' {
		return errors.New("the answer to initialize names no protocolVersion")
	}
	c.out.Revision = rawjson.Unquote(version)
	if !mcp.HasHandshake(c.out.Revision) {
		return fmt.Errorf("the server answered initialize with protocol version %q; this gauntlet speaks %s",
			c.clipRedacted(c.out.Revision, 40), strings.Join(mcp.HandshakeRevisions(), ", "))
	}
	c.out.Era = Legacy
	if m.Note != "" {
		c.addGap(mcp.Initialize, m.Note)
	}
	// If the server cannot receive this, the first list will fail with the reason.
	_ = c.client.Notify(ctx, mcp.NotifyInitialized, `{}`)
	return nil
}

func (c *conversation) clientInfo() string {
	return cmp.Or(c.opt.Info, rawjson.Build("name", rawjson.Quote(c.opt.Name), "version", rawjson.Quote(c.opt.Version)))
}

// noteRenewal records that the session was replaced, if the server's opening differs: its new text was not read. Lists continue
// where they were.
func (c *conversation) noteRenewal() {
	web, ok := c.conn.(interface{ Renewals() (int, string) })
	if !ok {
		return
	}
	n, result := web.Renewals()
	if n == c.renewals {
		return
	}
	c.renewals = n
	if result != c.out.Init {
		c.addGap(mcp.Initialize, "the server ended its session and answered initialize differently in the next one; only the first answer was read")
	}
}

// callInTime makes one request within its time limit and explains a missing answer.
func (c *conversation) callInTime(ctx context.Context, method, params string) (wire.Message, error) {
	return c.callWithin(ctx, c.opt.Timeout, method, params)
}

func (c *conversation) callWithin(ctx context.Context, limit time.Duration, method, params string) (wire.Message, error) {
	one := []wire.Asked{{Method: method, Params: params}}
	c.callTogether(ctx, limit, one)
	return one[0].Answer, one[0].Err
}

// callTogether makes requests concurrently, all within limit.
func (c *conversation) callTogether(ctx context.Context, limit time.Duration, asked []wire.Asked) {
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c.client.CallTogether(inTime, asked)
	c.noteRenewal()
	for i := range asked {
		a := &asked[i]
		if none, ok := errors.AsType[*wire.NoAnswerError](a.Err); ok {
			a.Err = c.giveUp(ctx, limit, a.Method, none)
		}
	}
}

// A silence is a NoAnswerError worded for users.
type silence struct {
	text string
	none *wire.NoAnswerError
}

func (e *silence) Error() string { return e.text }
func (e *silence) Unwrap() error { return e.none }

// giveUp tells the server that its answer is no longer awaited, and returns the error for the user.
func (c *conversation) giveUp(ctx context.Context, limit time.Duration, method string, none *wire.NoAnswerError) error {
	instead := ""
	if none.Ignored != "" {
		instead = " (but " + none.Ignored + ")"
	}
	if errors.Is(none, wire.ErrIdle) {
		limit = wire.Idle
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &silence{fmt.Sprintf("the total time was over before %s was answered%s", method, instead), none}
	case ctx.Err() != nil:
		return &silence{fmt.Sprintf("interrupted before %s was answered", method), none}
	}
	// initialize must not be cancelled, a server without server/discover need not hear of it again, and in the stateless era over
	// HTTP closing the connection has cancelled.
	if method != mcp.Initialize && method != mcp.Discover && !(c.http && c.meta != "") {
		_ = c.client.Notify(ctx, mcp.NotifyCancelled, `{"requestId":`+none.ID+`,"reason":"timeout"}`)
	}
	return &silence{fmt.Sprintf("no answer to %s within %v%s", method, limit, instead), none}
}

// setInit records the server's opening answer, in every reading of it.
func (c *conversation) setInit(method string, m wire.Message) {
	c.out.Init = m.Result
	c.out.InitReadings = nil
	for _, r := range resultReadings(m, func(r []rawjson.Reading) {
		c.out.Ambiguous = appendAmbiguous(c.out.Ambiguous, c.opt.Redact, method, "result", r)
	}) {
		if r[0] == '{' {
			c.out.InitReadings = append(c.out.InitReadings, r)
		}
	}
}

func jsonKind(raw string) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

// clipRedacted is clip after Redact: half a secret would not be recognised.
func (c *conversation) clipRedacted(s string, n int) string { return clip(c.opt.Redact(s), n) }

// clip shortens a server's text for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return fmt.Sprintf("%s…(%d bytes)", excerpt.Head(s, n), len(s))
}
