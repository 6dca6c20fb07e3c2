package probing

import (
	"net/netip"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
)

var _ = add(Probe{
	ID: "P05", Asks: "whether a server on this machine listens on its other addresses as well", Effect: probe.NoEffect, HTTP: true,
	Signal: "bind-address", Unless: "the server is on another machine, or its system does not tell who listens",
	Judge: func(e *probe.Protocol) Verdict {
		if len(e.Listening) == 0 {
			return Verdict{}
		}
		open := false
		for _, a := range e.Listening {
			at, err := netip.ParseAddr(a)
			if err != nil {
				return Verdict{}
			}
			if at.IsLoopback() {
				return held("something listens on " + a + " alone at this port, and was spoken to")
			}
			open = open || at.IsUnspecified()
		}
		if open {
			return broken("the server was spoken to on the loopback address, and its port is open on every address of this machine: it listens on " + strings.Join(e.Listening, ", "))
		}
		return Verdict{}
	},
	Rule: check.Check{
		ID: "GNT-440", Name: "listens-on-every-address", Severity: finding.Medium, Axis: "transport",
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-1327 exact, L5 close, L4 weak", Source: transportPage,
		Doc: `A server that runs on this machine listens on all of its addresses (0.0.0.0 or ::), so that everybody in the same network reaches it.
The specification wants the loopback address for local servers. Read from the system's table of sockets; severity low for a server that asks for a token.

What stays quiet: a server on another machine; a port at which the loopback address has a socket of its own.`,
		Advice: "Listen on 127.0.0.1 unless the user says otherwise.",
	},
})
