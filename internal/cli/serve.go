package cli

import (
	"context"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/inprocess"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/listen"
	"gauntlet/internal/run/userfile"
	engine "gauntlet/internal/runtime/mcpserver"
)

// serveCommand is one run of the subcommand serve.
type serveCommand struct {
	*app
	limits      limitFlags
	options     engine.Options
	transport   string
	listen      string
	addressFile string
	server      string // of several in a snapshot
}

var transports = []string{"stdio", "http"}

func (a *app) newServeCommand() *cobra.Command {
	s := &serveCommand{app: a, transport: transports[0]}
	cmd := &cobra.Command{
		Use:   "serve [flags] SNAPSHOT",
		Short: "Serve a snapshot as a live server",
		RunE:  s.serveSnapshot,
	}
	f := cmd.Flags()
	f.Var(&value[string]{&s.transport, "TRANSPORT", oneOf(transports), func(t string) string { return t }}, "transport", "how clients connect: "+strings.Join(transports, ", "))
	f.StringVar(&s.listen, "listen", "127.0.0.1:0", "serve HTTP clients on this `ADDRESS`; port 0 takes a free one")
	f.StringVar(&s.addressFile, "address-file", "", "write the URL to this `FILE` as soon as clients can connect (default none)")
	f.StringVar(&s.server, "server", "", "take only the server of this `NAME`; of several in the snapshot (default the only one)")
	f.StringArrayVar(&s.options.Revisions, "revision", nil, "protocol `REVISION` to speak; repeatable (default all of "+strings.Join(mcp.Revisions(), ", ")+")")
	pages := countFlag(&s.options.PageSize, 1, math.MaxInt)
	s.options.PageSize = 0
	f.Var(pages, "page-size", "most items of a list in one answer (default all of them)")
	f.BoolVar(&s.options.Streams, "event-stream", false, "answer HTTP clients with an event stream where they take one (default off)")
	f.BoolVar(&s.options.IdleStream, "idle-stream", false, "give HTTP clients that ask for one a stream on which nothing comes (default off)")
	f.StringArrayVar(&s.options.HTTP.Hosts, "allow-host", nil, "further `NAME` that the Host header may have; repeatable (default none)")
	f.StringArrayVar(&s.options.HTTP.Origins, "allow-origin", nil, originMeaning)
	f.Var(sizeFlag(&s.options.HTTP.Body, engine.DefaultBody), "max-message", "longest message taken from the other side: a client")
	s.limits.addLimitFlags(cmd)
	_ = f.MarkHidden("max-depth") // of definitions, which serve does not look into
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "transport", transports)
	completeWith(cmd, "revision", mcp.Revisions())
	return cmd
}

// oneOf parses a value that must be one of a few.
func oneOf(names []string) func(string) (string, error) {
	return func(s string) (string, error) {
		if !slices.Contains(names, s) {
			return "", fmt.Errorf("%q is unknown: want %s", s, strings.Join(names, " or "))
		}
		return s, nil
	}
}

func (s *serveCommand) serveSnapshot(cmd *cobra.Command, args []string) error {
	if err := s.checkServeFlags(cmd, args); err != nil {
		return err
	}
	server, err := s.openSnapshot(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if s.transport == "stdio" {
		return server.Stdio(cmd.Context(), s.host.Stdin, s.host.Stdout)
	}
	return s.serveHTTP(cmd.Context(), server)
}

func (s *serveCommand) checkServeFlags(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usage(cmd, "nothing to serve: name a snapshot file")
	case len(args) > 1:
		return usage(cmd, "%d snapshots: want one", len(args))
	case args[0] == "-" && s.transport == "stdio":
		return usage(cmd, "standard input is where the client speaks: name a snapshot file, or --transport http")
	}
	for _, r := range s.options.Revisions {
		if !slices.Contains(mcp.Revisions(), r) {
			return usage(cmd, "--revision: %q is unknown: want %s", r, strings.Join(mcp.Revisions(), ", "))
		}
	}
	if s.transport == "stdio" {
		for _, name := range []string{"listen", "address-file", "event-stream", "idle-stream", "allow-host", "allow-origin"} {
			if cmd.Flags().Changed(name) {
				return usage(cmd, "--%s is for --transport http", name)
			}
		}
	}
	if s.addressFile != "" {
		if err := userfile.CheckWritable(s.addressFile, args); err != nil {
			return usage(cmd, "%s", err)
		}
	}
	return nil
}

// openSnapshot makes a server of the snapshot and says what the snapshot lacks.
func (s *serveCommand) openSnapshot(ctx context.Context, name string) (*engine.Server, error) {
	return interrupt.Try(ctx, func() (*engine.Server, error) {
		text, err := s.readFile(name, s.limits.Bytes)
		if err != nil {
			return nil, err
		}
		server, notes, err := inprocess.NewSnapshot(name, text, s.server, s.limits.Limits, s.options)
		for _, n := range notes {
			s.note("%s", n)
		}
		return server, err
	})
}

func (s *serveCommand) serveHTTP(ctx context.Context, server *engine.Server) error {
	ln, err := listen.TCP(ctx, s.listen)
	if err != nil {
		return err
	}
	url := "http://" + ln.Addr().String() + engine.Path
	s.noteReachable(ln.Addr())
	if s.addressFile != "" {
		if err := s.writeText(s.addressFile, url+"\n"); err != nil {
			_ = ln.Close() // the first error is the one to tell
			return err
		}
	}
	s.say("serving on %s", url) // also with --quiet: else nobody knows the port
	return server.HTTP(ctx, ln)
}

// noteReachable warns of an address that other machines can reach.
func (a *app) noteReachable(at net.Addr) {
	if addr, ok := at.(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
		a.note("%s can be reached from other machines", at)
	}
}
