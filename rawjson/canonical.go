package rawjson

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// canonicalDepth is where Canonical stops looking inside: what is nested deeper counts as
// it was written, so that a hostile text cannot exhaust the stack.
const canonicalDepth = 10_000

// Canonical returns a text that two values share if and only if they mean the same: no
// white space, members sorted by name, strings decoded and escaped in one way, numbers
// in one spelling of their exact decimal value (1, 1.0 and 10e-1 are 1).
//
// It is the form of RFC 8785 for every value that RFC 8785 has one for without loss. Beyond
// that, where the RFC fails or two values would get one text, it differs: a number that no
// double has keeps all its digits, as an integer of up to 21 digits or with an exponent and
// no point; members that repeat all stay, in their order, since parsers differ in which one
// they take; a string that is not well-formed stays as written.
func (v Value) Canonical() string {
	if !v.Exists() {
		return ""
	}
	return string(appendCanonical(nil, v, 0))
}

func appendCanonical(b []byte, v Value, depth int) []byte {
	if depth > canonicalDepth {
		return append(b, v.Raw()...)
	}
	switch v.Kind() {
	case String, key:
		return appendCanonicalString(b, v)
	case Number:
		return appendCanonicalNumber(b, v.Raw())
	case Array:
		b = append(b, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, e, depth+1)
		}
		return append(b, ']')
	case Object:
		type named struct {
			name string
			m    Member
		}
		var ms []named
		for m := range v.Members() {
			ms = append(ms, named{m.Key.Text(), m})
		}
		slices.SortStableFunc(ms, func(a, b named) int { return compareUTF16(a.name, b.name) })
		b = append(b, '{')
		for i, n := range ms {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonicalString(b, n.m.Key)
			b = append(b, ':')
			b = appendCanonical(b, n.m.Value, depth+1)
		}
		return append(b, '}')
	}
	return append(b, v.Raw()...)
}

// compareUTF16 is the order of RFC 8785 section 3.2.3. It differs from that of the bytes
// where one text has a character above U+FFFF: its surrogates sort before U+E000.
func compareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	if i == len(a) || i == len(b) {
		return strings.Compare(a, b)
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if (x > 0xFFFF) != (y > 0xFFFF) { // against each other they sort as they are
		x, y = firstUnit(x), firstUnit(y)
	}
	return cmp.Compare(x, y)
}

// firstUnit returns the first UTF-16 code unit of a character.
func firstUnit(r rune) rune {
	if r > 0xFFFF {
		r, _ = utf16.EncodeRune(r)
	}
	return r
}

// appendCanonicalString escapes what RFC 8785 section 3.2.2.2 escapes.
func appendCanonicalString(b []byte, v Value) []byte {
	if !v.WellFormed() {
		return append(b, v.Raw()...)
	}
	return AppendString(b, v.Text())
}

// maxZeros is how many zeros a canonical number writes before it takes an exponent.
const maxZeros = 20

// appendCanonicalNumber writes a number as RFC 8785 section 3.2.2.3 does if that has the
// same value, and else with all its digits.
func appendCanonicalNumber(b []byte, raw string) []byte {
	negative, digits, exponent, ok := decimal(raw)
	if !ok {
		return append(b, raw...) // nobody means such a number
	}
	if digits == "" {
		return append(b, '0')
	}
	if len(digits) <= 17 { // a double's shortest form has no more
		if f, err := strconv.ParseFloat(raw, 64); err == nil {
			short := formatDouble(f)
			if _, d, e, _ := decimal(short); d == digits && e == exponent {
				return append(b, short...)
			}
		}
	}
	if negative {
		b = append(b, '-')
	}
	b = append(b, digits...)
	if exponent >= 0 && exponent <= maxZeros {
		return append(b, strings.Repeat("0", exponent)...)
	}
	return strconv.AppendInt(append(b, 'e'), int64(exponent), 10)
}

// decimal takes a number apart: its value is digits, as an integer, times ten to
// the exponent. digits has no zero at either end and is empty for zero. It fails for an
// exponent beyond counting.
func decimal(raw string) (negative bool, digits string, exponent int, ok bool) {
	digits, negative = strings.CutPrefix(raw, "-")
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		n, err := strconv.Atoi(digits[i+1:])
		if err != nil || n > 1<<40 || n < -1<<40 {
			return false, "", 0, false
		}
		digits, exponent = digits[:i], n
	}
	if whole, fraction, ok := strings.Cut(digits, "."); ok {
		digits, exponent = whole+fraction, exponent-len(fraction)
	}
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	return negative, short, exponent + len(digits) - len(short), true
}

// formatDouble writes a finite double as ECMAScript's Number.prototype.toString does.
func formatDouble(f float64) string {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(s, "e")
		// Go writes at least two digits of the exponent, ECMAScript as many as it has.
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// A Difference is one place in which two values differ. Old or New is absent where only
// the other has something.
type Difference struct {
	Pointer  string // RFC 6901, from the values compared
	Old, New Value
}

// Differences returns where old and new differ, at most limit places: members by name, in
// the order of new and then those only in old; elements by their place. Values that
// Canonical holds for equal do not differ.
func Differences(old, new Value, limit int) []Difference {
	d := differ{limit: limit}
	d.compareValues(old, new, "", 0)
	return d.out
}

type differ struct {
	limit int
	out   []Difference
}

func (d *differ) compareValues(old, new Value, at string, depth int) {
	if len(d.out) >= d.limit || old.Exists() && new.Exists() && old.Canonical() == new.Canonical() {
		return
	}
	// Each level writes its values out once more: a few levels are what a message can show.
	const levels = 12
	n := len(d.out)
	switch {
	case depth >= levels || old.Kind() != new.Kind():
	case new.Kind() == Object:
		d.compareMembers(old, new, at, depth)
	case new.Kind() == Array:
		d.compareElements(old, new, at, depth)
	}
	if len(d.out) == n && len(d.out) < d.limit { // nothing finer: the whole
		d.out = append(d.out, Difference{at, old, new})
	}
}

func (d *differ) compareMembers(old, new Value, at string, depth int) {
	was, is := memberLists(old), memberLists(new)
	seen := map[string]bool{}
	for _, v := range []Value{new, old} {
		for m := range v.Members() {
			name := m.Key.Text()
			if seen[name] {
				continue
			}
			seen[name] = true
			a, b := was[name], is[name]
			for i := range max(len(a), len(b)) {
				d.comparePair(a, b, i, at+"/"+EscapePointer(name), depth)
			}
		}
	}
}

func (d *differ) compareElements(old, new Value, at string, depth int) {
	var a, b []Value
	for _, e := range old.Elements() {
		a = append(a, e)
	}
	for _, e := range new.Elements() {
		b = append(b, e)
	}
	for i := range max(len(a), len(b)) {
		d.comparePair(a, b, i, at+"/"+strconv.Itoa(i), depth)
	}
}

func (d *differ) comparePair(a, b []Value, i int, at string, depth int) {
	var old, new Value
	if i < len(a) {
		old = a[i]
	}
	if i < len(b) {
		new = b[i]
	}
	d.compareValues(old, new, at, depth+1)
}

func memberLists(v Value) map[string][]Value {
	out := map[string][]Value{}
	for m := range v.Members() {
		name := m.Key.Text()
		out[name] = append(out[name], m.Value)
	}
	return out
}
