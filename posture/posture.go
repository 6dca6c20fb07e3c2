// Package posture builds the coverage map: for each fact that a defender wants to know about a server, its MCP-DPT
// defence layer and whether the definitions show it.
//
// The map says what was examined. It never affects the gate, and no line says that something is safe:
//
//   - seen, not_seen: judged by at least one definition. Seen means "at least once"; the
//     detail has the figures ("12 of 41 tools").
//   - requires_active_probe: only a conversation with the live server could tell. A signal
//     of the first sort becomes this if the input lacks what it judges by, since an empty
//     list is no evidence that something is missing.
//   - not_observable: no client can ever tell. These lines exist so that their absence is
//     not mistaken for a clean result.
package posture

import (
	"strconv"

	"gauntlet/catalog"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// Map builds the map of a catalog, reading each definition once. A scan that walks the definitions anyway uses a Collector instead.
func Map(c *catalog.Catalog) []result.Signal {
	var (
		collector Collector
		tree      rawjson.Tree
	)
	for _, s := range c.Servers {
		collector.AddServer(s)
		for it := range s.Items() {
			collector.Add(s, it, it.Parse(s, &tree))
		}
	}
	return collector.Signals()
}

// Signals returns the map of what was added so far: every signal, by layer, always in the same order. A detail contains
// at most one piece of server text, the name of a _meta key, shortened and quoted in ASCII.
func (c *Collector) Signals() []result.Signal {
	out := make([]result.Signal, 0, len(signals))
	for i := range signals {
		s := &signals[i]
		state, detail := s.state, s.detail
		if s.judge != nil {
			state, detail = s.judge(c)
		}
		out = append(out, result.Signal{ID: s.id, Layer: string(s.layer), Name: s.name, State: state, Detail: detail})
	}
	return out
}

// A layer is one of the six defence layers of MCP-DPT (arXiv 2604.07551). The short codes and the assignment of signals are ours.
type layer string

const (
	model     layer = "L1 model"
	host      layer = "L2 host/application"
	client    layer = "L3 client/SDK"
	server    layer = "L4 server/tool"
	transport layer = "L5 transport"
	registry  layer = "L6 registry"
)

// A signal is a line of the map. Either judge is set, or state and detail.
type signal struct {
	id     string
	layer  layer
	name   string
	judge  verdict
	state  result.State
	detail string
}

func judged(l layer, id, name string, judge verdict) signal {
	return signal{id: id, layer: l, name: name, judge: judge}
}

func probe(l layer, id, name, detail string) signal {
	return signal{id: id, layer: l, name: name, state: result.NeedsProbe, detail: detail}
}

func invisible(l layer, id, name, detail string) signal {
	return signal{id: id, layer: l, name: name, state: result.Invisible, detail: detail}
}

// A verdict returns the state of a signal and its figures.
type verdict func(*Collector) (result.State, string)

// A noun names what a figure counts.
type noun struct{ one, many string }

var (
	aTool       = noun{"tool", "tools"}
	aServer     = noun{"server", "servers"}
	anIdentity  = noun{"server that describes itself", "servers that describe themselves"}
	aCapability = noun{"server whose capabilities are known", "servers whose capabilities are known"}
	aString     = noun{"string parameter", "string parameters"}
	aDefinition = noun{"definition", "definitions"}
)

func (n noun) count(i int) string {
	if i == 1 {
		return "1 " + n.one
	}
	return strconv.Itoa(i) + " " + n.many
}

// share judges "n of total". If total is 0 there is nothing to judge.
func share(n, total int, of noun) (result.State, string) {
	detail := strconv.Itoa(n) + " of " + of.count(total)
	switch {
	case total == 0:
		return result.NeedsProbe, "no " + of.one + " was read, so there is nothing to judge by"
	case n == 0:
		return result.NotSeen, detail
	}
	return result.Seen, detail
}

func perTool(t toolTrait) verdict {
	return func(c *Collector) (result.State, string) { return share(c.tools[t], c.total, aTool) }
}

// perServer judges among all servers. If none has the trait the state is not "not seen": many captures keep only lists,
// and the server may well have said it.
func perServer(t serverTrait) verdict {
	return func(c *Collector) (result.State, string) {
		state, detail := share(c.having(t), len(c.servers), aServer)
		if state == result.NotSeen {
			return result.NeedsProbe, detail + " in this input; the live server may say more"
		}
		return state, detail
	}
}

// among judges t among the servers with trait known, which could have shown it. Their silence is an answer: a captured
// identity comes from the same response as the instructions.
func among(t, known serverTrait, of noun) verdict {
	return func(c *Collector) (result.State, string) { return share(c.having(t), c.having(known|t), of) }
}

func judgeBoundedStrings(c *Collector) (result.State, string) {
	if c.total > 0 && c.strings == 0 {
		// The tools were read, so there is no such parameter.
		return result.NotSeen, aTool.count(c.total) + " without a string parameter"
	}
	return share(c.bounded, c.strings, aString)
}

func judgeReservedMeta(c *Collector) (result.State, string) {
	state, detail := share(c.reserved, c.items, aDefinition)
	if state == result.Seen {
		detail += ", for instance " + quoteASCII(c.reservedKey)
	}
	return state, detail
}

// having counts the servers with any of the traits.
func (c *Collector) having(traits serverTrait) int {
	n := 0
	for _, has := range c.servers {
		if has&traits != 0 {
			n++
		}
	}
	return n
}

// quoteASCII shows untrusted text on one line in ASCII, so that it can neither control a terminal nor pass for another name.
func quoteASCII(s string) string {
	const longest = 80
	q := strconv.QuoteToASCII(s)
	if len(q) > longest {
		q = q[:longest] + `…"`
	}
	return q
}

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
