package wire

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

// ErrClosed is returned by a Conn that was closed on this side.
var ErrClosed = errors.New("the connection is closed")

// A LineTooLongError says that the peer sent a message longer than Limits.Message. The rest of the line is skipped and the
// connection stays usable.
type LineTooLongError struct {
	Limit int
	What  string // what was too long if not a line: "an event", "a body"
}

func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("%s of more than %d bytes", cmp.Or(e.What, "a line"), e.Limit)
}

// A FloodError says that a peer kept sending without answering.
type FloodError struct{ Msg string }

func (e *FloodError) Error() string { return e.Msg }

// An EndError says that the peer has ended the connection.
type EndError struct {
	How    string // "exited with status 1", "was ended by signal: killed", "closed its stdout"
	Before string // the method that was waiting for its answer, or ""
	Stderr string // its last stderr output, printable and on one line, or ""
	// Refused is the JSON id of the request whose refusal showed that the session had ended, or "". The peer did not act on it, so
	// it may be sent again in a new session.
	Refused string
	// Missing lists environment variables that the server's last output names and that it was not given. SetBy is Command.SetBy.
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

// adviseVariables says how to pass the missing variables, or returns "".
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

// An AnswerError is a JSON-RPC error answer. Code is 0 if none could be read; Message is the peer's text as decoded, of any length
// and content, with our own secrets removed.
type AnswerError struct {
	Method  string
	Code    int64
	Message string
	Data    string      // raw, "" if there was none
	HTTP    *HTTPAnswer // its response; nil over stdio
}

func (e *AnswerError) Error() string {
	s := fmt.Sprintf("the server answered %s with error %d: %q", e.Method, e.Code, excerpt.Clip(e.Message, 300))
	if e.HTTP != nil && e.HTTP.Status != 200 {
		s += " (" + e.HTTP.String() + ")"
	}
	return s
}

// An InvalidError says that something with the id of a request arrived that is no valid answer.
type InvalidError struct{ Method, Note string }

func (e *InvalidError) Error() string {
	return fmt.Sprintf("what came back for %s is not a JSON-RPC answer: %s", e.Method, e.Note)
}

// A NoAnswerError says that ctx ended before the answer arrived, or that nothing followed a misdirected answer for [Idle].
type NoAnswerError struct {
	Method string
	ID     string // of the request, as sent
	Cause  error  // context.Cause of ctx, if that ended
	// Ignored counts, in words, the messages that arrived instead, or is "". They are often the reason: an answer with another id,
	// an answer that is not JSON.
	Ignored string
	// Begun says that a possible answer arrived: one with another id, or part of a message.
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

// Printable returns s with every non-printable character escaped, so that a stranger's text cannot move the terminal's cursor. Line
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
