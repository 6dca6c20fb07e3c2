package sandbox

import (
	"encoding/ascii85"
	"math/big"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// The digits of encodings that have more of them than base 64, or that write a whole value as one number.
const (
	base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base85Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	z85Digits    = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
)

// base85Forms are a text in the alphabets of base 85, without the groups that hold more than the text: what stands before it, skip
// bytes, and behind it.
func base85Forms(text string, skip int) []string {
	whole := len(text) / 4 * 4
	raw := make([]byte, ascii85.MaxEncodedLen(whole))
	out := string(raw[:ascii85.Encode(raw, []byte(text[:whole]))])
	if skip > 0 {
		out = out[5:]
	}
	in := func(digits string) string {
		return strings.Map(func(r rune) rune { return rune(digits[r-'!']) }, out)
	}
	return []string{out, in(base85Digits), in(z85Digits)}
}

// inDigits is a value as one number.
func inDigits(value, digits string) string {
	n, base, digit := new(big.Int).SetBytes([]byte(value)), big.NewInt(int64(len(digits))), new(big.Int)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		out = append(out, digits[digit.Int64()])
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return string(out)
}

// joinedValues joins what stands behind the names of a query, a form or a header: "?a=gh&b=p_".
func joinedValues(text string) string {
	var b strings.Builder
	for rest := text; ; {
		i := strings.IndexAny(rest, "=:")
		if i < 0 {
			return b.String()
		}
		rest = strings.TrimLeft(rest[i+1:], " \"'")
		end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) && r != '_' && r != '-' && r != '.' })
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
}

// binaryDigits matches bytes in binary digits, with or without something between them.
var binaryDigits = lazyregexp.New(`[01](?:[ ,]?[01]){63,}`)

// bitsOf reads the binary digits of a text as bytes.
func bitsOf(text string) string {
	var out []byte
	for _, run := range binaryDigits.FindAllString(text, -1) {
		n, b := 0, byte(0)
		for i := range len(run) {
			if c := run[i]; c == '0' || c == '1' {
				b = b<<1 | c&1
				if n++; n%8 == 0 {
					out = append(out, b)
				}
			}
		}
		out = append(out, ' ')
	}
	return string(out)
}
