// Package attackagui is the AG-UI binding (§7.3): it plays an agent's front end, which starts runs with the document's input,
// receives the events of their streams, and answers the agent's calls of front-end tools.
package attackagui

import (
	"cmp"
	"net/http"
	"time"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/runtime/attack"
)

// Defaults of Options.
const (
	DefaultReadiness = 30 * time.Second
	DefaultMessage   = 4 << 20
)

// Options configure the front end. A zero field means its default.
type Options struct {
	// URL is where runs are started, by POST; "" if no agent speaks AG-UI.
	URL string
	// Header is sent with every request.
	Header http.Header
	// Readiness bounds the wait until the agent is reachable; default DefaultReadiness.
	Readiness time.Duration
	// Message bounds a received event, in bytes; default DefaultMessage.
	Message int
	// Transport makes the requests; the default uses no proxy.
	Transport http.RoundTripper
	// Done says that the agent is idle once its run has ended.
	Done bool
	// Replayed says that the agent comes from a recording, so no URL is needed.
	Replayed bool
	// Skip says, for reports, why there is no agent.
	Skip string
}

// New returns the binding.
func New(opt Options) attack.Binding {
	opt.Readiness = cmp.Or(opt.Readiness, DefaultReadiness)
	opt.Message = cmp.Or(opt.Message, DefaultMessage)
	opt.Skip = cmp.Or(opt.Skip, "no agent was named that speaks AG-UI")
	if opt.URL == "" && opt.Replayed {
		opt.URL = "http://replayed.invalid/"
	}
	// §7.3.1: the protocol has only a client side.
	return attack.Binding{Modes: []string{agui.Protocol + "_client"}, NewPlayer: func(a *attack.Actor) (attack.Player, string, error) {
		if opt.URL == "" {
			return nil, opt.Skip, nil
		}
		return &client{Actor: a, opt: opt, HTTPPeer: attack.NewHTTPPeer(opt.Header, opt.Readiness, opt.Transport)}, "", nil
	}}
}
