// Package faults holds what is done to messages below the level of messages: how slowly
// they go out, in what frame, under which id, what is put into them, what HTTP says around
// them. It is pure: a [Rule] makes a [Plan] of a message, and whoever has a connection
// carries it out.
//
// Everything that is generated comes from a seed, so that a run can be repeated byte by byte,
// and has a ceiling, which is in the table [Kinds] and holds whatever a document says.
package faults

import (
	"math"
	"slices"

	"gauntlet/internal/leaf/mcp"
)

// A Sort is what a parameter is.
type Sort uint8

// The sorts.
const (
	Integer  Sort = iota // a number between Least and Most
	Duration             // a text as 10ms or 1h, up to Most nanoseconds
	Word                 // one of Words
	Text                 // any text of up to Most bytes
	Anything             // any JSON of up to Most bytes
)

// A Param is one parameter of a kind.
type Param struct {
	Name        string
	Sort        Sort
	Default     any   // int64, or a string; of Anything it is JSON
	Least, Most int64 // Most is the ceiling
	Words       []string
	Says        string
}

// A Kind is one hostility.
type Kind struct {
	Name   string
	Says   string // what it does, in a line
	Params []Param
	// HTTP says that it means something over HTTP only; over stdio the message goes out as usual.
	HTTP bool
	// Answers says that it is done to answers only.
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

// Marker is where a generated payload goes if a message has it in one of its strings.
const Marker = "@payload@"

var (
	pieces       = Param{Name: "piece", Default: int64(1), Least: 1, Most: 64 * kib, Says: "bytes at a time"}
	after        = Param{Name: "after", Default: int64(1), Least: 0, Most: 64 * mib, Says: "bytes of the message that go out before"}
	count        = Param{Name: "count", Default: int64(16), Least: 1, Most: 100_000, Says: "sequences"}
	rawOrEscaped = Param{Name: "as", Sort: Word, Default: "escaped", Words: []string{"escaped", "raw"}, Says: "as JSON escapes, or as the bytes themselves, which JSON forbids"}
)

// kinds are all there are, in the order of the documentation.
var kinds = []Kind{
	{Name: "delay", Says: "the message waits before it goes out", plan: (*Rule).planDelay, Params: []Param{
		{Name: "wait", Sort: Duration, Default: second, Most: 24 * hour, Says: "how long"}}},
	{Name: "drip", Says: "the message goes out in small pieces with waits between them", plan: (*Rule).planDrip, Params: []Param{
		pieces, {Name: "every", Sort: Duration, Default: 10 * millisecond, Most: minute, Says: "wait behind each piece"}}},
	{Name: "stall", Says: "the beginning goes out, then nothing for a while, then the connection ends", plan: (*Rule).planStall, Params: []Param{
		after, {Name: "wait", Sort: Duration, Default: hour, Most: 24 * hour, Says: "how long nothing comes"}}},
	{Name: "no_newline", Says: "what ends a message is left out: the newline on stdio, the empty line of an event", plan: (*Rule).planNoNewline},
	{Name: "cut", Says: "the connection is closed in the middle of the message; over stdio the server ends", plan: (*Rule).planCut, Params: []Param{after}},
	{Name: "reset", Says: "the same with a TCP reset; over stdio the server ends", plan: (*Rule).planReset, Params: []Param{after}},

	{Name: "wrong_id", Says: "the answer has an id that nobody waits for", Answers: true, plan: (*Rule).planWrongID, Params: []Param{
		{Name: "as", Sort: Word, Default: "other", Words: []string{"other", "null_id", "missing", "text", "float", "object", "huge"}, Says: "which: another number, null, none, the id as the other of text and number, with a fraction, an object, 10,000 digits"}}},
	{Name: "duplicate", Says: "the message goes out several times", plan: (*Rule).planDuplicate, Params: []Param{
		{Name: "count", Default: int64(2), Least: 2, Most: 1000, Says: "how often"},
		{Name: "as", Sort: Word, Default: "same", Words: []string{"same", "error"}, Says: "what the copies of an answer are: the same, or an error under its id"}}},
	{Name: "batch", Says: "the message goes out in an array with notifications ahead of it", plan: (*Rule).planBatch, Params: []Param{
		{Name: "count", Default: int64(1), Least: 0, Most: 100_000, Says: "notifications"}}},
	{Name: "flood", Says: "a flood of other messages goes out ahead of the message", plan: (*Rule).planFlood, Params: []Param{
		{Name: "count", Default: int64(1000), Least: 1, Most: 1_000_000, Says: "messages"},
		{Name: "every", Sort: Duration, Default: int64(0), Most: minute, Says: "wait behind each"},
		{Name: "as", Sort: Word, Default: "log", Words: []string{"log", "changed", "progress", "ping", "answer"}, Says: "what they are: log messages, tools/list_changed, progress of unknown tokens, requests, answers that nobody asked for"}}},

	{Name: "nest", Says: "a value is put in that is nested deeply", plan: (*Rule).planNest, Params: []Param{
		{Name: "depth", Default: int64(10_000), Least: 1, Most: 10_000_000, Says: "levels"},
		{Name: "as", Sort: Word, Default: "array", Words: []string{"array", "object"}, Says: "of what"}}},
	{Name: "huge", Says: "a long text of seeded letters is put in", plan: (*Rule).planHuge, Params: []Param{
		{Name: "size", Default: int64(16 * mib), Least: 1, Most: gib, Says: "bytes"}}},
	{Name: "endless", Says: "a text is put in that does not end before its ceiling, where the connection is closed", plan: (*Rule).planEndless, Params: []Param{
		{Name: "size", Default: int64(256 * mib), Least: 1, Most: 16 * gib, Says: "bytes, the ceiling"}}},
	{Name: "invalid_utf8", Says: "bytes that are no UTF-8 are put in: stray, cut off, overlong, surrogates", plan: (*Rule).planInvalidUTF8, Params: []Param{count}},
	{Name: "ansi", Says: "terminal sequences are put in: colours, cursor, title, clipboard, links", plan: (*Rule).planTerminalSequences, Params: []Param{count, rawOrEscaped}},
	{Name: "unicode", Says: "text is put in that is not what it looks like", plan: (*Rule).planDeceptiveText, Params: []Param{count,
		{Name: "as", Sort: Word, Default: "mixed", Words: []string{"mixed", "bidi", "tags", "zero_width", "combining", "homoglyphs", "surrogates"}, Says: "which"}}},

	{Name: "cursor_loop", Says: "a list has always another page", Answers: true, plan: (*Rule).planCursorLoop, Params: []Param{
		{Name: "count", Default: int64(1000), Least: 1, Most: 100_000, Says: "pages, behind which there is none any more"},
		{Name: "as", Sort: Word, Default: "fresh", Words: []string{"fresh", "same"}, Says: "a new cursor each time, or the same one"}}},
	{Name: "cache", Says: "the cache hints of a result are replaced", Answers: true, plan: (*Rule).planCache, Params: []Param{
		{Name: "ttl", Sort: Anything, Default: "9007199254740993", Most: kib, Says: "ttlMs, any JSON"},
		{Name: "scope", Sort: Anything, Default: `"public"`, Most: kib, Says: "cacheScope, any JSON"}}},

	{Name: "redirect", HTTP: true, Says: "the answer is a redirection", plan: (*Rule).planRedirect, Params: []Param{
		{Name: "status", Default: int64(307), Least: 300, Most: 399, Says: "of HTTP"},
		{Name: "to", Sort: Text, Default: "?", Most: 2 * kib, Says: "where to; by default the same address, which is a loop"}}},
	{Name: "status", HTTP: true, Says: "the answer comes under another status", plan: (*Rule).planStatus, Params: []Param{
		{Name: "status", Default: int64(500), Least: 200, Most: 599, Says: "of HTTP"}}},
	{Name: "content_type", HTTP: true, Says: "the answer has another Content-Type", plan: (*Rule).planContentType, Params: []Param{
		{Name: "as", Sort: Text, Default: "text/html", Most: 2 * kib, Says: "which; none if empty"}}},
	{Name: "header", HTTP: true, Says: "a header of the answer is set, such as another Mcp-Session-Id", plan: (*Rule).planHeader, Params: []Param{
		{Name: "name", Sort: Text, Default: mcp.HeaderSessionID, Most: 256, Says: "of the header"},
		{Name: "value", Sort: Text, Default: "another", Most: 32 * kib, Says: "its value"}}},
	{Name: "header_mismatch", HTTP: true, Answers: true, Says: "the request is refused for headers that do not match its body (2026-07-28), though they do", plan: (*Rule).planHeaderMismatch},
	{Name: "short", HTTP: true, Says: "Content-Length promises more than comes", plan: (*Rule).planShortLength, Params: []Param{
		{Name: "by", Default: int64(1), Least: 1, Most: gib, Says: "bytes that are missing"}}},
	{Name: "resume", HTTP: true, Says: "an event stream ends with an event id and a retry time in place of the message: a client that resumes it gets nothing", plan: (*Rule).planResume, Params: []Param{
		{Name: "retry", Default: int64(10), Least: 0, Most: math.MaxInt32, Says: "milliseconds, as the stream says"}}},
	{Name: "noise", HTTP: true, Says: "an event stream has what is no message ahead of the message", plan: (*Rule).planStreamNoise, Params: []Param{
		{Name: "count", Default: int64(100), Least: 1, Most: 1_000_000, Says: "pieces"},
		{Name: "as", Sort: Word, Default: "comment", Words: []string{"comment", "event", "empty", "garbage", "nul_id"}, Says: "comments, events of an unknown name, events without data, data that is no JSON, ids with a NUL"}}},
}

// Kinds returns all kinds in the order of the documentation.
func Kinds() []Kind { return slices.Clone(kinds) }

// Names returns their names.
func Names() []string {
	out := make([]string, len(kinds))
	for i := range kinds {
		out[i] = kinds[i].Name
	}
	return out
}

func lookUpKind(name string) *Kind {
	for i := range kinds {
		if kinds[i].Name == name {
			return &kinds[i]
		}
	}
	return nil
}
