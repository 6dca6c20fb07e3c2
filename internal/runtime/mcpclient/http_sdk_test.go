package mcpclient

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/catalog"
	"gauntlet/internal/runtime/wire"
)

// dial connects to a server of a test and checks nothing: goleak does in the end.
func dial(t *testing.T, e wire.Endpoint) *wire.HTTP {
	t.Helper()
	h, err := wire.Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// listen serves handler until the end of the test.
func listen(t testing.TB, handler http.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections() // of the SDK's client
	})
	return s.URL
}

// The SDK's own client is the judge of what the SDK's server serves, over every transport
// of every era.
func TestCaptureOverHTTPEqualsWhatTheSDKServes(t *testing.T) {
	server := func(*http.Request) *mcp.Server { return sdkServer() }
	streamable := func(o mcp.StreamableHTTPOptions) http.Handler { return mcp.NewStreamableHTTPHandler(server, &o) }
	judged := func(url string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}
	}
	for _, tt := range []struct {
		name    string
		handler http.Handler
		era     Era
		sse     bool
		want    Era
		version string
		judge   func(url string) mcp.Transport
	}{
		{"session, event streams", streamable(mcp.StreamableHTTPOptions{}), Auto, false, Legacy, "2025-11-25", judged},
		{"session, JSON", streamable(mcp.StreamableHTTPOptions{JSONResponse: true}), Auto, false, Legacy, "2025-11-25", judged},
		{"stateless, event streams", streamable(mcp.StreamableHTTPOptions{Stateless: true}), Auto, false, Modern, "2026-07-28", judged},
		{"stateless, JSON", streamable(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), Auto, false, Modern, "2026-07-28", judged},
		{"stateless, asked for", streamable(mcp.StreamableHTTPOptions{Stateless: true}), Modern, false, Modern, "2026-07-28", judged},
		{"stateless, in the older era", streamable(mcp.StreamableHTTPOptions{Stateless: true}), Legacy, false, Legacy, "2025-11-25", judged},
		{"stateless, initialize first", streamable(mcp.StreamableHTTPOptions{Stateless: true}), InitializeFirst, false, Legacy, "2025-11-25", judged},
		{"HTTP+SSE, found out", mcp.NewSSEHandler(server, nil), Auto, false, Legacy, "2025-11-25", func(url string) mcp.Transport { return &mcp.SSEClientTransport{Endpoint: url} }},
		{"HTTP+SSE, known", mcp.NewSSEHandler(server, nil), Auto, true, Legacy, "2025-11-25", func(url string) mcp.Transport { return &mcp.SSEClientTransport{Endpoint: url} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := listen(t, tt.handler)
			s, err := Capture(t.Context(), dial(t, wire.Endpoint{URL: url, SSE: tt.sse}), Options{Version: "1", Era: tt.era})
			if err != nil {
				t.Fatal(err)
			}
			if s.Era != tt.want || s.Revision != tt.version {
				t.Errorf("found %v in %s, want %v in %s", s.Era, s.Revision, tt.want, tt.version)
			}
			wantGaps(t, s, nil)
			readsBack(t, s)
			sameLists(t, s, sdkLists(t, tt.judge(url)))
			sameOpening(t, s)
		})
	}
}

// sameOpening checks what the SDK's server says about itself, in either era.
func sameOpening(t *testing.T, s *Snapshot) {
	t.Helper()
	text := string(s.Bytes())
	for _, want := range []string{`"server": {"name":"sdk","version":"1.2.3"}`, `"protocolVersion": "` + s.Revision + `"`, `"instructions": "`, `"capabilities": {`} {
		if !strings.Contains(text, want) {
			t.Errorf("the snapshot has no %s:\n%s", want, clip(text, 1500))
		}
	}
	if got := strings.Contains(text, `"_meta": {"gauntlet/cacheHints": {`); got != (s.Era == Modern) {
		t.Errorf("cache hints in the snapshot: %v", got)
	}
	c, err := catalog.Parse("", text, catalog.Limits{})
	if err != nil || c.Servers[0].Name != "sdk" || len(c.Problems) > 0 {
		t.Errorf("read back: %v, %+v", err, c.Problems)
	}
}

// The same bodies without headers, over stdio.
func TestErasOverStdio(t *testing.T) {
	for _, tt := range []struct {
		server    string
		era, want Era
		version   string
	}{
		{"go-sdk", Auto, Legacy, "2025-11-25"},
		{"go-sdk", DiscoverFirst, Modern, "2026-07-28"},
		{"go-sdk", Modern, Modern, "2026-07-28"},
		{"go-sdk", Legacy, Legacy, "2025-11-25"},
		{"honest", DiscoverFirst, Legacy, "2025-11-25"},
		{"modern only", Auto, Modern, "2026-07-28"},
		{"modern only", DiscoverFirst, Modern, "2026-07-28"},
		{"another version first", DiscoverFirst, Modern, "2026-07-28"},
		{"names only old versions", DiscoverFirst, Legacy, "2025-11-25"},
		{"misuses a code", DiscoverFirst, Legacy, "2025-11-25"},
		{"silent before initialize", DiscoverFirst, Legacy, "2025-11-25"},
		{"discovers nonsense", DiscoverFirst, Legacy, "2025-11-25"},
	} {
		t.Run(tt.server+", "+tt.era.String(), func(t *testing.T) {
			t.Parallel()
			s, err := Capture(t.Context(), start(t, tt.server, 1, wire.Limits{}), Options{Era: tt.era, Timeout: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if s.Era != tt.want || s.Revision != tt.version {
				t.Errorf("found %v in %s, want %v in %s", s.Era, s.Revision, tt.want, tt.version)
			}
			wantGaps(t, s, nil)
			readsBack(t, s)
		})
	}
}

func TestErasThatCannotBe(t *testing.T) {
	for _, tt := range []struct {
		server string
		era    Era
		want   string
	}{
		{"honest", Modern, `the server answered server/discover with error -32601: "Method not found"`},
		{"modern only", Legacy, `the server answered initialize with error -32602: "no _meta"`},
		{"from the future", DiscoverFirst, `the server speaks protocol version ["2031-01-01"]; this gauntlet speaks 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28`},
		{"refuses headers", DiscoverFirst, `the server answered server/discover with error -32020: "header"`},
		{"hang at initialize", Auto, "no answer to initialize within 4.5s"},
		{"must begin with initialize", DiscoverFirst, "the server exited with status 1 before answering server/discover; its stderr: ExpectedInitializeRequest"},
	} {
		t.Run(tt.server+", "+tt.era.String(), func(t *testing.T) {
			t.Parallel()
			_, err := Capture(t.Context(), start(t, tt.server, 1, wire.Limits{}), Options{Era: tt.era, Timeout: small * 3 / 2})
			if err == nil || err.Error() != tt.want {
				t.Errorf("Capture = %v, want the error %q", err, tt.want)
			}
		})
	}
}
