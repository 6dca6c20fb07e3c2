// Package trace holds recorded conversations: what a recorder saw between MCP clients and servers
// (or the peers of another protocol), message by message, in the order it was seen.
//
// A [Message] is the text as received plus what its recorder knew of it. The text is never altered,
// valid or not; everything else is a reading aid. A trace is kept as NDJSON, one message a line
// behind a header line, in the form of docs/schemas/trace.schema.json: [Writer] and [Reader] stream
// it. A [Recorder] numbers messages, finds which request an answer belongs to and keeps credentials
// out, so that all engines that write traces do these three things in the same way.
//
// A trace is as sensitive as the conversation that it holds: create its file with mode 0600.
package trace

import (
	"fmt"
	"slices"
	"time"

	"gauntlet/rawjson"
)

// Version is the version of the form that this package writes. Any 1.y can be read.
//
// 1.1 added the last line: a recorder that comes to its end writes one, so that a trace which was
// cut short can be told from a whole one. Traces of version 1.0 have none and need none.
const Version = "1.1"

// A Trace is a whole recorded conversation in memory, in ascending order of Seq.
type Trace struct {
	Header   Header
	Messages []Message
	// Lines are where the messages stand in the file that Read read, one each; nil for a
	// trace that was not read from one.
	Lines []int
	// Files are the names of the further files that the trace goes on in, in their order.
	Files []FilePart
	// Problems are the lines that could not be read, at most MaxProblems of them;
	// Unread counts all.
	Problems []LineError
	Unread   int
}

// A Header is the first line of a trace.
type Header struct {
	Version string // of the form, such as "1.0"
	Tool    string // who wrote it, such as "gauntlet 0.3.0"; may be empty
	// Imported names the format that the trace was made from, "" for a recording. Whatever
	// that format does not keep is made up or missing.
	Imported string
	// Redacted says that the trace is a marked copy, which somebody took things out of.
	Redacted bool
	// Part numbers the files of one trace from 1; 0 means that it is the only file so far.
	Part int
}

// A FilePart is a further file of a trace: the messages from index First on stand in it.
type FilePart struct {
	Name  string
	First int
}

// FileOf returns the name of the further file in which the message with this index stands, ""
// for the first file.
func (t *Trace) FileOf(i int) string {
	for n := len(t.Files) - 1; n >= 0; n-- {
		if i >= t.Files[n].First {
			return t.Files[n].Name
		}
	}
	return ""
}

// Caveats returns, in whole sentences, what a judgement based on the trace should tell its reader;
// nothing for a recording.
func (h Header) Caveats() []string {
	var out []string
	if h.Imported != "" {
		out = append(out, "the trace was imported ("+h.Imported+"): it holds what that format keeps, and ids, order and bytes may not be those of the wire")
	}
	if h.Redacted {
		out = append(out, "the trace is a marked copy: values were taken out of it, and whatever looks for them cannot match")
	}
	return out
}

// A Message is one message as it went over a connection. The zero value of a field means
// "not known" or "none", if nothing else is said.
type Message struct {
	Seq  int       // its number in the trace, from 1, ascending in the order seen
	Time time.Time // when it was seen; kept in UTC to the nanosecond

	Actor   string // the actor of an attack document whose connection this is
	Phase   string // the phase that actor was in
	Server  string // the MCP server at the end of the connection, under the name its user gives it
	Session string // a label for the session ([Labels]), never its id, which is a secret

	Protocol string // "mcp", "a2a", "ag_ui"…; empty is "mcp"
	Revision string // of the protocol, as agreed or claimed: "2025-11-25"
	Role     Role   // where the recorder stood

	Direction Direction
	Kind      Kind
	ID        string // as JSON text: `7`, `"seven"`, `null`
	// Method is that of a request or notification, or the name of an event; of an answer it
	// is the method of its request.
	Method  string
	ReplyTo int   // of an answer: the Seq of its request; 0 if it has none
	Stray   Stray // of an answer without ReplyTo: why
	PartOf  int   // the Seq of the Batch that this message is a part of

	HTTP *HTTP // what HTTP said around it; nil over stdio

	// Raw is the message as received, without a line end, whatever bytes it is made of.
	// Redacted says that a recorder took secrets out, so that it is not what went over
	// the wire.
	Raw      string
	Redacted bool
	Note     string // what the recorder has to say of it, for people
}

// A Direction says which way a message went, from the point of view of the connection and not of
// the recorder, so that it means the same in every trace.
type Direction string

// The two ways.
const (
	ToServer Direction = "to_server" // from the client (the agent, the host) to the server
	ToClient Direction = "to_client"
)

// A Kind says what a message is in its protocol.
type Kind string

// The kinds. All but Event are those of JSON-RPC.
const (
	Request      Kind = "request"
	Notification Kind = "notification"
	Response     Kind = "response" // an answer with a result
	Error        Kind = "error"    // an answer with an error
	Batch        Kind = "batch"    // an array of messages, which follow as messages of their own
	Event        Kind = "event"    // a whole payload without an envelope, as in AG-UI; Method names it
	Invalid      Kind = "invalid"  // none of these: not JSON, or no message
)

// A Role says which role the recorder had in the conversation.
type Role string

// The roles. The zero Role is that of an unknown place.
const (
	AsServer Role = "server" // the recorder was the server
	AsClient Role = "client" // the recorder was the client
	Between  Role = "proxy"  // the recorder passed messages on
)

// A Stray says why an answer belongs to no request.
type Stray string

// The reasons.
const (
	Duplicate Stray = "duplicate"  // its request was answered before: a client takes the first
	UnknownID Stray = "unknown_id" // no request with its id went the other way
)

// HTTP is the HTTP metadata of a message.
type HTTP struct {
	// Exchange numbers request and answer: messages of one HTTP exchange share it. Counts
	// from 1; 0 is unknown.
	Exchange int
	Method   string // POST, GET…; of the request
	Status   int    // of the answer; 0 on what the client sent
	Headers  []Field
	// Credential is a label ([Labels]) for who asked, such as "c1": requests with one label
	// carried the same credential. It says nothing else of it.
	Credential string
}

// IsBareRequest reports whether this is an HTTP request that carries no message and needs none: a GET, with which a client of streamable
// HTTP listens, or a DELETE, with which it ends its session. Recordings keep them with the kind Invalid.
func (m *Message) IsBareRequest() bool {
	return m.Kind == Invalid && m.Direction == ToServer && m.Raw == "" && m.HTTP != nil && (m.HTTP.Method == "GET" || m.HTTP.Method == "DELETE")
}

// Answer reports whether the message answers a request.
func (k Kind) Answer() bool { return k == Response || k == Error }

// Mode returns the posture of the recorder in the words of OATF, such as "mcp_server"; ""
// if it was neither server nor client.
func (m *Message) Mode() string {
	if m.Role != AsServer && m.Role != AsClient {
		return ""
	}
	return m.protocol() + "_" + string(m.Role)
}

// IsProtocol reports whether the message belongs to a protocol such as "mcp".
func (m *Message) IsProtocol(name string) bool { return m.protocol() == name }

func (m *Message) protocol() string {
	if m.Protocol == "" {
		return "mcp"
	}
	return m.Protocol
}

// Content returns what a message says without its envelope, which is what triggers,
// extractors and indicators look at: the params of a request or notification, the result
// or the error of an answer, an Event whole. tree keeps the value, which is invalid once
// the tree is used again. A message without that member has an absent content, as has an
// Event without a text, such as a GET.
//
// It fails for an Invalid message or a Batch, and where Raw is no JSON.
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

// At returns the message with this number, nil if the trace has none.
func (t *Trace) At(seq int) *Message {
	i, ok := slices.BinarySearchFunc(t.Messages, seq, func(m Message, seq int) int { return m.Seq - seq })
	if !ok {
		return nil
	}
	return &t.Messages[i]
}
