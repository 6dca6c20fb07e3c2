package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A State is what a server answers. Texts are JSON, sent unchanged. Several texts make a result have that member more than once,
// since clients differ in which one they use; none omits it.
type State struct {
	Name         string   // of the server, for messages to people
	Identity     []string // serverInfo; MCP requires one
	Capabilities []string // MCP requires one
	Instructions []string
	Lists        [4]List // in the order of catalog.Kinds

	// Version is the protocolVersion in initialize's answer, whatever was requested; "" negotiates. If it is no revision, the
	// session uses the one that would have been negotiated.
	Version string
	// Initialized and Discovered are the complete results of initialize and server/discover; "" builds them from the members above.
	Initialized, Discovered string
	// HandshakeOnly refuses requests of the stateless era: the server speaks only Version, so that clients fall back to the
	// handshake.
	HandshakeOnly bool
	// TTL and Scope are the cache hints ttlMs and cacheScope of 2026-07-28, as JSON; defaults 0 and "private".
	TTL, Scope string
	// Unlisted says that Call also handles names that are not in Lists.
	Unlisted bool

	// Call answers tools/call, prompts/get and resources/read for listed items. The result is a JSON object; ErrUnknown means that
	// the item does not exist, and any error but an *Error is sent as an internal error. nil fails every call. The context ends
	// when the client cancels or leaves.
	Call func(context.Context, Call) (result string, err error)
	// Relay, if not nil, is asked first for every request but initialize, ping, server/discover and subscriptions/listen,
	// regardless of Lists. Call.Name is empty. ErrUnhandled leaves the request to the rest of the state.
	Relay func(context.Context, Call) (result string, err error)
	// Mirrors, if not nil, returns the arguments that are mirrored in headers, for tools that are not in Lists.
	Mirrors func(ctx context.Context, tool string) []wire.Mirror
}

// A List is one of a server's lists. If it is not present, its method does not exist.
type List struct {
	Present bool
	Items   []string
}

// A Call is a request for a listed item.
type Call struct {
	Method string
	Name   string // of the tool or prompt, or the resource's URI
	Params string // JSON object, as received
	ID     string // request id, as JSON

	// Stateless says that the request belongs to the stateless era of 2026-07-28.
	Stateless bool
	// AsIs makes the result go out unchanged, without the members that the revision requires.
	AsIs func()

	Session *Session // the session it belongs to
	Client  string   // capabilities the client claims for it, a JSON object
	// Ask sends the client a request as part of this call and waits for its [wire.Response] or [wire.Error], as long as its context
	// and [Options.Wait] allow; other requests are answered meanwhile. In the stateless era the client gets an input_required
	// result, and the answer comes with its repeated call, if it makes one. Two questions of one call are asked one after the
	// other.
	Ask func(ctx context.Context, method, params string) (wire.Message, error)
	// AskInOrder is Ask; heard is called with the answer on arrival, before later messages of the client are processed, or in the
	// stateless era when the repeated call continues. It must not block.
	AskInOrder func(ctx context.Context, method, params string, heard func(wire.Message)) (wire.Message, error)
	// Notify sends a notification as part of this request.
	Notify func(ctx context.Context, method, params string) error
}

// ErrUnhandled says that a Relay leaves the request to the rest of the state.
var ErrUnhandled = errors.New("not handled")

// ErrUnknown says that a Call names nothing that exists.
var ErrUnknown = errors.New("unknown")

// An Error is a JSON-RPC error answer.
type Error struct {
	Code    int
	Message string
	Data    string // JSON, "" for none
	Raw     string // the complete error as JSON; "" builds it from the members above
}

func (e *Error) Error() string { return e.Message }

// Prepared is a State made ready to answer from: compact and indexed.
type Prepared struct {
	State
	generation uint64
	ttl, scope string // of caches, as JSON
	hints      string // both as members, each followed by a comma
	identity   string // members for _meta of a stateless result
	names      [4]map[string]int
	headers    map[int][]wire.Mirror // of tools, by index
}

var generations atomic.Uint64

// Prepare makes a state ready to answer. It fails if a text in it is not JSON.
func Prepare(s State) (*Prepared, error) {
	p := &Prepared{State: s, generation: generations.Add(1), headers: map[int][]wire.Mirror{}}
	var err error
	compact := func(what string, texts []string) []string {
		out := make([]string, len(texts))
		for i, text := range texts {
			c, e := Compact(text)
			if e != nil && err == nil {
				err = fmt.Errorf("%s %d: %w", what, i, e)
			}
			out[i] = c
		}
		return out
	}
	p.Identity = compact("serverInfo", s.Identity)
	p.Capabilities = compact("capabilities", s.Capabilities)
	p.Instructions = compact("instructions", s.Instructions)
	for _, whole := range []*string{&p.Initialized, &p.Discovered} {
		if *whole != "" {
			*whole = compact("result", []string{*whole})[0]
		}
	}
	for i := range s.Lists {
		p.Lists[i].Items = compact(mcp.Lists[i].Member, s.Lists[i].Items)
	}
	hints := compact("cache hint", []string{cmp.Or(s.TTL, "0"), cmp.Or(s.Scope, `"private"`)})
	if err != nil {
		return nil, err
	}
	p.ttl, p.scope = hints[0], hints[1]
	p.hints = `"ttlMs":` + p.ttl + `,"cacheScope":` + p.scope + ","
	p.identity = repeatMember(mcp.MetaServerInfo, p.Identity)
	p.indexNames()
	return p, nil
}

// indexNames indexes the items by name. Of repeated names the first counts.
func (p *Prepared) indexNames() {
	var tree rawjson.Tree
	for l := range p.Lists {
		p.names[l] = map[string]int{}
		for i, item := range p.Lists[l].Items {
			if tree.Parse(item, 0) != nil {
				continue // too long for a Tree: listed, but cannot be called
			}
			id := tree.Root().Get(mcp.Lists[l].ID)
			if id.Kind() != rawjson.String {
				continue
			}
			name := id.Text()
			if _, ok := p.names[l][name]; ok {
				continue
			}
			p.names[l][name] = i
			if l == 0 {
				// Conforming clients ignore a tool whose annotations break the rules.
				if m, err := wire.Mirrors(tree.Root().Get("inputSchema")); err == nil && m != nil {
					p.headers[i] = m
				}
			}
		}
	}
}

// declares reports whether the capabilities have a member at the end of path that is neither null nor false.
func (p *Prepared) declares(path ...string) bool {
	if len(p.Capabilities) == 0 {
		return false
	}
	value := p.Capabilities[len(p.Capabilities)-1]
	for _, name := range path {
		value = rawjson.LastMember(value, name)
	}
	return value != "" && value != "null" && value != "false"
}

// repeatMember writes the name once for every value, separated by commas.
func repeatMember(name string, values []string) string {
	members := make([]string, len(values))
	for i, v := range values {
		members[i] = rawjson.Quote(name) + ":" + v
	}
	return strings.Join(members, ",")
}

// joinedObject returns an object of members, without empty ones.
func joinedObject(members ...string) string {
	return "{" + strings.Join(slices.DeleteFunc(members, func(m string) bool { return m == "" }), ",") + "}"
}

func derivedCapabilities(lists *[4]List) string {
	var caps []string
	for i, l := range lists {
		if c := `"` + mcp.Lists[i].Capability + `":{}`; l.Present && (len(caps) == 0 || caps[len(caps)-1] != c) {
			caps = append(caps, c)
		}
	}
	return "{" + strings.Join(caps, ",") + "}"
}

// The order of mcp.Lists is that of catalog.Kinds, so that a kind has the same index everywhere.
var _ [len(mcp.Lists)]struct{} = [len(catalog.Kinds)]struct{}{}
