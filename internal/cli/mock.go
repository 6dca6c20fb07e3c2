package cli

import (
	"context"

	"github.com/spf13/cobra"

	mockfile "gauntlet/internal/engine/mock"
	"gauntlet/internal/run/inprocess"
	"gauntlet/internal/run/userfile"
)

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
