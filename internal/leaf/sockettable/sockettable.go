// Package sockettable reads the tables of sockets that Linux keeps in /proc/net.
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

// Files are the tables of TCP, below a folder of /proc.
var Files = []string{"net/tcp", "net/tcp6"}

// listens is the state of a listening socket in the table.
const listens = "0A"

// ReadListening returns the addresses at which somebody listens, in the order of a table of TCP.
// Lines that it cannot read are left out.
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

// readSocket reads "0100007F:1F90": the address in words of four bytes, each backwards.
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
