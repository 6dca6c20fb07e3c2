// Package gatewayrun runs a gateway in front of the servers in clients' configurations, over stdio or HTTP.
package gatewayrun

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/listen"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/runtime/gateway"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// A Server is a server to offer.
type Server struct {
	Name string
	launch.Server
}

// Choose returns the servers to offer under unique names: the named ones, or all that are enabled. What is left out is reported.
func Choose(p *clientplan.Plan, names, files []string, say func(format string, args ...any)) ([]Server, error) {
	var out []Server
	taken := map[string]int{}
	for _, one := range p.Entries {
		name := one.Entry.Name
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		if one.Launch == nil {
			if one.Reason != "" {
				say("%s is not offered: %s", clientplan.EntryName(one.Entry), one.Reason)
			}
			continue
		}
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, taken[name])
		}
		out = append(out, Server{name, one.Launch.Target.Server})
	}
	for _, name := range names {
		if taken[name] == 0 {
			return nil, fmt.Errorf("--server: no server %q that could be started is in %s", name, strings.Join(files, ", "))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no server that could be started", strings.Join(files, ", "))
	}
	return out, nil
}

// A Run is one gateway, or one per server.
type Run struct {
	Servers []Server
	Dialer  launch.Dialer
	Trace   *tracefile.File // records the messages; may be nil
	Gateway gateway.Options // for each gateway; Upstreams, Note, Progress and Recording are set here
	Verbose bool
	Note    func(format string, args ...any)
}

func (r *Run) newUpstream(s Server) gateway.Upstream {
	dialer := r.Dialer
	dialer.SandboxName = s.Name
	return gateway.Upstream{Name: s.Name, Open: func() (wire.Conn, error) {
		return dialer.Connect(s.Server, func(_ string, secrets, credentials []string) wire.Tap {
			if r.Gateway.Guard != nil {
				return r.Trace.StrictTap(s.Name, trace.Between, secrets, credentials)
			}
			return r.Trace.Tap(s.Name, trace.Between, secrets, credentials)
		})
	}}
}

func (r *Run) newGateway(servers []Server) (*gateway.Gateway, error) {
	var secrets []string // servers may repeat them
	for _, s := range servers {
		secrets = slices.Concat(secrets, s.Env, s.Guard, redact.URLSecrets(s.URL))
	}
	hidden := redact.New(secrets)
	opt := r.Gateway
	opt.Note = func(s string) { r.Note("%s", hidden.Replace(s)) }
	if r.Verbose {
		opt.Progress = opt.Note
	}
	if opt.Guard != nil && r.Trace != nil {
		opt.Recording = r.Trace.Complete
	}
	for _, s := range servers {
		opt.Upstreams = append(opt.Upstreams, r.newUpstream(s))
	}
	return gateway.New(opt)
}

// ServeStdio serves one client until its input ends.
func (r *Run) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	gw, err := r.newGateway(r.Servers)
	if err != nil {
		return err
	}
	defer gw.Close()
	return gw.Server().Stdio(ctx, in, out)
}

// A Front is a gateway's HTTP address.
type Front struct {
	Name   string // of the only server behind it; "" for all
	Addr   net.Addr
	URL    string
	listen net.Listener
	behind []Server
}

// ServeHTTP serves until ctx ends: all servers as one, or each on its own port. ready is called with the addresses once clients can
// connect.
func (r *Run) ServeHTTP(ctx context.Context, address string, each bool, ready func([]Front) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	fronts := []Front{{behind: r.Servers}}
	if each {
		fronts = nil
		for _, s := range r.Servers {
			fronts = append(fronts, Front{Name: s.Name, behind: []Server{s}})
		}
	}
	ended := make(chan error, len(fronts))
	for i := range fronts {
		gw, err := r.listen(ctx, &fronts[i], address)
		if err != nil {
			return err
		}
		running.Go(func() {
			ended <- gw.Server().HTTP(ctx, fronts[i].listen)
			gw.Close()
		})
	}
	if err := ready(fronts); err != nil {
		return err
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

// listen opens the port of a front and creates its gateway.
func (r *Run) listen(ctx context.Context, f *Front, address string) (*gateway.Gateway, error) {
	ln, err := listen.TCP(ctx, address)
	if err != nil {
		return nil, err
	}
	gw, err := r.newGateway(f.behind)
	if err != nil {
		_ = ln.Close() // the first error is reported
		return nil, err
	}
	f.listen, f.Addr, f.URL = ln, ln.Addr(), "http://"+ln.Addr().String()+mcpserver.Path
	return gw, nil
}

// shortestToken is the minimum length of a token, in bytes: a shorter one can be guessed.
const shortestToken = 16

// Token returns the token for clients: the value of a variable, or a new one for "".
func Token(variable string, lookup func(string) (string, bool)) (string, error) {
	if variable == "" {
		return rand.Text(), nil
	}
	token, ok := lookup(variable)
	switch {
	case !ok: // the user may have typed the token itself: never echo it
		return "", errors.New("--token-env wants the name of a variable, and no variable of that name is set here")
	case len(token) < shortestToken:
		return "", fmt.Errorf("--token-env %s: the token has %d bytes, want at least %d", variable, len(token), shortestToken)
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return "", fmt.Errorf("--token-env %s: the token has a character that no header can carry", variable)
		}
	}
	return token, nil
}

// A ClientEntry is the gateway's entry in a client's configuration.
type ClientEntry struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
}

// ClientConfig returns the configuration for clients on one line. token is their token, or ${NAME} of the variable that holds it.
func ClientConfig(fronts []Front, token string) (string, error) {
	entries := map[string]ClientEntry{}
	for _, f := range fronts {
		entries[cmp.Or(f.Name, "gauntlet")] = ClientEntry{"http", f.URL, map[string]string{"Authorization": "Bearer " + token}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	return string(text), err
}
