package target

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/report"
	"gauntlet/trace"
)

// Captured is what a live server said.
type Captured struct {
	Text    string          // the snapshot
	Gaps    []mcpclient.Gap // what it does not hold though it was asked for
	Secrets []string        // what the server was given and should keep to itself, as NAME=VALUE

	name  string        // what messages call the server
	era   mcpclient.Era // that it was found to speak
	again string        // the snapshot after a list had changed; "" if none had
	after string        // the notification that said so
	notes []Note
	err   error // why nothing is known of it

	askings []asking       // with Options.Differential
	contact *probe.Contact // what came along over HTTP; nil over stdio
}

// Notes are the lines for a person about the server.
func (c *Captured) Notes() []Note { return c.notes }

// A Note is a line for a person about one server. It waits until all servers are through,
// so that the lines of two do not mix and their order is that of the targets.
type Note struct {
	Text   string
	Quote  bool   // it is the server's own
	Server string // whose it is, where there are several; "" otherwise and for a quote
}

// Capture starts the server or connects to it, asks it everything and ends it. What is
// captured is never nil; with an error nothing is known of the server but the notes.
// Several may be captured at the same time.
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

// A conversation says how to hold one.
type conversation struct {
	as   client
	only bool          // nobody else is asked for: in a sandbox we may introduce ourselves as an agent
	era  mcpclient.Era // what an earlier one found out; zero for nothing
	wait time.Duration // for the server to say that a list has changed, upon which it is read again; 0 not to ask
}

// holdConversation is one conversation, from the start of the server or the connection to its end.
func (r *Reader) holdConversation(ctx context.Context, t Target, how conversation) (*Captured, error) {
	got := &Captured{name: t.Name}
	limits := wire.Limits{Message: min(r.Message, r.Limits.Bytes), Total: int64(r.Limits.Bytes)}
	dialer := r.Sealing.Seal(launch.Dialer{Environ: r.Environ, Limits: limits, Agent: how.as.name, Logins: r.Logins}, t.Name)
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
	session, err := mcpclient.Open(inTime, server.Conn, mcpclient.Options{
		Era: how.era, Name: name, Version: version, Timeout: r.Timeout, Pages: r.Pages, Items: r.Limits.Items, Limits: limits, Redact: server.Conn.Redact,
		Progress: func(method string, n int) { r.Progress.Step("%s: %s, %d items so far", got.name, method, n) },
	})
	var snap *mcpclient.Snapshot
	if err == nil {
		snap = session.Read(inTime)
		got.era = snap.Era
		got.readAgain(inTime, session, how.wait)
	}
	end := server.Conn.Close
	if inTime.Err() != nil { // no time is left for manners
		end = server.Conn.Kill
	}
	leak := end()
	got.Secrets, got.contact = server.SecretsByNow(), listener.heard(&t, got.name, len(server.SecretsByNow()) > len(server.Secrets), err)
	if ctx.Err() != nil {
		return got, interrupt.Err
	}
	if err != nil {
		got.noteStderr(server.Process)
		if inTime.Err() == nil { // else it is not the time for one answer that was short
			err = advise(&t.Server, r.Timeout, err)
		}
		return got, fmt.Errorf("%s: %w", got.name, err)
	}
	got.takeSnapshot(snap, server, leak)
	return got, nil
}

// readAgain reads the server once more if a list has changed.
func (c *Captured) readAgain(ctx context.Context, session *mcpclient.Session, wait time.Duration) {
	if wait == 0 {
		return
	}
	if c.after = session.Changed(ctx, wait); c.after != "" {
		c.again = string(session.Read(ctx).Bytes())
	}
}

// takeSnapshot makes the text of a snapshot and notes what is odd about it.
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
		c.notes = append(c.notes, Note{Text: text})
	}
	var text strings.Builder
	_, _ = snap.WriteTo(&text) // a Builder takes everything
	c.Text = text.String()
}

const (
	stderrHead  = 6  // lines that a failed server wrote first that are shown,
	stderrTail  = 14 // and that it wrote last
	stderrWidth = 300
)

// noteStderr notes what a failed server wrote to its stderr, apart from our own words: how it
// ends, and how it begins, since the error of a program that prints its usage stands above that.
// A server behind a URL has none of ours.
func (c *Captured) noteStderr(server *wire.Process) {
	if server == nil {
		return
	}
	lines := excerptStderr(server.Stderr())
	if lines == nil {
		return
	}
	c.notes = append(c.notes, Note{Text: "what the server wrote to its stderr:"})
	for _, l := range lines {
		c.notes = append(c.notes, Note{Text: clipLine(l, stderrWidth), Quote: true})
	}
}

// excerptStderr returns the first and the last lines of a text that has as many bytes before it,
// nil for one without words.
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

// clipLine shortens a stranger's line, by characters as it is shown.
func clipLine(s string, n int) string {
	r := []rune(report.Visible(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}
