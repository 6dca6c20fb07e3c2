package proberun

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Tokens that nobody signed keep what they say, and another signature is another one.
func TestForgedTokens(t *testing.T) {
	const own = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJ4In0.c2lnbmF0dXJl"
	got := forgedTokens(own, "https://x.example", anyTime)
	if len(got) != 2 || !strings.Contains(got[0].token, ".eyJhdWQiOiJ4In0.") || !strings.HasSuffix(got[0].token, ".") || got[1].token == own || !strings.HasPrefix(got[1].token, "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJ4In0.") {
		t.Errorf("%+v", got)
	}
	made := forgedTokens("opaque", "https://x.example", anyTime)
	claims, _ := readClaims(made[0].token)
	if len(made) != 1 || !strings.Contains(claims, `"aud":"https://x.example"`) {
		t.Errorf("%+v: %s", made, claims)
	}
	if slices.ContainsFunc(got, func(f forgedToken) bool { return f.token == "" }) {
		t.Error("an empty token asks nothing")
	}
}

// anyTime is any time: tokens expire an hour later.
var anyTime = time.Unix(1_800_000_000, 0)
