// Package hostscope classifies a host by its name or address, without resolving it.
package hostscope

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A Scope says from where a host is reachable.
type Scope string

// The scopes. Public includes names about which nothing is known.
const (
	Public    Scope = "public"
	Loopback  Scope = "loopback"
	Private   Scope = "private"
	LinkLocal Scope = "link-local" // also unspecified and multicast addresses; includes clouds' credential services
)

var (
	carrierGrade = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	benchmarks   = netip.MustParsePrefix("198.18.0.0/15") // RFC 2544
	reserved     = netip.MustParsePrefix("240.0.0.0/4")
	translated   = netip.MustParsePrefix("64:ff9b::/96") // IPv4 in IPv6, RFC 6052
	thisNetwork  = netip.MustParsePrefix("0.0.0.0/8")
)

// credentialServices are those that clouds have outside of the link-local addresses.
var credentialServices = map[netip.Addr]bool{
	netip.MustParseAddr("100.100.100.200"): true, // Alibaba
	netip.MustParseAddr("192.0.0.192"):     true, // Oracle
	netip.MustParseAddr("fd00:ec2::254"):   true, // AWS, of an instance
	netip.MustParseAddr("fd00:ec2::23"):    true, // AWS, of a pod
	netip.MustParseAddr("fd20:ce::254"):    true, // Google
}

// Of returns a host's scope. Addresses may be in any spelling that programs accept: 127.1, 0x7f000001, [::ffff:7f00:1], and what
// browsers read as one, in full-width digits.
func Of(host string) Scope {
	host = strings.ReplaceAll(norm.NFKC.String(host), "。", ".")
	host = strings.TrimSuffix(strings.Trim(strings.ToLower(host), "[]"), ".")
	for _, local := range []string{"localhost", "localdomain", "ip6-localhost", "ip6-loopback"} {
		if host == local || strings.HasSuffix(host, "."+local) {
			return Loopback
		}
	}
	for _, inner := range []string{".internal", ".local", ".lan", ".intranet", ".corp", ".home.arpa"} {
		if strings.HasSuffix(host, inner) {
			if host == "metadata.google.internal" {
				return LinkLocal
			}
			return Private
		}
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		var ok bool
		if a, ok = parseLegacy(host); !ok {
			return Public
		}
	}
	a = a.Unmap().WithZone("")
	if translated.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case credentialServices[a]:
		return LinkLocal
	case a.IsLoopback(), thisNetwork.Contains(a):
		return Loopback
	case a.IsPrivate(), carrierGrade.Contains(a), benchmarks.Contains(a), reserved.Contains(a):
		return Private
	case a.IsLinkLocalUnicast(), a.IsUnspecified(), a.IsMulticast():
		return LinkLocal
	}
	return Public
}

// OfURL returns the scope of an absolute URL's host, Public if it has none.
func OfURL(address string) Scope {
	u, err := ParseURL(address)
	if err != nil || u.Host == "" {
		return Public
	}
	return Of(u.Hostname())
}

// ParseURL parses an address as browsers do: behind the scheme of one with a host, backslashes are slashes, and of those any number, even
// none, are two. Both http:\\127.0.0.1 and http:/127.0.0.1 are addresses of this machine.
func ParseURL(address string) (*url.URL, error) {
	scheme, rest, found := strings.Cut(address, ":")
	if !found || !withHost[strings.ToLower(scheme)] {
		return url.Parse(address)
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		end = i
	}
	path := strings.TrimLeft(strings.ReplaceAll(rest[:end], `\`, "/"), "/")
	return url.Parse(scheme + "://" + path + rest[end:])
}

var withHost = map[string]bool{"http": true, "https": true, "ws": true, "wss": true, "ftp": true}

// parseLegacy parses an IPv4 address of one to four numbers in decimal, octal or hexadecimal, the last filling the remaining bytes.
func parseLegacy(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var all uint64
	for i, part := range parts {
		base := 10
		switch {
		case strings.HasPrefix(part, "0x"):
			part, base = part[2:], 16
		case len(part) > 1 && part[0] == '0':
			base = 8
		}
		n, err := strconv.ParseUint(part, base, 32)
		last := i == len(parts)-1
		if err != nil || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			all = all<<(8*(5-len(parts))) | n
		} else {
			all = all<<8 | n
		}
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)}), true
}
