package proberun

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/runtime/wire"
)

// oldServer is a server of the SDK that speaks probeHTTP+SSE, behind a guard if it has one.
func oldServer(guard func(http.Handler) http.Handler) http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1"}, nil)
	h := http.Handler(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, &mcp.SSEOptions{DisableLocalhostProtection: true}))
	if guard != nil {
		h = guard(h)
	}
	return h
}

// sameOrigin refuses what comes from elsewhere, on every request.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host || r.Host == foreign {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// guardsPosts lets anybody open a stream, and refuses what is posted from elsewhere.
func guardsPosts(next http.Handler) http.Handler {
	guarded := sameOrigin(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			guarded.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Who may connect over probeHTTP+SSE shows by the response to initialize, and a guard on either request holds.
func TestOldTransport(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, tt := range []struct {
		name  string
		guard func(http.Handler) http.Handler
		open  bool
	}{{"open", nil, true}, {"guarded", sameOrigin, false}, {"guarded where messages are posted", guardsPosts, false}} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(oldServer(tt.guard))
			defer s.Close()
			transport := wire.NewTransport()
			defer transport.CloseIdleConnections()
			to := protocolTarget{URL: s.URL, SSE: true}
			e := probeHTTP(t.Context(), to, transport)
			if !probing.IsResult(e.Find("P03", "no origin")) || !probing.IsResult(e.Find("P03", "own origin")) {
				t.Fatalf("an honest connection is refused: %+v", e.Exchanges)
			}
			for _, id := range []string{"P01", "P02"} {
				if x := e.Find(id, ""); probing.IsResult(x) != tt.open || !x.Answered {
					t.Errorf("%s: a result %v, want %v: %+v", id, probing.IsResult(x), tt.open, x)
				}
			}
			if e.Revision == "" {
				t.Error("no revision")
			}
		})
	}
}
