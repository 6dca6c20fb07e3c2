package probing

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

// probeCheck registers the check of one rule; what all of them have in common is said once.
func probeCheck(c check.Check) *check.Check {
	c.Maturity, c.Needs = check.Experimental, check.Probes
	if c.Run == nil {
		c.Run = reportProved(c.ID)
	}
	c.Doc += "\n\nThe proof rests on a value that only the target could know or make, and was seen twice where it could come by chance. " +
		"`gauntlet probe` tells how each trial ended; a payload that never reached the tool's code is no resistance. See docs/probing.md."
	return register(c)
}

var (
	_ = probeCheck(check.Check{
		ID: "MCP-D-002", Name: "path-traversal-proved", Severity: finding.Critical, Axis: "path-traversal",
		Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-22 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/22.html",
		Doc: `A tool read a planted file outside of the project folder that the client declares as its only root, or wrote one there. The
path was absolute, climbed with ../, led through a symbolic link, or into a folder whose name only begins like the project's; or an archive held such a name.`,
		Advice: "Resolve the path with symbolic links, and refuse it unless it lies in a directory that the user chose: compare with the directory and a separator behind it.",
	})
	_ = probeCheck(check.Check{
		ID: "MCP-D-003", Name: "server-side-request-forgery-proved", Severity: finding.High, Axis: "server-side-request-forgery",
		Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-918 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/918.html",
		Doc: `A tool made a request to a planted service on the loopback address of its own machine, or read a file through a file://
address. That a tool fetches public addresses is what it is for, and no finding.`,
		Advice: "Take http and https only, look the host's address up, refuse private and loopback ones and connect to that very address.",
	})
	_ = probeCheck(check.Check{
		ID: "MCP-D-007", Name: "metadata-credentials-proved", Severity: finding.Critical, Axis: "server-side-request-forgery",
		Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-918 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/918.html",
		Doc:    `A tool returned the credentials of a planted cloud metadata service.`,
		Advice: "Refuse link-local addresses in every spelling, and connect to the very address that was compared.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-401", Name: "command-injection-proved", Severity: finding.Critical, Axis: "command-injection",
		Taxonomy: "MCP05:2025 exact, ASI05 close, CWE-78 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/78.html",
		Doc: `A value that was no command made the server run one: a file appeared that only this command creates. A tool whose declared
purpose is to run any command, and that runs the plain one as well, is not reported.`,
		Advice: "Start the program without a shell, with its arguments as a list and \"--\" before values.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-402", Name: "argument-injection-proved", Severity: finding.High, Axis: "command-injection",
		Taxonomy: "MCP05:2025 close, ASI05 close, CWE-88 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/88.html",
		Doc: `A value became an option of a program that the server starts: a stand-in for the program was called with it where programs
read options, with no "--" before it.`,
		Advice: "Put \"--\" before values, refuse those that begin with \"-\", and never split a line on spaces.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-403", Name: "query-injection-proved", Severity: finding.High, Axis: "sql-injection",
		Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-89 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/89.html",
		Doc: `A value that was no query made the database compute the product of two random numbers, which the answer holds. A tool that
runs any statement of its caller is not reported.`,
		Advice: "Bind values as parameters of the query; compare names of tables and columns with a list.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-404", Name: "code-evaluation-proved", Severity: finding.Critical, Axis: "command-injection",
		Taxonomy: "MCP05:2025 close, ASI05 exact, CWE-95 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/95.html",
		Doc: `A value was run as code, or as the expression of a template: a file appeared that only this code creates, or the answer holds
the product of two random numbers (severity high). A tool whose declared purpose is to run code is not reported.`,
		Advice: "Parse values with a grammar that has no calls; never hand them to eval or to a template engine as a template.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-405", Name: "unsafe-deserialisation-proved", Severity: finding.Critical, Axis: "command-injection",
		Taxonomy: "MCP05:2025 close, ASI05 close, CWE-502 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/502.html",
		Doc:    `A serialised object was read by a reader that makes any object and calls its code.`,
		Advice: "Read JSON, or YAML with a safe loader; never unpickle what a caller sends.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-406", Name: "request-path-escape-proved", Severity: finding.Medium, Axis: "server-side-request-forgery",
		Taxonomy: "MCP05:2025 weak, ASI05 weak, CWE-918 close, CWE-22 close, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/918.html",
		Doc:    `A value with ../ led a request of the server, with its credentials, to another path of the service than ordinary values do.`,
		Advice: "Encode every value that becomes part of an address, and refuse those with dots and slashes.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-407", Name: "header-injection-proved", Severity: finding.Medium, Axis: "server-side-request-forgery",
		Taxonomy: "MCP05:2025 weak, ASI05 weak, CWE-93 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/93.html",
		Doc:    `A value with a line break added a header to a request of the server.`,
		Advice: "Refuse control characters in addresses and header values.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-408", Name: "hidden-content-passed-through", Severity: finding.Info, Axis: "prompt-injection",
		Taxonomy: "MCP10:2025 close, ASI01 close, CWE-1427 close, L3 weak, L4 weak", Source: "https://genai.owasp.org/llmrisk/llm01-prompt-injection/",
		Doc:    `A tool handed on an order to the model from a comment of a page that no reader of the page sees.`,
		Advice: "Return what a reader of the page sees, and mark it as content of somebody else.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-409", Name: "resource-exhaustion-proved", Severity: finding.Medium, Axis: "denial-of-service",
		Taxonomy: "MCP07:2025 weak, ASI08 weak, CWE-400 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/400.html",
		Doc: `A small value kept the server from answering anything, or ended it, or made it take 256 MiB of memory more, twice, where a harmless value
of the same length did not. Tried in a sandbox alone.`,
		Advice: "Bound what one call may cost, and answer errors instead of ending.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-414", Name: "unlisted-tool-answers", Severity: finding.Medium, Axis: "authorization",
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-425 exact, CWE-489 close, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/425.html",
		Doc:    `A tool that no list has answered a call by a name that was guessed, and a call by a random name was refused.`,
		Advice: "Leave out of the server what is not meant for its callers; leaving it out of the list protects nothing.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-415", Name: "guessed-handle-opens", Severity: finding.High, Axis: "authorization",
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-639 exact, CWE-330 close, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/639.html",
		Doc: `The handle of a session, cart, conversation or the like that was guessed, and that no answer had given before, opened something;
random handles of two forms were refused.`,
		Advice: "Make handles random, and compare who asks with whose it is.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-416", Name: "unoffered-field-kept", Severity: finding.Medium, Axis: "authorization",
		Taxonomy: "MCP02:2025 close, ASI03 close, CWE-915 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/915.html",
		Doc: `A field that speaks of rights (role, owner, tenant), that no schema of the tool has, was sent along with a random value, and the
answer to a later call that did not carry it held that value.`,
		Advice: "Take the fields of the schema one by one, and refuse others (additionalProperties: false).",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-417", Name: "forged-request-state-accepted", Severity: finding.High, Axis: "authorization",
		Taxonomy: "MCP07:2025 close, ASI03 close, CWE-565 exact, CWE-345 close, L3 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic",
		Doc:    `A tool that asks for input before it acts went on with a state that it never gave out, where it gives out one of its own.`,
		Advice: "Sign the state, and tie it to the call, its arguments and the user.",
	})
	_ = probeCheck(check.Check{
		ID: "GNT-418", Name: "prototype-pollution-proved", Severity: finding.High, Axis: "input-validation",
		Taxonomy: "MCP05:2025 weak, ASI05 weak, CWE-1321 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/1321.html",
		Doc: `A member named __proto__ or constructor in a value changed what all objects of the server inherit: a later answer held the random
value where nobody had put it. A tool that stores the value under the name that it was given is not reported.`,
		Advice: "Refuse __proto__, constructor and prototype as keys, copy members into objects without a prototype, or use a Map.",
	})
	_ = probeCheck(check.Check{
		ID: "SEC-020", Name: "error-envelope-leak", Severity: finding.High, Axis: "information-disclosure",
		Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-209 exact, L3 close, L4 weak", Source: "https://cwe.mitre.org/data/definitions/209.html",
		Doc: `The error of a tool held a secret that was planted in the environment or the files of the server. Severity low: an error of any kind
shows frames of the program's stack, with its files and lines.`,
		Run:    reportLeaks,
		Advice: "Answer errors with what the caller did wrong, and keep values of the environment out of them.",
	})
)
