package protocolprobe

import (
	"bufio"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// listening returns the addresses on which this machine listens at a port, as Linux tells; nil where
// that cannot be read.
func listening(port string) []string {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil
	}
	var out []string
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		out = append(out, readListening(f, uint16(n))...)
		_ = f.Close()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listens is the state of a listening socket in the table.
const listens = "0A"

// readListening reads a table of sockets as Linux writes it.
func readListening(table io.Reader, port uint16) (out []string) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != listens {
			continue
		}
		if a, p, ok := readSocket(fields[1]); ok && p == port {
			out = append(out, a.String())
		}
	}
	return out
}

// readSocket reads "0100007F:1F90": the address in words of four bytes, each backwards.
func readSocket(text string) (netip.Addr, uint16, bool) {
	address, port, ok := strings.Cut(text, ":")
	raw, err := hex.DecodeString(address)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || portErr != nil || len(raw)%4 != 0 {
		return netip.Addr{}, 0, false
	}
	for i := 0; i < len(raw); i += 4 {
		slices.Reverse(raw[i : i+4])
	}
	a, ok := netip.AddrFromSlice(raw)
	return a.Unmap(), uint16(n), ok
}
