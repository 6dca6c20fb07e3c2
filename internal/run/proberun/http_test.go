package proberun

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/runtime/wire"
)

// careless answers everything with a result and counts its sessions.
func careless() http.Handler {
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		n++
		w.Header().Set("Mcp-Session-Id", fmt.Sprint(n))
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

// careful refuses what comes from elsewhere.
func careful(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch o := r.Header.Get("Origin"); {
		case o != "" && o != "http://"+r.Host, r.Host == foreign:
			w.WriteHeader(http.StatusForbidden)
		case r.Header.Get("Authorization") != "Bearer right" && r.Method == http.MethodPost:
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func TestHTTP(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, tt := range []struct {
		name           string
		handler        http.Handler
		token          string
		origin, noAuth bool // a result in spite of a foreign origin, and without a token
	}{
		{"careless", careless(), "", true, true},
		{"careful", careful(careless()), "right", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(tt.handler)
			defer s.Close()
			transport := wire.NewTransport()
			defer transport.CloseIdleConnections()
			e := probeHTTP(t.Context(), protocolTarget{URL: s.URL, Token: tt.token}, transport)
			if !probing.IsResult(e.Find("P03", "no origin")) || !probing.IsResult(e.Find("P03", "own origin")) {
				t.Fatalf("an honest request is refused: %+v", e.Exchanges)
			}
			if got := probing.IsResult(e.Find("P01", "")); got != tt.origin {
				t.Errorf("a foreign origin gets a result: %v, want %v", got, tt.origin)
			}
			if got := probing.IsResult(e.Find("P11", "no token")); got != tt.noAuth {
				t.Errorf("no token gets a result: %v, want %v", got, tt.noAuth)
			}
			if len(e.Sessions) != sessionsBegun || !e.Loopback {
				t.Errorf("%d sessions, loopback %v, unsent %v", len(e.Sessions), e.Loopback, e.Unsent)
			}
			for _, x := range e.Exchanges {
				if strings.Contains(fmt.Sprint(x), "Bearer right") {
					t.Errorf("%s %s holds the token", x.ID, x.Step)
				}
			}
		})
	}
}

// A server that does not speak MCP is not judged by what it was never asked.
func TestHTTPWithoutAnswer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	e := probeHTTP(t.Context(), protocolTarget{URL: s.URL}, transport)
	if e.Find("P01", "") != nil || e.Unsent["others"] == "" {
		t.Errorf("%+v", e)
	}
}

// fragile speaks over streams and ends at the first malformed line.
func fragile(in io.Reader, out io.Writer) {
	lines := wire.NewLines(in, wire.Limits{})
	for {
		line, err := lines.Next()
		if err != nil {
			return
		}
		m := wire.Decode(line)
		switch {
		case m.Kind == wire.Invalid:
			return
		case m.ID != "":
			_, _ = fmt.Fprintf(out, "loading\n{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n", m.ID)
		}
	}
}

func TestStdio(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var servers sync.WaitGroup
	open := func() (wire.Conn, error) {
		ourIn, theirOut := io.Pipe()
		theirIn, ourOut := io.Pipe()
		servers.Go(func() { // ends at the malformed line, or with the conversation
			fragile(theirIn, theirOut)
			_ = theirOut.Close()
			_ = theirIn.Close()
		})
		return wire.NewStream(ourIn, ourOut, wire.Limits{}, nil), nil
	}
	e := probeStdio(context.Background(), open, Plan{}, patient)
	servers.Wait()
	x := e.Find("P18", "malformed")
	if x == nil || x.Alive || !x.Gone || !x.Again || !e.Find("P17", "unknown tool").Alive || e.Noise == 0 {
		t.Errorf("%+v", e)
	}
	if after := e.Find("P18", "wrong version"); after == nil || !after.Alive {
		t.Errorf("after the server had ended it was not started again: %+v", after)
	}
}

// Discovery keeps what it saw: of a server that refuses, and of its authorization server.
func TestDiscoveryIsKept(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var s *httptest.Server
	registered := 0
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/.well-known/oauth-protected-resource/mcp":
			fmt.Fprintf(w, `{"resource":"%s/mcp","authorization_servers":["%[1]s"]}`, s.URL)
		case "/.well-known/oauth-authorization-server":
			fmt.Fprintf(w, `{"issuer":"%s","registration_endpoint":"%[1]s/register"}`, s.URL)
		case "/register":
			registered++
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"client_id":"c","registration_client_uri":"%s/c","registration_access_token":"t"}`, s.URL)
		case "/c":
			if r.Method == http.MethodDelete && r.Header.Get("Authorization") == "Bearer t" {
				registered--
			}
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	for _, register := range []bool{false, true} {
		transport := wire.NewTransport()
		e := probeHTTP(t.Context(), protocolTarget{URL: s.URL + "/mcp", Register: register}, transport)
		transport.CloseIdleConnections()
		a := e.Authorization
		if a == nil || !a.Refused || a.Near != "loopback" || len(a.Documents) != 2 || a.Ended == "" {
			t.Fatalf("discovery kept %+v", a)
		}
		if asked := a.Registration != nil; asked != register || asked && (!a.Registration.Removed || a.Registration.Status != 201) {
			t.Errorf("registration %+v, want it asked for: %v", a.Registration, register)
		}
	}
	if registered != 0 {
		t.Errorf("%d clients are left behind", registered)
	}
}
