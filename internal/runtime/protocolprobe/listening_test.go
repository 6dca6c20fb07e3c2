package protocolprobe

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// socketTable is /proc/net/tcp and tcp6 as Linux writes them, one behind the other.
const socketTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2
   2: 0100007F:1F91 0100007F:A000 01 00000000:00000000 00:00000000 00000000     0        0 3
   3: 00000000000000000000000000000000:1F92 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 0
   4: 00000000000000000000000001000000:1F93 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 0
`

func TestReadListening(t *testing.T) {
	for port, want := range map[uint16]string{8080: "127.0.0.1", 8081: "0.0.0.0", 8082: "::", 8083: "::1", 8084: ""} {
		if got := strings.Join(readListening(strings.NewReader(socketTable), port), " "); got != want {
			t.Errorf("port %d: %q, want %q", port, got, want)
		}
	}
}

// FuzzReadListening: whatever a table holds, what is read from it are addresses.
func FuzzReadListening(f *testing.F) {
	f.Add(socketTable)
	f.Fuzz(func(t *testing.T, table string) {
		for _, a := range readListening(strings.NewReader(table), 8080) {
			if _, err := netip.ParseAddr(a); err != nil {
				t.Fatal(err)
			}
		}
	})
}

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
