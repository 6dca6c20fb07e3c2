package yamltext

import (
	"math/big"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// The core schema of YAML 1.2 (10.3.2) for plain scalars, without YAML 1.1: yes and dates are strings, as is 1_000, and 0777 is a
// decimal number.
var (
	coreNull  = lazyregexp.New(`^(?:null|Null|NULL|~|)$`)
	coreBool  = lazyregexp.New(`^(?:true|True|TRUE|false|False|FALSE)$`)
	coreInt   = lazyregexp.New(`^[-+]?[0-9]+$`)
	coreOct   = lazyregexp.New(`^0o[0-7]+$`)
	coreHex   = lazyregexp.New(`^0x[0-9a-fA-F]+$`)
	coreFloat = lazyregexp.New(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	coreInfin = lazyregexp.New(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// Core returns the JSON text of a plain scalar that is no string, and whether it is one. A number keeps its digits as far as JSON
// allows. infinite is set for a number that JSON cannot express.
func Core(s string) (json string, ok, infinite bool) {
	if !mayBeCore(s) {
		return "", false, false
	}
	switch {
	case coreNull.MatchString(s):
		return "null", true, false
	case coreBool.MatchString(s):
		return strings.ToLower(s), true, false
	case coreInt.MatchString(s):
		return decimal(s), true, false
	case coreOct.MatchString(s):
		return based(s[2:], 8), true, false
	case coreHex.MatchString(s):
		return based(s[2:], 16), true, false
	case coreFloat.MatchString(s):
		return float(s), true, false
	case coreInfin.MatchString(s):
		return "null", true, true
	}
	return "", false, false
}

// mayBeCore excludes most strings by their first character.
func mayBeCore(s string) bool { return s == "" || strings.IndexByte("0123456789+-.~nNtTfF", s[0]) >= 0 }

// decimal writes an integer as in JSON: no plus, no leading zeros.
func decimal(s string) string {
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		sign, s = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		s = "0"
	}
	return sign + s
}

func based(digits string, base int) string {
	n, _ := new(big.Int).SetString(digits, base) // the regexp has checked the digits
	return n.String()
}

// float writes a number with a point or an exponent as in JSON: digits on both sides of the point.
func float(s string) string {
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i:]
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	if whole == "" || whole == "-" || whole == "+" {
		whole += "0"
	}
	if mantissa = decimal(whole); point {
		if fraction == "" {
			fraction = "0"
		}
		mantissa += "." + fraction
	}
	return mantissa + exponent
}
