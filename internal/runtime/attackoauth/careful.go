package attackoauth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gauntlet/internal/runtime/oauth"
)

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

// listTools uses a token to list the tools.
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
