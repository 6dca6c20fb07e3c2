package cli

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/engine/check/boundary"
	"gauntlet/internal/run/gatewayrun"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/gateway"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// defaultIdle is longer than a user's break in an ongoing session.
const defaultIdle = 30 * time.Minute

type gatewayCommand struct {
	*app
	files   []string
	servers []string
	transportFlags
	each      bool
	traceName string
	sandbox   sandboxFlags
	enforce   bool
	boundary  string
	message   int
	open      bool   // to every local program: without a token
	tokenEnv  string // variable that holds the token

	gatewayrun.Run
}

func (a *app) newGatewayCommand() *cobra.Command {
	g := &gatewayCommand{app: a, Run: gatewayrun.Run{Note: a.note, Gateway: gateway.Options{Version: version()}}}
	cmd := withoutArguments(newCommand("gateway [flags] --config FILE", "Run one MCP server in front of several, and record the traffic", g.runGateway))
	f, options := cmd.Flags(), &g.Gateway.Server
	f.StringArrayVar(&g.files, "config", nil, "take servers from the configuration of an MCP client: this `FILE`; repeatable (default none)")
	f.StringArrayVar(&g.servers, "server", nil, "take only the server of this `NAME`; repeatable (default all that are switched on)")
	g.addTransportFlags(cmd, ": a line for each URL")
	f.BoolVar(&g.each, "each", false, "offer every server on a port of its own, instead of all as one (default off)")
	f.BoolVar(&g.open, "no-auth", false, "serve every program of this machine, without a token (default off)")
	f.StringVar(&g.tokenEnv, "token-env", "", "clients need the token in our variable `NAME` (default a new token, which is printed)")
	f.Var(durationFlag(&options.HTTP.Idle, defaultIdle), "idle-timeout", "end an HTTP client's servers when nothing was heard of it for so long")
	f.Var(countFlag(&g.Gateway.Connections, gateway.DefaultConnections, math.MaxInt32), "max-processes", "most processes of, or connections to, one server at a time")
	recordFlag(cmd, &g.traceName, everyMessage)
	f.BoolVar(&g.enforce, "enforce", false, "keep back what --boundary forbids (default off)")
	f.StringVar(&g.boundary, "boundary", "", "the suite `FILE` that declares what may pass between servers; with --enforce (default nothing may)")
	f.Var(durationFlag(&g.Gateway.Connect, gateway.DefaultConnect), "connect-timeout", "longest wait for a server when a conversation begins or a list is asked for")
	f.StringArrayVar(&options.HTTP.Hosts, "allow-host", nil, "further `NAME` that the Host header may have; repeatable (default none)")
	f.StringArrayVar(&options.HTTP.Origins, "allow-origin", nil, originMeaning)
	f.Var(sizeFlag(&g.message, wire.DefaultMessage), "max-message", "longest message taken from the other side: servers and clients")
	g.sandbox.addSandboxFlags(f, sandbox.Off)
	f.BoolVarP(&g.Verbose, "verbose", "v", false, "say more: on stderr, what is opened and closed, and how much is open (default off)")
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeSandbox(cmd)
	return cmd
}

func (g *gatewayCommand) runGateway(cmd *cobra.Command, _ []string) error {
	if err := g.checkGatewayFlags(cmd); err != nil {
		return err
	}
	p, err := g.readPlan(cmd.Context(), &configFlags{files: g.files})
	if err != nil {
		return err
	}
	if g.Servers, err = gatewayrun.Choose(p, g.servers, g.files, g.say); err != nil {
		return err
	}
	if g.transport != "stdio" && !g.open {
		if g.Gateway.Server.HTTP.Token, err = gatewayrun.Token(g.tokenEnv, g.lookupEnv); err != nil {
			return err
		}
	}
	if g.enforce {
		declared, err := g.readBoundary(g.boundary)
		if err != nil {
			return err
		}
		g.Gateway.Guard = boundary.NewWatch(declared)
	}
	if g.Trace, err = g.createTrace(g.traceName); err != nil {
		return err
	}
	g.Gateway.Server.HTTP.Body = g.message // over stdio, too
	g.Dialer = g.dialer(g.message, &g.sandbox, false, g.Trace)
	g.Dialer.Limits.Total = math.MaxInt64
	if g.transport == "stdio" {
		err = g.ServeStdio(cmd.Context(), g.host.Stdin, g.host.Stdout)
	} else {
		err = g.ServeHTTP(cmd.Context(), g.listen, g.each, g.tellFronts)
	}
	g.tellSandboxes(&g.sandbox)
	return errors.Join(err, g.Trace.Close())
}

func (g *gatewayCommand) checkGatewayFlags(cmd *cobra.Command) error {
	inputs := append(slices.Clone(g.files), g.boundary)
	return refuse(cmd, slices.Concat([]conflict{
		{len(g.files) == 0, "nothing to offer: name a configuration with --config"},
		{g.enforce != (g.boundary != ""), "--enforce and --boundary want each other"},
		{g.each && g.transport == "stdio", "--each is for --transport http"},
		{g.traceName == "-" && g.transport == "stdio", "standard output is where the client reads: name a file for --record"},
		{g.open && g.tokenEnv != "", "--no-auth and --token-env do not go together"},
	}, g.onlyHTTP(cmd, "listen", "address-file", "allow-host", "allow-origin", "no-auth", "token-env", "idle-timeout"), []conflict{
		failed(userfile.CheckWritable(g.addressFile, inputs)), failed(userfile.CheckWritable(g.traceName, inputs)),
	}))
}

// tellFronts prints the gateway's addresses, also with --quiet: otherwise nobody knows the port.
func (g *gatewayCommand) tellFronts(fronts []gatewayrun.Front) error {
	var urls strings.Builder
	for _, f := range fronts {
		g.noteReachable(f.Addr)
		name := ""
		if f.Name != "" {
			name = f.Name + " "
		}
		urls.WriteString(name + f.URL + "\n")
		g.say("serving %son %s", name, f.URL)
	}
	if !g.open {
		token := g.Gateway.Server.HTTP.Token
		if g.tokenEnv != "" { // a token given by the user is not shown
			token = "${" + g.tokenEnv + "}"
		}
		config, err := gatewayrun.ClientConfig(fronts, token)
		if err != nil {
			return err
		}
		g.say("clients need the token in this configuration (--no-auth does without):")
		g.printErr("%s", config)
	}
	if g.addressFile == "" {
		return nil
	}
	return g.writeText(g.addressFile, urls.String())
}
