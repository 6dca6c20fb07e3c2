package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	mockfile "gauntlet/internal/engine/mock"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/inprocess"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/mcptools"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/run/vet"
	"gauntlet/internal/runtime/fetch"
	engine "gauntlet/internal/runtime/mcpserver"
	"gauntlet/result"
)

type serveCommand struct {
	*app
	limits  catalog.Limits
	options engine.Options
	transportFlags
	server string // of several in a snapshot
	tools  string // the file of a mock's tools
	self   bool
	cache  string // of packages, for self
}

func (a *app) newServeCommand() *cobra.Command {
	s := &serveCommand{app: a}
	cmd := newCommand("serve [flags] SNAPSHOT | --tools-from FILE | --self", "Serve a snapshot, a list of tools or gauntlet itself as a live server", s.serveAny)
	cmd.Aliases = []string{"mock", "mcp"}
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
	addLimitFlags(cmd, &s.limits)
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
	if err := refuse(cmd, slices.Concat(wantOne(args, "nothing to serve: name a snapshot file", "snapshots"), []conflict{
		{slices.Contains(args, "-") && s.transport == "stdio", "standard input is where the client speaks: name a snapshot file, or --transport http"},
	}, s.unknownRevisions(), s.onlyHTTP(cmd, "listen", "address-file", "event-stream", "idle-stream", "allow-host", "allow-origin"), []conflict{
		failed(userfile.CheckWritable(s.addressFile, args)),
	})); err != nil {
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

func (s *serveCommand) unknownRevisions() (out []conflict) {
	for _, r := range s.options.Revisions {
		out = append(out, conflict{!slices.Contains(mcp.Revisions(), r), fmt.Sprintf("--revision: %q is unknown: want %s", r, strings.Join(mcp.Revisions(), ", "))})
	}
	return out
}

func (s *serveCommand) openSnapshot(ctx context.Context, name string) (*engine.Server, error) {
	return interrupt.Try(ctx, func() (*engine.Server, error) {
		text, err := s.readFile(name, s.limits.Bytes)
		if err != nil {
			return nil, err
		}
		server, notes, err := inprocess.NewSnapshot(name, text, s.server, s.limits, s.options)
		for _, n := range notes {
			s.note("%s", n)
		}
		return server, err
	})
}

// serveMock serves the tools that a YAML file lists.
func (s *serveCommand) serveMock(cmd *cobra.Command) error {
	text, err := s.readText(s.tools, mockfile.MaxBytes)
	if err != nil {
		return withName(s.tools, userfile.Reason(err))
	}
	play, err := inprocess.NewMock(s.tools, text, s.options)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer play.End()
	defer cancel()
	play.Start(ctx)
	if s.transport == "stdio" {
		return play.Stdio(ctx, s.host.Stdin, s.host.Stdout)
	}
	return s.serveHTTP(ctx, s.app, play.Server)
}

// serveSelf serves gauntlet's own tools to an agent.
func (s *serveCommand) serveSelf(ctx context.Context) error {
	v := &vetCommand{app: s.app, vetting: vet.Options{Timeout: 30 * time.Second, Fetcher: fetch.Fetcher{Registry: fetch.DefaultRegistry, Cache: s.cache}}}
	opt := mcptools.Options{Version: version(), Vet: v.vetForAgent}
	return mcptools.Serve(ctx, io.NopCloser(s.host.Stdin), keptOpen{s.host.Stdout}, opt)
}

func (v *vetCommand) vetForAgent(ctx context.Context, target, depth string) (*result.Report, error) {
	s, err := fetch.Parse(target)
	if err != nil {
		return nil, err
	}
	opt, err := v.options()
	if err == nil && depth != "" {
		opt.Depth, err = vet.ParseDepth(depth)
	}
	if err != nil {
		return nil, err
	}
	opt.Fetcher.Public = true           // the target may have been chosen by the author of what the agent reads
	opt.Progress = &runstate.Progress{} // nobody sees it
	return vet.Run(ctx, opt, []vet.Target{{Spec: s}})
}

// keptOpen is standard output, which must not be closed.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
