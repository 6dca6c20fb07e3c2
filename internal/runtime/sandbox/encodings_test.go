package sandbox

import (
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

func asBits(text, between string) string {
	var out []string
	for i := range len(text) {
		out = append(out, fmt.Sprintf("%08b", text[i]))
	}
	return strings.Join(out, between)
}

func inAscii85(text string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(text)))
	return string(out[:ascii85.Encode(out, []byte(text))])
}

// query writes each piece as a parameter of its own.
func query(pieces []string) string {
	var b strings.Builder
	for i, p := range pieces {
		fmt.Fprintf(&b, "&p%d=%s", i, p)
	}
	return b.String()
}

// heard returns the canaries in the events of what do has sent, but for those of the lookups.
func heard(canaries []Canary, do func(*outlet)) (found []string) {
	r := newRecorder(time.Now, nil)
	do(newOutlet(r.record, r.currentCall, canaries, newNameTable(nil)))
	for _, e := range r.events {
		found = union(found, e.Canaries)
	}
	return found
}

// A canary is found in encodings of another number of digits, and where each parameter of a query holds a part.
func TestUnusualEncodings(t *testing.T) {
	canaries := newCanaries()
	secret := canaries[slices.IndexFunc(canaries, func(c Canary) bool { return c.Name == "dotenv_password" })]
	v, to := secret.Value, netip.MustParseAddrPort("203.0.113.5:9999")
	other := randomOf(alnum, len(v))
	for _, tt := range []struct {
		name string
		text func(value string) string
	}{
		{"ascii85", inAscii85},
		{"ascii85 of more", func(v string) string { return "<~" + inAscii85("PW="+v+"; x=y") + "~>" }},
		{"binary digits", func(v string) string { return "b=" + asBits(v, "") }},
		{"binary digits with spaces", func(v string) string { return asBits(v, " ") }},
		{"a query of pieces", func(v string) string { return "GET /?id=7" + query(inPieces(v, 2)) + " HTTP/1.1" }},
		{"a query of hexadecimal digits", func(v string) string { return "/?" + query(inPieces(hex.EncodeToString([]byte(v)), 1)) }},
		{"JSON of pieces", func(v string) string { return `{"a": "` + v[:9] + `", "b": "` + v[9:18] + `", "c": "` + v[18:] + `"}` }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := heard(canaries, func(o *outlet) { o.datagram("udp", to, []byte(tt.text(v))) })
			if !slices.Equal(found, []string{secret.Name}) {
				t.Errorf("found %q in %q", found, tt.text(v))
			}
			if found := heard(canaries, func(o *outlet) { o.datagram("udp", to, []byte(tt.text(other))) }); found != nil {
				t.Errorf("found %q in another value", found)
			}
		})
	}
}

// Ports that spell a canary are told, and those that an honest client uses are not.
func TestPortsThatSpellACanary(t *testing.T) {
	canaries := newCanaries()
	secret := canaries[slices.IndexFunc(canaries, func(c Canary) bool { return c.Name == "dotenv_password" })]
	v := secret.Value
	bytes := func(port func(i int, c byte) uint16) (out []uint16) {
		for i := range len(v) {
			out = append(out, port(i, v[i]))
		}
		return out
	}
	var pairs, halves, random []uint16
	for i := 0; i+1 < len(v); i += 2 {
		pairs = append(pairs, uint16(v[i])<<8|uint16(v[i+1]))
	}
	for i := range len(v) {
		halves = append(halves, 9000+uint16(v[i]>>4), 9000+uint16(v[i]&15))
	}
	other := randomOf(alnum, 4000)
	for i := range len(other) {
		random = append(random, 1000+uint16(other[i]))
	}
	for _, tt := range []struct {
		name  string
		ports []uint16
		want  bool
	}{
		{"a byte", bytes(func(_ int, c byte) uint16 { return uint16(c) }), true},
		{"a byte above a number", bytes(func(_ int, c byte) uint16 { return 20_123 + uint16(c) }), true},
		{"a byte and its place", bytes(func(i int, c byte) uint16 { return uint16(i)<<8 + uint16(c) }), true},
		{"two bytes", pairs, true},
		{"halves of bytes", halves, true},
		{"a part of it", bytes(func(_ int, c byte) uint16 { return 1000 + uint16(c) })[:10], false},
		{"one port again and again", slices.Repeat([]uint16{443}, 1000), false},
		{"one port after the other", bytes(func(i int, _ byte) uint16 { return 1 + uint16(i) }), false},
		{"other ports", random, false},
	} {
		found := heard(canaries, func(o *outlet) {
			for _, p := range tt.ports {
				o.knock("tcp", netip.AddrPortFrom(netip.MustParseAddr("203.0.113.5"), p))
			}
		})
		if got := slices.Contains(found, secret.Name); got != tt.want || len(found) > 1 {
			t.Errorf("%s: found %q, want %s: %t", tt.name, found, secret.Name, tt.want)
		}
	}
	if found := heard(canaries, func(o *outlet) {
		for _, p := range bytes(func(_ int, c byte) uint16 { return uint16(c) }) {
			for _, host := range []string{"203.0.113.5", "203.0.113.6"} { // each tells all of it
				o.knock("tcp", netip.AddrPortFrom(netip.MustParseAddr(host), p))
			}
		}
	}); !slices.Equal(found, []string{secret.Name}) {
		t.Errorf("two addresses in turn: found %q", found)
	}
}

// Addresses and the ids of lookups are chosen by the server, too.
func TestNumbersBesideWhatIsSent(t *testing.T) {
	canaries := newCanaries()
	secret := canaries[slices.IndexFunc(canaries, func(c Canary) bool { return c.Name == "env_database_password" })]
	for _, tt := range []struct {
		name string
		v    string
		want bool
	}{{"the canary", secret.Value, true}, {"another value", randomOf(alnum, 24), false}, {"a third of it", secret.Value[:8], false}} {
		for way, knock := range map[string]func(o *outlet){
			"addresses": func(o *outlet) {
				for _, c := range []byte(tt.v) {
					o.knock("udp", netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, c}), 4000))
				}
			},
			"addresses of IPv6": func(o *outlet) {
				for i := 0; i+8 <= len(tt.v); i += 8 {
					a := [16]byte{0x20, 1, 0xd, 0xb8}
					copy(a[8:], tt.v[i:])
					o.knock("udp", netip.AddrPortFrom(netip.AddrFrom16(a), 4000))
				}
			},
			"ids of lookups": func(o *outlet) {
				for i := 0; i+2 <= len(tt.v); i += 2 {
					o.spell("udp", netip.MustParseAddrPort("203.0.113.30:53"), ofLookups, "", uint16(tt.v[i])<<8|uint16(tt.v[i+1]))
				}
			},
		} {
			if found := heard(canaries, knock); slices.Contains(found, secret.Name) != tt.want || len(found) > 1 {
				t.Errorf("%s, %s: found %q", way, tt.name, found)
			}
		}
	}
}
