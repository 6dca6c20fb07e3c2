package probing

import (
	"strings"

	"gauntlet/internal/leaf/probe"
)

var _ = add(Probe{
	ID: "P12", Asks: "whether tokens that nobody signed, or that stand in the address, are taken", Effect: probe.Reads, HTTP: true,
	Signal: "authentication", By: "SEC-022 and GNT-434",
})

var _ = add(Probe{
	ID: "P14", Asks: "whether a token of too few rights is refused with HTTP 403 and insufficient_scope", Effect: probe.Reads, HTTP: true,
	Signal: "authorization", Unless: "no valid token was refused; --other-bearer-env names a second one, of fewer rights",
	Judge: judgeScope,
})

var _ = add(Probe{ID: "P15", Asks: "whether the authorization server is named with https", Effect: probe.Reads, HTTP: true, By: "SEC-019"})

// judgeScope reads the refusals of tokens that the server otherwise takes.
func judgeScope(e *probe.Protocol) Verdict {
	for _, x := range exchanges(e, "P14") {
		if x.Status != 403 {
			continue
		}
		if strings.Contains(strings.ToLower(x.Answer["Www-Authenticate"]), "insufficient_scope") {
			return held(x.Step + " with another token was refused with HTTP 403 and insufficient_scope")
		}
		return brokenBy(x, x.Step+" with another token was refused with HTTP 403, and WWW-Authenticate does not say insufficient_scope")
	}
	return Verdict{}
}
