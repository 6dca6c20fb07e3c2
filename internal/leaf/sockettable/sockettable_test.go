package sockettable

import (
	"fmt"
	"strings"
	"testing"
)

// socketTable is /proc/net/tcp and tcp6 as Linux writes them, one behind the other.
const socketTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2
   2: 0100007F:1F94 0100007F:A000 01 00000000:00000000 00:00000000 00000000     0        0 3
   3: 00000000000000000000000000000000:1F92 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 0
   4: 00000000000000000000000001000000:1F93 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 0
`

// A connection that is under way (8084) is no socket that listens.
func TestReadListening(t *testing.T) {
	const want = "[127.0.0.1:8080 0.0.0.0:8081 [::]:8082 [::1]:8083]"
	if got := fmt.Sprint(ReadListening(strings.NewReader(socketTable))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A connection with bytes that nobody has acknowledged is unsent; one that is only being made, or that is over, is not.
func TestUnsent(t *testing.T) {
	for line, want := range map[string]bool{
		"2: 0100007F:1F94 0100007F:A000 01 00000000:00000000 00:00000000 00000000 0": false,
		"2: 0100007F:1F94 0100007F:A000 01 00000021:00000000 00:00000000 00000000 0": true,
		"2: 0F02000A:1F94 01640A0A:0050 04 00000001:00000000 01:00000014 00000000 0": true, // FIN_WAIT1
		"2: 0F02000A:1F94 01640A0A:0050 02 00000001:00000000 01:00000014 00000000 0": false,
		"2: 0F02000A:1F94 01640A0A:0050 04":                                          false,
		"1: 00000000:1F91 00000000:0000 0A 00000080:00000000 00:00000000 00000000 0": false,
	} {
		if got := Unsent(strings.NewReader("  sl  local_address\n" + line + "\n")); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

// FuzzReadListening: whatever a table holds, what is read from it are addresses, one a line at most.
func FuzzReadListening(f *testing.F) {
	f.Add(socketTable)
	f.Add("0: 0100007F:1F90 0 0A\n1: 00:1F90 0 0A\n2: zz:1F90 0 0A")
	f.Fuzz(func(t *testing.T, table string) {
		Unsent(strings.NewReader(table))
		got := ReadListening(strings.NewReader(table))
		for _, a := range got {
			if !a.IsValid() {
				t.Fatalf("%v is no address", a)
			}
		}
		if lines := strings.Count(table, "\n") + 1; len(got) > lines {
			t.Fatalf("%d addresses in %d lines", len(got), lines)
		}
	})
}
