package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// envClient makes this test program the client that the official suite tests.
const envClient = "GAUNTLET_TEST_CLIENT"

// authScenarios are the scenarios for clients with authorization that apply. Those that do not are
// named, with the reason, in docs/scanning.md: extensions for DPoP, enterprise identity providers and
// workload identities.
var authScenarios = map[string][]string{
	"auth/metadata-default":                     {"2025-11-25", "2026-07-28"},
	"auth/metadata-var1":                        {"2025-11-25", "2026-07-28"},
	"auth/metadata-var2":                        {"2025-11-25", "2026-07-28"},
	"auth/metadata-var3":                        {"2025-11-25", "2026-07-28"},
	"auth/basic-cimd":                           {"2025-11-25", "2026-07-28"},
	"auth/scope-from-www-authenticate":          {"2025-11-25", "2026-07-28"},
	"auth/scope-from-scopes-supported":          {"2025-11-25", "2026-07-28"},
	"auth/scope-omitted-when-undefined":         {"2025-11-25", "2026-07-28"},
	"auth/scope-step-up":                        {"2025-11-25", "2026-07-28"},
	"auth/scope-retry-limit":                    {"2025-11-25", "2026-07-28"},
	"auth/token-endpoint-auth-basic":            {"2025-06-18", "2025-11-25", "2026-07-28"},
	"auth/token-endpoint-auth-post":             {"2025-06-18", "2025-11-25", "2026-07-28"},
	"auth/token-endpoint-auth-none":             {"2025-06-18", "2025-11-25", "2026-07-28"},
	"auth/pre-registration":                     {"2025-11-25", "2026-07-28"},
	"auth/2025-03-26-oauth-metadata-backcompat": {"2025-03-26"},
	"auth/2025-03-26-oauth-endpoint-fallback":   {"2025-03-26"},
	"auth/resource-mismatch":                    {"2026-07-28"},
	"auth/offline-access-scope":                 {"2026-07-28"},
	"auth/offline-access-not-supported":         {"2026-07-28"},
	"auth/authorization-server-migration":       {"2026-07-28"},
	"auth/iss-supported":                        {"2026-07-28"},
	"auth/iss-not-advertised":                   {"2026-07-28"},
	"auth/iss-supported-missing":                {"2026-07-28"},
	"auth/iss-wrong-issuer":                     {"2026-07-28"},
	"auth/iss-unexpected":                       {"2026-07-28"},
	"auth/iss-normalized":                       {"2026-07-28"},
	"auth/metadata-issuer-mismatch":             {"2026-07-28"},
	"auth/client-credentials-jwt":               {""},
	"auth/client-credentials-basic":             {""},
}

func TestMain(m *testing.M) {
	if os.Getenv(envClient) == "conformance" {
		if err := conform(os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestConformanceAuthorization(t *testing.T) {
	suite := peertest.Conformance(t)
	for name, versions := range authScenarios {
		for _, version := range versions {
			t.Run(name+" "+version, func(t *testing.T) {
				args := []string{"client", "--command", os.Args[0], "--scenario", name, "--timeout", "30000"}
				if version != "" {
					args = append(args, "--spec-version", version)
				}
				suite.Run(t, []string{envClient + "=conformance", "GOCOVERDIR=" + t.TempDir(), "GAUNTLET_TEST_STORE=" + filepath.Join(t.TempDir(), "logins.json")}, args...)
			})
		}
	}
}

// conform is the client under test: what a scan with --login does, and a call of every tool.
func conform(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	all := conformanceSessions()
	if strings.Contains(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "client-credentials") { // as a job of CI does
		if _, err := all.LogIn(ctx, url, oauth.ClientCredentials); err != nil {
			return err
		}
	}
	h, err := wire.Dial(wire.Endpoint{URL: url, Login: all.For(url)})
	if err != nil {
		return err
	}
	defer h.Close()
	s, err := mcpclient.Open(ctx, h, mcpclient.Options{Version: "1", Timeout: 20 * time.Second})
	if err != nil {
		return err
	}
	snap := s.Read(ctx)
	var failed error
	for _, raw := range snap.Lists[0].Items {
		var tool struct{ Name string }
		_ = json.Unmarshal([]byte(raw), &tool)
		params, _ := json.Marshal(map[string]any{"name": tool.Name, "arguments": map[string]any{}})
		_, err := s.Call(ctx, "tools/call", string(params))
		failed = errors.Join(failed, err)
	}
	for _, gap := range snap.Errors {
		if !gap.Absent {
			failed = errors.Join(failed, errors.New(gap.Method+": "+gap.Message))
		}
	}
	return failed
}

// conformanceSessions have what a scenario gives its client, and a browser without a person.
func conformanceSessions() *Sessions {
	var given struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		PrivateKey   string `json:"private_key_pem"`
	}
	_ = json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given)
	all := &Sessions{Store: &Store{Path: os.Getenv("GAUNTLET_TEST_STORE"), Place: File}}
	all.Identity = oauth.Identity{ID: given.ClientID, Secret: given.ClientSecret, Key: given.PrivateKey}
	if os.Getenv("MCP_CONFORMANCE_SCENARIO") == "auth/basic-cimd" {
		all.Identity.Document = "https://conformance-test.local/client-metadata.json"
	}
	all.Interactive = func(a *oauth.Authorizer) { a.Open = visit; a.Wait = 5 * time.Second }
	return all
}

// visit is a user who agrees to everything.
func visit(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	return res.Body.Close()
}
