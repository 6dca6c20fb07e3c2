package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/catalog"
	"gauntlet/internal/peer"
	"gauntlet/internal/wire"
)

const defaultTotalTimeout = 5 * time.Minute

// liveFlags say how a server is started or what it is sent, and how long it may take.
type liveFlags struct {
	env            []string
	dir            string
	header         []string
	bearer         string // the variable that holds the token
	timeout, total time.Duration
	message, pages int
	differential   bool
	trace          *traceFile // takes every message; nil for none
	names          []string   // of these flags
}

func (l *liveFlags) flags(cmd *cobra.Command) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringArrayVar(&l.env, "env", nil, "set `NAME=VALUE` for the server, or pass on our own NAME; repeatable (default none)")
	f.StringVar(&l.dir, "cwd", "", "start the server in this `DIR` (default the current directory)")
	f.StringArrayVar(&l.header, "header", nil, "send `NAME=VALUE` to the server behind a URL; repeatable (default none)")
	f.StringVar(&l.bearer, "bearer-env", "", "send the token in our variable `NAME` to the server behind a URL (default none)")
	f.Var(duration(&l.timeout, peer.DefaultTimeout), "timeout", "longest wait for one answer of the server")
	f.Var(duration(&l.total, defaultTotalTimeout), "total-timeout", "longest time for all that is asked of one server")
	f.Var(size(&l.message, wire.DefaultMessage), "max-message", "longest message taken from the server")
	f.Var(number(&l.pages, peer.DefaultPages, 1<<31-1), "max-pages", "most pages of one list read from the server")
	f.VisitAll(func(flag *pflag.Flag) { l.names = append(l.names, flag.Name) })
	cmd.Flags().AddFlagSet(f)
	_ = cmd.MarkFlagDirname("cwd") // fails for unknown flags only
}

// given returns the name of one of these flags that the user gave, "" if none.
func (l *liveFlags) given(cmd *cobra.Command) string {
	for _, name := range l.names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// liveServer is a connection to a server, whichever way.
type liveServer interface {
	wire.Conn
	Kill() error
	Redact(string) string
}

// captured is what a live server said.
type captured struct {
	name  string     // what messages call the server
	era   peer.Era   // that it was found to speak
	text  string     // the snapshot
	again string     // the snapshot after a list had changed; "" if none had
	after string     // the notification that said so
	gaps  []peer.Gap // what it does not hold though it was asked for
	given []string   // what the server was given and should keep to itself, as NAME=VALUE
	notes []note

	askings []asking // with --differential
}

// A note is a line for a person about one server. It waits until all servers are through,
// so that the lines of two do not mix and their order is that of the targets.
type note struct {
	text  string
	quote bool // it is the server's own
}

// tellNotes prints the notes on a server; named says whose they are, for one of several.
func (a *app) tellNotes(got *captured, named bool) {
	for _, n := range got.notes {
		switch {
		case n.quote && !a.quiet:
			a.printErr("  | %s", n.text)
		case n.quote:
		case named:
			a.note("%s: %s", got.name, n.text)
		default:
			a.note("%s", n.text)
		}
	}
}

// capture starts the server or connects to it, asks it everything and ends it. What is
// captured is never nil; with an error nothing is known of the server but the notes.
// Several may be captured at the same time.
func (a *app) capture(ctx context.Context, l *liveFlags, t target, limits catalog.Limits) (*captured, error) {
	if !l.differential {
		return a.converse(ctx, l, t, limits, talk{as: self()})
	}
	got, err := a.converse(ctx, l, t, limits, talk{as: self(), wait: changeWait})
	if err == nil {
		err = a.askAgain(ctx, l, t, limits, got)
	}
	return got, err
}

// A talk is a way to hold one conversation.
type talk struct {
	as   client
	era  peer.Era      // what an earlier one found out; zero for nothing
	wait time.Duration // for the server to say that a list has changed, upon which it is read again; 0 not to ask
}

// converse is one conversation, from the start of the server or the connection to its end.
func (a *app) converse(ctx context.Context, l *liveFlags, t target, limits catalog.Limits, how talk) (*captured, error) {
	got := &captured{name: t.name}
	wireLimits := wire.Limits{Message: min(l.message, limits.Bytes), Total: int64(limits.Bytes)}
	open := a.start
	if t.url != "" {
		open = a.dial
	}
	server, err := open(t, wireLimits, l.trace, how.as, got)
	if err != nil {
		return got, err
	}
	inTime, cancel := context.WithTimeout(ctx, l.total)
	defer cancel()
	session, err := peer.Open(inTime, server, peer.Options{
		Era: how.era, Name: how.as.name, Version: how.as.version, Timeout: l.timeout, Pages: l.pages, Items: limits.Items, Limits: wireLimits, Redact: server.Redact,
		Progress: func(method string, n int) { a.progress.say("%s: %s, %d items so far", got.name, method, n) },
	})
	var snap *peer.Snapshot
	if err == nil {
		snap = session.Read(inTime)
		got.era = snap.Era
		got.readAgain(inTime, session, how.wait)
	}
	end := server.Close
	if inTime.Err() != nil { // no time is left for manners
		end = server.Kill
	}
	leak := end()
	if ctx.Err() != nil {
		return got, errInterrupted
	}
	if err != nil {
		got.lastWords(server)
		return got, fmt.Errorf("%s: %w", got.name, err)
	}
	got.receive(snap, server, leak)
	return got, nil
}

// readAgain reads the server once more if a list has changed.
func (got *captured) readAgain(ctx context.Context, session *peer.Session, wait time.Duration) {
	if wait == 0 {
		return
	}
	if got.after = session.Changed(ctx, wait); got.after != "" {
		got.again = string(session.Read(ctx).Bytes())
	}
}

// start starts the server of a command.
func (a *app) start(t target, limits wire.Limits, record *traceFile, _ client, got *captured) (liveServer, error) {
	if got.name == "" {
		got.name = filepath.Base(t.command[0])
	}
	a.progress.say("starting %s", got.name)
	got.given = t.env
	if t.configured() {
		got.given = t.guard
	}
	p, err := wire.Start(wire.Command{
		Args: t.command, Dir: t.dir, Environ: a.host.Environ, Env: t.env, Secret: t.guard, Limits: limits,
		Tap: record.tap(got.name, slices.Concat(t.env, t.guard), nil),
	})
	if err != nil {
		return nil, of(t.name, errors.New(wire.Redactor(t.guard).Replace(err.Error())))
	}
	return p, nil
}

// dial connects to the server behind a URL.
func (a *app) dial(t target, limits wire.Limits, record *traceFile, who client, got *captured) (liveServer, error) {
	transport := wire.NewTransport()
	transport.Proxy = http.ProxyFromEnvironment
	h, err := wire.Dial(wire.Endpoint{URL: t.url, Header: t.header, Bearer: t.bearer, Secret: t.guard, SSE: t.sse, Transport: transport, Limits: limits, Agent: who.name})
	if err != nil {
		return nil, of(t.name, err)
	}
	if got.name == "" {
		got.name = h.Place()
	}
	a.progress.say("connecting to %s", got.name)
	h.Tap(record.tap(got.name, h.Secrets(), append([]string{t.bearer}, t.header...)))
	got.given = h.Secrets()
	if t.configured() {
		got.given = append(t.guard, wire.URLSecrets(t.url)...)
	}
	return &dialed{h, transport}, nil
}

// of says whose error it is, where the user gave the server a name.
func of(name string, err error) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// dialed closes the transport that it was made with.
type dialed struct {
	*wire.HTTP
	transport *http.Transport
}

func (d *dialed) Close() error {
	defer d.transport.CloseIdleConnections()
	return d.HTTP.Close()
}

func (d *dialed) Kill() error {
	defer d.transport.CloseIdleConnections()
	return d.HTTP.Kill()
}

// receive makes the text of a snapshot and notes what is odd about it.
func (got *captured) receive(snap *peer.Snapshot, server liveServer, leak error) {
	if leak != nil {
		snap.Errors = append(snap.Errors, peer.Gap{Method: "exit", Message: leak.Error()})
	}
	for _, g := range snap.Errors {
		if !g.Absent {
			got.gaps = append(got.gaps, g)
		}
	}
	if got.gaps != nil {
		got.lastWords(server)
	}
	if n := snap.Noise.Count; n > 0 {
		where := "wrote %d lines to its stdout"
		if _, overHTTP := server.(*dialed); overHTTP {
			where = "sent %d texts"
		}
		text := fmt.Sprintf("the server "+where+" that are no MCP messages%s", n, firstOf(snap.Noise.Lines, server.Redact))
		got.notes = append(got.notes, note{text: text})
	}
	var text strings.Builder
	_, _ = snap.WriteTo(&text) // a Builder takes everything
	got.text = text.String()
}
