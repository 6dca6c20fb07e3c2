package mcpserver

import (
	"cmp"
	"encoding/json"
	"net/http"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A request is a message that expects an answer, with its parameters parsed one level deep.
type request struct {
	wire.Message
	params    map[string]string // raw values; nil if there are none
	meta      map[string]string // of params._meta
	twice     string            // a repeated parameter or member of _meta
	badMeta   bool              // _meta is not an object
	bad       bool              // params is not an object
	header    http.Header       // nil except over Streamable HTTP
	run       *runningRequest   // answers it alongside others; nil if it is answered at once
	stateless bool              // of the stateless era
	asIs      bool              // its result goes out unchanged
	handshake bool              // of the handshake era, whatever its headers say
}

func newRequest(m wire.Message, header http.Header) *request {
	r := &request{Message: m, header: header}
	if m.Params == "" {
		return r
	}
	if r.bad = m.Params[0] != '{'; r.bad {
		return r
	}
	r.params = r.readMembers(m.Params)
	if meta := r.params["_meta"]; meta != "" {
		if r.badMeta = meta[0] != '{'; !r.badMeta {
			r.meta = r.readMembers(meta)
		}
	}
	return r
}

// readMembers returns an object's members. The last of repeated ones counts, and the request will be refused: a proxy in front of
// us may have used the first.
func (r *request) readMembers(object string) map[string]string {
	out := map[string]string{}
	for name, value := range rawjson.Fields(object) {
		if _, ok := out[name]; ok {
			r.twice = name
		}
		out[name] = value
	}
	return out
}

// rawParam returns the raw value of a parameter, or "".
func (r *request) rawParam(name string) string { return r.params[name] }

// stringParam returns a parameter that is a string, decoded.
func (r *request) stringParam(name string) (string, bool) { return decodeString(r.params[name]) }

func decodeString(raw string) (string, bool) {
	if raw == "" || raw[0] != '"' {
		return "", false
	}
	return rawjson.Unquote(raw), true
}

func (r *request) isStateless() bool {
	_, ok := r.meta[mcp.MetaProtocolVersion]
	return ok
}

// A reply is the response to one message.
type reply struct {
	body   string // the answer, on one line; "" if none
	status int    // of HTTP; 0 for 200, or 202 without a body
	failed bool   // body is an error
	// listen is the acknowledgement of a subscription; body is then sent when the subscription ends, which is at once if nothing
	// was subscribed to.
	listen string
	over   bool
	sub    *subscription // acknowledged by listen
}

func resultReply(id, result string) reply {
	return reply{body: wire.EncodeAnswer(id, "result", result)}
}

func failReply(id string, status int, e *Error) reply {
	value := cmp.Or(e.Raw, wire.EncodeError(e.Code, e.Message, e.Data))
	return reply{body: wire.EncodeAnswer(id, "error", value), status: status, failed: true}
}

func unknownMethod(method string) *Error {
	return &Error{Code: mcp.CodeMethodNotFound, Message: "Method not found: " + excerpt.Clip(method, mostQuoted)}
}

func quoteAll(texts []string) string {
	b, _ := json.Marshal(texts) // strings always encode
	return string(b)
}

// mostQuoted bounds the bytes of a stranger's text in a message.
const mostQuoted = 100
