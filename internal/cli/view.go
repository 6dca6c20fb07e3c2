package cli

import (
	"io"
	"net"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/listen"
	"gauntlet/internal/run/liveview"
	"gauntlet/internal/run/userfile"
)

func (a *app) newViewCommand() *cobra.Command {
	address, addressFile := "", ""
	cmd := &cobra.Command{
		Use:   "view [flags] FILE...",
		Short: "Show reports and recordings in a browser, and follow those that grow",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "no file: name a JSON report, a JSON diff, a recording or a page")
			}
			host, _, err := net.SplitHostPort(address)
			if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
				return usage(cmd, "--listen: %q is not a loopback address: want one such as 127.0.0.1:0", address)
			}
			return a.viewFiles(cmd, args, address, addressFile)
		},
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "serve HTTP clients on this `ADDRESS`; port 0 takes a free one; loopback only")
	cmd.Flags().StringVar(&addressFile, "address-file", "", "write the URL to this `FILE` as soon as clients can connect; only you can read it (default none)")
	return cmd
}

func (a *app) viewFiles(cmd *cobra.Command, files []string, address, addressFile string) error {
	server, err := liveview.New(files)
	if err != nil {
		return err
	}
	l, err := listen.TCP(cmd.Context(), address)
	if err != nil {
		return err
	}
	url := server.Address(l)
	if addressFile != "" {
		if err := userfile.WritePrivate(addressFile, a.host.Stdout, func(w io.Writer) error {
			_, err := io.WriteString(w, url+"\n")
			return err
		}); err != nil {
			_ = l.Close()
			return err
		}
	}
	a.say("open %s", url)
	return server.Run(cmd.Context(), l)
}
