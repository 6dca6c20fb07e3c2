package boundary

import (
	"hash/maphash"
	"math"
	"strings"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// An entry is a value of a message, in document order.
type entry struct {
	value  rawjson.Value
	offset int    // start in the message, in bytes; for values inside a JSON text, the text's start
	end    int    // index after the entries that this one contains
	text   string // of a string
	hash   uint64 // equal values have equal hashes
	// worthy says that a string, or something in the value, is substantial.
	worthy bool
	// role describes what the string's parameter takes if that is dangerous at any length; otherwise "".
	role string
}

// trimmed returns a string without surrounding white space: agents drop the final newline of a file, which leaves the value the same.
func (e *entry) trimmed() string { return strings.TrimSpace(e.text) }

// key stands for a value that is compared as a whole: an array or object by its hash, a short string by itself.
func (e *entry) key() any {
	if e.worthy {
		return e.hash
	}
	return e.trimmed()
}

// A valueSweep lists the values of messages, reusing its memory.
type valueSweep struct {
	seed    maphash.Seed
	least   int // characters of a substantial string
	tree    rawjson.Tree
	entries []entry
	nested  []*rawjson.Tree // of JSON texts in the message
	used    int             // number of nested in use
	roles   map[string]string
}

func newSweep(least int) *valueSweep {
	return &valueSweep{seed: maphash.MakeSeed(), least: least, roles: map[string]string{}}
}

// parseMessage parses a message's text; false if it is not JSON.
func (s *valueSweep) parseMessage(raw string) bool {
	s.entries, s.used = s.entries[:0], 0
	return s.tree.Parse(raw, 0) == nil
}

func (s *valueSweep) messageRoot() rawjson.Value { return s.tree.Root() }

// addValues lists v and all values below, parents first. The text of a JSON array or object contains the values in it:
// MCP asks servers to return structured data as text, too, and agents pass on either.
func (s *valueSweep) addValues(v rawjson.Value) {
	if !v.Exists() {
		return
	}
	first := len(s.entries)
	s.addTree(v, -1, 0)
	s.hashAll(first)
}

// maxNested is the depth to which JSON texts within JSON texts are read.
const maxNested = 2

// addTree lists v and all values below, as part of the string at outer if v comes from its JSON text.
func (s *valueSweep) addTree(v rawjson.Value, outer, depth int) {
	var open []int // entries that contain the next one
	closeUpTo := func(offset int) {
		for len(open) > 0 && offset >= endOf(s.entries[open[len(open)-1]].value) {
			s.entries[open[len(open)-1]].end = len(s.entries)
			open = open[:len(open)-1]
		}
	}
	for w := range v.All() {
		closeUpTo(w.Offset())
		at := len(s.entries)
		e := entry{value: w, offset: w.Offset(), end: at + 1}
		if outer >= 0 {
			e.offset = outer
		}
		switch w.Kind() {
		case rawjson.String:
			e.text = w.Text()
			e.worthy = s.isSubstantial(e.trimmed())
		case rawjson.Array, rawjson.Object:
			open = append(open, at)
		}
		s.entries = append(s.entries, e)
		if depth < maxNested && mayBeJSON(e.text) {
			if tree := s.nestedTree(); tree.Parse(e.text, 0) == nil {
				s.addTree(tree.Root(), e.offset, depth+1)
				s.entries[at].end = len(s.entries)
			}
		}
	}
	closeUpTo(math.MaxInt)
}

// mayBeJSON reports whether a text may be a JSON array or object.
func mayBeJSON(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) > 1 && (text[0] == '{' && text[len(text)-1] == '}' || text[0] == '[' && text[len(text)-1] == ']')
}

func (s *valueSweep) nestedTree() *rawjson.Tree {
	if s.used == len(s.nested) {
		s.nested = append(s.nested, new(rawjson.Tree))
	}
	s.used++
	return s.nested[s.used-1]
}

func endOf(v rawjson.Value) int { return v.Offset() + len(v.Raw()) }

// isSubstantial reports whether a string is long enough to follow.
func (s *valueSweep) isSubstantial(text string) bool {
	if len(text) < s.least {
		return false
	}
	return len(text) >= utf8.UTFMax*s.least || utf8.RuneCountInString(text) >= s.least
}

// hashAll hashes the entries from first on, inner values first, so that each is visited once at any depth. The order of members does not
// matter, that of elements does. A container is worthy if something in it is; others are never compared.
func (s *valueSweep) hashAll(first int) {
	for at := len(s.entries) - 1; at >= first; at-- {
		switch e := &s.entries[at]; e.value.Kind() {
		case rawjson.String:
			e.hash = maphash.String(s.seed, e.trimmed())
		case rawjson.Number:
			e.hash = maphash.String(s.seed, canonicalNumber(e.value)) + 1
		case rawjson.Array, rawjson.Object:
			n := 0
			for i := at + 1; i < e.end; i = s.entries[i].end {
				part := &s.entries[i]
				if k := part.value.Key(); k.Exists() {
					e.hash += mixHashes(maphash.String(s.seed, k.Text()), part.hash)
				} else {
					e.hash = mixHashes(e.hash, part.hash)
				}
				e.worthy = e.worthy || part.worthy
				n++
			}
			e.hash = mixHashes(e.hash, uint64(n)<<8|uint64(e.value.Kind()))
		default:
			e.hash = maphash.String(s.seed, e.value.Raw()) + 2
		}
	}
}

// canonicalNumber formats a number such that equal ones are equal; most already are.
func canonicalNumber(v rawjson.Value) string {
	raw := v.Raw()
	if len(raw) <= 15 && strings.IndexFunc(raw, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
		return raw
	}
	return v.Canonical()
}

func mixHashes(a, b uint64) uint64 {
	a ^= b + 0x9E3779B97F4A7C15 + a<<6 + a>>2
	a *= 0xBF58476D1CE4E5B9
	return a ^ a>>31
}
