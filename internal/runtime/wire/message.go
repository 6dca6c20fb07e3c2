package wire

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// A Kind is what a Message is in JSON-RPC.
type Kind uint8

// The kinds. The zero Kind is text that is no message.
const (
	Invalid Kind = iota
	Request
	Notification
	Response // an answer with a result
	Error    // an answer with an error
	Batch    // an array of messages: legal only in 2025-03-26, but others send it too
)

var kindNames = [...]string{"invalid", "request", "notification", "response", "error", "batch"}

// String returns the lower-case name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// A Message is one JSON-RPC message as received. All strings but Method and Note are parts of Raw, unchanged; an absent member is
// "".
type Message struct {
	Raw    string // without the line end
	Kind   Kind
	ID     string // `7`, `"seven"` or `null`; also of an Invalid message if readable
	Method string // decoded
	Params string
	Result string
	Error  string
	// Note says why a message is Invalid. On other kinds it names what a stricter or different reader would see: a repeated member,
	// a missing "jsonrpc".
	Note string
	// HTTP is the response that carried the message, shared with its other messages; nil over stdio.
	HTTP *HTTPAnswer
}

// EncodeRequest returns a request or, without an id, a notification. id and params are JSON; "" params are left out.
func EncodeRequest(id, method, params string) string {
	return rawjson.Build("jsonrpc", `"2.0"`, "id", id, "method", rawjson.Quote(method), "params", params)
}

// EncodeAnswer returns an answer with the member "result" or "error". A missing id becomes null, as JSON-RPC requires.
func EncodeAnswer(id, member, value string) string {
	return rawjson.Build("jsonrpc", `"2.0"`, "id", cmp.Or(id, "null"), member, value)
}

// EncodeError returns the error object of an answer. data is JSON, "" for none.
func EncodeError(code int, message, data string) string {
	return rawjson.Build("code", strconv.Itoa(code), "message", rawjson.Quote(message), "data", data)
}

// WithMeta returns params, a JSON object or "", with the members of meta behind those of their own _meta.
func WithMeta(params, meta string) string {
	if params == "" || params[0] != '{' {
		params = "{}"
	}
	own := rawjson.LastMember(params, "_meta")
	if own == "" || own[0] != '{' {
		return rawjson.Join(params, rawjson.Build("_meta", meta))
	}
	return rawjson.Replace(params, "_meta", rawjson.Join(own, meta))
}

// Outcome returns the member that an answer has, "result" or "error", and its value.
func (m *Message) Outcome() (member, value string) {
	if m.Kind == Error {
		return "error", m.Error
	}
	return "result", m.Result
}

// Decode reads the envelope of a message as far as possible: the last of repeated members, as most parsers do, and a null error
// beside a result as no error.
func Decode(raw string) Message {
	m := Message{Raw: raw}
	at := len(raw) - len(strings.TrimLeft(raw, " \t\r\n"))
	if at == len(raw) {
		m.Note = "an empty line"
		return m
	}
	if raw[at] != '{' && raw[at] != '[' {
		m.Note = "neither a JSON object nor a batch"
		return m
	}
	err := checkWhole(raw, at)
	switch {
	case raw[at] == '[' && err == nil:
		m.batch(at)
	case raw[at] == '{':
		e := readEnvelope(raw, at)
		if err != nil {
			// The id often precedes the damage.
			m.ID, m.Note = e.id, "not JSON: "+err.Error()
			break
		}
		m.classify(e)
	default:
		m.Note = "not JSON: " + err.Error()
	}
	return m
}

// checkWhole returns an error unless text[at:] is exactly one JSON value.
func checkWhole(text string, at int) error {
	end, err := rawjson.Skip(text, at)
	if err == nil && strings.Trim(text[end:], " \t\r\n") != "" {
		return &rawjson.SyntaxError{Offset: end, Msg: "text after the end of the value"}
	}
	return err
}

func (m *Message) batch(at int) {
	first := strings.TrimLeft(m.Raw[at+1:], " \t\r\n")
	if first[0] != '{' {
		m.Note = "an array that is not a batch of messages"
		return
	}
	m.Kind = Batch
}

// Parts yields the messages of a Batch, or m itself. A batch inside a batch is Invalid.
func (m Message) Parts() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		if m.Kind != Batch {
			yield(m)
			return
		}
		_ = rawjson.EachElement(m.Raw, strings.IndexByte(m.Raw, '['), func(_ int, s rawjson.Span) bool {
			part := Decode(m.Raw[s.Start:s.End])
			part.HTTP = m.HTTP
			if part.Kind == Batch {
				part = Message{Raw: part.Raw, Note: "a batch inside a batch", HTTP: m.HTTP}
			}
			return yield(part)
		})
	}
}

// envelope holds the raw members of a message.
type envelope struct {
	version, id, method, params, result, error string
	repeated                                   string // name of a member that occurs twice
	recased                                    string // name that case-insensitive readers take for a member
}

// readEnvelope reads the top-level members of the object at text[at:], up to its first error. Members in another case count where
// the correct ones are missing, since some clients accept them.
func readEnvelope(text string, at int) envelope {
	var e, recased envelope
	_ = rawjson.EachMember(text, at, func(name, value rawjson.Span) bool {
		key := rawjson.Unquote(text[name.Start:name.End])
		field := e.fieldFor(key)
		if field == nil {
			switch meant := strings.ToLower(rawjson.FoldName(key)); meant {
			case "id", "result", "error":
				field, e.recased = recased.fieldFor(meant), key
			}
		}
		if field != nil {
			if *field != "" {
				e.repeated = key
			}
			*field = text[value.Start:value.End]
		}
		return true
	})
	if e.recased != "" && e.method == "" {
		e.id, e.result, e.error = cmp.Or(e.id, recased.id), cmp.Or(e.result, recased.result), cmp.Or(e.error, recased.error)
	}
	return e
}

func (e *envelope) fieldFor(key string) *string {
	switch key {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.error
	}
	return nil
}

func (m *Message) classify(e envelope) {
	// JSON-RPC 1.0 style: both members are always present and one is null.
	if e.result != "" && e.error == "null" {
		e.error = ""
	}
	if e.result == "null" && e.error != "" {
		e.result = ""
	}
	m.ID, m.Params, m.Result, m.Error = e.id, e.params, e.result, e.error
	if m.Kind, m.Note = e.classifyEnvelope(); m.Kind == Invalid {
		return
	}
	if e.method != "" {
		m.Method = rawjson.Unquote(e.method)
	}
	switch {
	case e.repeated != "":
		m.Note = fmt.Sprintf("the message has more than one %q; clients differ in which one they take", e.repeated)
	case e.recased != "":
		m.Note = fmt.Sprintf("the message has a member %q; clients differ in whether they take it for %q", excerpt.Clip(e.recased, 20), strings.ToLower(rawjson.FoldName(e.recased)))
	case e.version == "" || e.version[0] != '"' || rawjson.Unquote(e.version) != "2.0":
		m.Note = `the message does not say "jsonrpc": "2.0"`
	}
}

// notRPC is the Note of a JSON object that shows no sign of being JSON-RPC.
const notRPC = "neither method nor result nor error"

// classifyEnvelope returns the kind of the envelope and, for Invalid, the reason.
func (e *envelope) classifyEnvelope() (Kind, string) {
	answer := e.result != "" || e.error != ""
	noID := e.id == "" || e.id == "null"
	switch {
	case e.id != "" && strings.IndexByte(`"-0123456789n`, e.id[0]) < 0:
		return Invalid, "the id is neither a string nor a number"
	case e.method != "" && answer:
		return Invalid, "both a request and an answer"
	case e.result != "" && e.error != "":
		return Invalid, "both a result and an error"
	case e.method != "" && e.method[0] != '"':
		return Invalid, "the method is not a string"
	case e.method != "" && e.id == "null":
		return Invalid, "a request whose id is null"
	case e.method != "" && e.id == "":
		return Notification, ""
	case e.method != "":
		return Request, ""
	case e.result != "" && noID:
		return Invalid, "a result without an id"
	case e.result != "":
		return Response, ""
	case e.error != "" && e.error[0] != '{':
		return Invalid, "the error is not an object"
	case e.error != "":
		return Error, "" // a null id is correct if the request's id could not be read
	}
	return Invalid, notRPC
}
