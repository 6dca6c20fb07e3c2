package target

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gauntlet/catalog"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/runtime/wire"
)

// What is wrong with a URL is told where the answer shows it, and only there.
func TestAdviseURL(t *testing.T) {
	missing := http.NotFoundHandler()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<html>Welcome"))
	})
	broken := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	refused := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	for _, tt := range []struct {
		name      string
		handler   http.Handler
		tls       bool
		scheme    string
		path      string
		want, not string
	}{
		{"no path", missing, false, "http", "", "usually answer at one such as /mcp", ""},
		{"a slash only", missing, false, "http", "/", "usually answer at one such as /mcp", ""},
		{"a website", page, false, "http", "/", "usually answer at one such as /mcp", ""},
		{"a path", missing, false, "http", "/api", "", "/mcp"},
		{"a failure", broken, false, "http", "/", "", "/mcp"},
		{"https for http", missing, false, "https", "/mcp", "its URL probably begins with http://", ""},
		{"http for https", missing, true, "http", "/mcp", "its URL probably begins with https://", ""},
		{"a bad request", refused, false, "http", "/mcp", "", "https://"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(tt.handler)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			if tt.tls {
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			address := tt.scheme + "://" + server.Listener.Addr().String() + tt.path
			r := Reader{
				Options:  Options{Timeout: 10 * time.Second, Total: 20 * time.Second, Pages: 10, Parallel: 1, Limits: catalog.Limits{Bytes: 1 << 20, Items: 1000}},
				Progress: &runstate.Progress{}, Version: "1", Dialer: launch.Dialer{Limits: wire.Limits{Message: 1 << 20}},
			}
			_, err := r.Capture(context.Background(), Target{Server: launch.Server{URL: address}})
			if err == nil {
				t.Fatal("captured")
			}
			if !strings.Contains(err.Error(), tt.want) || tt.not != "" && strings.Contains(err.Error(), tt.not) {
				t.Errorf("%v; want %q, not %q", err, tt.want, tt.not)
			}
		})
	}
}
