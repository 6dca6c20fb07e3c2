package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"gauntlet/internal/leaf/excerpt"
)

const maxRedirects = 3

// A reply is the answer to one HTTP request.
type reply struct {
	*http.Response
	exchange int // its number
}

// roundTrip makes one request, following redirects within the origin, and returns the URL to use next time: the old one unless a
// redirect was permanent. The caller closes the body.
func (h *HTTP) roundTrip(ctx context.Context, method string, to *url.URL, body []byte, header http.Header) (*reply, *url.URL, error) {
	header.Set("Accept-Encoding", "identity")
	lasting, forGood := to, true
	for hops := 0; ; hops++ {
		r, err := h.roundTripAuthorized(ctx, method, to, body, header)
		if err != nil {
			return nil, nil, err
		}
		next, err := redirect(to, method, r.Response)
		if err == nil && next == nil {
			return r, lasting, h.decompress(r.Response)
		}
		r.Body.Close()
		if err != nil {
			return nil, nil, err
		}
		if hops == maxRedirects {
			return nil, nil, fmt.Errorf("more than %d redirects, the last one to %s", maxRedirects, redactURL(next))
		}
		to = next
		if forGood = forGood && (r.StatusCode == 301 || r.StatusCode == 308); forGood {
			lasting = next
		}
	}
}

func (h *HTTP) roundTripOnce(ctx context.Context, method string, to *url.URL, body []byte, header http.Header) (*reply, error) {
	exchange := int(h.exchanges.Add(1))
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
		if err := h.showSent(body, exchange, header); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), reader)
	if err != nil {
		return nil, err
	}
	req.Header = header
	r, err := h.transport.RoundTrip(req)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &reply{r, exchange}, nil
}

// showSent shows the tap a message with our header fields. The error says why it must not be sent.
func (h *HTTP) showSent(body []byte, exchange int, header http.Header) error {
	if h.tap == nil {
		return nil
	}
	own := header.Clone()
	if h.login != nil {
		own.Del("Authorization")
	}
	for name := range h.header {
		own.Del(name)
	}
	return h.tap.showSent(string(body), &HTTPPost{exchange, own})
}

// redirect returns the URL that a response redirects to, or nil. Our requests carry the user's credentials and go only to the
// origin that the user named.
func redirect(from *url.URL, method string, r *http.Response) (*url.URL, error) {
	switch r.StatusCode {
	case 303:
		if method == http.MethodPost {
			return nil, nil // asks us to GET something else: not an answer to our request
		}
	case 301, 302, 307, 308:
	default:
		return nil, nil
	}
	next, err := from.Parse(r.Header.Get("Location"))
	if err != nil || r.Header.Get("Location") == "" {
		return nil, fmt.Errorf("a redirect (HTTP %d) to nowhere", r.StatusCode)
	}
	if !sameOrigin(from, next) {
		return nil, fmt.Errorf("a redirect to another origin, %s, was not followed; if it is right, name that URL instead", redactURL(next))
	}
	next.User, next.Fragment = nil, ""
	return next, nil
}

// decompress replaces the body by its decoded Content-Encoding. We request none, but some servers compress anyway. Bytes count
// before and after decompression.
func (h *HTTP) decompress(r *http.Response) error {
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		r.Body = &unzipped{from: h.metered(r.Body), Closer: r.Body}
		r.ContentLength = -1
	default:
		r.Body.Close()
		return fmt.Errorf("the answer has the content encoding %q, which we did not ask for", excerpt.Clip(encoding, 40))
	}
	return nil
}

// unzipped reads a gzip stream. It reads the header with the first Read, so that a server that sends no body cannot delay the
// status.
type unzipped struct {
	from io.Reader
	zip  *gzip.Reader
	io.Closer
}

func (u *unzipped) Read(b []byte) (n int, err error) {
	if u.zip == nil {
		if u.zip, err = gzip.NewReader(u.from); err != nil {
			return 0, err
		}
	}
	return u.zip.Read(b)
}

// meter counts bytes read against the connection's limit.
type meter struct {
	r     io.Reader
	left  *atomic.Int64
	total int64
}

func (h *HTTP) metered(r io.Reader) io.Reader { return &meter{r, &h.left, h.limits.Total} }

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if m.left.Add(-int64(n)) < 0 {
		return 0, &FloodError{fmt.Sprintf("the server sent more than %d bytes", m.total)}
	}
	return n, err
}

// readBody reads a body of at most limit bytes; length is its announced length, negative if unknown.
func (h *HTTP) readBody(r io.Reader, limit int, length int64) (string, error) {
	tooLong := &LineTooLongError{Limit: limit, What: "a body"}
	if length > int64(limit) {
		return "", tooLong
	}
	var text strings.Builder
	if length > 0 && length <= 1<<20 { // larger announcements cost the server nothing: do not allocate for them
		text.Grow(int(length))
	}
	_, err := io.Copy(&text, io.LimitReader(h.metered(r), int64(limit)+1))
	if text.Len() > limit {
		return "", tooLong
	}
	return text.String(), err
}
