// Package attacka2a is the binding of A2A (§7.2): it plays adversarial agents that other agents find by their
// cards and send tasks to, and clients that send tasks to an agent under test. It speaks JSON-RPC over HTTP
// with event streams, in revision 0.3 and the current one: each request says by its method which it means.
package attacka2a

import (
	"net/http"
	"time"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
)

// The defaults of Options.
const (
	DefaultBody      = 4 << 20
	DefaultTimeout   = 30 * time.Second
	DefaultReadiness = 30 * time.Second
)

// Options say how the actors of A2A speak. A zero field means its default.
type Options struct {
	// URL is the agent that a2a_client actors attack; "" where there is none.
	URL    string
	Header http.Header // sent to it with every request
	// Readiness is how long it may take until it can be reached, and Timeout how long over one request.
	Readiness, Timeout time.Duration
	// Body is the longest message that is taken, in bytes; default DefaultBody.
	Body int
	// Hosts are names that the Host header may have beside those of this machine.
	Hosts []string
	// VerbatimCards serves cards with the URLs that the document has. Else those through which an agent is
	// spoken to are the actor's own: nobody who follows a card would come back otherwise.
	VerbatimCards bool
	// Replayed says that the part of the agent under attack comes from a recording, so that no URL is needed.
	Replayed bool
	// PushAnywhere lets notifications be pushed to other machines.
	PushAnywhere bool
}

// New returns the binding.
func New(opt Options) attack.Binding {
	if opt.Body == 0 {
		opt.Body = DefaultBody
	}
	if opt.Timeout == 0 {
		opt.Timeout = DefaultTimeout
	}
	if opt.Readiness == 0 {
		opt.Readiness = DefaultReadiness
	}
	return binding{opt}
}

type binding struct{ Options }

// Modes are those of §7.2.1.
func (binding) Modes() []string {
	return []string{a2a.Protocol + "_server", a2a.Protocol + "_client"}
}

// NewPlayer makes an agent, or a client where there is an agent to attack.
func (b binding) NewPlayer(a *attack.Actor) (attack.Player, string, error) {
	if a.Mode == b.Modes()[0] {
		return newServer(a, b.Options), "", nil
	}
	if b.URL == "" && b.Replayed {
		b.URL = "http://replayed.invalid/"
	}
	if b.URL == "" {
		return nil, "no agent was named for it to attack (--a2a)", nil
	}
	return newClient(a, b.Options), "", nil
}
