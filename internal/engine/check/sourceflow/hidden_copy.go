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
	Doc: `Something that passes through the server goes to an address that stands in the source and that no parameter names: a blind copy of each mail to a fixed
mailbox, or a request to a service that collects what it is sent (webhook.site, request bins, tunnels). So worked the package postmark-mcp, which copied
every mail of its users to its author.

Silent on mailboxes from the environment or from a parameter, on example domains, and on requests to hosts that are no collectors: that a server of some
service sends what it gets to this service is its purpose.`,
	Advice: "Take the line out, or have the user name the address.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.HiddenCopy)
	},
})
