package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

// What a server does apart from its tools, by carelessness.

var _ = register(check.Check{
	ID: "MCP-S-010", Name: "secret-in-tree", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, ASI03 close, CWE-798 exact, CWE-312 close, L4 close, L6 weak",
	Axis:     "secret-exposure", Source: "https://cwe.mitre.org/data/definitions/798.html",
	Doc: `A file of the source contains a key, a token or a password: in code, in a configuration, or in a .env file
that was published. Everyone who downloads the package gets it.

The rules of gitleaks say what looks like a credential. Whether it is a real one is decided as for SEC-008:
placeholders, invented examples, keys that vendors print in their manuals and hashes that nothing names as a
credential do not count. The finding quotes the first six characters.

Not reported: files whose path names tests, examples, samples, mocks, templates or documentation, and anything
after the first 2 MB of a file.`,
	Advice: "Revoke the credential, remove it from the source and its history, and read it from the environment.",
	Run:    sites(sink.TreeSecret),
})

var _ = register(check.Check{
	ID: "MCP-S-011", Name: "secret-logged", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-532 exact, L4 close, L3 weak",
	Axis:     "secret-logged", Source: "https://cwe.mitre.org/data/definitions/532.html",
	Doc: `A credential is written to the log: the value of an environment variable named like one (…_TOKEN, …_API_KEY,
…_PASSWORD), or all headers of a request, including those that authenticate it. Clients keep what a server
writes to standard error, and people share logs.

The value itself must be written, alone, in a template or in an object. Not reported: what is computed from
it, such as whether it is set, its length or its first characters.`,
	Advice: "Log that a credential is set, never its value.",
	Run:    sites(sink.LoggedSecret),
})

var _ = register(check.Check{
	ID: "MCP-S-012", Name: "unused-roots", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP02:2025 weak, ASI03 weak, CWE-668 weak, L4 close, L3 weak",
	Axis:     "over-permission", Source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots",
	Doc: `The source asks to be notified when the client's roots change, but never asks which directories they are. A
user who sets roots then believes that the server stays inside them.

Roots are a client capability of revisions 2024-11-05 to 2025-11-25. Revision 2026-07-28 deprecates them, so a
server only for that revision need not ask. Not reported: servers that never mention roots.`,
	Advice: "Request the roots with roots/list and stay inside them, or remove the notification handler.",
	Run:    sites(sink.UnusedRoots),
})

var _ = register(check.Check{
	ID: "MCP-S-014", Name: "open-listener", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-346 exact, CWE-306 close, L5 close, L4 weak",
	Axis:     "open-listener", Source: "https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#security-warning",
	Doc: `The server opens an HTTP endpoint to callers that should not reach it. There are five cases.

Nothing checks the Host or Origin header of a request. A web page in a browser on the same machine can then
make its own name resolve to 127.0.0.1 (DNS rebinding) and call the tools. Guards are the transport's own list
of hosts or origins, a middleware made for it, a function that reads Host or Origin and refuses requests (not by
whether they hold or begin with a text such as "localhost", as localhost.example.com does too), and one that refuses requests without a credential. In the TypeScript SDK, enableDnsRebindingProtection alone
checks nothing; the message says so.

The server listens on all addresses of the machine (0.0.0.0, or listen() without a host), asks for no
credential and does not check Host.

A check of a credential refuses a wrong one and lets in whoever sends none.

One of several routes to the same endpoint asks for no credential, and another one does.

CORS lets every origin read the answers, with the credentials of the user's browser.

A guard anywhere in the program counts for all its endpoints. Not reported: endpoints that no code of the
program listens for, as in cloud functions. Newer SDKs check the header by themselves for requests to the
loopback address; the manifest says which version is used: Python's FastMCP from 1.23 on (pyproject.toml,
requirements.txt), the official Go SDK from 1.4 on (for SSE from 1.6 on), and mcp-go from 0.56 on (go.mod),
unless the program switches the check off. No version of the TypeScript SDK does so in the transport; an
application made by createMcpExpressApp does, unless it is given another address and no list of hosts.`,
	Advice: "Give the transport the allowed hosts and origins, listen on 127.0.0.1, and ask for a credential where others can reach the server.",
	Run:    sites(sink.OpenListener, sink.WideListener, sink.OpenSharing),
})

var _ = register(check.Check{
	ID: "GNT-701", Name: "read-only-lie", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP02:2025 weak, ASI02 close, ASI09 close, CWE-451 close, L4 close, L2 weak",
	Axis:     "over-permission", Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
	Doc: `The source declares a tool with readOnlyHint: true, but its handler writes, moves or deletes files or changes
a database. Clients run read-only tools without asking the user. MCP-S-004 compares the annotation with the
tool's name; this check compares it with what the code does.

Only calls in the handler itself or one function away count, and only those that the table of sinks lists as
writing. What half of the server's tools reach is taken for the server's log or cache. Not reported: temporary
files, paths next to the program, and registrations without an annotation.`,
	Advice: "Declare readOnlyHint: false, or have the tool write nothing.",
	Run:    sites(sink.ReadOnlyLie),
})

var _ = register(check.Check{
	ID: "GNT-702", Name: "token-passthrough", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, MCP07:2025 close, ASI03 close, CWE-522 close, CWE-441 close, L4 close, L5 weak",
	Axis:     "authorization", Source: "https://modelcontextprotocol.io/specification/2025-06-18/basic/security_best_practices#token-passthrough",
	Doc: `The server takes the Authorization header of a client's request and sends it to another server. The MCP
specification forbids this (token passthrough): the token was issued for this server, the other server cannot
tell who is asking, and a stolen token opens both.

The value is followed through names that are assigned once, templates and defaults. Not reported: the server's
own tokens, tokens that were exchanged for others, and a proxy that forwards all headers.`,
	Advice: "Exchange the token for one issued for the other server, or use the server's own.",
	Run:    sites(sink.PassedToken),
})

var _ = register(check.Check{
	ID: "GNT-703", Name: "guessable-session-id", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP07:2025 close, ASI03 close, CWE-330 exact, CWE-384 weak, L5 close, L4 weak",
	Axis:     "transport", Source: "https://modelcontextprotocol.io/specification/2025-06-18/basic/security_best_practices#session-hijacking",
	Doc: `Session ids are made from the clock or from a random generator that is not made for secrets: Math.random(),
Date.now(), time.time(), Python's random. Whoever guesses an id can act in another user's session.

The check looks where the transport is told how to make ids, and where a variable or member called sessionId
is assigned. Not reported: ids that include a value from a generator for secrets (randomUUID, uuid4, token_hex
…), and servers that speak only over stdio.`,
	Advice: "Make ids with crypto.randomUUID(), uuid.uuid4() or secrets.token_hex().",
	Run:    sites(sink.GuessableID),
})

var _ = register(check.Check{
	ID: "GNT-704", Name: "archive-entry-path", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-22 close, L4 close, L3 weak",
	Axis:     "path-traversal", Source: "https://security.snyk.io/research/zip-slip-vulnerability",
	Doc: `The name of an archive entry is joined to a directory, and nothing in the function refuses ../ or compares the
result with that directory. Whoever made the archive can write anywhere (zip slip). Also reported: extraction by
Python's tarfile without filter=, or with one that lets all pass, which before Python 3.14 writes wherever the
entries say, and links that are made to where an entry says, which nothing in the function compares.

Not reported: extraction that confines entries by itself, such as Python's zipfile and npm's tar package, and
functions that compare paths, whether or not they do it correctly.`,
	Advice: "Resolve the path of each entry and refuse it unless it lies in the directory. Pass filter=\"data\" to tarfile.",
	Run:    sites(sink.ArchiveEntry),
})
