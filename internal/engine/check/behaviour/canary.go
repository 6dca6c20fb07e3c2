package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
)

var _ = register(check.Check{
	ID: "GNT-501", Name: "honeytoken-sent-out", Severity: finding.Critical, Maturity: check.Experimental,
	Taxonomy: "MCP10:2025 close, ASI02 weak, CWE-200 close, CWE-506 close, L3 close, L4 weak",
	Axis:     "data-exfiltration", Needs: check.Observed, Source: source,
	Doc: `A server that ran in a sandbox sent out a canary: a credential or record that was made for this run alone and
placed in a file, a variable or a metadata service. Since nothing else knows the value, the server must have
read it there. Nothing left the sandbox; outside of it, the value would have been sent.

gauntlet looks for canaries in every packet that leaves the sandbox and in all bytes of every connection,
inside and outside of TLS, whatever the protocol. It recognises them as plain text, in hexadecimal, base64,
base32, URL encoding and JSON, reversed, compressed (gzip, zlib, bzip2), in combinations of these, and in
pieces. It makes no difference whether the user allowed the host.

Not reported: a credential that is sent to the service that it is for, such as GITHUB_TOKEN to github.com,
since servers are meant to use it; and a file that is only opened, which is recorded as an event. A value that
the server encrypts before sending is not recognised.`,
	Advice: "Do not run this server. Report the evidence to its publisher.",
	Run: func(p *check.Pass) {
		reportEvents(p, func(e *observed) (message string, identity []string) {
			if e.kind == "limit" { // events after this one may be missing
				p.Unread(e.place(p), fmt.Sprintf("the behaviour of %s was not recorded completely: %s", e.server(), excerpt.Quote(strings.TrimSpace(e.text), 200)))
				return "", nil
			}
			if !e.outgoing() || len(e.canaries) == 0 {
				return "", nil
			}
			names := slices.Sorted(slices.Values(e.canaries))
			return fmt.Sprintf("%s sent the canary %s %s %s, %s; it exists only in this sandbox", e.server(), strings.Join(names, ", "), e.how(), quoted(e.host), e.when()),
				append([]string{domain(e.host)}, names...)
		})
	},
})
