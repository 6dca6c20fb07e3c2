package proberun

import (
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"

	"gauntlet/internal/leaf/sockettable"
)

// addressesAt returns the addresses of sockets listening on a URL's port.
func addressesAt(sockets []netip.AddrPort, u *url.URL) []string {
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range sockets {
		if s.Port() == uint16(port) {
			out = append(out, s.Addr().String())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ownSockets returns this machine's listening sockets on Linux; nil if they cannot be read.
func ownSockets() (out []netip.AddrPort) {
	for _, file := range sockettable.Files {
		f, err := os.Open("/proc/self/" + file)
		if err != nil {
			continue
		}
		out = append(out, sockettable.ReadListening(f)...)
		_ = f.Close() // opened for reading only
	}
	return out
}

// portOf returns a URL's port, or its scheme's default.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
