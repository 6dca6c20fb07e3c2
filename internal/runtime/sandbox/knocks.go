package sandbox

import (
	"encoding/binary"
	"net/netip"
)

// knocks follow the numbers that a server chooses beside what it sends: the ports that it connects to at one domain, addresses, and the
// ids of lookups. A number may be a byte of a canary, or half of one, beside anything that stays the same or grows evenly by 256, so
// that the steps between numbers are held against those between the bytes of each canary, in 8 bits; or it may be two bytes.
type knocks []track

// A track is a canary as small numbers, and how far the latest ports follow it.
type track struct {
	canary string
	values []byte
	run    []uint16 // by the place in values: how many steps that end there the latest ports made
	last   byte
	least  int // so many steps tell it
	wide   bool
}

// The steps that tell a canary: of bytes, and of halves of bytes, which tell less each.
const (
	leastBytes  = 12
	leastHalves = 32
)

// The numbers that are followed wherever they go.
const (
	ofAddresses = "the addresses"
	ofLookups   = "the ids of lookups"
)

// knock takes the next numbers of a kind, and returns the canaries that they have spelled, each once. host is where they go; "" for
// anywhere.
func (p *puzzle) knock(kind, host string, numbers ...uint16) (found []string) {
	domain := kind + " " + registered(host)
	tracks, known := p.knocks[domain]
	if !known {
		if len(p.knocks) >= maxDomains {
			p.full = true
			clear(p.knocks)
		}
		tracks = newKnocks(p.canaries, host)
		p.knocks[domain] = tracks
	}
	for i := range tracks {
		t := &tracks[i]
		for _, n := range numbers {
			told := t.wide && t.step(byte(n>>8))
			if t.step(byte(n)) || told {
				found = union(found, []string{t.canary})
			}
		}
	}
	return found
}

// chosenIn are the numbers in an address that its owner chooses: the last two bytes, of IPv6 the last eight.
func chosenIn(a netip.Addr) (out []uint16) {
	b := a.AsSlice()
	from := len(b) - 2
	if a.Is6() {
		from = len(b) / 2
	}
	for ; from >= 0 && from < len(b); from += 2 {
		out = append(out, binary.BigEndian.Uint16(b[from:]))
	}
	return out
}

// newKnocks makes the tracks of the canaries that do not belong to a host.
func newKnocks(canaries []Canary, host string) (out knocks) {
	for i := range canaries {
		c := &canaries[i]
		if len(c.Value) <= leastBytes || c.BelongsTo(host) {
			continue
		}
		v := []byte(c.Value)
		var halves []byte
		for _, b := range v {
			halves = append(halves, b>>4, b&15)
		}
		out = append(out, newTrack(c.Name, v, leastBytes, false), newTrack(c.Name, v, leastBytes, true), newTrack(c.Name, halves, leastHalves, false))
	}
	return out
}

func newTrack(canary string, values []byte, least int, wide bool) track {
	return track{canary: canary, values: values, run: make([]uint16, len(values)), least: least, wide: wide}
}

// step takes the next number, and reports whether it is the one that tells the canary, which is then followed no more.
func (t *track) step(b byte) bool {
	step := b - t.last
	t.last = b
	told := false
	for at := len(t.values) - 1; at > 0; at-- {
		if t.values[at]-t.values[at-1] != step {
			t.run[at] = 0
		} else if t.run[at] = t.run[at-1] + 1; int(t.run[at]) >= t.least {
			told = true
		}
	}
	if told {
		t.values = nil
	}
	return told
}
