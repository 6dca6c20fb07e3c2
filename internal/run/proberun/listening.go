package proberun

import (
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"

	"gauntlet/internal/leaf/sockettable"
)

// addressesAt returns the addresses of the sockets that listen at the port of a URL.
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

// ownSockets returns where this machine listens, as Linux tells; nil where that cannot be read.
func ownSockets() (out []netip.AddrPort) {
	for _, file := range sockettable.Files {
		f, err := os.Open("/proc/self/" + file)
		if err != nil {
			continue
		}
		out = append(out, sockettable.ReadListening(f)...)
		_ = f.Close() // it was only read
	}
	return out
}
