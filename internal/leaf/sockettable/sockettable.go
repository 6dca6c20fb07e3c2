// Package sockettable parses Linux's socket tables in /proc/net.
package sockettable

import (
	"bufio"
	"encoding/hex"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Files are the TCP tables below a /proc folder.
var Files = []string{"net/tcp", "net/tcp6"}

// listens is the table's state of a listening socket.
const listens = "0A"

// ReadListening returns the listening addresses of a TCP table, in order. Unreadable lines are skipped.
func ReadListening(table io.Reader) (out []netip.AddrPort) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != listens {
			continue
		}
		if at, ok := readSocket(fields[1]); ok {
			out = append(out, at)
		}
	}
	return out
}

// readSocket parses "0100007F:1F90": the address in four-byte words with reversed bytes.
func readSocket(text string) (netip.AddrPort, bool) {
	address, port, ok := strings.Cut(text, ":")
	raw, err := hex.DecodeString(address)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || portErr != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		slices.Reverse(raw[i : i+4])
	}
	a, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), ok
}
