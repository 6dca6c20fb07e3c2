// Package attackoauth attacks the authorization of MCP clients: a protected MCP server and its authorization server, both on this
// machine, that mix up issuers, name addresses that no client should request or open, and give answers that nobody should believe.
//
// A client under test logs in as it would at any server. It is judged by what the servers and its output showed, never by its own
// verdict. [Careless] is vulnerable to every attack, [Careful] is our own client.
package attackoauth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxRequest bounds a request body, and keptRequests the requests kept.
const (
	maxRequest   = 64 << 10
	keptRequests = 1000
)

// A site is one origin with the requests it saw.
type site struct {
	url     string
	server  *http.Server
	serving sync.WaitGroup

	mu   sync.Mutex
	seen []seen
}

type seen struct {
	method, path string
	form         url.Values // from query and body
	header       http.Header
	body         string
}

// A World is the servers of one attack and everything that happened. It is safe for concurrent use.
type World struct {
	// Server is the URL at which the client logs in.
	Server string
	// Identity is the client's prior registration, if any.
	Identity Identity

	knobs
	honest *site // MCP server and authorization server
	thief  *site // another origin, which a careful client sends nothing

	mu     sync.Mutex
	codes  map[string]string // code → resource
	tokens map[string]string // token → resource
	opened []string          // pages the client showed its user
	said   strings.Builder   // the client's output and error
}

// An Identity is a client registered beforehand at one issuer.
type Identity struct{ ID, Secret, Issuer string }

// knobs are what an attack changes. The zero value is an honest world.
type knobs struct {
	// resource and server are members of the metadata, and registered of the result of a registration, in place of the honest ones: a
	// JSON object, in which HONEST and THIEF stand for the addresses of the sites.
	resource, server, registered string
	// back changes the query of the redirect back to the client.
	back func(w *World, q url.Values)
	// token replaces the token endpoint.
	token func(w *World, rw http.ResponseWriter, form url.Values)
	// foreign makes the refusal name metadata on the thief's origin.
	foreign bool
	// redirect is where a request for the authorization server's metadata is redirected, or "".
	redirect string
}

// newWorld starts the servers on free loopback ports. The caller closes it.
func newWorld(ctx context.Context, k knobs) (*World, error) {
	w := &World{knobs: k, codes: map[string]string{}, tokens: map[string]string{}}
	var err error
	if w.honest, err = startSite(ctx, w.serve); err != nil {
		return nil, err
	}
	if w.thief, err = startSite(ctx, w.serve); err != nil {
		w.honest.close()
		return nil, err
	}
	w.Server = w.honest.url + "/mcp"
	return w, nil
}

func (w *World) close() {
	w.honest.close()
	w.thief.close()
}

func startSite(ctx context.Context, serve func(*site, http.ResponseWriter, seen)) (*site, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("a server for the attack: %w", err)
	}
	s := &site{url: "http://" + ln.Addr().String()}
	s.server = &http.Server{ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		serve(s, rw, s.note(r))
	})}
	s.server.ErrorLog = newLike(s.server.ErrorLog)
	s.server.ErrorLog.SetOutput(io.Discard)
	// Ends by close, which waits for it.
	s.serving.Go(func() { _ = s.server.Serve(ln) })
	return s, nil
}

func newLike[T any](*T) *T { return new(T) }

func (s *site) close() {
	_ = s.server.Close()
	s.serving.Wait()
}

func (s *site) note(r *http.Request) seen {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	one := seen{method: r.Method, path: r.URL.Path, form: r.URL.Query(), header: r.Header, body: string(body)}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		if form, err := url.ParseQuery(string(body)); err == nil {
			for name, values := range form {
				one.form[name] = append(one.form[name], values...)
			}
		}
	}
	if id, secret, ok := r.BasicAuth(); ok {
		one.form.Add("client_id", id)
		one.form.Add("client_secret", secret)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) < keptRequests {
		s.seen = append(s.seen, one)
	}
	return one
}

// all returns the requests for a path, "" for every path.
func (s *site) all(path string) []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.seen), func(one seen) bool { return path != "" && one.path != path })
}

// serve answers as a site: the honest one is the MCP server and its authorization server, the thief another authorization server
// that keeps what it receives.
func (w *World) serve(at *site, rw http.ResponseWriter, r seen) {
	honest := at == w.honest
	switch {
	case honest && r.path == "/mcp":
		w.serveMCP(rw, r)
	case strings.HasPrefix(r.path, "/.well-known/oauth-protected-resource"):
		writeJSON(rw, 200, w.describe(w.resource, w.honestResource()))
	case honest && strings.HasPrefix(r.path, "/.well-known/") && w.redirect != "":
		rw.Header().Set("Location", w.address(w.redirect))
		rw.WriteHeader(http.StatusFound)
	case r.path == "/.well-known/oauth-authorization-server":
		writeJSON(rw, 200, w.describe(w.server, w.honestServer(at.url)))
	case r.path == "/register":
		w.serveRegistration(rw, r)
	case r.path == "/authorize" || strings.HasPrefix(r.path, "/authorize\""):
		w.serveAuthorization(rw, r)
	case honest && r.path == "/token":
		w.serveToken(rw, r)
	case r.path == "/token":
		w.issueToken(rw, w.Server)
	case honest && r.path == "/revoke":
		w.mu.Lock()
		delete(w.tokens, r.form.Get("token"))
		w.mu.Unlock()
	default:
		rw.WriteHeader(http.StatusNotFound)
	}
}

func (w *World) address(text string) string {
	return strings.NewReplacer("HONEST", w.honest.url, "THIEF", w.thief.url).Replace(text)
}

func (w *World) describe(changed string, honest map[string]any) map[string]any {
	_ = json.Unmarshal([]byte(w.address(changed)), &honest) // one of ours, or none
	return honest
}

func (w *World) honestResource() map[string]any {
	return map[string]any{"resource": w.Server, "authorization_servers": []string{w.honest.url}, "scopes_supported": []string{"tools"}}
}

func (w *World) honestServer(issuer string) map[string]any {
	return map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token", "registration_endpoint": issuer + "/register", "revocation_endpoint": issuer + "/revoke",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_post"},
		"authorization_response_iss_parameter_supported": true,
	}
}

// serveMCP is a server with one tool that requires one of our tokens.
func (w *World) serveMCP(rw http.ResponseWriter, r seen) {
	token, _ := strings.CutPrefix(r.header.Get("Authorization"), "Bearer ")
	w.mu.Lock()
	_, known := w.tokens[token]
	w.mu.Unlock()
	if !known {
		at := w.honest.url
		if w.foreign {
			at = w.thief.url
		}
		rw.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+at+`/.well-known/oauth-protected-resource/mcp"`)
		writeJSON(rw, http.StatusUnauthorized, map[string]any{"error": "invalid_token"})
		return
	}
	var q struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.Unmarshal([]byte(r.body), &q)
	if q.ID == nil {
		rw.WriteHeader(http.StatusAccepted)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": q.ID}
	switch q.Method {
	case "initialize":
		answer["result"] = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "protected", "version": "1"}}
	case "tools/list":
		answer["result"] = map[string]any{"tools": []any{map[string]any{"name": "whoami", "description": "Says who you are; you came with " + token, "inputSchema": map[string]any{"type": "object"}}}}
	default:
		answer["error"] = map[string]any{"code": -32601, "message": "Method not found"}
	}
	writeJSON(rw, 200, answer)
}

func (w *World) serveRegistration(rw http.ResponseWriter, r seen) {
	asked := map[string]any{}
	if json.Unmarshal([]byte(r.body), &asked) != nil {
		writeJSON(rw, 400, map[string]any{"error": "invalid_client_metadata"})
		return
	}
	got := map[string]any{"client_id": "client-" + rand.Text(), "redirect_uris": asked["redirect_uris"], "token_endpoint_auth_method": "none"}
	writeJSON(rw, http.StatusCreated, w.describe(w.registered, got))
}

// serveAuthorization is a user who agrees to everything at once.
func (w *World) serveAuthorization(rw http.ResponseWriter, r seen) {
	to, err := url.Parse(r.form.Get("redirect_uri"))
	if err != nil || to.Scheme != "http" || to.Hostname() != "127.0.0.1" && to.Hostname() != "localhost" && to.Hostname() != "::1" {
		rw.WriteHeader(http.StatusBadRequest) // nothing leaves this machine
		return
	}
	code := "code-" + rand.Text()
	w.mu.Lock()
	w.codes[code] = r.form.Get("resource")
	w.mu.Unlock()
	q := to.Query()
	q.Set("code", code)
	q.Set("state", r.form.Get("state"))
	q.Set("iss", w.honest.url)
	if w.back != nil {
		w.back(w, q)
	}
	to.RawQuery = q.Encode()
	rw.Header().Set("Location", to.String())
	rw.WriteHeader(http.StatusFound)
}

func (w *World) serveToken(rw http.ResponseWriter, r seen) {
	if w.token != nil {
		w.token(w, rw, r.form)
		return
	}
	w.mu.Lock()
	resource, known := w.codes[r.form.Get("code")]
	delete(w.codes, r.form.Get("code"))
	w.mu.Unlock()
	if !known && !strings.HasPrefix(r.form.Get("refresh_token"), "refresh-") {
		writeJSON(rw, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	w.issueToken(rw, resource)
}

func (w *World) issueToken(rw http.ResponseWriter, resource string) {
	token := "token-" + rand.Text()
	w.mu.Lock()
	w.tokens[token] = resource
	w.mu.Unlock()
	writeJSON(rw, 200, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": "refresh-" + rand.Text()})
}

func writeJSON(rw http.ResponseWriter, status int, v any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(v) // a client that left misses it
}

// Open is the browser of the client under test: it records the address and, if the page belongs to this world, has its user agree
// there.
func (w *World) Open(ctx context.Context, address string) error {
	w.noteOpened(address)
	u, err := url.Parse(address)
	if err != nil || u.Scheme+"://"+u.Host != w.honest.url && u.Scheme+"://"+u.Host != w.thief.url {
		return nil // recorded only
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	browser := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if ip := net.ParseIP(next.URL.Hostname()); len(via) > 3 || ip == nil || !ip.IsLoopback() {
			return http.ErrUseLastResponse // nothing leaves this machine
		}
		return nil
	}}
	res, err := browser.Do(req)
	if err != nil {
		return nil // nobody waits there any more
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxRequest))
	return res.Body.Close()
}

func (w *World) noteOpened(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.opened) < keptRequests {
		w.opened = append(w.opened, address)
	}
}

// Say records the client's output.
func (w *World) Say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.said.Len() < 1<<20 {
		w.said.WriteString(text + "\n")
	}
}

// stolen returns the first form value received by the thief that the honest server issued or the client was registered with, or "".
func (w *World) stolen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.thief.all("") {
		for name, values := range r.form {
			for _, v := range values {
				if _, ok := w.codes[v]; ok {
					return "the code of another authorization server"
				}
				if v != "" && v == w.Identity.Secret {
					return "the client's secret (" + name + ")"
				}
			}
		}
		if token, ok := strings.CutPrefix(r.header.Get("Authorization"), "Bearer "); ok && w.tokens[token] != "" {
			return "a token"
		}
	}
	return ""
}

var errNoLogin = errors.New("the client did not come through")
