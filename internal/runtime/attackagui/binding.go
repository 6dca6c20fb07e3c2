// Package attackagui is the binding of AG-UI (§7.3): it plays the front end of an agent, which begins runs
// with what the document gives, hears every event of their streams, and answers the calls that the agent
// makes of the front end's tools.
package attackagui

import (
	"net/http"
	"time"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/runtime/attack"
)

// The defaults of Options.
const (
	DefaultReadiness = 30 * time.Second
	DefaultMessage   = 4 << 20
)

// Options say how a front end reaches its agent. A zero field means its default.
type Options struct {
	// URL is where runs are begun, by POST; "" where there is no agent that speaks AG-UI.
	URL string
	// Header is sent with every request.
	Header http.Header
	// Readiness is how long the agent may take until it can be reached; default DefaultReadiness.
	Readiness time.Duration
	// Message is the longest event that is taken, in bytes; default DefaultMessage.
	Message int
	// Transport carries requests; default one of its own, which goes through no proxy.
	Transport http.RoundTripper
	// Done says that the agent is not at work any more when it has ended its run.
	Done bool
	// Replayed says that the agent's part comes from a recording, so that no URL is needed.
	Replayed bool
	// Skip says why there is no agent, for reports.
	Skip string
}

// New returns the binding.
func New(opt Options) attack.Binding {
	if opt.Readiness == 0 {
		opt.Readiness = DefaultReadiness
	}
	if opt.Message == 0 {
		opt.Message = DefaultMessage
	}
	if opt.Skip == "" {
		opt.Skip = "no agent was named that speaks AG-UI"
	}
	return binding{opt}
}

type binding struct{ Options }

// Modes are those of §7.3.1: the protocol has a client's side only.
func (binding) Modes() []string { return []string{agui.Protocol + "_client"} }

// NewPlayer makes a front end, where there is an agent.
func (b binding) NewPlayer(a *attack.Actor) (attack.Player, string, error) {
	if b.URL == "" && b.Replayed {
		b.URL = "http://replayed.invalid/"
	}
	if b.URL == "" {
		return nil, b.Skip, nil
	}
	return newClient(a, b.Options), "", nil
}
