package rawjson

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// canonicalDepth is the depth below which Canonical and its like keep values as written, so that a hostile text cannot exhaust the stack.
const canonicalDepth = 10_000

// Canonical returns a text that is equal for two values if and only if they mean the same: no white space, members
// sorted by name, strings escaped uniformly, numbers spelled by their exact decimal value (1, 1.0 and 10e-1 are 1).
//
// It is the form of RFC 8785 wherever that is lossless. Where the RFC fails or would give two values one text, it differs:
// a number that is no double keeps all digits, as an integer of up to 21 digits or with an exponent and no point; duplicate
// members all stay, in order, since parsers differ in which one they take; an ill-formed string stays as written.
func (v Value) Canonical() string {
	if !v.Exists() {
		return ""
	}
	return string(canonical.appendValue(make([]byte, 0, len(v.Raw())), v, 0))
}

// compareUTF16 is the order of RFC 8785 section 3.2.3. It differs from byte order for a character above U+FFFF, whose
// surrogates sort before U+E000.
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
	if (x > 0xFFFF) != (y > 0xFFFF) { // two of the same size sort as they are
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

// appendCanonicalString appends a string with the escapes of RFC 8785 section 3.2.2.2.
func appendCanonicalString(b []byte, v Value) []byte {
	if !v.WellFormed() {
		return append(b, v.Raw()...)
	}
	return AppendString(b, v.Text())
}

// maxZeros is the number of zeros that a canonical number has before it needs an exponent.
const maxZeros = 20

// appendCanonicalNumber formats a number as in RFC 8785 section 3.2.2.3 if that is lossless, otherwise with all its digits.
func appendCanonicalNumber(b []byte, raw string) []byte {
	negative, digits, exponent, ok := decimal(raw)
	if !ok {
		return append(b, raw...) // an exponent beyond counting
	}
	if digits == "" {
		return append(b, '0')
	}
	if len(digits) <= 17 { // the maximum for a double's shortest form
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

// decimal splits a number into an integer digits and a power of ten. digits has no zero at either end and is empty for
// zero. ok is false for an exponent beyond counting.
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

// formatDouble formats a finite double like ECMAScript's Number.prototype.toString.
func formatDouble(f float64) string {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(s, "e")
		// Go writes at least two exponent digits, ECMAScript only as many as needed.
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// A Difference is a place where two values differ. Old or New is absent if only the other has a value.
type Difference struct {
	Pointer  string // RFC 6901, relative to the compared values
	Old, New Value
}

// Differences returns at most limit places where old and new differ: members by name, in the order of new and then
// those only in old; elements by index. Values with equal Canonical do not differ.
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
	// Each level writes its values out again; a message can show only a few levels.
	const levels = 12
	n := len(d.out)
	switch {
	case depth >= levels || old.Kind() != new.Kind():
	case new.Kind() == Object:
		d.compareMembers(old, new, at, depth)
	case new.Kind() == Array:
		d.compareElements(old, new, at, depth)
	}
	if len(d.out) == n && len(d.out) < d.limit { // no finer place: the whole
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
