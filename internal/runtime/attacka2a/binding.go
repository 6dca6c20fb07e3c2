// Package attacka2a is the A2A binding (§7.2): it plays adversarial agents, found by their cards and sent tasks by other agents,
// and clients that send tasks to an agent under test. It speaks JSON-RPC over HTTP with event streams, in revision 0.3 and the
// current one; a request's method tells which.
package attacka2a

import (
	"cmp"
	"net/http"
	"time"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
)

// Defaults of Options.
const (
	DefaultBody      = 4 << 20
	DefaultTimeout   = 30 * time.Second
	DefaultReadiness = 30 * time.Second
)

// Options configure the A2A actors. A zero field means its default.
type Options struct {
	// URL is the agent that a2a_client actors attack; "" if there is none.
	URL    string
	Header http.Header // sent with every request
	// Readiness bounds the wait until it is reachable, and Timeout one request.
	Readiness, Timeout time.Duration
	// Body bounds a received message, in bytes; default DefaultBody.
	Body int
	// Hosts are allowed Host names beside those of this machine.
	Hosts []string
	// VerbatimCards serves cards with the document's URLs. Otherwise the interface URLs are replaced by the actor's own, since
	// nobody who follows a card would come back.
	VerbatimCards bool
	// Replayed says that the agent under attack comes from a recording, so no URL is needed.
	Replayed bool
	// PushAnywhere allows push notifications to other machines.
	PushAnywhere bool
}

// New returns the binding.
func New(opt Options) attack.Binding {
	opt.Body = cmp.Or(opt.Body, DefaultBody)
	opt.Timeout = cmp.Or(opt.Timeout, DefaultTimeout)
	opt.Readiness = cmp.Or(opt.Readiness, DefaultReadiness)
	if opt.URL == "" && opt.Replayed {
		opt.URL = "http://replayed.invalid/"
	}
	const asServer, asClient = a2a.Protocol + "_server", a2a.Protocol + "_client" // §7.2.1
	return attack.Binding{Modes: []string{asServer, asClient}, NewPlayer: func(a *attack.Actor) (attack.Player, string, error) {
		switch {
		case a.Mode == asServer:
			return newServer(a, opt), "", nil
		case opt.URL == "":
			return nil, "no agent was named for it to attack (--a2a)", nil
		}
		return &client{Actor: a, opt: opt, HTTPPeer: attack.NewHTTPPeer(opt.Header, opt.Readiness, nil)}, "", nil
	}}
}
