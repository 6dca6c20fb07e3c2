package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/redteam"
	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

func (a *app) newRedteamAssessCommand() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use:   "assess [flags] TRACE...",
		Short: "Judge kept traces of attacks laid over a real server, without a model",
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				return usage(cmd, "no trace: name a file")
			}
			all := []redteam.Assessed{}
			for _, name := range names {
				one, err := redteam.AssessFile(name)
				if err != nil {
					return fmt.Errorf("%s: %w", name, userfile.Reason(err))
				}
				all = append(all, one)
			}
			if err := a.writeFormat(format, file, func(w io.Writer) error { return redteam.WriteAssessed(w, all, format, a.terminalOptions(false)) }); err != nil {
				return err
			}
			if why := redteam.Undecided(all); why != "" {
				a.note("the assessment is incomplete: %s", why)
				a.code = max(a.code, result.ExitTrouble)
			}
			return nil
		},
	}
	textFormat(cmd, &format, "pretty", "html", "json")
	outputFlag(cmd, &file, "what the traces show")
	return cmd
}
