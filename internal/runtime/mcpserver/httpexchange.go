package mcpserver

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/runtime/wire"
)

// An exchange is one HTTP request and its response.
type exchange struct {
	*endpoint
	w            http.ResponseWriter
	r            *http.Request
	number       int
	before       int64        // what the server had sent when the request came
	http         *httpSession // named or begun by the request; nil if none
	tapped       bool         // what the client sent was tapped
	streaming    bool         // the answer is an event stream
	releaseSlot  func()       // frees its slot among requests in progress
	releaseLarge func()       // frees its slot among large bodies; nil if it has none
}

// readBody reads a request's body, or answers what is wrong with it.
func (x *exchange) readBody() (string, bool) {
	r := x.r
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	switch {
	// Any page may send text/plain to any origin without a preflight.
	case err != nil || kind != "application/json" || charset != "" && charset != "utf-8":
		x.refuse(http.StatusUnsupportedMediaType, "want Content-Type: application/json")
		return "", false
	case r.Header.Get("Content-Encoding") != "":
		x.refuse(http.StatusUnsupportedMediaType, "want a body without Content-Encoding")
		return "", false
	}
	limit := x.server.opt.HTTP.Body
	if r.ContentLength > int64(limit) {
		x.refuseTooLong()
		return "", false
	}
	var text strings.Builder
	body := http.MaxBytesReader(x.w, r.Body, int64(limit))
	// Most bodies are short and announce their length.
	buf := make([]byte, min(max(r.ContentLength, 512), smallBody))
	var n int64
	if n, err = io.CopyBuffer(&text, io.LimitReader(body, smallBody), buf); err == nil && n == smallBody {
		var ok bool
		if ok, x.releaseLarge = countWithin(&x.endpoint.large, mostLarge); !ok {
			x.w.Header().Set("Retry-After", "1")
			x.refuse(http.StatusServiceUnavailable, "too many large requests at a time")
			return "", false
		}
		_, err = io.CopyBuffer(&text, body, buf)
	}
	var tooLong *http.MaxBytesError
	switch {
	case err == nil:
	case errors.As(err, &tooLong):
		x.refuseTooLong()
		return "", false
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.refuse(http.StatusRequestTimeout, "the body took too long")
		return "", false
	default:
		x.refuse(http.StatusBadRequest, "the body cannot be read")
		return "", false
	}
	x.clearReadDeadline()
	return text.String(), true
}

func (x *exchange) refuseTooLong() {
	x.refuse(http.StatusRequestEntityTooLarge, "the body has more than "+strconv.Itoa(x.server.opt.HTTP.Body)+" bytes")
}

// clearReadDeadline removes the read deadline, which would end the request's context while it is being answered.
func (x *exchange) clearReadDeadline() {
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{})
}

// setWriteDeadline restarts the client's time limit for the next write.
func (x *exchange) setWriteDeadline() {
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(x.server.opt.HTTP.Write))
}

// refuse answers with plain text and closes the connection, since a body may be in transit.
func (x *exchange) refuse(status int, why string) {
	if !x.tapped {
		x.server.tapIn(x.sessionOrNil(), incoming{Message: wire.Message{Note: "refused: " + why}}, x)
	}
	x.w.Header().Set("Connection", "close")
	x.server.tapOut(x.sessionOrNil(), why, x, status)
	http.Error(x.w, why, status)
}

// sessionOrNil returns the session of the exchange, or nil.
func (x *exchange) sessionOrNil() *Session {
	if x.http == nil {
		return nil
	}
	return &x.http.session
}

func (x *exchange) beginStream() {
	x.setWriteDeadline()
	h := x.w.Header()
	h.Set("Content-Type", typeStream)
	h.Set("X-Accel-Buffering", "no")
	x.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(x.w).Flush()
	x.streaming = true
}

func (x *exchange) sendEvent(line string) error {
	if taken, err := x.offerToDeliver(line, http.StatusOK); taken {
		return err
	}
	x.server.tapOut(x.sessionOrNil(), line, x, http.StatusOK)
	return x.writeEvent("message", line)
}

// offerToDeliver offers a message of a session to Options.Deliver.
func (x *exchange) offerToDeliver(line string, status int) (taken bool, err error) {
	if x.server.opt.Deliver == nil || x.sessionOrNil() == nil {
		return false, nil
	}
	o := &Outgoing{Session: x.sessionOrNil(), Text: line, HTTP: true, server: x.server, status: status, x: x}
	return o.offerToDeliver(x.r.Context())
}

// writeEvent sends one event; data is a single line.
func (x *exchange) writeEvent(name, data string) error {
	x.setWriteDeadline()
	for _, part := range []string{"event: ", name, "\ndata: ", data, "\n\n"} {
		if _, err := io.WriteString(x.w, part); err != nil {
			return err
		}
	}
	return http.NewResponseController(x.w).Flush()
}

func (x *exchange) writeHeartbeat() error {
	x.setWriteDeadline()
	if _, err := io.WriteString(x.w, ":\n\n"); err != nil {
		return err
	}
	return http.NewResponseController(x.w).Flush()
}

// accepts reports whether the client accepts a content type; without an Accept header it accepts any.
func (x *exchange) accepts(kind string) bool {
	headers := x.r.Header.Values("Accept")
	if len(headers) == 0 {
		return true
	}
	family, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if weight, ok := params["q"]; ok {
			if q, err := strconv.ParseFloat(weight, 64); err == nil && q == 0 {
				continue
			}
		}
		if name == kind || name == "*/*" || name == family+"/*" {
			return true
		}
	}
	return false
}
