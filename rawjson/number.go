package rawjson

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// maxExponent stands for every exponent that decimal cannot count: such a number is larger, or closer to zero, than all others.
const maxExponent = 1 << 60

// CompareNumbers compares two numbers by exact decimal value, however they are spelled: 1, 1.0 and 10e-1 are equal, and
// no digit is lost to floating point. ok is false if either is not a number.
func CompareNumbers(a, b Value) (order int, ok bool) {
	if a.Kind() != Number || b.Kind() != Number {
		return 0, false
	}
	x, y := a.Raw(), b.Raw()
	if x == y {
		return 0, true
	}
	// Up to 18 plain digits fit an int64, which covers nearly all numbers.
	if m, ok := smallInt(x); ok {
		if n, ok := smallInt(y); ok {
			return cmp.Compare(m, n), true
		}
	}
	return readMagnitude(x).compareMagnitude(readMagnitude(y)), true
}

func smallInt(raw string) (int64, bool) {
	if len(raw) > 18 || strings.ContainsAny(raw, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	return n, err == nil
}

// A magnitude is 0.DIGITS times ten to the power of point, without zeros at either end. Zero has no digits.
type magnitude struct {
	negative bool
	digits   string
	point    int
}

func readMagnitude(raw string) magnitude {
	negative, digits, exponent, ok := decimal(raw)
	if !ok { // exponent beyond counting: only its sign matters
		i := strings.IndexAny(raw, "eE")
		negative, digits, _, _ = decimal(raw[:i])
		exponent = maxExponent
		if raw[i+1] == '-' {
			exponent = -maxExponent
		}
	}
	if digits == "" {
		return magnitude{}
	}
	return magnitude{negative, digits, len(digits) + exponent}
}

func (d magnitude) compareMagnitude(e magnitude) int {
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

func (d magnitude) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// WholeNumber returns the digits of a whole number below 2^53 given as a number in any spelling or as a string with one: 7 for `7`, `7.0`
// and `"7"`, also with white space in it. ok is false for other tokens. MCP SDKs read the ids of answers like this, with Number or int,
// since many servers return them with another type.
func WholeNumber(token string) (digits string, ok bool) {
	const longest = 64
	if len(token) > longest {
		return "", false
	}
	if text := UnquoteString(token); text != "" {
		token = strings.TrimSpace(text)
	}
	for i := range len(token) {
		if c := token[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return "", false // ParseFloat also accepts hexadecimal, underscores and names
		}
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return "", false
	}
	return strconv.FormatInt(int64(f), 10), true
}
