package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/check/boundary"
	"gauntlet/internal/gateway"
	engine "gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/trace"
)

// gatewayRun is one run of the subcommand gateway.
type gatewayRun struct {
	*app
	files       []string
	servers     []string
	transport   string
	listen      string
	addressFile string
	each        bool
	traceName   string
	connect     time.Duration
	enforce     bool
	boundary    string
	options     engine.Options
	message     int

	trace  *traceFile
	dialer *http.Transport
	guard  gateway.Guard // nil where nothing is enforced
}

func (a *app) gatewayCommand() *cobra.Command {
	g := &gatewayRun{app: a, transport: transports[0]}
	cmd := &cobra.Command{
		Use:   "gateway [flags] --config FILE",
		Short: "One MCP server in front of those of a configuration, recording what goes by",
		Long: `gateway starts the servers of a client's configuration and offers them as one, so that
an agent needs one entry in its own configuration to be observed. Lists are merged, calls go
to the server that they are for, and what servers ask or tell passes on. A name is changed only
where two servers have a tool or a prompt of the same one: server__name, and it says so.
Every conversation has servers of its own; one that is slow or dies holds up no other and is
started again when it is used.

--trace records every message to and from every server, unchanged, as judging wants it.
With --each every server is offered on a port of its own, in its own words.
With --enforce a call that the boundary declared by --boundary forbids (what SEC-060 and SEC-061
would report) does not reach its server: the client is told why by an MCP error.

Naming a configuration is agreeing that its servers are started and connected to.

Exit codes: 2 if nothing could be offered; else 0, also when interrupted.`,
		Example: `  gauntlet gateway --config mcp.json --trace run.ndjson
  gauntlet gateway --config mcp.json --transport http --listen 127.0.0.1:8000
  gauntlet gateway --config mcp.json --transport http --each --address-file urls.txt
  gauntlet gateway --config mcp.json --enforce --boundary suite.yaml`,
		Args: noArguments,
		RunE: g.run,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&g.files, "config", nil, "offer the servers of this `FILE`; repeatable")
	_ = cmd.MarkFlagFilename("config") // fails only for a flag that is not there
	f.StringArrayVar(&g.servers, "server", nil, "`NAME` of a server to offer, of several; repeatable (default all that are switched on)")
	f.Var(&value[string]{&g.transport, "TRANSPORT", oneOf(transports), func(t string) string { return t }}, "transport", "how clients reach the gateway: "+strings.Join(transports, ", "))
	f.StringVar(&g.listen, "listen", "127.0.0.1:0", "`ADDRESS` for HTTP clients; port 0 takes a free one")
	f.StringVar(&g.addressFile, "address-file", "", "write the URLs to this `FILE` as soon as clients can connect (default none)")
	f.BoolVar(&g.each, "each", false, "offer every server on a port of its own, instead of all as one (default off)")
	traceFlag(cmd, &g.traceName)
	f.BoolVar(&g.enforce, "enforce", false, "keep back what --boundary forbids (default off)")
	f.StringVar(&g.boundary, "boundary", "", "with --enforce, the suite `FILE` that declares what may pass between servers")
	_ = cmd.MarkFlagFilename("boundary", "yaml", "yml")
	f.Var(duration(&g.connect, gateway.DefaultConnect), "connect-timeout", "longest wait for a server when a conversation begins or a list is asked for")
	f.StringArrayVar(&g.options.HTTP.Hosts, "allow-host", nil, "further `NAME` that the Host header may have; repeatable (default none)")
	f.StringArrayVar(&g.options.HTTP.Origins, "allow-origin", nil, "further `ORIGIN` header that a request may carry, as https://app.example; repeatable (default none)")
	f.Var(size(&g.message, wire.DefaultMessage), "max-message", "longest message taken from a server")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes on stderr, only errors (default off)")
	completeWith(cmd, "transport", transports)
	return cmd
}

func (g *gatewayRun) run(cmd *cobra.Command, _ []string) error {
	if err := g.validate(cmd); err != nil {
		return err
	}
	targets, err := g.targets(cmd.Context())
	if err != nil {
		return err
	}
	if g.enforce {
		declared, err := g.readBoundary(g.boundary)
		if err != nil {
			return err
		}
		g.guard = boundary.NewWatch(declared)
	}
	if g.traceName != "" {
		if g.trace, err = g.createTrace(g.traceName); err != nil {
			return err
		}
	}
	g.dialer = wire.NewTransport()
	g.dialer.Proxy = http.ProxyFromEnvironment
	defer g.dialer.CloseIdleConnections()
	err = g.serve(cmd.Context(), targets)
	return errors.Join(err, g.trace.close())
}

func (g *gatewayRun) validate(cmd *cobra.Command) error {
	switch {
	case len(g.files) == 0:
		return usage(cmd, "nothing to offer: name a configuration with --config")
	case g.enforce != (g.boundary != ""):
		return usage(cmd, "--enforce and --boundary want each other")
	case g.each && g.transport == "stdio":
		return usage(cmd, "--each is for --transport http")
	case g.traceName == "-" && g.transport == "stdio":
		return usage(cmd, "standard output is where the client reads: name a file for --trace")
	}
	if g.transport == "stdio" {
		for _, name := range []string{"listen", "address-file", "allow-host", "allow-origin"} {
			if cmd.Flags().Changed(name) {
				return usage(cmd, "--%s is for --transport http", name)
			}
		}
	}
	for _, out := range []string{g.addressFile, g.traceName} {
		if out == "" {
			continue
		}
		if err := writable(out, append(slices.Clone(g.files), g.boundary)); err != nil {
			return usage(cmd, "%s", err)
		}
	}
	return nil
}

// behind is a server of the configuration.
type behind struct {
	name string
	target
}

// targets are the servers to offer, each under a name of its own.
func (g *gatewayRun) targets(ctx context.Context) ([]behind, error) {
	files, problems, err := g.readConfigs(ctx, &configFlags{files: g.files})
	if err != nil {
		return nil, err
	}
	p := newPlan(g.machine(), files, problems, true)
	for i := range p.problems {
		g.say("%s", failureText(p.problems[i]))
	}
	var out []behind
	taken := map[string]int{}
	for _, one := range p.entries {
		name := one.entry.Name
		if len(g.servers) > 0 && !slices.Contains(g.servers, name) {
			continue
		}
		if one.launch == nil {
			if one.reason != "" {
				g.say("%s is not offered: %s", entryName(one.entry), one.reason)
			}
			continue
		}
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, taken[name])
		}
		out = append(out, behind{name, one.launch.target})
	}
	for _, name := range g.servers {
		if taken[name] == 0 {
			return nil, fmt.Errorf("--server: no server %q that could be started stands in %s", name, strings.Join(g.files, ", "))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no server that could be started", strings.Join(g.files, ", "))
	}
	return out, nil
}

// upstream makes a server of the configuration one behind the gateway.
func (g *gatewayRun) upstream(b behind) gateway.Upstream {
	limits := wire.Limits{Message: g.message, Total: math.MaxInt64}
	if b.url != "" {
		return gateway.Upstream{Name: b.name, Open: func() (wire.Conn, error) {
			h, err := wire.Dial(wire.Endpoint{URL: b.url, Header: b.header, Bearer: b.bearer, Secret: b.guard, SSE: b.sse, Transport: g.dialer, Limits: limits, Agent: "gauntlet"})
			if err == nil {
				h.Tap(g.trace.between(b.name, slices.Concat(h.Secrets(), b.guard), b.header))
			}
			return h, err
		}}
	}
	return gateway.Upstream{Name: b.name, Open: func() (wire.Conn, error) {
		return wire.Start(wire.Command{
			Args: b.command, Dir: b.dir, Environ: g.host.Environ, Env: b.env, Secret: b.guard, Limits: limits,
			Tap: g.trace.between(b.name, slices.Concat(b.env, b.guard), nil),
		})
	}}
}

// front makes a gateway of some servers.
func (g *gatewayRun) front(servers []behind) (*gateway.Gateway, error) {
	opt := gateway.Options{Version: version(), Connect: g.connect, Server: g.options, Guard: g.guard, Note: func(s string) { g.note("%s", s) }}
	for _, b := range servers {
		opt.Upstreams = append(opt.Upstreams, g.upstream(b))
	}
	return gateway.New(opt)
}

func (g *gatewayRun) serve(ctx context.Context, servers []behind) error {
	if g.transport == "stdio" {
		gw, err := g.front(servers)
		if err != nil {
			return err
		}
		defer gw.Close()
		return gw.Server().Stdio(ctx, g.host.Stdin, g.host.Stdout)
	}
	fronts := [][]behind{servers}
	if g.each {
		fronts = nil
		for _, b := range servers {
			fronts = append(fronts, []behind{b})
		}
	}
	return g.serveHTTP(ctx, fronts)
}

// serveHTTP offers each group of servers on a port of its own, until ctx ends.
func (g *gatewayRun) serveHTTP(ctx context.Context, fronts [][]behind) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	ended := make(chan error, len(fronts))
	var urls strings.Builder
	for _, servers := range fronts {
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", g.listen)
		if err != nil {
			return fmt.Errorf("--listen %s: %w", g.listen, err)
		}
		gw, err := g.front(servers)
		if err != nil {
			_ = ln.Close() // the first error is the one to tell
			return err
		}
		url := "http://" + ln.Addr().String() + engine.Path
		if addr, ok := ln.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
			g.note("%s can be reached from other machines", ln.Addr())
		}
		if g.each {
			fmt.Fprintf(&urls, "%s %s\n", servers[0].name, url)
			g.say("serving %s on %s", servers[0].name, url)
		} else {
			fmt.Fprintln(&urls, url)
			g.say("serving on %s", url) // also with --quiet: else nobody knows the port
		}
		running.Go(func() {
			ended <- gw.Server().HTTP(ctx, ln)
			gw.Close()
		})
	}
	if g.addressFile != "" {
		err := g.writeTo(g.addressFile, func(w io.Writer) error {
			_, err := io.WriteString(w, urls.String())
			return err
		})
		if err != nil {
			return err
		}
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

// between records one connection of the gateway to a server, which is part of a conversation
// of somebody else's.
func (t *traceFile) between(server string, secrets, who []string) wire.Tap {
	if t == nil {
		return nil
	}
	t.hide(secrets)
	about := trace.Message{Server: server, Role: trace.Between}
	if credential := t.credentials.Of(strings.Join(who, "\n")); credential != "" {
		about.HTTP = &trace.HTTP{Credential: credential}
	}
	return t.tape(about).Record
}
