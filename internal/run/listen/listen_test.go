package listen

import (
	"net"
	"strings"
	"testing"
)

func TestTCPSaysWhatToDo(t *testing.T) {
	taken, err := TCP(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct{ address, want string }{
		{taken.Addr().String(), "another program already uses this port: name another one, or --listen 127.0.0.1:0 takes a free one"},
		{"8000", "want HOST:PORT such as 127.0.0.1:8000"},
		{"192.0.2.1:0", "192.0.2.1 is not an address of this machine"},
	} {
		ln, err := TCP(t.Context(), tt.address)
		if err == nil {
			ln.Close()
			t.Errorf("%s: no error, want %q", tt.address, tt.want)
			continue
		}
		if want := "--listen " + tt.address + ": " + tt.want; err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}

func TestTCPListens(t *testing.T) {
	ln, err := TCP(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if addr, ok := ln.Addr().(*net.TCPAddr); !ok || addr.Port == 0 || !strings.HasPrefix(addr.String(), "127.0.0.1:") {
		t.Errorf("listens on %s, want a port of 127.0.0.1", ln.Addr())
	}
}
