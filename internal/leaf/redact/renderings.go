package redact

import (
	"encoding/ascii85"
	"math/big"
	"slices"
	"strings"
)

// The digits of encodings that have more of them than base 64, or that write a whole value as one number.
const (
	base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base85Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	z85Digits    = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
)

// Renderings returns what a value looks like in encodings whose runs cannot be told from other text, and are therefore searched for
// instead of being decoded: base 58 and decimal of the value alone, ROT47, and base 85 in its three alphabets, wherever in a longer
// text the value begins. Of base 85 they leave out the digits that hold neighbouring bytes as well, up to seven.
func Renderings(value string) []string {
	out := []string{inDigits(value, base58Digits), inDigits(value, "0123456789"), rot47(value)}
	for skip := range 4 {
		out = append(out, base85(strings.Repeat("x", skip)+value, skip)...)
	}
	return out
}

// base85 returns a text in the alphabets of base 85, without the groups that hold more than the text: what stands before it, skip
// bytes, and behind it.
func base85(text string, skip int) []string {
	whole := len(text) / 4 * 4
	raw := make([]byte, ascii85.MaxEncodedLen(whole))
	out := string(raw[:ascii85.Encode(raw, []byte(text[:whole]))])
	if skip > 0 {
		out = out[min(5, len(out)):]
	}
	in := func(digits string) string {
		return strings.Map(func(r rune) rune {
			if r == 'z' { // four zero bytes, which have an abbreviation only there
				return -1
			}
			return rune(digits[r-'!'])
		}, out)
	}
	return []string{out, in(base85Digits), in(z85Digits)}
}

// inDigits returns a value as one number.
func inDigits(value, digits string) string {
	n, base, digit := new(big.Int).SetBytes([]byte(value)), big.NewInt(int64(len(digits))), new(big.Int)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		out = append(out, digits[digit.Int64()])
	}
	slices.Reverse(out)
	return string(out)
}

// rot47 returns a text with every visible ASCII character turned by half of them.
func rot47(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7F {
			return '!' + (r-'!'+47)%94
		}
		return r
	}, s)
}
