package mcpclient

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A Session is an open MCP session. It is not safe for concurrent use and does not own its Conn.
type Session struct {
	conv  *conversation
	tools map[string]string // raw definitions by name from the latest Read; nil before
}

// Open opens a session with the server behind conn.
func Open(ctx context.Context, conn wire.Conn, opt Options) (*Session, error) {
	c := &conversation{client: wire.NewClient(conn, opt.Limits), conn: conn, opt: opt.withDefaults(), out: new(Snapshot)}
	c.client.Heard = c.noteNotification
	if err := c.openInEra(ctx, conn); err != nil {
		return nil, c.redacted(err)
	}
	if c.meta == "" { // in the stateless era a server asks in its results, never by a request
		c.client.Answer = c.answerServer
	}
	return &Session{conv: c}, nil
}

// redacted removes secrets that the server repeated from err, which may be nil.
func (c *conversation) redacted(err error) error {
	if err == nil {
		return nil
	}
	return &redacted{c.opt.Redact(err.Error()), err}
}

// Read reads all lists to the end. Whatever goes wrong (a failing list, a limit, the server's end, ctx) is in the snapshot's
// Errors, beside everything that was read. Each call returns an independent snapshot, except that noise is counted from the start.
func (s *Session) Read(ctx context.Context) *Snapshot {
	c := s.conv
	opening := *c.out
	opening.Errors, opening.Hints = slices.Clip(opening.Errors), slices.Clip(opening.Hints)
	out := opening
	c.out = &out
	c.readLists(ctx)
	c.excuseResources()
	c.readRest(ctx)
	strays := c.client.Strays()
	for _, method := range strays.Disputed {
		c.addGap(method, "it was answered twice, under its id and under the id in another type; clients differ in which answer they use")
	}
	for _, method := range strays.Twice {
		c.addGap(method, "it was answered twice under one id, with different content; what the second answer says was not read")
	}
	out.Noise = strays.Noise
	c.out = &opening
	s.indexTools(out.Lists[0].Items)
	return &out
}

// ReadSettled is Read, again after the changes that the server announced while it was read, as clients see it: one that shows honest
// tools first, announces a change and shows others is judged by the others. What stood there before and does not any more is in
// Errors, since nobody examined it, and so is a server that goes on announcing.
func (s *Session) ReadSettled(ctx context.Context) *Snapshot {
	const mostReadings = 3
	read := s.Read(ctx)
	for range mostReadings {
		if s.Changed(ctx, 0) == "" || s.Err() != nil {
			return read
		}
		next, gone := s.Read(ctx), false
		for i := range next.Lists {
			if n := missing(read.Lists[i].Items, next.Lists[i].Items); n > 0 {
				gone = true
				next.Errors = append(next.Errors, Gap{mcp.Lists[i].Method, excerpt.Count(n, "definition") + " changed or went while the server was read, as it announced: what stood there before is not examined", false})
			}
		}
		if read = next; !gone {
			s.Changed(ctx, 0) // more of the same says nothing
			return read
		}
	}
	read.Errors = append(read.Errors, Gap{mcp.ToolsList, "the server changed its definitions again and again while it was read", false})
	return read
}

// missing returns how many items of one list are not in another, as received.
func missing(items, in []string) (n int) {
	there := make(map[string]bool, len(in))
	for _, item := range in {
		there[item] = true
	}
	for _, item := range items {
		if !there[item] {
			n++
		}
	}
	return n
}

// restTime is how long what follows the last answer is waited for: a second answer that was sent with it.
const restTime = 20 * time.Millisecond

// readRest reads what is already there behind the last answer.
func (c *conversation) readRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, restTime)
	defer cancel()
	for c.client.Next(ctx) == nil {
	}
}

// indexTools keeps the tools by name; the last one of a name wins, as in most clients.
func (s *Session) indexTools(tools []string) {
	s.tools = make(map[string]string, len(tools))
	for _, raw := range tools {
		if name := rawjson.LastMember(raw, "name"); name != "" && name[0] == '"' {
			s.tools[rawjson.Unquote(name)] = raw
		}
	}
}

// mirror sets the headers that a tool's arguments are mirrored in. The error says why the tool must not be called.
func (s *Session) mirror(params string) error {
	web, ok := s.conv.conn.(interface{ Mirror(string, []wire.Mirror) })
	name := rawjson.LastMember(params, "name")
	if !ok || s.conv.meta == "" || name == "" || name[0] != '"' {
		return nil
	}
	name = rawjson.Unquote(name)
	raw, ok := s.tools[name]
	if !ok {
		return nil
	}
	var tree rawjson.Tree
	if err := tree.Parse(raw, 0); err != nil {
		return fmt.Errorf("the definition of the tool %s: %w", s.conv.quoteRedacted(name), err)
	}
	mirrors, err := wire.Mirrors(tree.Root().Get("inputSchema"))
	if err != nil {
		return fmt.Errorf("the tool %s breaks the rules for headers, so that it must not be called: %w", s.conv.quoteRedacted(name), err)
	}
	web.Mirror(name, mirrors)
	return nil
}

// quoteRedacted quotes a server's text for a message.
func (c *conversation) quoteRedacted(s string) string {
	return fmt.Sprintf("%q", c.clipRedacted(s, 60))
}

// Opening returns a snapshot without lists: era, revision, and the server's opening answer.
func (s *Session) Opening() Snapshot { return *s.conv.out }

// Meta returns the _meta object of every stateless request, or "" in the handshake era.
func (s *Session) Meta() string { return s.conv.meta }
