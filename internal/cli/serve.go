package cli

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/inprocess"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
	engine "gauntlet/internal/runtime/mcpserver"
)

type serveCommand struct {
	*app
	limits  limitFlags
	options engine.Options
	transportFlags
	server string // of several in a snapshot
	tools  string // the file of a mock's tools
	self   bool
	cache  string // of packages, for self
}

func (a *app) newServeCommand() *cobra.Command {
	s := &serveCommand{app: a}
	cmd := &cobra.Command{
		Use:     "serve [flags] SNAPSHOT | --tools-from FILE | --self",
		Aliases: []string{"mock", "mcp"},
		Short:   "Serve a snapshot, a list of tools or gauntlet itself as a live server",
		RunE:    s.serveAny,
	}
	f := cmd.Flags()
	s.addTransportFlags(cmd, "")
	f.StringVar(&s.tools, "tools-from", "", "serve a mock of the tools in this YAML `FILE` (default none)")
	f.BoolVar(&s.self, "self", false, "serve gauntlet to an agent, on stdio (default off)")
	f.StringVar(&s.cache, "cache", "", "keep what is loaded in this `DIR`; with --self (default gauntlet/vet in your cache directory)")
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
	_ = f.MarkHidden("max-depth") // serve does not look into definitions
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "revision", mcp.Revisions())
	return cmd
}

func (s *serveCommand) serveAny(cmd *cobra.Command, args []string) error {
	switch self, mock := s.self || cmd.CalledAs() == "mcp", s.tools != "" || cmd.CalledAs() == "mock"; {
	case (self || mock) && len(args) > 0:
		return usage(cmd, "serve takes one of a snapshot, --tools-from and --self")
	case self && mock:
		return usage(cmd, "--self and --tools-from are two servers: want one of them")
	case self:
		return s.serveSelf(cmd.Context())
	case mock && s.tools == "":
		return usage(cmd, "nothing to play: name a file with --tools-from")
	case mock:
		return s.serveMock(cmd)
	}
	return s.serveSnapshot(cmd, args)
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
	return s.serveHTTP(cmd.Context(), s.app, server)
}

func (s *serveCommand) checkServeFlags(cmd *cobra.Command, args []string) error {
	if err := wantOne(cmd, args, "nothing to serve: name a snapshot file", "snapshots"); err != nil {
		return err
	}
	if args[0] == "-" && s.transport == "stdio" {
		return usage(cmd, "standard input is where the client speaks: name a snapshot file, or --transport http")
	}
	for _, r := range s.options.Revisions {
		if !slices.Contains(mcp.Revisions(), r) {
			return usage(cmd, "--revision: %q is unknown: want %s", r, strings.Join(mcp.Revisions(), ", "))
		}
	}
	if err := s.wantHTTP(cmd, "listen", "address-file", "event-stream", "idle-stream", "allow-host", "allow-origin"); err != nil {
		return err
	}
	if s.addressFile != "" {
		if err := userfile.CheckWritable(s.addressFile, args); err != nil {
			return usage(cmd, "%s", err)
		}
	}
	return nil
}

// openSnapshot returns a server for the snapshot and reports what that lacks.
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
