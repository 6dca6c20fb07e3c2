package posture

// signals are the lines of the map by layer; within a layer first what definitions show, then what a probe could show,
// then what no outsider can see. Ids are permanent.
//
// Sources: the MCP schemas of revisions 2024-11-05 to 2026-07-28 (Tool, ToolAnnotations, Implementation, ServerCapabilities,
// _meta) for definitions; clauses of these revisions and of the MCP security best practices for probes; and for the invisible
// ones the whole-server and host-side controls that the MCP-DPT survey lists as defences and that leave no trace on the wire.
var signals = [...]signal{
	invisible(model, "provider-guardrails", "model safeguards",
		"training, system prompt and filters of the model are outside the server"),

	// Server.instructions: hosts add it to the model's context (InitializeResult, DiscoverResult).
	judged(host, "instructions", "server instructions", among(instructions, identity, anIdentity)),
	invisible(host, "consent-ui", "consent before a call", "whether and how the host asks its user is not on the wire"),
	invisible(host, "definition-approval", "approval of changed definitions", "what the host pins and shows again is its own affair"),
	invisible(host, "server-isolation", "isolation of servers from each other", "how the host separates contexts of several servers is not on the wire"),
	invisible(host, "intent-verification", "runtime intent verification", "whether a call is compared with what the user wanted is decided inside the host"),

	// ServerCapabilities, from the input's identity object.
	judged(client, "capabilities", "declared capabilities", perServer(capabilities)),
	judged(client, "list-changed", "notice of changed lists", among(listChanged, capabilities, aCapability)),
	// Tool.outputSchema lets a client validate results (since 2025-06-18).
	judged(client, "output-schemas", "output schemas", perTool(outputSchema)),
	invisible(client, "token-storage", "storage of tokens", "where the client keeps credentials is not on the wire"),
	invisible(client, "result-validation", "validation of results", "what the client does with a result is not on the wire"),

	// Tool.annotations: hints of ToolAnnotations (since 2025-03-26). They are the server's claims, which clients must
	// not trust unless they trust the server.
	judged(server, "annotations", "behaviour annotations", perTool(annotated)),
	judged(server, "read-only-hint", "readOnlyHint", perTool(readOnlyHint)),
	judged(server, "destructive-hint", "destructiveHint", perTool(destructiveHint)),
	judged(server, "open-world-hint", "openWorldHint", perTool(openWorldHint)),
	// Tool.inputSchema: what JSON Schema keywords promise; the signal input-validation is about enforcement.
	judged(server, "closed-schemas", "input schemas that refuse unknown parameters", perTool(closedSchema)),
	judged(server, "bounded-strings", "string parameters with a bound", judgeBoundedStrings),
	probe(server, "authentication", "authentication", "needs requests without, with a foreign and with an expired token"),
	probe(server, "authorization", "authorization by scope", "needs two tokens of different scope"),
	probe(server, "input-validation", "input validation", "needs calls that break the declared schema"),
	probe(server, "error-hygiene", "error hygiene", "needs calls that fail, to see whether errors leak paths, traces or secrets"),
	probe(server, "rate-limit", "rate limit", "needs a burst of calls; no limit in N calls would still not mean that there is none"),
	probe(server, "malformed-messages", "handling of malformed messages", "needs broken JSON-RPC, batches and forged cursors"),
	probe(server, "capability-honesty", "requests within the client's capabilities", "needs calls that declare few capabilities, to see whether the server asks for more"),
	probe(server, "list-stability", "stable lists", "needs several listings, on two connections and after a call"),
	invisible(server, "payload-inspection", "payload inspection", "filtering of arguments and results inside the server looks like any other answer"),
	invisible(server, "audit-log", "audit log", "what the server records is not on the wire"),
	invisible(server, "sandbox", "sandbox", "what the server's process may reach cannot be told from its answers"),
	invisible(server, "secret-storage", "storage of secrets", "where the server keeps its own credentials is not on the wire"),

	probe(transport, "encryption", "transport security", "needs the connection: TLS on HTTP, none on stdio"),
	probe(transport, "origin-check", "Origin check", "needs HTTP requests with a foreign Origin and the right Host"),
	probe(transport, "host-check", "Host check", "needs HTTP requests with a foreign Host and no Origin"),
	probe(transport, "bind-address", "bind address", "needs the listening socket of a server on this machine"),
	probe(transport, "session", "session handling", "needs several sessions: ids that cannot be guessed, and an end that holds"),
	probe(transport, "protocol-version", "protocol version and header checks", "needs requests whose headers contradict their body"),
	invisible(transport, "waf", "server-side firewall", "a firewall that lets a request pass cannot be told from none"),

	// Implementation.name and version, from the input's identity object.
	judged(registry, "server-identity", "server name", perServer(identity)),
	judged(registry, "server-version", "server version", among(version, identity, anIdentity)),
	// No revision has a version on Tool; stamps are a private convention (ETDI, arXiv 2506.01333). Without one a
	// changed definition leaves no trace in the catalog.
	judged(registry, "tool-version", "version stamps on tools", perTool(versionStamp)),
	// _meta key names: prefixes whose second label is modelcontextprotocol or mcp are reserved (basic/index.mdx,
	// _meta). Here, seen is bad.
	judged(registry, "reserved-meta", "_meta keys under a prefix reserved for MCP (a warning where seen)", judgeReservedMeta),
	invisible(registry, "provenance", "provenance of the server's code", "MCP carries no signature of a package or a build"),
	invisible(registry, "vetting", "vetting by a registry", "what a registry reviewed is not in the definitions"),
}
