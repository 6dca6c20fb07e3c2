package sandbox

import (
	"net/netip"
	"testing"
	"time"
)

// A packet or an address is read within its bounds, and one that is no TCP is recorded or one that kernels make.
func FuzzParsePacket(f *testing.F) {
	f.Add([]byte("\x45\x00\x00\x24\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x02\x0f\xc6\x33\x64\x07\x80\x00\x27\x0f\x00\x10\x00\x00datagram"))
	f.Add([]byte("\x46\x00\x00\x28\x00\x00\x00\x00\x01\x02\x00\x00\x0a\x00\x02\x0f\xe0\x00\x00\x16\x94\x04\x00\x00\x22\x00\x00\x00\x00\x00\x00\x01\x04\x00\x00\x00\xef\x01\x02\x03"))
	f.Add([]byte("\x60\x00\x00\x00\x00\x10\x2c\x40fd42000000000015fd420000000000ff\x11\x00\x00\x01\x00\x00\x00\x01\x80\x00\x27\x0f\x00\x08\x00\x00"))
	f.Add([]byte{2, 0, 0, 80, 127, 0, 0, 1})
	f.Add([]byte("\x01\x00/run/docker.sock\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := parsePacket(b)
		if len(p.body)+len(p.options) > len(b) {
			t.Errorf("%x gives %+v", b, p)
		}
		r := newRecorder(time.Now, nil)
		answers := 0
		all := packets{out: newOutlet(r.record, r.currentCall, nil, newNameTable(nil)), parts: map[uint32]*packet{}, answer: func(_ uint8, from, to netip.AddrPort, _ []byte) { answers++ }, begun: func(_, _ netip.AddrPort) {}, said: func(_, _ netip.AddrPort, _ []byte) {}}
		tcp := all.take(b)
		if events := len(r.since(1)); !ok && (tcp || events != 1) || tcp && p.options == nil && events > 0 || answers > 1 {
			t.Errorf("%x: read %t, TCP %t, %d events, %d answers", b, ok, tcp, events, answers)
		}
		if path := parseSockaddr(b); len(path) > len(b) {
			t.Errorf("%x gives %q", b, path)
		}
	})
}
