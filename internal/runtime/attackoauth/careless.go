package attackoauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/runtime/oauth"
)

// careless is a client that believes what it is told. It contacts only this machine.
type careless struct {
	w      *World
	client *http.Client
}

// Careless is a client vulnerable to every attack: it compares nothing, follows every redirect, opens every address and repeats
// every error.
func Careless(ctx context.Context, w *World) error {
	c := &careless{w: w, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > 40 { // enough to be observed
			return errors.New("too many redirects")
		}
		return nil
	}}}
	token, err := c.logIn(ctx)
	if err != nil {
		return err
	}
	return listTools(ctx, w.Server, token)
}

func (c *careless) logIn(ctx context.Context) (string, error) {
	var resource struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := c.ask(ctx, c.metadataAddress(ctx), "", nil, &resource); err != nil {
		return "", err
	}
	if len(resource.Servers) == 0 {
		return "", errors.New("no authorization server")
	}
	var server struct {
		Authorize string   `json:"authorization_endpoint"`
		Token     string   `json:"token_endpoint"`
		Register  string   `json:"registration_endpoint"`
		Methods   []string `json:"code_challenge_methods_supported"`
	}
	if err := c.ask(ctx, resource.Servers[0]+"/.well-known/oauth-authorization-server", "", nil, &server); err != nil {
		return "", err
	}
	back := make(chan url.Values, 1)
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	listening := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case back <- r.URL.Query():
		default:
		}
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = listening.Serve(ln) }) // ends when it is closed
	defer serving.Wait()
	defer listening.Close()
	redirect := "http://" + ln.Addr().String() + "/callback"
	id, secret, redirect, err := c.identity(ctx, server.Register, redirect)
	if err != nil {
		return "", err
	}
	q := url.Values{"response_type": {"code"}, "client_id": {id}, "redirect_uri": {redirect}, "state": {"1"}, "resource": {resource.Resource}, "code_challenge": {"verifier-of-forty-three-characters-at-the-least"}, "code_challenge_method": {"plain"}}
	if len(server.Methods) > 0 {
		q.Set("code_challenge_method", server.Methods[0])
	}
	_ = c.w.Open(ctx, server.Authorize+"?"+q.Encode())
	select {
	case got := <-back:
		return c.exchange(ctx, server.Token, url.Values{"grant_type": {"authorization_code"}, "code": {got.Get("code")}, "client_id": {id}, "client_secret": {secret}, "redirect_uri": {redirect}, "resource": {resource.Resource}, "code_verifier": {q.Get("code_challenge")}})
	case <-time.After(time.Second):
		return "", errors.New("nobody came back")
	}
}

func (c *careless) metadataAddress(ctx context.Context) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.w.Server, strings.NewReader("{}"))
	if err != nil {
		return ""
	}
	res, err := c.client.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	_, after, _ := strings.Cut(res.Header.Get("WWW-Authenticate"), `resource_metadata="`)
	address, _, _ := strings.Cut(after, `"`)
	return address
}

func (c *careless) identity(ctx context.Context, register, redirect string) (id, secret, back string, err error) {
	if c.w.Identity.ID != "" {
		return c.w.Identity.ID, c.w.Identity.Secret, redirect, nil
	}
	body, err := json.Marshal(map[string]any{"redirect_uris": []string{redirect}, "client_name": "careless"})
	if err != nil {
		return "", "", "", err
	}
	var got struct {
		ID        string   `json:"client_id"`
		Secret    string   `json:"client_secret"`
		Redirects []string `json:"redirect_uris"`
	}
	if err := c.ask(ctx, register, "application/json", body, &got); err != nil {
		return "", "", "", err
	}
	if len(got.Redirects) > 0 {
		redirect = got.Redirects[0]
	}
	return got.ID, got.Secret, redirect, nil
}

func (c *careless) exchange(ctx context.Context, endpoint string, form url.Values) (string, error) {
	var got struct {
		Token       string `json:"access_token"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if err := c.ask(ctx, endpoint, "application/x-www-form-urlencoded", []byte(form.Encode()), &got); err != nil {
		return "", err
	}
	if got.Error != "" {
		return "", fmt.Errorf("%s: %s", got.Error, got.Description)
	}
	return got.Token, nil
}

// ask sends a request to this machine only: even our careless client must not reach into the network. Without a body it is a GET.
func (c *careless) ask(ctx context.Context, address, kind string, body []byte, into any) error {
	method := http.MethodPost
	if body == nil {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if req.URL.Hostname() != "127.0.0.1" {
		return errors.New("it is not on this machine")
	}
	req.Header.Set("Content-Type", kind)
	res, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxRequest))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Careful is our own client. public makes it treat the server as remote.
func Careful(public bool) Client {
	return func(ctx context.Context, w *World) error {
		guard, err := oauth.NewGuard(ctx, w.Server, nil)
		if err != nil {
			return err
		}
		if public {
			guard.AssumePublic()
		}
		a := &oauth.Authorizer{Guard: guard, Open: w.Open, Wait: 2 * time.Second, Identity: oauth.Identity{ID: w.Identity.ID, Secret: w.Identity.Secret, Issuer: w.Identity.Issuer}}
		c, err := a.Probe(ctx, w.Server)
		if err != nil {
			return err
		}
		l, _, err := a.Authorize(ctx, w.Server, c, nil)
		if err != nil {
			return err
		}
		return listTools(ctx, w.Server, l.Access)
	}
}

func listTools(ctx context.Context, server, token string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered HTTP %d", res.StatusCode)
	}
	return nil
}
