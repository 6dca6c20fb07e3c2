// Package hostscope tells from the name or address of a host how near it is, without looking anything up.
package hostscope

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A Scope says from where a host can be reached.
type Scope string

// The scopes. Public is also a name of which nobody knows better.
const (
	Public    Scope = "public"
	Loopback  Scope = "loopback"
	Private   Scope = "private"
	LinkLocal Scope = "link-local" // and unspecified and multicast addresses; services of clouds that hand out credentials
)

var (
	carrierGrade = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
	translated   = netip.MustParsePrefix("64:ff9b::/96")  // IPv4 in IPv6, RFC 6052
	thisNetwork  = netip.MustParsePrefix("0.0.0.0/8")
)

// Of returns the scope of a host. Addresses may be written in every way that programs read: 127.1, 0x7f000001, [::ffff:7f00:1].
func Of(host string) Scope {
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
	case a.IsLoopback(), thisNetwork.Contains(a):
		return Loopback
	case a.IsPrivate(), carrierGrade.Contains(a):
		return Private
	case a.IsLinkLocalUnicast(), a.IsUnspecified(), a.IsMulticast():
		return LinkLocal
	}
	return Public
}

// OfURL is Of the host of an absolute URL, Public where it has none.
func OfURL(address string) Scope {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Public
	}
	return Of(u.Hostname())
}

// parseLegacy reads an IPv4 address of one to four numbers in decimal, octal or hexadecimal, the last of which fills what is left.
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
