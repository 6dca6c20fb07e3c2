package proberun

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestAddressesAt(t *testing.T) {
	sockets := []netip.AddrPort{netip.MustParseAddrPort("[::]:8080"), netip.MustParseAddrPort("127.0.0.1:8080"), netip.MustParseAddrPort("[::]:8080"), netip.MustParseAddrPort("127.0.0.1:80")}
	for at, want := range map[string]string{"http://localhost:8080/mcp": "127.0.0.1 ::", "http://localhost/": "127.0.0.1", "https://localhost/": ""} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(addressesAt(sockets, u), " "); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}
