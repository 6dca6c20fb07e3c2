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

// Unsent reports whether a TCP table has a connection that is made and whose other end has not acknowledged everything, its end
// included.
func Unsent(table io.Reader) bool {
	const synSent, synReceived, timeWait = "02", "03", "06"
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 || slices.Contains([]string{listens, synSent, synReceived, timeWait}, fields[3]) {
			continue
		}
		queue, _, ok := strings.Cut(fields[4], ":")
		if n, err := strconv.ParseUint(queue, 16, 64); ok && err == nil && n > 0 {
			return true
		}
	}
	return false
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
