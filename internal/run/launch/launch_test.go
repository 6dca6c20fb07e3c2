package launch

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/runtime/wire"
)

func TestNamesIn(t *testing.T) {
	env := []string{"A=long-value", "B=abc", "C=other-value", "D="}
	if got := redact.New(env).Names("abc long-value"); !slices.Equal(got, []string{"A"}) {
		t.Errorf("got %q, want A: B's value is too short to tell", got)
	}
}

// What reports hide depends on who gave it: the user gave variables, a configuration says which
// of its own are secret.
func TestOpenedSecrets(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	query := server.URL + "/mcp?key=0123456789abcdef"
	for _, tt := range []struct {
		name string
		s    Server
		want []string
	}{
		{"variables of the user", Server{Command: []string{"true"}, Env: []string{"A=1"}, Guard: []string{"B=2"}}, []string{"A=1"}},
		{"what a configuration calls secret", Server{Command: []string{"true"}, Env: []string{"A=1"}, Guard: []string{"B=2"}, Configured: true}, []string{"B=2"}},
		{"headers and token of the user", Server{URL: server.URL, Header: []string{"X-Key=k"}, Bearer: "TOKEN=t"}, []string{"X-Key=k", "TOKEN=t"}},
		{"a configured address", Server{URL: query, Header: []string{"X-Public=p"}, Guard: []string{"B=2"}, Configured: true}, []string{"B=2", "key=0123456789abcdef"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var hidden []string
			d := Dialer{}
			o, err := d.Open(tt.s, func(_ string, secrets, _ []string) wire.Tap {
				hidden = secrets
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			defer o.Conn.Close()
			if !slices.Equal(slices.Compact(o.Secrets), tt.want) {
				t.Errorf("secrets %q, want %q", o.Secrets, tt.want)
			}
			for _, s := range slices.Concat(tt.s.Guard, tt.s.Env, tt.s.Header) {
				if !slices.Contains(hidden, s) {
					t.Errorf("the recording would show %q; it hides %q", s, hidden)
				}
			}
		})
	}
}

// An error may quote what a variable of this machine filled in.
func TestOpenErrorsAreRedacted(t *testing.T) {
	d := Dialer{}
	_, err := d.Open(Server{Command: []string{"/nowhere/plainlookingvalue"}, Guard: []string{"WORD=plainlookingvalue"}}, nil)
	if err == nil || strings.Contains(err.Error(), "plainlookingvalue") || !strings.Contains(err.Error(), "[WORD]") {
		t.Errorf("got %v", err)
	}
}

// Whatever connects goes through the proxy of the environment, and says who it is.
func TestOpenSendsAgentAndHeaders(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer server.Close()
	d := Dialer{Agent: "claude-ai"}
	o, err := d.Open(Server{URL: server.URL, Header: []string{"X-Key=k"}, Bearer: "TOKEN=t"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_ = o.Conn.Send(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
	_, _ = o.Conn.Receive(ctx) // an empty answer is an error of the conversation
	if err := o.Conn.Close(); err != nil {
		t.Fatal(err)
	}
	if got.Get("User-Agent") != "claude-ai" || got.Get("X-Key") != "k" || got.Get("Authorization") != "Bearer t" {
		t.Errorf("the server got %v", got)
	}
	transport := o.Conn.(*dialed).transport
	if transport.Proxy == nil {
		t.Error("the transport takes no proxy from the environment")
	}
}

// A server that says what it lacks and stays alive is quoted while it is waited for, and lines that go by are not.
func TestWhileSilent(t *testing.T) {
	d := Dialer{}
	o, err := d.Open(Server{Command: []string{"sh", "-c", "for i in 1 2 3; do echo downloading $i >&2; sleep 0.7; done; echo 'Error: API_KEY is required' >&2; cat >/dev/null"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Conn.Close()
	told := make(chan string, 1)
	var got string
	o.WhileSilent(func(format string, args ...any) { told <- fmt.Sprintf(format, args...) }, func() { got = <-told })
	if got != "sh has not answered yet; it says: Error: API_KEY is required" {
		t.Errorf("%q", got)
	}
	o.WhileSilent(func(string, ...any) { t.Error("it has answered") }, func() {})
}
