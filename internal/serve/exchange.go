package serve

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/wire"
)

// An exchange is one request of HTTP and its answer.
type exchange struct {
	*endpoint
	w       http.ResponseWriter
	r       *http.Request
	number  int
	session *session // that the request names, or begins; nil if none
	heard   bool     // what the client sent was tapped
	began   bool     // the answer is a stream of events
	leave   func()   // gives back the place that it has among those under way
	large   func()   // and among large bodies; nil if it has none
}

// body reads a request's body, or answers what is wrong with it.
func (x *exchange) body() (string, bool) {
	r := x.r
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	switch {
	// A page may send text/plain to anybody without being asked whether it may.
	case err != nil || kind != "application/json" || charset != "" && charset != "utf-8":
		x.refuse(http.StatusUnsupportedMediaType, "want Content-Type: application/json")
		return "", false
	case r.Header.Get("Content-Encoding") != "":
		x.refuse(http.StatusUnsupportedMediaType, "want a body without Content-Encoding")
		return "", false
	}
	limit := x.server.opt.HTTP.Body
	if r.ContentLength > int64(limit) {
		x.tooLong()
		return "", false
	}
	var text strings.Builder
	body := http.MaxBytesReader(x.w, r.Body, int64(limit))
	// Most bodies are short and say how long they are.
	buf := make([]byte, min(max(r.ContentLength, 512), smallBody))
	var n int64
	if n, err = io.CopyBuffer(&text, io.LimitReader(body, smallBody), buf); err == nil && n == smallBody {
		var ok bool
		if ok, x.large = within(&x.endpoint.large, mostLarge); !ok {
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
		x.tooLong()
		return "", false
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.refuse(http.StatusRequestTimeout, "the body took too long")
		return "", false
	default:
		x.refuse(http.StatusBadRequest, "the body cannot be read")
		return "", false
	}
	x.unlimited()
	return text.String(), true
}

func (x *exchange) tooLong() {
	x.refuse(http.StatusRequestEntityTooLarge, "the body has more than "+strconv.Itoa(x.server.opt.HTTP.Body)+" bytes")
}

// unlimited takes back the limit on reading, which would end the request's context while
// it is being answered.
func (x *exchange) unlimited() {
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{})
}

// deadline gives the client its time to take what is written next.
func (x *exchange) deadline() {
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(x.server.opt.HTTP.Write))
}

// refuse answers with words. The connection ends, since a body may be under way.
func (x *exchange) refuse(status int, why string) {
	if !x.heard {
		x.server.tapIn(x.talk(), wire.Message{Note: "refused: " + why}, x)
	}
	x.w.Header().Set("Connection", "close")
	x.server.tapOut(x.talk(), why, x, status)
	http.Error(x.w, why, status)
}

// talk returns the conversation that the exchange is part of, nil if none.
func (x *exchange) talk() *Talk {
	if x.session == nil {
		return nil
	}
	return &x.session.talk
}

// begin starts a stream of events.
func (x *exchange) begin() {
	x.deadline()
	h := x.w.Header()
	h.Set("Content-Type", typeStream)
	h.Set("X-Accel-Buffering", "no")
	x.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(x.w).Flush()
	x.began = true
}

// event sends a message as an event.
func (x *exchange) event(line string) error {
	if taken, err := x.hand(line, http.StatusOK); taken {
		return err
	}
	x.server.tapOut(x.talk(), line, x, http.StatusOK)
	return x.raw("message", line)
}

// hand offers a message of a conversation to whoever delivers messages.
func (x *exchange) hand(line string, status int) (taken bool, err error) {
	if x.server.opt.Deliver == nil || x.talk() == nil {
		return false, nil
	}
	o := &Outgoing{Talk: x.talk(), Text: line, HTTP: true, server: x.server, status: status, x: x}
	return o.hand(x.r.Context())
}

// raw sends one event, whose data is a single line.
func (x *exchange) raw(name, data string) error {
	x.deadline()
	for _, part := range []string{"event: ", name, "\ndata: ", data, "\n\n"} {
		if _, err := io.WriteString(x.w, part); err != nil {
			return err
		}
	}
	return http.NewResponseController(x.w).Flush()
}

// beat shows that the stream is alive.
func (x *exchange) beat() error {
	x.deadline()
	if _, err := io.WriteString(x.w, ":\n\n"); err != nil {
		return err
	}
	return http.NewResponseController(x.w).Flush()
}

// accepts reports whether the client takes a type of content; without an Accept header
// it takes any.
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
