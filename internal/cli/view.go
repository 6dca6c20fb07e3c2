package cli

import (
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/listen"
	"gauntlet/internal/run/liveview"
	"gauntlet/internal/run/userfile"
)

func (a *app) newViewCommand() *cobra.Command {
	address, addressFile := "", ""
	cmd := newCommand("view [flags] FILE...", "Show reports and recordings in a browser, and follow those that grow", func(cmd *cobra.Command, args []string) error {
		host, _, err := net.SplitHostPort(address)
		ip := net.ParseIP(host)
		if err := refuse(cmd, []conflict{
			{len(args) == 0, "no file: name a JSON report, a JSON diff, a recording or a page"},
			{err != nil || ip == nil || !ip.IsLoopback(), fmt.Sprintf("--listen: %q is not a loopback address: want one such as 127.0.0.1:0", address)},
		}); err != nil {
			return err
		}
		return a.viewFiles(cmd, args, address, addressFile)
	})
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
