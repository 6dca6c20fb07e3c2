package redact

import (
	"encoding/ascii85"
	"math/big"
	"slices"
	"strings"

	"gauntlet/internal/leaf/text"
)

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// Renderings returns what a value looks like in encodings whose runs cannot be told from other text, and are therefore searched for
// instead of being decoded: base 58 and decimal of the value alone, ROT47, and base 85 in its three alphabets, wherever in a longer
// text the value begins. Of base 85 they leave out the digits that hold neighbouring bytes as well, up to seven.
func Renderings(value string) []string {
	out := []string{inDigits(value, base58Digits), inDigits(value, "0123456789"), text.Rot47(value)}
	for skip := range 4 {
		out = append(out, base85(strings.Repeat("x", skip)+value, skip)...)
	}
	return out
}

// base85 returns a value in the alphabets of base 85, without the groups that hold more than it: what stands before it, skip bytes of
// whole, and behind it.
func base85(whole string, skip int) (out []string) {
	raw := make([]byte, ascii85.MaxEncodedLen(len(whole)))
	digits := raw[:ascii85.Encode(raw, []byte(whole[:len(whole)/4*4]))]
	if skip > 0 {
		digits = digits[min(5, len(digits)):]
	}
	for _, alphabet := range text.Alphabets85 {
		out = append(out, strings.Map(func(r rune) rune {
			if r == 'z' { // four zero bytes, abbreviated
				return -1
			}
			return rune(alphabet[r-'!'])
		}, string(digits)))
	}
	return out
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
