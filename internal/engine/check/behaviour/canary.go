package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-501", Name: "honeytoken-sent-out", Severity: finding.Critical, Maturity: check.Experimental,
	Taxonomy: "MCP10:2025 close, ASI02 weak, CWE-200 close, CWE-506 close, L3 close, L4 weak",
	Axis:     "data-exfiltration", Needs: check.Observed, Source: source,
	Doc: `A server that ran in a sandbox sent out a canary: a credential or record that was made for this one run, lay in a file,
a variable or a metadata service there, and is known to nothing else. Whoever sends it has read it there. It was sent nowhere, since
no packet leaves the sandbox; it would have been.

The canary is looked for in names that are looked up (also cut into pieces), in HTTP requests inside and outside of TLS, in
mail, in datagrams and in the first bytes of any other connection; plain, and in hexadecimal, base64, base32, URLs, JSON,
backwards, compressed with gzip, and these within each other. A host that the user allowed makes no difference.

What stays quiet: a credential that goes to the service that it claims to be for, such as GITHUB_TOKEN to github.com, since
servers are there to use it; a file that is only opened, which is an event. A value that the server encrypts before it
sends it is not recognised.`,
	Advice: "Do not run this server. Take the evidence to whoever publishes it.",
	Run: func(p *check.Pass) {
		seen := map[string]bool{}
		eachEvent(p, func(e *observed, root rawjson.Value) {
			if !e.outgoing() || len(e.canaries) == 0 {
				return
			}
			names := slices.Sorted(slices.Values(e.canaries))
			key := e.message.Server + "\x00" + domain(e.host) + "\x00" + strings.Join(names, " ")
			if seen[key] {
				return
			}
			seen[key] = true
			p.Report(check.Relation{
				At:       e.place(p, root),
				Message:  fmt.Sprintf("%s sent the canary %s %s %s, %s; nothing but this sandbox knew it", e.server(), strings.Join(names, ", "), e.how(), quoted(e.host), e.when()),
				Identity: append([]string{e.message.Server, domain(e.host)}, names...),
			})
		})
	},
})
