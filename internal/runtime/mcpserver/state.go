package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A State is what a server answers. Texts are JSON as they are to go out. A member that
// a result is to have more than once, since clients differ in which one they take, has
// more than one text; one that it is not to have has none.
type State struct {
	Name         string   // of the server, for messages to people
	Identity     []string // serverInfo; MCP requires one
	Capabilities []string // MCP requires one
	Instructions []string
	Lists        [4]List // in the order of catalog.Kinds

	// Version is what initialize is answered with as protocolVersion, whatever was asked
	// for; "" agrees on a revision. If it is none, the server goes on in the one that it
	// would have agreed on.
	Version string
	// Initialized and Discovered are the whole results of initialize and server/discover, "" for those made of the members above.
	Initialized, Discovered string
	// HandshakeOnly refuses requests of the stateless era: the server speaks Version and nothing else,
	// so that whoever can shakes hands.
	HandshakeOnly bool
	// TTL and Scope are the cache hints of 2026-07-28, as JSON: ttlMs and cacheScope;
	// defaults 0 and "private".
	TTL, Scope string
	// Unlisted says that Call also answers for names that the lists do not hold.
	Unlisted bool

	// Call answers tools/call, prompts/get, and resources/read for what the lists hold.
	// The result is a JSON object in text; ErrUnknown says that there is no such thing, and
	// an error that is not an *Error is told to the client as an internal one. nil fails
	// every call. The context ends when the client cancels or leaves.
	Call func(context.Context, Call) (result string, err error)
	// Relay, unless nil, is asked first for every request but initialize, ping,
	// server/discover and subscriptions/listen, whatever the lists hold. Call.Name is empty.
	// ErrUnhandled leaves the request to the rest of the state.
	Relay func(context.Context, Call) (result string, err error)
	// Mirrors, unless nil, says which arguments of a tool stand in headers as well, of tools that Lists do not hold.
	Mirrors func(ctx context.Context, tool string) []wire.Mirror
}

// A List is one of a server's lists. A list that is not present has no method.
type List struct {
	Present bool
	Items   []string
}

// A Call asks for something that a list names.
type Call struct {
	Method string
	Name   string // of the tool or prompt, or the resource's URI
	Params string // JSON object, as received
	ID     string // of the request, as JSON

	// Stateless says that the request stands alone, in the era of 2026-07-28.
	Stateless bool
	// AsIs has the result go out as it is: nothing is added that the revision wants.
	AsIs func()

	Session *Session // the conversation that it is part of
	Client  string   // the capabilities that the client claims for it, a JSON object
	// Ask sends the client a request as part of this one and waits for the answer, for as
	// long as its context and [Options.Wait] allow; others are answered meanwhile. It is the
	// client's [wire.Response] or [wire.Error]. In the stateless era the client gets what is
	// asked as an input_required result, and the answer comes when it calls again: from a
	// client that does not, none. Two questions of one call are asked one after the other.
	Ask func(ctx context.Context, method, params string) (wire.Message, error)
	// AskInOrder is Ask, and heard is told of the answer when it arrives, before anything of the client's behind it is
	// heard; in the stateless era, where the answer is part of a call, when that call goes on. It must not wait.
	AskInOrder func(ctx context.Context, method, params string, heard func(wire.Message)) (wire.Message, error)
	// Notify sends a notification as part of this request.
	Notify func(ctx context.Context, method, params string) error
}

// ErrUnhandled says that a Relay has no answer of its own.
var ErrUnhandled = errors.New("not handled")

// ErrUnknown says that there is nothing by a Call's name.
var ErrUnknown = errors.New("unknown")

// An Error is an answer that is a JSON-RPC error.
type Error struct {
	Code    int
	Message string
	Data    string // JSON, "" for none
	Raw     string // the whole error as it is to go out, JSON; "" for one of the members above
}

func (e *Error) Error() string { return e.Message }

// Prepared is a State in the form that answers are made from: compact and indexed.
type Prepared struct {
	State
	generation uint64
	ttl, scope string // of caches: a member each
	hints      string // both, each with a comma behind it
	identity   string // of what stands in _meta of a modern result: repeated members
	names      [4]map[string]int
	headers    map[int][]wire.Mirror // of tools, by place
}

var generations atomic.Uint64

// Prepare makes a state ready to answer. It fails where a text in it is not JSON.
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
	p.ttl, p.scope = `"ttlMs":`+hints[0], `"cacheScope":`+hints[1]
	p.hints = p.ttl + "," + p.scope + ","
	p.identity = repeatMember(mcp.MetaServerInfo, p.Identity)
	p.indexNames()
	return p, nil
}

// indexNames notes the names of what can be asked for one by one. Of repeated names the first
// counts.
func (p *Prepared) indexNames() {
	var tree rawjson.Tree
	for l := range p.Lists {
		p.names[l] = map[string]int{}
		for i, item := range p.Lists[l].Items {
			if tree.Parse(item, 0) != nil {
				continue // longer than a Tree holds: listed, but nothing to be called
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
				// Conforming clients leave a tool alone whose annotations break the rules.
				if m, err := wire.Mirrors(tree.Root().Get("inputSchema")); err == nil && m != nil {
					p.headers[i] = m
				}
			}
		}
	}
}

// declares reports whether the capabilities have a member at the end of path that is
// neither null nor false.
func (p *Prepared) declares(path ...string) bool {
	if len(p.Capabilities) == 0 {
		return false
	}
	value := p.Capabilities[len(p.Capabilities)-1]
	for _, name := range path {
		if value[0] != '{' {
			return false
		}
		found := ""
		_ = rawjson.EachMember(value, 0, func(key, v rawjson.Span) bool {
			if rawjson.Unquote(value[key.Start:key.End]) == name {
				found = value[v.Start:v.End]
			}
			return true
		})
		if value = found; value == "" {
			return false
		}
	}
	return value != "null" && value != "false"
}

// repeatMember writes the same name once for every value, with commas between them.
func repeatMember(name string, values []string) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(rawjson.Quote(name))
		b.WriteByte(':')
		b.WriteString(v)
	}
	return b.String()
}

// derivedCapabilities returns the capabilities that the lists show.
func derivedCapabilities(lists *[4]List) string {
	var caps []string
	for i, l := range lists {
		if c := `"` + mcp.Lists[i].Capability + `":{}`; l.Present && (len(caps) == 0 || caps[len(caps)-1] != c) {
			caps = append(caps, c)
		}
	}
	return "{" + strings.Join(caps, ",") + "}"
}

// The lists are those of catalog, so that a kind has one place everywhere.
var _ [len(mcp.Lists)]struct{} = [len(catalog.Kinds)]struct{}{}
