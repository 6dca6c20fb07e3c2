package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/report"
)

// browse is a user who agrees to everything.
func browse(address string) int {
	res, err := http.Get(address)
	if err != nil {
		return 1
	}
	res.Body.Close()
	return 0
}

// protected is a server that wants a login, with an authorization server that remembers all it gave
// out. What the server says repeats the token that it is asked with.
type protected struct {
	*httptest.Server
	mu      sync.Mutex
	secrets []string        // everything that it gave out or was given
	valid   map[string]bool // access tokens
	form    []url.Values    // what its token endpoint was asked
	revoked []string
}

func newProtected(t *testing.T) *protected {
	p := &protected{valid: map[string]bool{}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

// mint makes something secret.
func (p *protected) mint(kind string) string {
	s := fmt.Sprintf("%s-canary-%d-%x", kind, len(p.secrets), time.Now().UnixNano())
	p.secrets = append(p.secrets, s)
	return s
}

func (p *protected) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = r.ParseForm()
	answer := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	switch r.URL.Path {
	case "/.well-known/oauth-protected-resource/mcp":
		answer(map[string]any{"resource": p.URL + "/mcp", "authorization_servers": []string{p.URL}, "scopes_supported": []string{"tools"}})
	case "/.well-known/oauth-authorization-server":
		answer(map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "registration_endpoint": p.URL + "/register", "revocation_endpoint": p.URL + "/revoke",
			"device_authorization_endpoint": p.URL + "/device", "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"client_secret_post"},
		})
	case "/register":
		var asked struct {
			Redirects []string `json:"redirect_uris"`
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		answer(map[string]any{"client_id": "c", "client_secret": p.mint("secret"), "redirect_uris": asked.Redirects, "token_endpoint_auth_method": "client_secret_post"})
	case "/authorize":
		q := url.Values{"code": {p.mint("code")}, "state": {r.Form.Get("state")}}
		w.Header().Set("Location", r.Form.Get("redirect_uri")+"?"+q.Encode())
		w.WriteHeader(http.StatusFound)
	case "/device":
		answer(map[string]any{"device_code": p.mint("device"), "user_code": "ABCD-EFGH", "verification_uri": p.URL + "/enter", "expires_in": 60, "interval": 1})
	case "/token":
		p.form = append(p.form, r.Form)
		p.secrets = append(p.secrets, r.Form.Get("code_verifier"))
		token := p.mint("access")
		p.valid[token] = true
		answer(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": p.mint("refresh")})
	case "/revoke":
		p.revoked = append(p.revoked, r.Form.Get("token"))
		delete(p.valid, r.Form.Get("token"))
	case "/mcp":
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !p.valid[token] {
			w.Header().Set("WWW-Authenticate", "Bearer realm="+token)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var q struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		text, _ := parrotAnswer(string(q.ID), q.Method, token)
		if q.ID == nil || text == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// expire has every token run out, without a word.
func (p *protected) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.valid)
}

func (p *protected) grants() (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.form {
		out = append(out, f.Get("grant_type")+" for "+strings.TrimPrefix(f.Get("resource"), p.URL))
	}
	return out
}

// loginEnv is the environment of a user whose browser agrees to everything.
func loginEnv(t *testing.T, dir string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	browser := filepath.Join(dir, "browser")
	if err := os.Symlink(self, browser); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	return append(os.Environ(), "BROWSER="+browser, "GAUNTLET_LOGINS="+filepath.Join(dir, "gauntlet", "logins.json"), "GOCOVERDIR="+t.TempDir())
}

// keepNone fails if a text holds anything that the server gave out.
func (p *protected) keepNone(t *testing.T, where, text string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.secrets {
		for _, spelt := range spellings(s) {
			if s != "" && strings.Contains(text, spelt) {
				t.Errorf("%s holds %s", where, spelt)
			}
		}
	}
}

// Login, scan, renewal and revocation by command; nothing that the servers gave out stands in any
// output, message, report or recording, though the server repeats its token in everything it says.
func TestLoginIsUsedRenewedAndRevoked(t *testing.T) {
	p, dir := newProtected(t), t.TempDir()
	env, at := loginEnv(t, dir), p.URL+"/mcp"
	run := func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := runMain(t, env, args...)
		if code != want {
			t.Errorf("%s: exit code %d, want %d: %s", args[0], code, want, stderr)
		}
		p.keepNone(t, "stdout of "+args[0], stdout)
		p.keepNone(t, "stderr of "+args[0], stderr)
		return stdout + stderr
	}
	if said := run(2, "capture", "--output", filepath.Join(dir, "none.json"), at); !strings.Contains(said, "gauntlet login "+at) {
		t.Errorf("without a login nothing says how to get one: %s", said)
	}
	run(0, "login", "--store", "file", at)
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(filepath.Join(dir, "gauntlet", "logins.json")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file of logins: %v, %v", info, err)
		}
	}
	if said := run(0, "login", "list"); !strings.Contains(said, at) || !strings.Contains(said, "renewed by itself") {
		t.Errorf("the list says %s", said)
	}
	run(0, "login", "list", "--format", "json")
	texts := func(args ...string) []string {
		for _, format := range report.Formats().Names()[1:] {
			args = append(args, "--report", format+"="+filepath.Join(dir, "report-"+format))
		}
		return append(args, at)
	}
	run(1, texts("scan", "--verbose")...)
	p.expire()
	run(1, texts("scan", "--verbose", "--differential")...)
	p.expire()
	run(2, "capture", "--record", filepath.Join(dir, "trace.ndjson"), "--output", filepath.Join(dir, "snapshot.json"), at)
	run(2, "lock", "--output", filepath.Join(dir, "lock.json"), at)
	run(2, "classify", at)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && filepath.Base(f) != "snapshot.json" && filepath.Base(f) != "browser" { // a snapshot is evidence, and said to hold it
			p.keepNone(t, filepath.Base(f), string(text))
		}
	}
	if said := run(0, "logout", at); !strings.Contains(said, "revoked") {
		t.Errorf("logout says %s", said)
	}
	if len(p.revoked) != 2 || len(p.valid) != 0 {
		t.Errorf("revoked %d tokens, %d are valid", len(p.revoked), len(p.valid))
	}
	run(2, "logout", at)
	run(2, "scan", at)
	want := []string{"authorization_code for /mcp", "refresh_token for /mcp", "refresh_token for /mcp"}
	if got := p.grants(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the token endpoint was asked %q, want %q", got, want)
	}
}

// --login asks when the server does, and a code for a device needs no browser.
func TestLoginOnTheWayAndByDevice(t *testing.T) {
	p, dir := newProtected(t), t.TempDir()
	env, at := loginEnv(t, dir), p.URL+"/mcp"
	if code, _, stderr := runMain(t, env, "scan", "--login", at); code != 1 || strings.Contains(stderr, "wants a token") {
		t.Errorf("scan --login: exit code %d: %s", code, stderr)
	}
	code, _, stderr := runMain(t, env, "login", "--device", at)
	if code != 0 || !strings.Contains(stderr, "enter the code ABCD-EFGH") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	p.keepNone(t, "stderr", stderr)
	want := []string{"authorization_code for /mcp", "urn:ietf:params:oauth:grant-type:device_code for /mcp"}
	if got := p.grants(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the token endpoint was asked %q, want %q", got, want)
	}
}

// The gateway uses the login of a server behind it, and renews it in the middle of a conversation.
func TestGatewayRenewsLogins(t *testing.T) {
	p, dir := newProtected(t), t.TempDir()
	env, at := loginEnv(t, dir), p.URL+"/mcp"
	for _, e := range env {
		if name, value, _ := strings.Cut(e, "="); name == "GAUNTLET_LOGINS" {
			t.Setenv(name, value)
		}
	}
	if code, _, stderr := runMain(t, env, "login", at); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	config := put(t, map[string]string{"mcp.json": fmt.Sprintf(`{"mcpServers":{"web":{"url":%q}}}`, at)})
	record := filepath.Join(dir, "run.ndjson")
	in, out, end := atGateway(t, filepath.Join(config, "mcp.json"), "--record", record)
	stream := wire.NewStream(out, in, wire.Limits{}, nil)
	defer stream.Close()
	client := wire.NewClient(stream, wire.Limits{})
	if _, err := client.Call(t.Context(), "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`); err != nil {
		t.Fatal(err)
	}
	p.expire()
	if m, err := client.Call(t.Context(), "tools/list", `{}`); err != nil || !strings.Contains(m.Result, "word word") {
		t.Errorf("tools/list: %v", err)
	}
	said := end()
	p.keepNone(t, "what the gateway says", said)
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	p.keepNone(t, "the recording", string(text))
	if !bytes.Contains(text, []byte("[access_token]")) {
		t.Error("the recording shows no token that was taken out, so that this test shows nothing")
	}
	if got := p.grants(); len(got) < 2 || got[1] != "refresh_token for /mcp" {
		t.Errorf("the token endpoint was asked %q, want that tokens are refreshed", got)
	}
}

// What is wrong with the authorization of a server is found without a login; with one the tools are
// probed as well. Neither writes anything that the server gave out.
func TestProbeOfAProtectedServer(t *testing.T) {
	p, dir := newProtected(t), t.TempDir()
	env, at := loginEnv(t, dir), p.URL+"/mcp"
	record := filepath.Join(dir, "probe.ndjson")
	rules := func(report string) string {
		var r struct {
			Findings []struct {
				Rule string `json:"rule_id"`
			}
		}
		if err := json.Unmarshal([]byte(report), &r); err != nil {
			t.Errorf("the report: %v", err)
		}
		var out []string
		for _, f := range r.Findings {
			if strings.HasPrefix(f.Rule, "GNT-4") {
				out = append(out, f.Rule)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	code, stdout, stderr := runMain(t, env, "probe", "--register", "--format", "json", "--record", record, at)
	if got := rules(stdout); code != 1 || got != "GNT-433 GNT-435" {
		t.Errorf("without a login: exit code %d, findings %q: %s", code, got, stderr)
	}
	_, again, _ := runMain(t, env, "probe", "--recording", record, "--format", "json")
	if got := rules(again); got != "GNT-433 GNT-435" {
		t.Errorf("judged again from the recording: findings %q", got)
	}
	_, logged, said := runMain(t, env, "probe", "--login", "--format", "json", at)
	if got := rules(logged); !strings.Contains(got, "GNT-435") || strings.Contains(got, "GNT-433") {
		t.Errorf("with a login, findings %q: %s", got, said)
	}
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for where, s := range map[string]string{"stdout": stdout + logged, "stderr": stderr + said, "the recording": string(text)} {
		p.keepNone(t, where, s)
	}
}
