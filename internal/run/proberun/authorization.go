package proberun

import (
	"context"
	"encoding/json"
	"net/http"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/oauth"
)

// wildcardRedirect is a redirect address that no authorization server should register.
const wildcardRedirect = "https://*." + foreign + "/*"

// discoverAuthorization fetches the authorization metadata, as a client would, if the server refused a request without a token or
// accepted ours.
func (p *prober) discoverAuthorization(ctx context.Context) {
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
		a.Documents[i].Body = clipDocument(a.Documents[i].Body)
	}
	if err != nil {
		a.Ended = err.Error()
	}
	if p.Token != "" {
		a.Audience, a.Accepted = oauth.Audience(p.Token), p.out.Find("P03", "no origin").HasResult()
	}
	p.out.Authorization = a
	p.tryRegistration(ctx, guard, a)
}

// maxDocument bounds the kept part of a document, in bytes. A longer one is kept empty: its beginning is no JSON.
const maxDocument = 64 << 10

func clipDocument(body string) string {
	if len(body) > maxDocument {
		return ""
	}
	return body
}

// tryRegistration tries to register a client with a stranger's redirect addresses, if the user wants that.
func (p *prober) tryRegistration(ctx context.Context, guard *oauth.Guard, a *probe.Authorization) {
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
