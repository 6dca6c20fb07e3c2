package proberun

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
)

// probeTokens tries unsigned and forged tokens, and the token in the URL, if a request without a token is refused.
func (p *prober) probeTokens(ctx context.Context) {
	none := p.out.Find("P11", "no token")
	if none == nil || none.Status != http.StatusUnauthorized && none.Status != http.StatusForbidden {
		p.out.Unsent["P12"] = "the server requires no token"
		return
	}
	own := p.Token
	defer func() { p.Token = own }()
	for _, forged := range forgedTokens(own, p.URL, time.Now()) {
		p.Token = forged.token
		p.post(ctx, probe.Exchange{ID: "P12", Step: forged.step, Effect: probe.Writes, Sent: initialize})
	}
	if own == "" {
		return
	}
	p.Token = ""
	p.record(ctx, probe.Exchange{ID: "P12", Step: probing.QueryStep, Effect: probe.Writes, Sent: initialize}, http.MethodPost, withQuery(p.URL, "access_token", own), initialize)
}

// A forgedToken is one that no authorization server issued.
type forgedToken struct{ step, token string }

// forgedTokens derives tokens from one the server accepts, or builds them from typical claims.
func forgedTokens(own, audience string, now time.Time) []forgedToken {
	claims, signature := readClaims(own)
	if claims == "" {
		made, _ := json.Marshal(map[string]any{"aud": audience, "sub": "gauntlet", "scope": "mcp", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}) // it cannot fail
		return []forgedToken{{"a token that nobody signed (alg none)", unsigned(string(made))}}
	}
	out := []forgedToken{{"a token that nobody signed (alg none)", unsigned(claims)}}
	if n := len(signature) / 2; n > 0 {
		other := byte('A')
		if signature[n] == other {
			other = 'B'
		}
		head := own[:len(own)-len(signature)]
		out = append(out, forgedToken{"a token with another signature", head + signature[:n] + string(other) + signature[n+1:]})
	}
	return out
}

func unsigned(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode([]byte(claims)) + "."
}

// readClaims returns a JSON Web Token's raw claims and its signature; "" for another token.
func readClaims(token string) (claims, signature string) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || !json.Valid(text) {
		return "", ""
	}
	return string(text), parts[2]
}
