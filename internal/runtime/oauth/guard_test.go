package oauth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// What metadata names is compared with where the server is, before anything is asked or opened.
func TestAddressesThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		server, address string
		ok              bool
	}{
		{"https://192.0.2.1/mcp", "https://auth.example/token", true},
		{"https://192.0.2.1/mcp", "https://198.51.100.7/token", true},
		{"https://192.0.2.1/mcp", "http://auth.example/token", false},
		{"https://192.0.2.1/mcp", "https://127.0.0.1/token", false},
		{"https://192.0.2.1/mcp", "http://127.0.0.1:8080/token", false},
		{"https://192.0.2.1/mcp", "https://localhost/token", false},
		{"https://192.0.2.1/mcp", "https://a.localhost./token", false},
		{"https://192.0.2.1/mcp", "https://10.0.0.1/token", false},
		{"https://192.0.2.1/mcp", "https://[::1]/token", false},
		{"https://192.0.2.1/mcp", "https://[::ffff:10.0.0.1]/token", false},
		{"https://192.0.2.1/mcp", "https://[64:ff9b::7f00:1]/token", false},
		{"https://192.0.2.1/mcp", "https://[fd00::1]/token", false},
		{"https://192.0.2.1/mcp", "https://169.254.169.254/latest/meta-data", false},
		{"https://192.0.2.1/mcp", "https://2130706433/token", false},
		{"https://192.0.2.1/mcp", "https://0x7f.1/token", false},
		{"https://192.0.2.1/mcp", "https://100.64.1.1/token", false},
		{"https://192.0.2.1/mcp", "https://0.0.0.0/token", false},
		{"https://192.0.2.1/mcp", "javascript:alert(1)", false},
		{"https://192.0.2.1/mcp", "file:///etc/passwd", false},
		{"https://192.0.2.1/mcp", "data:text/html,x", false},
		{"https://192.0.2.1/mcp", "https://a.example/`id`", false},
		{"https://192.0.2.1/mcp", "https://a.example/$(id)", true}, // no shell reads it: see OpenBrowser
		{"https://192.0.2.1/mcp", "https://$(id).example/", false},
		{"https://192.0.2.1/mcp", "https://a.example/a b", false},
		{"https://192.0.2.1/mcp", "https://a.example/\x1b[2J", false},
		{"https://192.0.2.1/mcp", "https://user:pass@a.example/", false},
		{"https://192.0.2.1/mcp", "-https://a.example/", false},
		{"https://192.0.2.1/mcp", "", false},
		{"http://127.0.0.1:9/mcp", "http://127.0.0.1:10/token", true},
		{"http://127.0.0.1:9/mcp", "http://localhost:10/token", true},
		{"http://127.0.0.1:9/mcp", "https://10.0.0.1/token", true},
		{"http://127.0.0.1:9/mcp", "http://10.0.0.1/token", false},
		{"http://127.0.0.1:9/mcp", "https://169.254.169.254/", false},
		{"https://10.0.0.2/mcp", "https://10.0.0.1/token", true},
		{"https://10.0.0.2/mcp", "https://127.0.0.1/token", false},
	} {
		g, err := NewGuard(t.Context(), tt.server, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Check("token_endpoint", tt.address); (err == nil) != tt.ok {
			t.Errorf("server %s, address %s: %v, want it taken: %v", tt.server, tt.address, err, tt.ok)
		} else if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("the refusal of %q is not fit for a terminal", tt.address)
		}
	}
}

// An origin that nobody named is not asked, and a redirect does not lead there.
func TestOnlyNamedOriginsAreAsked(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/out":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	}))
	defer own.Close()
	g, err := NewGuard(t.Context(), own.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{other.URL, own.URL + "/out", own.URL + "/loop"} {
		res, err := g.client().Get(address)
		if err == nil {
			res.Body.Close()
			t.Errorf("%s was asked", address)
		} else if wasRefused(err) == nil {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
	if asked != 0 {
		t.Errorf("the origin that nobody named was asked %d times", asked)
	}
	if err := g.Allow("token_endpoint", other.URL); err != nil {
		t.Fatal(err)
	}
	res, err := g.client().Get(other.URL)
	if err != nil {
		t.Fatalf("an origin that was named: %v", err)
	}
	res.Body.Close()
}

// A name that leads to this machine is refused when it is connected to, for a public server.
func TestDialRefusesPrivateAddresses(t *testing.T) {
	g, err := NewGuard(t.Context(), "https://192.0.2.1/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for address, ok := range map[string]bool{"127.0.0.1:443": false, "[::1]:443": false, "10.1.2.3:443": false, "169.254.169.254:80": false, "198.51.100.7:443": true} {
		if err := g.checkDial("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v, want it connected to: %v", address, err, ok)
		}
	}
}

// Whatever passes the guard is http or https with a host and no control character, and is the same
// when it is written and read again.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"https://a.example/", "javascript:alert(1)", "http://127.0.0.1", "https://[::1%25lo]/", "https://a.example:99999/", "//a", "https://%61/"} {
		f.Add(s)
	}
	g, err := NewGuard(f.Context(), "https://192.0.2.1/mcp", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := g.Check("x", address)
		if err != nil {
			return
		}
		if u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsFunc(u.String(), func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			t.Errorf("%q passed as %q", address, u)
		}
		again, err := url.Parse(u.String())
		if err != nil || originOf(again) != originOf(u) {
			t.Errorf("%q reads differently when it is written again: %v", address, err)
		}
	})
}

// A challenge is read from whatever stands in the header, without a panic, within limits.
func FuzzReadChallenge(f *testing.F) {
	for _, s := range []string{`Bearer realm="x", scope="a b", resource_metadata="https://a.example/x"`, `Basic x, Bearer error="insufficient_scope"`, `Bearer scope="`, ","} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		c := ReadChallenge(401, http.Header{"Www-Authenticate": {value}})
		if len(strings.Join(c.Scopes, " ")) > len(value) || len(c.ResourceMetadata) > len(value) {
			t.Errorf("%q was read as %+v", value, c)
		}
	})
}
