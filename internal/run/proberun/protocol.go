package proberun

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"gauntlet/internal/runtime/mcpclient"
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
		to := protocolprobe.Target{URL: r.Server.URL, Header: r.Server.Header, Token: r.token(inTime), Register: r.Register}
		r.out.Evidence.Protocol = protocolprobe.HTTP(inTime, to, transport)
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

// token is what the protocol probes are sent with: the one that the user named, or that of a login.
func (r *run) token(ctx context.Context) string {
	if _, token, ok := strings.Cut(r.Server.Bearer, "="); ok {
		return token
	}
	login := r.Dialer.LoginFor(&r.Server)
	if login == nil {
		return ""
	}
	token, err := login.Token(ctx)
	if err != nil {
		return "" // connecting said so
	}
	return token
}

// refusedToken reports whether an error says that the server wants a token.
func refusedToken(err error) bool {
	var e *wire.RequestError
	return errors.As(err, &e) && e.HTTP != nil && e.HTTP.Status == http.StatusUnauthorized
}

// probeRefusal is the run over a server that lets nobody in: the protocol probes alone.
func (r *run) probeRefusal(ctx context.Context, refusal error) (*Result, error) {
	r.out.Evidence.Server = r.out.Place
	r.out.Text = `{"tools":[]}`
	r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "initialize", Message: refusal.Error()})
	r.probeProtocol(ctx)
	r.recordEvidence()
	return r.out, nil
}
