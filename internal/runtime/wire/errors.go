package wire

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

// ErrClosed is the error of a Conn that was closed on this side.
var ErrClosed = errors.New("the connection is closed")

// A LineTooLongError says that the peer sent a message above Limits.Message. The rest of
// the line is skipped and the conversation goes on behind it.
type LineTooLongError struct {
	Limit int
	What  string // what was too long if it was no line: "an event", "a body"
}

func (e *LineTooLongError) Error() string {
	what := e.What
	if what == "" {
		what = "a line"
	}
	return fmt.Sprintf("%s of more than %d bytes", what, e.Limit)
}

// A FloodError says that a peer went on sending without ever answering.
type FloodError struct{ Msg string }

func (e *FloodError) Error() string { return e.Msg }

// An EndError says that the peer has gone.
type EndError struct {
	How    string // "exited with status 1", "was ended by signal: killed", "closed its stdout"
	Before string // the method that waited for its answer, "" if none did
	Stderr string // the last words, printable and on one line; "" if there were none
	// Refused is the id, as JSON, of the request by which it was found that a session had ended:
	// the peer did not carry it out, and it may be sent again in a new session. "" for none.
	Refused string
	// Missing are environment variables that the server names in its last words and was not given,
	// and SetBy is Command.SetBy.
	Missing []string
	SetBy   string
}

func (e *EndError) Error() string {
	s := "the server " + e.How
	if e.Before != "" {
		s += " before answering " + e.Before
	}
	if e.Stderr != "" {
		s += "; its stderr: " + e.Stderr
	}
	if e.Before == mcp.Initialize || e.Before == mcp.Discover {
		s += e.adviseVariables()
	}
	return s
}

// adviseVariables says how to give the server the variables that it misses, "" if it names none.
func (e *EndError) adviseVariables() string {
	const none = "; servers inherit none of your environment variables but HOME, PATH and the like: "
	switch {
	case len(e.Missing) == 0:
		return ""
	case e.SetBy != "":
		return none + "set " + strings.Join(e.Missing, ", ") + " in " + e.SetBy
	}
	return none + "pass on yours with --env " + strings.Join(e.Missing, " --env ")
}

// An AnswerError is an answer that is a JSON-RPC error. Code is 0 if none could be read;
// Message is the peer's text as decoded, of any length and content, but for secrets of ours
// that it repeats.
type AnswerError struct {
	Method  string
	Code    int64
	Message string
	Data    string      // raw, "" if there was none
	HTTP    *HTTPAnswer // that it came in; nil over stdio
}

func (e *AnswerError) Error() string {
	s := fmt.Sprintf("the server answered %s with error %d: %q", e.Method, e.Code, excerpt.Clip(e.Message, 300))
	if e.HTTP != nil && e.HTTP.Status != 200 {
		s += " (" + e.HTTP.String() + ")"
	}
	return s
}

// An InvalidError says that something with the id of a request came back that is no answer.
type InvalidError struct{ Method, Note string }

func (e *InvalidError) Error() string {
	return fmt.Sprintf("what came back for %s is not a JSON-RPC answer: %s", e.Method, e.Note)
}

// A NoAnswerError says that ctx ended first. Cause is the cause of that end.
type NoAnswerError struct {
	Method string
	ID     string // of the request, as sent
	Cause  error
	// Ignored counts, in words, what came instead; "" if nothing did. It is often the
	// reason: an answer with another id, an answer that is not JSON.
	Ignored string
	// Begun says that what may have been the answer came: one with another id, or a part of a message.
	Begun bool
}

func (e *NoAnswerError) Error() string {
	s := "no answer to " + e.Method
	if e.Ignored != "" {
		s += " but " + e.Ignored
	}
	return s + ": " + e.Cause.Error()
}

func (e *NoAnswerError) Unwrap() error { return e.Cause }

// Printable returns s with every character that is not printable written as an escape, so
// that a stranger's words cannot move the cursor of the terminal that shows them. Line
// breaks are escaped too: print line by line.
func Printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\uFFFD' && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
