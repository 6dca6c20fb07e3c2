package cli

import (
	"context"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/listen"
	engine "gauntlet/internal/runtime/mcpserver"
)

// transportFlags say how clients reach our server.
type transportFlags struct{ transport, listen, addressFile string }

var transports = []string{"stdio", "http"}

// addTransportFlags adds the flags; lines says what the address file contains beside one URL.
func (t *transportFlags) addTransportFlags(cmd *cobra.Command, lines string) {
	t.transport = transports[0]
	f := cmd.Flags()
	f.Var(nameFlag(&t.transport, "TRANSPORT", transports), "transport", "how clients connect: "+strings.Join(transports, ", "))
	f.StringVar(&t.listen, "listen", "127.0.0.1:0", "serve HTTP clients on this `ADDRESS`; port 0 takes a free one")
	f.StringVar(&t.addressFile, "address-file", "", "write the URL to this `FILE` as soon as clients can connect"+lines+" (default none)")
	completeWith(cmd, "transport", transports)
}

// onlyHTTP are the conflicts of flags that mean nothing over stdio.
func (t *transportFlags) onlyHTTP(cmd *cobra.Command, names ...string) (out []conflict) {
	for _, name := range names {
		out = append(out, conflict{t.transport == "stdio" && cmd.Flags().Changed(name), "--" + name + " is for --transport http"})
	}
	return out
}

// serveHTTP serves HTTP clients, and prints where.
func (t *transportFlags) serveHTTP(ctx context.Context, a *app, server *engine.Server) error {
	ln, err := listen.TCP(ctx, t.listen)
	if err != nil {
		return err
	}
	url := "http://" + ln.Addr().String() + engine.Path
	a.noteReachable(ln.Addr())
	if t.addressFile != "" {
		if err := a.writeText(t.addressFile, url+"\n"); err != nil {
			_ = ln.Close() // the first error is reported
			return err
		}
	}
	a.say("serving on %s", url) // also with --quiet: otherwise nobody knows the port
	return server.HTTP(ctx, ln)
}

// noteReachable warns about an address that other machines can reach.
func (a *app) noteReachable(at net.Addr) {
	if addr, ok := at.(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
		a.note("%s can be reached from other machines", at)
	}
}
