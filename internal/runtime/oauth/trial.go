package oauth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"gauntlet/internal/leaf/probe"
)

// TryRegistration tries to register a client with a stranger's redirect addresses, and deletes it if the server supports that (RFC
// 7592). The guard must allow the endpoint.
func TryRegistration(ctx context.Context, g *Guard, endpoint string, redirects []string) *probe.Registration {
	out := &probe.Registration{Asked: redirects}
	body, err := json.Marshal(map[string]any{"redirect_uris": redirects, "client_name": "gauntlet probe", "token_endpoint_auth_method": "none", "grant_types": []string{"authorization_code"}, "response_types": []string{"code"}})
	if err != nil {
		return out
	}
	var got struct {
		ID        string   `json:"client_id"`
		Redirects []string `json:"redirect_uris"`
		At        string   `json:"registration_client_uri"`
		Token     string   `json:"registration_access_token"`
	}
	out.Status = g.ask(ctx, http.MethodPost, endpoint, "", body, &got)
	if out.Status/100 != 2 || got.ID == "" {
		return out
	}
	out.Registered = got.Redirects
	if got.Redirects == nil {
		out.Registered = redirects // RFC 7591, 3.2.1: silence means as requested
	}
	if got.At != "" && headerValue(got.Token) {
		out.Removed = g.ask(ctx, http.MethodDelete, got.At, got.Token, nil, nil)/100 == 2
	}
	return out
}

// ask makes one request and returns the response's status, 0 if none.
func (g *Guard) ask(ctx context.Context, method, address, token string, body []byte, into any) int {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := g.client().Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err == nil && into != nil {
		_ = json.Unmarshal(text, into) // an unreadable body says nothing
	}
	return res.StatusCode
}

// Audience returns a token's aud claim (RFC 7519), or nil if it cannot be read. Nothing is verified: that is the server's job.
func Audience(token string) []string {
	parts := strings.Split(token, ".")
	if len(token) > longestToken || len(parts) != 3 {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return nil
	}
	var claims struct {
		Audience json.RawMessage `json:"aud"`
	}
	if json.Unmarshal(text, &claims) != nil {
		return nil
	}
	var one string
	if json.Unmarshal(claims.Audience, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(claims.Audience, &many) != nil {
		return nil
	}
	return many
}
