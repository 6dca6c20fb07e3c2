// Package trace holds recorded conversations between MCP clients and servers (or peers of another protocol), message by
// message in the order observed.
//
// A [Message] is the text as received plus what its recorder knew of it. The text is never altered, valid or not;
// everything else is metadata. A trace is stored as NDJSON, a header line and one line per message, as described by
// docs/schemas/trace.schema.json: [Writer] and [Reader] stream it. A [Recorder] numbers messages, matches answers with
// requests and removes credentials, in the same way for all engines.
//
// A trace is as sensitive as the conversation in it: create its file with mode 0600.
package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/rawjson"
)

// Version is the format version that this package writes. Any 1.y can be read.
//
// 1.1 added the last line, which distinguishes a complete trace from a truncated one. Traces of version 1.0 have none.
const Version = "1.1"

// A Trace is a whole recorded conversation in memory, ordered by Seq.
type Trace struct {
	Header   Header
	Messages []Message
	// Lines are the line numbers of the messages in the file that Read read, one each; nil for a trace not read from a file.
	Lines []int
	// Files are the further files of the trace, in order.
	Files []FilePart
	// Problems are unreadable lines, at most MaxProblems; Unread counts all.
	Problems []LineError
	Unread   int
}

// A Header is the first line of a trace.
type Header struct {
	Version string // format version, such as "1.0"
	Tool    string // writer, such as "gauntlet 0.3.0"; may be empty
	// Imported names the source format of a converted trace, "" for a recording. What that format lacks is invented or missing.
	Imported string
	// Redacted says that the trace is a copy from which something was removed.
	Redacted bool
	// Part numbers the files of a trace from 1; 0 means the only file so far.
	Part int
}

// A FilePart is a further file of a trace, which holds the messages from index First on.
type FilePart struct {
	Name  string
	First int
}

// FileOf returns the name of the further file that holds the message with this index, "" for the first file.
func (t *Trace) FileOf(i int) string {
	for n := len(t.Files) - 1; n >= 0; n-- {
		if i >= t.Files[n].First {
			return t.Files[n].Name
		}
	}
	return ""
}

// Caveats returns, as sentences, what a judgement based on the trace should mention; none for a recording.
func (h Header) Caveats() []string {
	var out []string
	if h.Imported != "" {
		out = append(out, "the trace was imported ("+h.Imported+"): it has only what that format records, and ids, order and bytes may differ from the wire")
	}
	if h.Redacted {
		out = append(out, "the trace is a marked copy: values were taken out of it, and whatever looks for them cannot match")
	}
	return out
}

// A Message is one message on a connection. Zero values mean "unknown" or "none" unless stated otherwise.
type Message struct {
	Seq  int       // number in the trace, from 1, in the order observed
	Time time.Time // when it was observed, in UTC to the nanosecond

	Actor   string // attack document actor whose connection this is
	Phase   string // phase of the actor
	Server  string // MCP server of the connection, by the user's name for it
	Session string // session label ([Labels]), never the secret session id

	Protocol string // "mcp", "a2a", "ag_ui"…; empty is "mcp"
	Revision string // protocol version, as agreed or claimed: "2025-11-25"
	Role     Role   // the recorder's position

	Direction Direction
	Kind      Kind
	ID        string // as JSON text: `7`, `"seven"`, `null`
	// Method is the method of a request or notification, or the name of an event; for an answer its request's method.
	Method  string
	ReplyTo int   // for an answer: Seq of its request; 0 if it has none
	Stray   Stray // for an answer without ReplyTo: the reason
	PartOf  int   // Seq of the Batch that contains this message

	HTTP *HTTP // HTTP metadata; nil over stdio

	// Raw is the message as received, without line end, whatever its bytes. Redacted says that a recorder removed
	// secrets, so that Raw is not what was on the wire.
	Raw      string
	Redacted bool
	Note     string // the recorder's remark, for people

	// Early says that the message had arrived before the recorder's own latest one was sent: its sender did not wait for that.
	Early bool
}

// A Direction is the direction of a message on the connection, not relative to the recorder, so that it means the same in every trace.
type Direction string

// The directions.
const (
	ToServer Direction = "to_server" // from the client (the agent, the host) to the server
	ToClient Direction = "to_client"
)

// A Kind is the type of a message in its protocol.
type Kind string

// The kinds. All but Event are JSON-RPC's.
const (
	Request      Kind = "request"
	Notification Kind = "notification"
	Response     Kind = "response" // an answer with a result
	Error        Kind = "error"    // an answer with an error
	Batch        Kind = "batch"    // an array of messages, which follow as separate messages
	Event        Kind = "event"    // a payload without envelope, as in AG-UI; Method names it
	Invalid      Kind = "invalid"  // not JSON, or not a message
)

// A Role is the recorder's role in the conversation.
type Role string

// The roles. The zero Role means unknown.
const (
	AsServer Role = "server" // the recorder was the server
	AsClient Role = "client" // the recorder was the client
	Between  Role = "proxy"  // the recorder forwarded messages
)

// A Stray says why an answer belongs to no request.
type Stray string

// The reasons.
const (
	Duplicate Stray = "duplicate"  // its request was answered before: clients take the first
	UnknownID Stray = "unknown_id" // no request with its id was sent in the other direction
)

// HTTP is the HTTP metadata of a message.
type HTTP struct {
	// Exchange numbers HTTP exchanges: a request and its response share it. From 1; 0 is unknown.
	Exchange int
	Method   string // of the request: POST, GET…
	Status   int    // of the response; 0 on messages of the client
	Headers  []Field
	// Credential labels ([Labels]) the credential of the request, such as "c1": equal labels mean equal credentials, nothing more.
	Credential string
}

// IsBareRequest reports whether this is an HTTP request that needs no message: a GET, by which a client of streamable
// HTTP listens, or a DELETE, which ends its session. Recordings keep them with the kind Invalid.
func (m *Message) IsBareRequest() bool {
	return m.Kind == Invalid && m.Direction == ToServer && m.Raw == "" && m.HTTP != nil && (m.HTTP.Method == "GET" || m.HTTP.Method == "DELETE")
}

// Answer reports whether k answers a request.
func (k Kind) Answer() bool { return k == Response || k == Error }

// Mode returns the OATF mode of the recorder, such as "mcp_server"; "" if it was neither server nor client.
func (m *Message) Mode() string {
	if m.Role != AsServer && m.Role != AsClient {
		return ""
	}
	return m.protocol() + "_" + string(m.Role)
}

// IsProtocol reports whether the message belongs to the named protocol, such as "mcp".
func (m *Message) IsProtocol(name string) bool { return m.protocol() == name }

func (m *Message) protocol() string { return cmp.Or(m.Protocol, "mcp") }

// Content returns a message without its envelope, as triggers, extractors and indicators see it: the params of a request
// or notification, the result or error of an answer, an Event whole. tree holds the value, which is valid until the tree
// is used again. A message without that member has an absent content, as has an Event without text, such as a GET.
//
// It returns an error for an Invalid message or a Batch, and if Raw is not JSON.
func (m *Message) Content(tree *rawjson.Tree) (rawjson.Value, error) {
	if m.Kind == Invalid || m.Kind == Batch {
		return rawjson.Value{}, fmt.Errorf("message %d: %s has no content", m.Seq, m.Kind)
	}
	if m.Kind == Event && m.Raw == "" {
		return rawjson.Value{}, nil
	}
	if err := tree.Parse(m.Raw, 0); err != nil {
		return rawjson.Value{}, fmt.Errorf("message %d: not JSON: %w", m.Seq, err)
	}
	switch m.Kind {
	case Response:
		return tree.Root().Get("result"), nil
	case Error:
		return tree.Root().Get("error"), nil
	case Event:
		return tree.Root(), nil
	}
	return tree.Root().Get("params"), nil
}

// Unreadable reports whether the message is meant as JSON and is none, as one with NaN in it: clients that are less strict than the
// recorder may have read it. A line of a log between messages is none.
func (m *Message) Unreadable(tree *rawjson.Tree) bool {
	text := strings.TrimLeft(m.Raw, " \t\r\n\ufeff")
	return text != "" && (m.Kind != Invalid || text[0] == '{' || text[0] == '[' || strings.Contains(text, `"jsonrpc"`)) && tree.Parse(m.Raw, 0) != nil
}

// At returns the message with this Seq, nil if there is none.
func (t *Trace) At(seq int) *Message {
	i, ok := slices.BinarySearchFunc(t.Messages, seq, func(m Message, seq int) int { return m.Seq - seq })
	if !ok {
		return nil
	}
	return &t.Messages[i]
}

// More than FloodMessages unsolicited messages within FloodWindow are a flood: honest servers report progress a few
// times a second, and a client that must read more than this does nothing else.
const (
	FloodMessages = 5_000
	FloodWindow   = time.Second
)

// A FloodMeter counts a peer's unsolicited messages. It is not safe for concurrent use.
type FloodMeter struct {
	since  time.Time // start of the window
	n      int       // in the window
	floods bool
}

// Count counts a message received at now and reports whether it starts a flood; that happens once.
func (f *FloodMeter) Count(now time.Time) (first bool) {
	if now.Sub(f.since) > FloodWindow {
		f.since, f.n = now, 0
	}
	f.n++
	first = f.n > FloodMessages && !f.floods
	f.floods = f.floods || first
	return first
}

// Unasked reports whether a server's message neither answers nor asks: a notification, a stray answer, or an invalid message.
func (m *Message) Unasked() bool {
	return m.Direction == ToClient && (m.Kind == Notification || m.Kind == Invalid || m.Kind.Answer() && m.Stray != "")
}
