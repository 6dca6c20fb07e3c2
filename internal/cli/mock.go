package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	mockfile "gauntlet/internal/engine/mock"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/inprocess"
	"gauntlet/internal/run/userfile"
	engine "gauntlet/internal/runtime/mcpserver"
)

type mockCommand struct {
	*app
	transportFlags
	tools   string
	options engine.Options
}

func (a *app) newMockCommand() *cobra.Command {
	m := &mockCommand{app: a}
	cmd := &cobra.Command{
		Use:   "mock [flags] --tools-from FILE",
		Short: "Serve a mock MCP server from a YAML list of tools",
		Args:  noArguments,
		RunE:  m.runMock,
	}
	f := cmd.Flags()
	f.StringVar(&m.tools, "tools-from", "", "the YAML `FILE` with the tools (required; default none)")
	m.addTransportFlags(cmd, "")
	f.StringArrayVar(&m.options.Revisions, "revision", nil, "protocol `REVISION` to speak; repeatable (default all of "+strings.Join(mcp.Revisions(), ", ")+")")
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "revision", mcp.Revisions())
	return cmd
}

func (m *mockCommand) runMock(cmd *cobra.Command, _ []string) error {
	if m.tools == "" {
		return usage(cmd, "nothing to play: name a file with --tools-from")
	}
	text, err := m.readText(m.tools, mockfile.MaxBytes)
	if err != nil {
		return withName(m.tools, userfile.Reason(err))
	}
	play, err := inprocess.NewMock(m.tools, text, m.options)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer play.End()
	defer cancel()
	play.Start(ctx)
	if m.transport == "stdio" {
		return play.Stdio(ctx, m.host.Stdin, m.host.Stdout)
	}
	return m.serveHTTP(ctx, m.app, play.Server)
}
