package serve

import (
	"encoding/json"
	"net/http"
	"strings"

	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// The codes of errors that we answer with.
const (
	parseError         = -32700
	invalidRequest     = -32600
	methodNotFound     = -32601
	invalidParams      = -32602
	internalError      = -32603
	badSession         = -32000 // legacy: no session is named
	sessionNotFound    = -32001 // legacy: it has ended or never was
	resourceNotFound   = -32002 // legacy
	headerMismatch     = -32020
	missingCapability  = -32021 // of the client; a State's, since only it knows what its calls need
	unsupportedVersion = -32022
)

// The members of a modern request's _meta that decide how it is answered.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// A request is a message that wants an answer, with its parameters read one level deep.
type request struct {
	wire.Message
	params  map[string]string // raw values; nil where there are none
	meta    map[string]string // of params._meta
	twice   string            // a parameter, or a member of _meta, that repeats
	badMeta bool              // _meta is no object
	bad     bool              // params is no object
	header  http.Header       // nil but over Streamable HTTP
	run     *running          // answers it beside others; nil where it is answered at once
	modern  bool              // it stands alone
	old     bool              // it does not, whatever its headers say
}

func newRequest(m wire.Message, header http.Header) *request {
	r := &request{Message: m, header: header}
	if m.Params == "" {
		return r
	}
	if r.bad = m.Params[0] != '{'; r.bad {
		return r
	}
	r.params = r.read(m.Params)
	if meta := r.params["_meta"]; meta != "" {
		if r.badMeta = meta[0] != '{'; !r.badMeta {
			r.meta = r.read(meta)
		}
	}
	return r
}

// read returns an object's members. Of repeated ones the last counts, and the request is
// refused in the end: what a proxy in front of us took was perhaps the first.
func (r *request) read(object string) map[string]string {
	out := map[string]string{}
	_ = rawjson.EachMember(object, 0, func(name, value rawjson.Span) bool {
		key := rawjson.Unquote(object[name.Start:name.End])
		if _, ok := out[key]; ok {
			r.twice = key
		}
		out[key] = object[value.Start:value.End]
		return true
	})
	return out
}

// param returns the raw value of a parameter, "" if there is none.
func (r *request) param(name string) string { return r.params[name] }

// text returns a parameter that is a string, decoded.
func (r *request) text(name string) (string, bool) { return text(r.params[name]) }

func text(raw string) (string, bool) {
	if raw == "" || raw[0] != '"' {
		return "", false
	}
	return rawjson.Unquote(raw), true
}

// isModern reports whether the request carries the mark of the modern era.
func (r *request) isModern() bool {
	_, ok := r.meta[metaVersion]
	return ok
}

// A reply is what is said to one message.
type reply struct {
	body   string // the answer, on one line; "" for none
	status int    // of HTTP; 0 for 200, or 202 without a body
	failed bool   // body is an error
	// listen is the acknowledgement of a subscription. Then body is to be sent when the
	// subscription ends, which is at once when it is over: nothing asked for is told.
	listen string
	over   bool
	sub    *subscription // that listen acknowledges
}

func succeed(id, result string) reply {
	return reply{body: `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`}
}

// fail answers with an error. Without an id it is null, as JSON-RPC wants it.
func fail(id string, status int, e *Error) reply {
	if id == "" {
		id = "null"
	}
	var b strings.Builder
	n, _ := json.Marshal(e.Code) // an int can always be encoded
	b.WriteString(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + string(n) + `,"message":` + quote(e.Message))
	if e.Data != "" {
		b.WriteString(`,"data":` + e.Data)
	}
	b.WriteString(`}}`)
	return reply{body: b.String(), status: status, failed: true}
}

func unknownMethod(method string) *Error {
	return &Error{Code: methodNotFound, Message: "Method not found: " + clip(method)}
}

// clip shortens a client's words that are said back to it.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// quote writes a string of ours, or one that is no evidence, as JSON.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

func quoteAll(texts []string) string {
	b, _ := json.Marshal(texts) // strings can always be encoded
	return string(b)
}
