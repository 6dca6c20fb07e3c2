package wire

import (
	"fmt"
	"net/http"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

// An HTTPAnswer is the status and headers of an HTTP response.
type HTTPAnswer struct {
	Status int
	// Exchange numbers the connection's HTTP requests from 1; a response has the number of its request.
	Exchange int
	// Header holds the fields named in keptHeaders, as received and with their secrets.
	Header http.Header
}

// keptHeaders are the response headers that verdicts and messages use.
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

// String returns the status, e.g. "HTTP 404 Not Found".
func (a *HTTPAnswer) String() string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", a.Status, http.StatusText(a.Status)))
}

func (a *HTTPAnswer) ok() bool { return a.Status/100 == 2 }

// hint returns the header field that says what to do about the status, or "".
func (a *HTTPAnswer) hint() string {
	name := map[int]string{401: "Www-Authenticate", 403: "Www-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}[a.Status]
	if value := a.Header.Get(name); name != "" && value != "" {
		return name + ": " + value
	}
	return ""
}

// A RequestError says that one request over HTTP failed; the connection stays usable. Its text holds no value of [Endpoint.Header]
// or [Endpoint.Bearer].
type RequestError struct {
	Method  string      // of the request, "" for other messages
	ID      string      // of the request as sent, "" for a notification
	HTTP    *HTTPAnswer // nil if there was no response
	Ignored string      // what arrived instead, in words; see NoAnswerError
	Msg     string      // what is wrong
	Err     error       // the cause, nil if Msg says all
	Empty   bool        // the request was accepted but not answered, like silence on stdio

	// answer is the JSON-RPC error without an id in the body, if any.
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

// quoteBody returns the beginning of a body on one line, quoted and safe for a terminal.
func quoteBody(body string) string {
	const most = 200
	words := strings.Join(strings.Fields(excerpt.Clip(body, 4*most)), " ")
	return `"` + Printable(excerpt.Clip(words, most)) + `"`
}
