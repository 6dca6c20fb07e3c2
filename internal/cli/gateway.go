package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/engine/check/boundary"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/gateway"
	engine "gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// gatewayCommand is one run of the subcommand gateway.
type gatewayCommand struct {
	*app
	files       []string
	servers     []string
	transport   string
	listen      string
	addressFile string
	each        bool
	traceName   string
	sandbox     sandboxFlags
	connect     time.Duration
	enforce     bool
	boundary    string
	options     engine.Options
	message     int
	connections int
	open        bool   // to every program of this machine: without a token
	tokenEnv    string // the variable that holds the token
	verbose     bool

	trace *tracefile.File
	guard gateway.Guard // nil where nothing is enforced
}

func (a *app) newGatewayCommand() *cobra.Command {
	g := &gatewayCommand{app: a, transport: transports[0]}
	cmd := &cobra.Command{
		Use:   "gateway [flags] --config FILE",
		Short: "One MCP server in front of those of a configuration, recording what goes by",
		Long: `gateway starts the servers of a client's configuration and offers them as one, so that
an agent needs one entry in its own configuration to be observed. Lists are merged, calls go
to the server that they are for, and what servers ask or tell passes on. A name is changed only
where two servers have a tool or a prompt of the same one: server__name, and it says so.
Every conversation has servers of its own; one that is slow or dies holds up no other and is
started again when it is used.

Over HTTP clients need a token, since what they call is done with your rights: it is printed
with the URL, in a configuration ready to be pasted. --token-env takes it from a variable, so
that it stays the same; --no-auth does without.

--record writes every message to and from every server, unchanged, as judging wants it.
With --each every server is offered on a port of its own, in its own words.
With --enforce a call that the boundary declared by --boundary forbids (what SEC-060 and SEC-061
would report) does not reach its server: the client is told why by an MCP error. With --record
as well nothing is passed on that could not be recorded.

Naming a configuration is agreeing that its servers are started and connected to.

Exit codes: 2 if nothing could be offered; else 0, also when interrupted.`,
		Example: `  gauntlet gateway --config mcp.json --record run.ndjson
  gauntlet gateway --config mcp.json --transport http --listen 127.0.0.1:8000
  gauntlet gateway --config mcp.json --transport http --each --address-file urls.txt
  gauntlet gateway --config mcp.json --enforce --boundary suite.yaml`,
		Args: noArguments,
		RunE: g.runGateway,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&g.files, "config", nil, "take servers from the configuration of an MCP client: this `FILE`; repeatable (default none)")
	_ = cmd.MarkFlagFilename("config") // fails only for a flag that is not there
	f.StringArrayVar(&g.servers, "server", nil, "take only the server of this `NAME`; repeatable (default all that are switched on)")
	f.Var(&value[string]{&g.transport, "TRANSPORT", oneOf(transports), func(t string) string { return t }}, "transport", "how clients connect: "+strings.Join(transports, ", "))
	f.StringVar(&g.listen, "listen", "127.0.0.1:0", "serve HTTP clients on this `ADDRESS`; port 0 takes a free one")
	f.StringVar(&g.addressFile, "address-file", "", "write the URL to this `FILE` as soon as clients can connect: a line for each URL (default none)")
	f.BoolVar(&g.each, "each", false, "offer every server on a port of its own, instead of all as one (default off)")
	f.BoolVar(&g.open, "no-auth", false, "serve every program of this machine, without a token (default off)")
	f.StringVar(&g.tokenEnv, "token-env", "", "clients need the token in our variable `NAME` (default a new token, which is printed)")
	f.Var(durationFlag(&g.options.HTTP.Idle, defaultIdle), "idle-timeout", "end an HTTP client's servers when nothing was heard of it for so long")
	f.Var(countFlag(&g.connections, gateway.DefaultConnections, math.MaxInt32), "max-processes", "most processes of, or connections to, one server at a time")
	recordFlag(cmd, &g.traceName, everyMessage)
	f.BoolVar(&g.enforce, "enforce", false, "keep back what --boundary forbids (default off)")
	f.StringVar(&g.boundary, "boundary", "", "the suite `FILE` that declares what may pass between servers; with --enforce (default nothing may)")
	_ = cmd.MarkFlagFilename("boundary", "yaml", "yml")
	f.Var(durationFlag(&g.connect, gateway.DefaultConnect), "connect-timeout", "longest wait for a server when a conversation begins or a list is asked for")
	f.StringArrayVar(&g.options.HTTP.Hosts, "allow-host", nil, "further `NAME` that the Host header may have; repeatable (default none)")
	f.StringArrayVar(&g.options.HTTP.Origins, "allow-origin", nil, originMeaning)
	f.Var(sizeFlag(&g.message, wire.DefaultMessage), "max-message", "longest message taken from the other side: a server")
	g.sandbox.addSandboxFlags(f, sandbox.Off)
	f.BoolVarP(&g.verbose, "verbose", "v", false, "say more: on stderr, what is opened and closed, and how much is open (default off)")
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "transport", transports)
	completeSandbox(cmd)
	return cmd
}

func (g *gatewayCommand) runGateway(cmd *cobra.Command, _ []string) error {
	if err := g.checkGatewayFlags(cmd); err != nil {
		return err
	}
	targets, err := g.readServers(cmd.Context())
	if err != nil {
		return err
	}
	if g.transport != "stdio" && !g.open {
		if g.options.HTTP.Token, err = g.token(); err != nil {
			return err
		}
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
	err = g.serveClients(cmd.Context(), targets)
	g.tellSandboxes(&g.sandbox)
	return errors.Join(err, g.trace.Close())
}

func (g *gatewayCommand) checkGatewayFlags(cmd *cobra.Command) error {
	switch {
	case len(g.files) == 0:
		return usage(cmd, "nothing to offer: name a configuration with --config")
	case g.enforce != (g.boundary != ""):
		return usage(cmd, "--enforce and --boundary want each other")
	case g.each && g.transport == "stdio":
		return usage(cmd, "--each is for --transport http")
	case g.traceName == "-" && g.transport == "stdio":
		return usage(cmd, "standard output is where the client reads: name a file for --record")
	case g.open && g.tokenEnv != "":
		return usage(cmd, "--no-auth and --token-env do not go together")
	}
	if g.transport == "stdio" {
		for _, name := range []string{"listen", "address-file", "allow-host", "allow-origin", "no-auth", "token-env", "idle-timeout"} {
			if cmd.Flags().Changed(name) {
				return usage(cmd, "--%s is for --transport http", name)
			}
		}
	}
	for _, out := range []string{g.addressFile, g.traceName} {
		if out == "" {
			continue
		}
		if err := userfile.CheckWritable(out, append(slices.Clone(g.files), g.boundary)); err != nil {
			return usage(cmd, "%s", err)
		}
	}
	return nil
}

// behind is a server of the configuration.
type behind struct {
	name string
	launch.Server
}

// readServers are the servers to offer, each under a name of its own.
func (g *gatewayCommand) readServers(ctx context.Context) ([]behind, error) {
	files, problems, err := g.readConfigs(ctx, &configFlags{files: g.files})
	if err != nil {
		return nil, err
	}
	p := clientplan.New(g.thisMachine(), files, problems, true)
	for i := range p.Problems {
		g.say("%s", target.FailureText(p.Problems[i]))
	}
	var out []behind
	taken := map[string]int{}
	for _, one := range p.Entries {
		name := one.Entry.Name
		if len(g.servers) > 0 && !slices.Contains(g.servers, name) {
			continue
		}
		if one.Launch == nil {
			if one.Reason != "" {
				g.say("%s is not offered: %s", clientplan.EntryName(one.Entry), one.Reason)
			}
			continue
		}
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, taken[name])
		}
		out = append(out, behind{name, one.Launch.Target.Server})
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

// newUpstream makes a server of the configuration one behind the gateway.
func (g *gatewayCommand) newUpstream(b behind) gateway.Upstream {
	dialer := g.sandbox.sealing(g.trace).Seal(launch.Dialer{Environ: g.host.Environ, Limits: wire.Limits{Message: g.message, Total: math.MaxInt64}, Logins: g.logins(false)}, b.name)
	return gateway.Upstream{Name: b.name, Open: func() (wire.Conn, error) {
		return dialer.Connect(b.Server, func(_ string, secrets, credentials []string) wire.Tap {
			if g.enforce {
				return g.trace.StrictTap(b.name, trace.Between, secrets, credentials)
			}
			return g.trace.Tap(b.name, trace.Between, secrets, credentials)
		})
	}}
}

// newGateway makes a gateway of some servers.
func (g *gatewayCommand) newGateway(servers []behind) (*gateway.Gateway, error) {
	var secrets []string // servers repeat them in what is said of them
	for _, b := range servers {
		secrets = append(append(append(secrets, b.Env...), b.Guard...), redact.URLSecrets(b.URL)...)
	}
	hidden := redact.New(secrets)
	opt := gateway.Options{Version: version(), Connect: g.connect, Connections: g.connections, Server: g.options, Guard: g.guard, Note: func(s string) { g.note("%s", hidden.Replace(s)) }}
	if g.verbose {
		opt.Progress = opt.Note
	}
	if g.enforce && g.trace != nil {
		opt.Recording = g.trace.Complete
	}
	for _, b := range servers {
		opt.Upstreams = append(opt.Upstreams, g.newUpstream(b))
	}
	return gateway.New(opt)
}

func (g *gatewayCommand) serveClients(ctx context.Context, servers []behind) error {
	if g.transport == "stdio" {
		gw, err := g.newGateway(servers)
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
func (g *gatewayCommand) serveHTTP(ctx context.Context, fronts [][]behind) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	ended := make(chan error, len(fronts))
	var urls strings.Builder
	entries := map[string]clientEntry{}
	for _, servers := range fronts {
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", g.listen)
		if err != nil {
			return fmt.Errorf("--listen %s: %w", g.listen, err)
		}
		gw, err := g.newGateway(servers)
		if err != nil {
			_ = ln.Close() // the first error is the one to tell
			return err
		}
		url := "http://" + ln.Addr().String() + engine.Path
		if addr, ok := ln.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
			g.note("%s can be reached from other machines", ln.Addr())
		}
		name := "gauntlet"
		if g.each {
			name = servers[0].name
		}
		entries[name] = g.clientEntry(url)
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
	if !g.open {
		g.sayConfig(entries)
	}
	if g.addressFile != "" {
		if err := g.writeText(g.addressFile, urls.String()); err != nil {
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
