package proberun

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/oauth"
)

// probeAuthorization sends requests without a token and with those that nobody issued, and fetches the metadata that leads to one.
func (p *httpProber) probeAuthorization(ctx context.Context) {
	for _, x := range []struct{ step, token string }{{"no token", ""}, {"made-up token", "gauntlet-not-issued"}} {
		back := p.as(x.token)
		p.opensAs(ctx, "P11", x.step, nil)
		back()
	}
	at := p.at.Scheme + "://" + p.at.Host + "/.well-known/oauth-protected-resource"
	p.probeTokens(ctx)
	p.record(ctx, probe.Exchange{ID: "P11", Step: "metadata", Effect: probe.Reads, Verb: http.MethodGet}, at)
	p.discoverAuthorization(ctx)
}

// probeTokens tries unsigned and forged tokens, and the token in the URL, if a request without a token is refused.
func (p *httpProber) probeTokens(ctx context.Context) {
	none := p.out.Find("P11", "no token")
	if none == nil || none.Status != http.StatusUnauthorized && none.Status != http.StatusForbidden {
		p.out.Unsent["P12"] = "the server requires no token"
		return
	}
	own := p.Token
	defer p.as("")()
	for _, forged := range forgedTokens(own, p.URL, time.Now()) {
		p.Token = forged.token
		p.opensAs(ctx, "P12", forged.step, nil)
	}
	if own == "" {
		return
	}
	p.Token = ""
	at, query := *p.at, p.at.Query()
	query.Set("access_token", own)
	at.RawQuery = query.Encode()
	p.record(ctx, probe.Exchange{ID: "P12", Step: probing.QueryStep, Effect: probe.Writes, Sent: initialize}, at.String())
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

// wildcardRedirect is a redirect address that no authorization server should register.
const wildcardRedirect = "https://*." + foreign + "/*"

// discoverAuthorization fetches the authorization metadata, as a client would, if the server refused a request without a token or
// accepted ours.
func (p *httpProber) discoverAuthorization(ctx context.Context) {
	refusal := p.out.Find("P11", "no token")
	if refusal == nil || refusal.Status != http.StatusUnauthorized {
		return
	}
	guard, err := oauth.NewGuard(ctx, p.URL, nil)
	if err != nil {
		return
	}
	if p.Inside != nil {
		guard.ConnectThrough(p.Inside.Dial)
	}
	header := http.Header{"Www-Authenticate": {refusal.Answer["Www-Authenticate"]}}
	found, err := oauth.Discover(ctx, guard, p.URL, oauth.ReadChallenge(refusal.Status, header), "")
	a := &probe.Authorization{Server: p.URL, Near: guard.Near(), Refused: true, Challenge: refusal.Answer["Www-Authenticate"], Documents: found.Documents}
	for i := range a.Documents {
		if len(a.Documents[i].Body) > maxDocument {
			a.Documents[i].Body = ""
		}
	}
	if err != nil {
		a.Ended = err.Error()
	}
	if p.Token != "" {
		a.Audience, a.Accepted = oauth.Audience(p.Token), probing.IsResult(p.out.Find("P03", "no origin"))
	}
	p.out.Authorization = a
	p.tryRegistration(ctx, guard, a)
}

// maxDocument bounds the kept part of a document, in bytes. A longer one is kept empty: its beginning is no JSON.
const maxDocument = 64 << 10

// tryRegistration tries to register a client with a stranger's redirect addresses, if the user wants that.
func (p *httpProber) tryRegistration(ctx context.Context, guard *oauth.Guard, a *probe.Authorization) {
	if !p.Register {
		p.out.Unsent["registration"] = "it may leave a client behind: it was not asked for"
		return
	}
	for _, d := range a.Found(probe.ServerMetadata) {
		var m struct {
			Endpoint string `json:"registration_endpoint"`
		}
		if json.Unmarshal([]byte(d.Body), &m) != nil || m.Endpoint == "" {
			continue
		}
		if guard.Allow("registration_endpoint", m.Endpoint) == nil {
			a.Registration = oauth.TryRegistration(ctx, guard, m.Endpoint, []string{wildcardRedirect})
		}
		return
	}
	p.out.Unsent["registration"] = "no metadata names where clients are registered"
}

// burstAtOnce bounds the concurrent requests of a burst.
const burstAtOnce = 8

// probeBurst sends many pings at once, if requested.
func (p *httpProber) probeBurst(ctx context.Context) {
	if p.Burst <= 0 || p.ended {
		return
	}
	p.begin(ctx, initialize)
	b := &probe.Burst{Sent: p.Burst}
	var wg sync.WaitGroup
	var mu sync.Mutex
	turns := make(chan struct{}, p.Burst)
	for range p.Burst {
		turns <- struct{}{}
	}
	close(turns)
	began := time.Now()
	for range min(burstAtOnce, p.Burst) {
		wg.Go(func() {
			for range turns {
				got := p.send(ctx, http.MethodPost, p.URL, burstPing, p.inSession())
				mu.Lock()
				countAnswer(b, &got)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	b.Seconds = time.Since(began).Seconds()
	p.out.Burst = b
}

const burstPing = `{"jsonrpc":"2.0","id":"burst","method":"ping"}`

// countAnswer counts one answer. Only one that mentions a limit counts as limited.
func countAnswer(b *probe.Burst, got *probe.Exchange) {
	if got.Status == 0 {
		return
	}
	b.Answered++
	if got.Status == http.StatusTooManyRequests || got.Status == http.StatusServiceUnavailable && got.Answer["Retry-After"] != "" {
		b.Limited++
	}
}
