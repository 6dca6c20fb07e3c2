package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

// What honest servers have no reason to do.

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
	Run:    sites(sink.HiddenCopy),
})

var _ = register(check.Check{
	ID: "GNT-706", Name: "fetched-code", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP04:2025 close, ASI04 close, ASI05 close, CWE-494 exact, CWE-829 close, L4 close, L6 weak",
	Axis:     "command-execution", Source: "https://cwe.mitre.org/data/definitions/494.html",
	Doc: `The server runs what it downloads: as code (eval, exec, Function, vm), or through a shell at the end of a pipe
(curl … | sh). Whoever controls the address, or the network on the way to it, decides what the machine does,
now or later, and no review of the package can see it.

Not reported: code that is part of the package, and downloads that are only stored.`,
	Advice: "Ship the code with the package, or compare its hash with one in the source before running it.",
	Run:    sites(sink.FetchedCode),
})

var _ = register(check.Check{
	ID: "GNT-707", Name: "environment-sent", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, ASI04 close, CWE-506 close, CWE-200 close, L4 close, L6 weak",
	Axis:     "data-exfiltration", Source: "https://cwe.mitre.org/data/definitions/506.html",
	Doc: `The server sends its whole environment (process.env, os.environ) in a request. The environment often holds
credentials for other programs of the user.

Not reported: single variables, and the environment given to a program that the server starts.`,
	Advice: "Send only the variables that are needed, by name.",
	Run:    sites(sink.SentEnv),
})

var _ = register(check.Check{
	ID: "GNT-708", Name: "hidden-code", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP04:2025 close, ASI04 close, CWE-506 close, L4 close, L6 weak",
	Axis:     "supply-chain", Source: "https://cwe.mitre.org/data/definitions/506.html",
	Doc: `The source decodes code from base64, hexadecimal digits, compressed or marshalled bytes and runs it, or the
variables of a file are renamed to numbers (_0x1a2b …). Honest packages are at most minified; code that is
hidden is usually hidden for a reason.

Not reported: decoded data that is not run, and minified files.`,
	Advice: "Ship readable source.",
	Run:    sites(sink.HiddenCode),
})

var _ = register(check.Check{
	ID: "GNT-709", Name: "conditional-behaviour", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP04:2025 weak, ASI04 close, ASI10 weak, CWE-506 weak, L4 close, L6 weak",
	Axis:     "rug-pull", Source: "https://cwe.mitre.org/data/definitions/511.html",
	Doc: `The server writes, sends or runs something only on certain days, only on certain machines, or only for certain
clients: it compares today's date with a date in the source, or checks the name of the machine, the user or
the client, before a call with consequences. Such a server can behave well wherever it is tested.

There can be honest reasons: a workaround for one client, an offer that ends. The finding asks a person to
read the code. Not reported: comparisons with a computed date (an expiry), with the operating system, and
comparisons on which nothing of consequence depends.`,
	Advice: "Behave the same everywhere, or document what depends on the condition.",
	Run:    sites(sink.Conditional),
})
