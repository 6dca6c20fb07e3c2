package wire

import (
	"fmt"
	"net/http"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

// An HTTPAnswer is what an HTTP answer said beside its body.
type HTTPAnswer struct {
	Status int
	// Exchange numbers the HTTP requests of a connection, from 1: the answer to one has its
	// number.
	Exchange int
	// Header holds the fields that [Kept] names, as received and with their secrets.
	Header http.Header
}

// keptHeaders are the header fields that verdicts and messages rest on.
var keptHeaders = []string{
	"Access-Control-Allow-Origin", "Allow", "Cache-Control", "Content-Encoding", "Content-Type",
	"Location", mcp.HeaderProtocolVersion, mcp.HeaderSessionID, "Retry-After", "Server",
	"Strict-Transport-Security", "Www-Authenticate", "X-Powered-By",
}

func answerOf(r *reply) *HTTPAnswer {
	a := &HTTPAnswer{r.StatusCode, r.exchange, http.Header{}}
	for _, name := range keptHeaders {
		if values := r.Header[name]; values != nil {
			a.Header[name] = values
		}
	}
	return a
}

// String returns the status as in "HTTP 404 Not Found".
func (a *HTTPAnswer) String() string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", a.Status, http.StatusText(a.Status)))
}

// ok reports whether the status is one of success.
func (a *HTTPAnswer) ok() bool { return a.Status/100 == 2 }

// hint returns the header field that says what to do about the status, "" if none does.
func (a *HTTPAnswer) hint() string {
	name := map[int]string{401: "Www-Authenticate", 403: "Www-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}[a.Status]
	if value := a.Header.Get(name); name != "" && value != "" {
		return name + ": " + value
	}
	return ""
}

// A RequestError says that one request over HTTP came to nothing; the next may fare
// better. Its text holds no value of [Endpoint.Header] or [Endpoint.Bearer].
type RequestError struct {
	Method  string      // that was asked for, "" of what we sent as no request
	ID      string      // of the request as sent, "" of a notification
	HTTP    *HTTPAnswer // nil if none came
	Ignored string      // what came instead, in words; see NoAnswerError
	Msg     string      // what is wrong
	Err     error       // the reason, nil if Msg says all
	Empty   bool        // the request was taken, and nothing came back for it, as silence on stdio

	// answer is the JSON-RPC error in the body, if there was one with no id of its own.
	answer Message
}

func (e *RequestError) Error() string {
	s := "no answer"
	if e.Method != "" {
		s += " to " + e.Method
	}
	if e.Ignored != "" {
		s += " but " + e.Ignored
	}
	if e.Msg != "" {
		return s + ": " + e.Msg
	}
	return fmt.Sprintf("%s: %v", s, e.Err)
}

func (e *RequestError) Unwrap() error { return e.Err }

// quoteBody returns the beginning of a body on one line, fit for a terminal and quoted.
func quoteBody(body string) string {
	const most = 200
	words := strings.Join(strings.Fields(excerpt.Clip(body, 4*most)), " ")
	return `"` + Printable(excerpt.Clip(words, most)) + `"`
}
