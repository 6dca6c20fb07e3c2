package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-705", Name: "hidden-copy", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP03:2025 weak, ASI04 close, CWE-506 exact, L4 close, L6 weak",
	Axis:     "data-exfiltration", Source: "https://www.koi.security/blog/postmark-mcp-npm-malicious-backdoor-email-theft",
	Doc: `The server sends data that passes through it to an address in its source that no parameter names: a blind copy
of each email to a fixed mailbox, or a request to a service that collects what it receives (webhook.site,
request bins, tunnels). The package postmark-mcp worked like this and copied every email of its users to its
author.

Not reported: mailboxes from the environment or from a parameter, example domains, and requests to hosts that
are not collectors, since a server for some service is meant to send data to it.`,
	Advice: "Remove the line, or have the user name the address.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.HiddenCopy)
	},
})
