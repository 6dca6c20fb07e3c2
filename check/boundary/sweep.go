package boundary

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// An entry is one value of a message, in document order.
type entry struct {
	value rawjson.Value
	end   int    // the entry behind what this one holds
	text  string // of a string
	hash  uint64 // equal values have equal hashes
	// worthy says that a string is substantial, or that something in the value is.
	worthy bool
}

// sweep lists the values of messages. Its memory is used again for the next one.
type sweep struct {
	seed    maphash.Seed
	least   int // characters that make a string substantial
	tree    rawjson.Tree
	entries []entry
	open    []int // entries that hold the next one
}

func newSweep(least int) *sweep { return &sweep{seed: maphash.MakeSeed(), least: least} }

// parse reads a message's text; false where it is no JSON.
func (s *sweep) parse(raw string) bool {
	s.entries = s.entries[:0]
	return s.tree.Parse(raw, 0) == nil
}

// root returns the whole message that was parsed last.
func (s *sweep) root() rawjson.Value { return s.tree.Root() }

// add lists v and all below it. Parents stand before what they hold.
func (s *sweep) add(v rawjson.Value) {
	if !v.Exists() {
		return
	}
	first := len(s.entries)
	s.open = s.open[:0]
	for w := range v.All() {
		for len(s.open) > 0 && w.Offset() >= endOf(s.entries[s.open[len(s.open)-1]].value) {
			s.close()
		}
		e := entry{value: w}
		switch w.Kind() {
		case rawjson.String:
			e.text = w.Text()
			e.worthy = s.substantial(e.text)
		case rawjson.Array, rawjson.Object:
			s.open = append(s.open, len(s.entries))
		}
		e.end = len(s.entries) + 1
		s.entries = append(s.entries, e)
	}
	for len(s.open) > 0 {
		s.close()
	}
	s.hashAll(first)
}

func (s *sweep) close() {
	top := len(s.open) - 1
	s.entries[s.open[top]].end = len(s.entries)
	s.open = s.open[:top]
}

func endOf(v rawjson.Value) int { return v.Offset() + len(v.Raw()) }

// substantial reports whether a string is long enough to be followed.
func (s *sweep) substantial(text string) bool {
	if len(text) < s.least {
		return false
	}
	return len(text) >= utf8.UTFMax*s.least || utf8.RuneCountInString(text) >= s.least
}

// hashAll hashes the entries from first on, what is held before what holds it, so that each
// is looked at once however deep it stands.
func (s *sweep) hashAll(first int) {
	for i := len(s.entries) - 1; i >= first; i-- {
		e := &s.entries[i]
		switch e.value.Kind() {
		case rawjson.String:
			if e.worthy { // the others are hashed when something worthy stands beside them
				e.hash = maphash.String(s.seed, e.text)
			}
		case rawjson.Array, rawjson.Object:
			s.hashContainer(i)
		}
	}
}

// hashContainer hashes an array or object with something worthy in it; others are never
// compared. Members count in any order, elements in theirs.
func (s *sweep) hashContainer(at int) {
	e := &s.entries[at]
	for i := at + 1; i < e.end; i = s.entries[i].end {
		if s.entries[i].worthy {
			e.worthy = true
			break
		}
	}
	if !e.worthy {
		return
	}
	var h uint64
	n := 0
	for i := at + 1; i < e.end; i = s.entries[i].end {
		part := s.hashOf(i)
		if k := s.entries[i].value.Key(); k.Exists() {
			h += mix(maphash.String(s.seed, k.Text()), part)
		} else {
			h = mix(h, part)
		}
		n++
	}
	e.hash = mix(h, uint64(n)<<8|uint64(e.value.Kind()))
}

// hashOf hashes an entry of any sort. What holds nothing worthy is written out: it is looked
// at again for nobody but the value around it.
func (s *sweep) hashOf(i int) uint64 {
	e := &s.entries[i]
	if e.hash == 0 {
		switch e.value.Kind() {
		case rawjson.String:
			e.hash = maphash.String(s.seed, e.text)
		case rawjson.Number:
			e.hash = maphash.String(s.seed, number(e.value)) + 1
		default:
			e.hash = maphash.String(s.seed, e.value.Canonical()) + 2
		}
	}
	return e.hash
}

// number writes a number so that equal ones are written alike; most are already.
func number(v rawjson.Value) string {
	raw := v.Raw()
	if len(raw) <= 15 && strings.IndexFunc(raw, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
		return raw
	}
	return v.Canonical()
}

func mix(a, b uint64) uint64 {
	a ^= b + 0x9E3779B97F4A7C15 + a<<6 + a>>2
	a *= 0xBF58476D1CE4E5B9
	return a ^ a>>31
}
