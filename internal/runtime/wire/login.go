package wire

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"gauntlet/internal/leaf/redact"
)

// A Login supplies the token for a connection's server, and another if it is refused. It must be safe for concurrent use.
type Login interface {
	// Token returns the token to send, "" for none. The error says why there is none and never holds one.
	Token(ctx context.Context) (string, error)
	// Refused reports that the server refused a request with this token (HTTP 401 or 403). again says that the request may be
	// repeated with what Token then returns. The error explains a no beyond the refusal itself.
	Refused(ctx context.Context, token string, status int, header http.Header) (again bool, err error)
	// Secrets returns the values that messages must hide, as NAME=VALUE. It may grow.
	Secrets() []string
}

// mostRefusals is how often one request is repeated with another token: once for an expired token, once for a missing scope.
const mostRefusals = 2

// roundTripAuthorized makes one request with the login's token.
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
		header = header.Clone() // the last request's header may still be read
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

// hidden holds the secrets that messages hide. It is safe for concurrent use.
type hidden struct {
	mu       sync.Mutex
	secrets  []string // as NAME=VALUE
	redactor *redact.Redactor
}

// add hides more values from now on and skips known ones.
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
