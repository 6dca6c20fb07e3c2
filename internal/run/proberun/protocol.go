package proberun

import (
	"context"
	"net/http"
	"strings"
	"time"

	"gauntlet/internal/runtime/protocolprobe"
	"gauntlet/internal/runtime/wire"
)

// protocolTime bounds all protocol probes.
const protocolTime = 60 * time.Second

// probeProtocol sends the protocol probes: to a server behind a URL over connections of its own, to
// one on stdio in a conversation of its own.
func (r *run) probeProtocol(ctx context.Context) {
	if !r.Protocol {
		return
	}
	r.Progress("%s: protocol probes", r.out.Place)
	inTime, cancel := context.WithTimeout(ctx, protocolTime)
	defer cancel()
	if r.Server.URL != "" {
		transport := wire.NewTransport()
		transport.Proxy = http.ProxyFromEnvironment
		defer transport.CloseIdleConnections()
		_, token, _ := strings.Cut(r.Server.Bearer, "=")
		r.out.Evidence.Protocol = protocolprobe.HTTP(inTime, protocolprobe.Target{URL: r.Server.URL, Header: r.Server.Header, Token: token}, transport)
		return
	}
	if r.opened != nil {
		_ = r.opened.Conn.Kill() // its part is over
	}
	opened, err := r.open()
	if err != nil {
		return // it started before; what it does now is not known
	}
	r.opened = opened
	r.out.Evidence.Protocol = protocolprobe.Stdio(inTime, opened.Conn)
}
