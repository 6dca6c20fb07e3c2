package wire

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"gauntlet/internal/leaf/redact"
)

// A Login has the token for the server of a connection, and finds another when it is refused. It
// is called from several goroutines at once.
type Login interface {
	// Token returns the token to send, "" for none. The error says why there is none and never
	// holds one.
	Token(ctx context.Context) (string, error)
	// Refused says that a request with this token was refused, with HTTP 401 or 403, and reports
	// whether it may be sent again with what Token returns then. The error says why not, if there
	// is more to say than the refusal itself.
	Refused(ctx context.Context, token string, status int, header http.Header) (again bool, err error)
	// Secrets returns what no message may show, as NAME=VALUE, as it is now.
	Secrets() []string
}

// mostRefusals is how often one request is sent again with another token: once since the token ran
// out, and once since it lacks a right.
const mostRefusals = 2

// roundTripAuthorized makes one request with the token of the login.
func (h *HTTP) roundTripAuthorized(ctx context.Context, method string, to *url.URL, body []byte, header http.Header) (*reply, error) {
	if h.login == nil {
		return h.roundTripOnce(ctx, method, to, body, header)
	}
	for refusals := 0; ; refusals++ {
		token, err := h.login.Token(ctx)
		h.hidden.add(h.login.Secrets())
		if err != nil {
			return nil, err
		}
		header = header.Clone() // the last request may still be read
		header.Del("Authorization")
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		r, err := h.roundTripOnce(ctx, method, to, body, header)
		if err != nil || r.StatusCode != http.StatusUnauthorized && r.StatusCode != http.StatusForbidden || refusals == mostRefusals {
			return r, err
		}
		again, err := h.login.Refused(ctx, token, r.StatusCode, r.Header)
		h.hidden.add(h.login.Secrets())
		if err != nil {
			r.Body.Close()
			return nil, err
		}
		if !again {
			return r, nil
		}
		r.Body.Close()
	}
}

// hidden is what messages hide. It can be used from several goroutines.
type hidden struct {
	mu       sync.Mutex
	secrets  []string // as NAME=VALUE
	redactor *redact.Redactor
}

// add hides more values from now on. Those that are hidden already cost nothing.
func (h *hidden) add(secrets []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := len(h.secrets)
	for _, s := range secrets {
		if !slices.Contains(h.secrets, s) {
			h.secrets = append(h.secrets, s)
		}
	}
	if h.redactor == nil || len(h.secrets) > before {
		h.redactor = redact.New(h.secrets)
	}
}

func (h *hidden) list() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.secrets)
}

func (h *hidden) replace(s string) string {
	h.mu.Lock()
	redactor := h.redactor
	h.mu.Unlock()
	return redactor.Replace(s)
}
