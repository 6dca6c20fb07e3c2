package rawjson

import (
	"cmp"
	"strconv"
	"strings"
)

// maxExponent bounds the decimal exponent that CompareNumbers tells apart. What lies
// beyond is as large, or as small, as anything a JSON text can mean.
const maxExponent = 1 << 40

// CompareNumbers compares two numbers by their exact decimal value, however they are
// spelt: 1, 1.0 and 10e-1 are equal, and no digit is lost to a floating point type. ok is
// false if either is not a number.
func CompareNumbers(a, b Value) (order int, ok bool) {
	if a.Kind() != Number || b.Kind() != Number {
		return 0, false
	}
	x, y := a.Raw(), b.Raw()
	if x == y {
		return 0, true
	}
	// Up to 18 plain digits fit an int64; nearly all numbers are such.
	if m, ok := smallInt(x); ok {
		if n, ok := smallInt(y); ok {
			return cmp.Compare(m, n), true
		}
	}
	return readDecimal(x).compare(readDecimal(y)), true
}

func smallInt(raw string) (int64, bool) {
	if len(raw) > 18 || strings.ContainsAny(raw, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	return n, err == nil
}

// A decimal is 0.DIGITS times ten to the power of point, without zeros at either end of
// the digits. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	point    int
}

func readDecimal(raw string) decimal {
	digits, negative := strings.CutPrefix(raw, "-")
	exponent := 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		exponent = readExponent(digits[i+1:])
		digits = digits[:i]
	}
	if whole, fraction, ok := strings.Cut(digits, "."); ok {
		digits, exponent = whole+fraction, exponent-len(fraction)
	}
	point := len(digits) + exponent
	short := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(short)
	short = strings.TrimRight(short, "0")
	if short == "" {
		return decimal{}
	}
	return decimal{negative, short, point}
}

// readExponent reads the digits behind the e. An exponent out of range saturates.
func readExponent(s string) int {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil { // only its size can be wrong
		n = maxExponent
		if s[0] == '-' {
			n = -maxExponent
		}
	}
	return int(min(max(n, -maxExponent), maxExponent))
}

func (d decimal) compare(e decimal) int {
	switch {
	case d.sign() != e.sign():
		return cmp.Compare(d.sign(), e.sign())
	case d.negative:
		d, e = e, d
	}
	if c := cmp.Compare(d.point, e.point); c != 0 {
		return c
	}
	return strings.Compare(d.digits, e.digits)
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}
