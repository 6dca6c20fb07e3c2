package sandbox

import "testing"

// A packet or an address is read within its bounds, and what leads nowhere else is nobody's.
func FuzzParsePacket(f *testing.F) {
	f.Add([]byte("\x45\x00\x00\x24\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x02\x0f\xc6\x33\x64\x07\x80\x00\x27\x0f\x00\x10\x00\x00datagram"))
	f.Add([]byte{2, 0, 0, 80, 127, 0, 0, 1})
	f.Add([]byte("\x01\x00/run/docker.sock\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, ok := parsePacket(b); ok && (d.to.Addr().IsLoopback() || d.network == "udp" && d.to.Port() == 53 || len(d.payload) > len(b)-28) {
			t.Errorf("%x gives %+v", b, d)
		}
		if to, path := parseSockaddr(b); to.IsValid() && path != "" || len(path) > len(b) {
			t.Errorf("%x gives %v and %q", b, to, path)
		}
	})
}
