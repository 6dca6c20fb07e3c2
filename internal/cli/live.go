package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
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
	names          []string // of these flags
}

func (l *liveFlags) flags(cmd *cobra.Command) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringArrayVar(&l.env, "env", nil, "set `NAME=VALUE` for the server, or pass on our own NAME; repeatable (default none)")
	f.StringVar(&l.dir, "cwd", "", "start the server in this `DIR` (default the current directory)")
	f.StringArrayVar(&l.header, "header", nil, "send `NAME=VALUE` to the server behind a URL; repeatable (default none)")
	f.StringVar(&l.bearer, "bearer-env", "", "send the token in our variable `NAME` to the server behind a URL (default none)")
	f.Var(duration(&l.timeout, peer.DefaultTimeout), "timeout", "longest wait for one answer of the server")
	f.Var(duration(&l.total, defaultTotalTimeout), "total-timeout", "longest time for all that is asked of the server")
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

// misplaced returns why one of these flags does not fit the kind of server, "" if all do.
func (l *liveFlags) misplaced(cmd *cobra.Command, t liveTarget) string {
	wrong, why := []string{"header", "bearer-env"}, "a server behind a URL"
	if t.url != "" {
		wrong, why = []string{"env", "cwd"}, "a server that is started by a command behind --"
	}
	for _, name := range wrong {
		if cmd.Flags().Changed(name) {
			return fmt.Sprintf("--%s is for %s", name, why)
		}
	}
	return ""
}

// A liveTarget is a server to ask: a command to start or a URL.
type liveTarget struct {
	command []string
	url     string
}

func (t liveTarget) none() bool { return t.command == nil && t.url == "" }

// isURL reports whether an argument is meant as the URL of a server.
func isURL(arg string) bool {
	lower := strings.ToLower(arg)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// liveServer is a connection to a server, whichever way.
type liveServer interface {
	wire.Conn
	Kill() error
	Redact(string) string
}

// captured is what a live server said.
type captured struct {
	text   string     // the snapshot
	gaps   []peer.Gap // what it does not hold though it was asked for
	env    []string   // what the server was given and should keep to itself, as NAME=VALUE
	redact func(string) string
}

// capture starts the server or connects to it, asks it everything and ends it. With an
// error nothing is known of it.
func (a *app) capture(ctx context.Context, l *liveFlags, t liveTarget, limits catalog.Limits) (*captured, error) {
	wireLimits := wire.Limits{Message: min(l.message, limits.Bytes), Total: int64(limits.Bytes)}
	open := a.start
	if t.url != "" {
		open = a.dial
	}
	server, name, given, err := open(l, t, wireLimits)
	if err != nil {
		return nil, err
	}
	inTime, cancel := context.WithTimeout(ctx, l.total)
	defer cancel()
	snap, err := peer.Capture(inTime, server, peer.Options{
		Version: version(), Timeout: l.timeout, Pages: l.pages, Items: limits.Items, Limits: wireLimits, Redact: server.Redact,
		Progress: func(method string, n int) { a.progress.say("%s: %s, %d items so far", name, method, n) },
	})
	end := server.Close
	if inTime.Err() != nil { // no time is left for manners
		end = server.Kill
	}
	leak := end()
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		a.lastWords(server)
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	got := a.received(snap, server, leak)
	got.env = given
	return got, nil
}

// start starts the server of a command. name is what messages call it.
func (a *app) start(l *liveFlags, t liveTarget, limits wire.Limits) (server liveServer, name string, given []string, err error) {
	env, err := a.serverEnv(l.env)
	if err != nil {
		return nil, "", nil, err
	}
	a.progress.say("starting %s", t.command[0])
	p, err := wire.Start(wire.Command{Args: t.command, Dir: l.dir, Environ: a.host.Environ, Env: env, Limits: limits})
	if err != nil {
		return nil, "", nil, err
	}
	return p, filepath.Base(t.command[0]), env, nil
}

// dial connects to the server behind a URL.
func (a *app) dial(l *liveFlags, t liveTarget, limits wire.Limits) (server liveServer, name string, given []string, err error) {
	e := wire.Endpoint{URL: t.url, Header: l.header, Limits: limits}
	for _, h := range l.header {
		if name, _, _ := strings.Cut(h, "="); strings.EqualFold(strings.TrimSpace(name), "Authorization") {
			return nil, "", nil, errors.New("--header does not take Authorization, whose value others could read on the command line: use --bearer-env NAME")
		}
	}
	if l.bearer != "" {
		// A name that is none may be the token itself: it is not quoted.
		token, ok := a.lookupEnv(l.bearer)
		if !ok {
			return nil, "", nil, errors.New("--bearer-env wants the name of a variable, and no variable of that name is set here")
		}
		e.Bearer = l.bearer + "=" + token
	}
	transport := wire.NewTransport()
	transport.Proxy = http.ProxyFromEnvironment
	e.Transport = transport
	h, err := wire.Dial(e)
	if err != nil {
		return nil, "", nil, err
	}
	a.progress.say("connecting to %s", h.Place())
	return &dialed{h, transport}, h.Place(), h.Secrets(), nil
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

// received makes the text of a snapshot and says what is odd about it.
func (a *app) received(snap *peer.Snapshot, server liveServer, leak error) *captured {
	got := &captured{redact: server.Redact}
	if leak != nil {
		snap.Errors = append(snap.Errors, peer.Gap{Method: "exit", Message: leak.Error()})
	}
	for _, g := range snap.Errors {
		if !g.Absent {
			got.gaps = append(got.gaps, g)
		}
	}
	if got.gaps != nil {
		a.lastWords(server)
	}
	if n := snap.Noise.Count; n > 0 {
		where := "wrote %d lines to its stdout"
		if _, overHTTP := server.(*dialed); overHTTP {
			where = "sent %d texts"
		}
		a.note("the server "+where+" that are no MCP messages%s", n, firstOf(snap.Noise.Lines, server.Redact))
	}
	var text strings.Builder
	_, _ = snap.WriteTo(&text) // a Builder takes everything
	got.text = text.String()
	return got
}

// serverEnv completes the entries of --env: a name alone passes on our own variable, so
// that a secret need not stand on the command line. Errors quote no entry, since one
// whose name was forgotten is a value.
func (a *app) serverEnv(entries []string) ([]string, error) {
	out := make([]string, 0, len(entries))
	for i, e := range entries {
		if !strings.Contains(e, "=") {
			v, ok := a.lookupEnv(e)
			if !ok {
				return nil, fmt.Errorf("--env number %d is not of the form NAME=VALUE, and no variable of that name is set here", i+1)
			}
			e += "=" + v
		}
		out = append(out, e)
	}
	return out, nil
}
