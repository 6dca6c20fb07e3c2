// Package faults tampers with messages on the wire: how fast they are sent, how they are framed, which id they carry, what is
// inserted into them, and which HTTP status and headers surround them. It does no I/O: a [Rule] turns a message into a [Plan],
// which the connection's owner carries out.
//
// Generated content derives from a seed, so runs are reproducible byte for byte, and is bounded by the ceilings in [Kinds],
// whatever a document asks for.
package faults

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// A Sort is a parameter's type.
type Sort uint8

// The sorts.
const (
	Integer  Sort = iota // a number between Least and Most
	Duration             // such as 10ms or 1h, up to Most nanoseconds
	Word                 // one of Words
	Text                 // text of up to Most bytes
	Anything             // JSON of up to Most bytes
)

// A Param is one parameter of a kind.
type Param struct {
	Name        string
	Sort        Sort
	Default     any   // int64 or string; JSON for Anything
	Least, Most int64 // Most is the ceiling
	Words       []string
	Says        string
}

// A Kind is one kind of fault.
type Kind struct {
	Name   string
	Says   string // description in a line
	Params []Param
	// HTTP says that it applies to HTTP only; over stdio the message is sent as usual.
	HTTP bool
	// Answers says that it applies to answers only.
	Answers bool

	plan func(*Rule, Message) (Plan, string)
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30

	millisecond = int64(1e6)
	second      = 1000 * millisecond
	minute      = 60 * second
	hour        = 60 * minute
)

// Marker is where a generated payload is inserted, if one of a message's strings contains it.
const Marker = "@payload@"

var (
	pieces       = Param{Name: "piece", Default: int64(1), Least: 1, Most: 64 * kib, Says: "bytes per piece"}
	after        = Param{Name: "after", Default: int64(1), Least: 0, Most: 64 * mib, Says: "bytes of the message sent first"}
	count        = Param{Name: "count", Default: int64(16), Least: 1, Most: 100_000, Says: "sequences"}
	rawOrEscaped = Param{Name: "as", Sort: Word, Default: "escaped", Words: []string{"escaped", "raw"}, Says: "as JSON escapes, or as raw bytes, which JSON forbids"}
)

// kinds lists all kinds in documentation order.
var kinds = []Kind{
	{Name: "delay", Says: "delays the message", plan: func(r *Rule, m Message) (Plan, string) {
		return inSteps(Step{Wait: r.durationOf("wait")}, wholeMessage(m.Text))
	}, Params: []Param{
		{Name: "wait", Sort: Duration, Default: second, Most: 24 * hour, Says: "how long"}}},
	{Name: "drip", Says: "sends the message in small pieces with pauses between them", plan: (*Rule).planDrip, Params: []Param{
		pieces, {Name: "every", Sort: Duration, Default: 10 * millisecond, Most: minute, Says: "pause after each piece"}}},
	{Name: "stall", Says: "sends the beginning, then nothing for a while, then closes the connection", plan: func(r *Rule, m Message) (Plan, string) {
		return inSteps(r.cutHead(m), Step{Wait: r.durationOf("wait")}, Step{Close: true})
	}, Params: []Param{
		after, {Name: "wait", Sort: Duration, Default: hour, Most: 24 * hour, Says: "length of the silence"}}},
	{Name: "no_newline", Says: "omits the end of the message: the newline on stdio, the empty line of an event", plan: func(r *Rule, m Message) (Plan, string) {
		return inSteps(Step{Begin: true, Data: []byte(m.Text)})
	}},
	{Name: "cut", Says: "closes the connection in the middle of the message; over stdio the server exits", plan: func(r *Rule, m Message) (Plan, string) {
		return inSteps(r.cutHead(m), Step{Close: true})
	}, Params: []Param{after}},
	{Name: "reset", Says: "the same with a TCP reset; over stdio the server exits", plan: func(r *Rule, m Message) (Plan, string) {
		return inSteps(r.cutHead(m), Step{Reset: true})
	}, Params: []Param{after}},

	{Name: "wrong_id", Says: "answers under an id that no request has", Answers: true, plan: (*Rule).planWrongID, Params: []Param{
		{Name: "as", Sort: Word, Default: "other", Words: []string{"other", "null_id", "missing", "text", "float", "object", "huge"}, Says: "another number, null, no id, the id as a string instead of a number (or the reverse), with a fraction, as an object, with 10,000 digits"}}},
	{Name: "duplicate", Says: "sends the message several times", plan: (*Rule).planDuplicate, Params: []Param{
		{Name: "count", Default: int64(2), Least: 2, Most: 1000, Says: "how many times"},
		{Name: "as", Sort: Word, Default: "same", Words: []string{"same", "error"}, Says: "copies of an answer: identical, or an error under the same id"}}},
	{Name: "batch", Says: "sends the message in an array, after notifications", plan: (*Rule).planBatch, Params: []Param{
		{Name: "count", Default: int64(1), Least: 0, Most: 100_000, Says: "notifications"}}},
	{Name: "flood", Says: "sends a flood of other messages first", plan: (*Rule).planFlood, Params: []Param{
		{Name: "count", Default: int64(1000), Least: 1, Most: 1_000_000, Says: "messages"},
		{Name: "every", Sort: Duration, Default: int64(0), Most: minute, Says: "pause after each"},
		{Name: "as", Sort: Word, Default: "log", Words: []string{"log", "changed", "progress", "ping", "answer"}, Says: "log messages, tools/list_changed, progress for unknown tokens, requests, unsolicited answers"}}},

	{Name: "nest", Says: "inserts a deeply nested value", plan: (*Rule).planNest, Params: []Param{
		{Name: "depth", Default: int64(10_000), Least: 1, Most: 10_000_000, Says: "levels"},
		{Name: "as", Sort: Word, Default: "array", Words: []string{"array", "object"}, Says: "what is nested"}}},
	{Name: "huge", Says: "inserts a long string of seeded letters", plan: func(r *Rule, m Message) (Plan, string) {
		return streamPayload(m, false, false, func(yield func([]byte) bool) bool { return r.yieldSeededLetters(m, yield) })
	}, Params: []Param{
		{Name: "size", Default: int64(16 * mib), Least: 1, Most: gib, Says: "bytes"}}},
	{Name: "endless", Says: "inserts a string that runs up to its ceiling, then closes the connection", plan: func(r *Rule, m Message) (Plan, string) {
		return streamPayload(m, false, true, func(yield func([]byte) bool) bool { return r.yieldSeededLetters(m, yield) })
	}, Params: []Param{
		{Name: "size", Default: int64(256 * mib), Least: 1, Most: 16 * gib, Says: "ceiling in bytes"}}},
	{Name: "invalid_utf8", Says: "inserts invalid UTF-8: stray bytes, truncated and overlong sequences, surrogates", plan: func(r *Rule, m Message) (Plan, string) {
		return insertText(m, r.joinSeededChoices(m, notUTF8))
	}, Params: []Param{count}},
	{Name: "ansi", Says: "inserts terminal sequences: colours, cursor, title, clipboard, links", plan: (*Rule).planTerminalSequences, Params: []Param{count, rawOrEscaped}},
	{Name: "unicode", Says: "inserts deceptive text", plan: (*Rule).planDeceptiveText, Params: []Param{count,
		{Name: "as", Sort: Word, Default: "mixed", Words: []string{"mixed", "bidi", "tags", "zero_width", "combining", "homoglyphs", "surrogates"}, Says: "kind of text"}}},

	{Name: "cursor_loop", Says: "gives a list one more page, again and again", Answers: true, plan: (*Rule).planCursorLoop, Params: []Param{
		{Name: "count", Default: int64(1000), Least: 1, Most: 100_000, Says: "number of pages"},
		{Name: "as", Sort: Word, Default: "fresh", Words: []string{"fresh", "same"}, Says: "a new cursor on each page, or always the same"}}},
	{Name: "cache", Says: "replaces the cache hints of a result", Answers: true, plan: (*Rule).planCache, Params: []Param{
		{Name: "ttl", Sort: Anything, Default: "9007199254740993", Most: kib, Says: "ttlMs, any JSON"},
		{Name: "scope", Sort: Anything, Default: `"public"`, Most: kib, Says: "cacheScope, any JSON"}}},

	{Name: "redirect", HTTP: true, Says: "answers with a redirect", plan: func(r *Rule, m Message) (Plan, string) {
		return withHead(m, int(r.numbers["status"]), "Location", r.texts["to"])
	}, Params: []Param{
		{Name: "status", Default: int64(307), Least: 300, Most: 399, Says: "HTTP status"},
		{Name: "to", Sort: Text, Default: "?", Most: 2 * kib, Says: "target; by default the same address, which makes a loop"}}},
	{Name: "status", HTTP: true, Says: "changes the HTTP status of the answer", plan: func(r *Rule, m Message) (Plan, string) {
		return Plan{Status: int(r.numbers["status"]), Steps: yieldSteps(wholeMessage(m.Text))}, ""
	}, Params: []Param{
		{Name: "status", Default: int64(500), Least: 200, Most: 599, Says: "HTTP status"}}},
	{Name: "content_type", HTTP: true, Says: "changes the Content-Type of the answer", plan: func(r *Rule, m Message) (Plan, string) {
		return withHead(m, 0, "Content-Type", r.texts["as"])
	}, Params: []Param{
		{Name: "as", Sort: Text, Default: "text/html", Most: 2 * kib, Says: "its value; empty removes the header"}}},
	{Name: "header", HTTP: true, Says: "sets a header of the answer, for instance another Mcp-Session-Id", plan: func(r *Rule, m Message) (Plan, string) {
		return withHead(m, 0, r.texts["name"], r.texts["value"])
	}, Params: []Param{
		{Name: "name", Sort: Text, Default: mcp.HeaderSessionID, Most: 256, Says: "header name"},
		{Name: "value", Sort: Text, Default: "another", Most: 32 * kib, Says: "header value"}}},
	{Name: "header_mismatch", HTTP: true, Answers: true, Says: "refuses the request because its headers do not match its body (2026-07-28), although they do", plan: (*Rule).planHeaderMismatch},
	{Name: "short", HTTP: true, Says: "announces a larger Content-Length than the body has", plan: (*Rule).planShortLength, Params: []Param{
		{Name: "by", Default: int64(1), Least: 1, Most: gib, Says: "missing bytes"}}},
	{Name: "resume", HTTP: true, Says: "ends the event stream with an event id and a retry time instead of the message; a client that resumes gets nothing", plan: (*Rule).planResume, Params: []Param{
		{Name: "retry", Default: int64(10), Least: 0, Most: math.MaxInt32, Says: "retry time in milliseconds"}}},
	{Name: "noise", HTTP: true, Says: "puts noise into the event stream before the message", plan: (*Rule).planStreamNoise, Params: []Param{
		{Name: "count", Default: int64(100), Least: 1, Most: 1_000_000, Says: "pieces"},
		{Name: "as", Sort: Word, Default: "comment", Words: []string{"comment", "event", "empty", "garbage", "nul_id"}, Says: "comments, events with an unknown name, events without data, data that is not JSON, ids with a NUL"}}},
}

// Kinds returns all kinds in documentation order.
func Kinds() []Kind { return slices.Clone(kinds) }

// Names returns the names of all kinds.
func Names() []string {
	out := make([]string, len(kinds))
	for i := range kinds {
		out[i] = kinds[i].Name
	}
	return out
}

// Faults in the HTTP part of a message.

func (r *Rule) planHeaderMismatch(m Message) (Plan, string) {
	id := cmp.Or(rawjson.LastMember(m.Text, "id"), "null")
	p := replaceMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"Header mismatch: the header Mcp-Method is not what the body says"}}`, id, mcp.CodeHeaderMismatch))
	p.Status = 400
	return p, ""
}

func (r *Rule) planShortLength(m Message) (Plan, string) {
	length := fmt.Sprint(int64(len(m.Text)) + r.numbers["by"])
	return Plan{Header: map[string]string{"Content-Length": length}, Bare: true, Steps: yieldSteps(wholeMessage(m.Text), Step{Close: true})}, ""
}

func (r *Rule) planResume(m Message) (Plan, string) {
	text := fmt.Sprintf("id: gauntlet-%d\nretry: %d\ndata: \n\n", m.Number, r.numbers["retry"])
	return Plan{Many: true, Steps: yieldSteps(Step{Data: []byte(text)}, Step{Close: true})}, ""
}

// noises are fragments of an event stream, each with a placeholder for a number.
var noises = map[string]string{
	"comment": ": %d\n\n",
	"event":   "event: gauntlet-%d\ndata: {}\n\n",
	"empty":   "event: message\nid: %d\n\n",
	"garbage": "event: message\ndata: {%d\n\n",
	"nul_id":  "id: \x00%d\ndata:\n\n",
}

func (r *Rule) planStreamNoise(m Message) (Plan, string) {
	n, form := r.numbers["count"], noises[r.texts["as"]]
	return Plan{Many: true, Steps: func(yield func(Step) bool) {
		for i := range n {
			if !yield(Step{Data: fmt.Appendf(nil, form, i)}) {
				return
			}
		}
		yield(wholeMessage(m.Text))
	}}, ""
}
