package redact

import (
	"encoding/ascii85"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"gauntlet/internal/leaf/text"
	"gauntlet/rawjson"
)

const (
	// shortestPart is the length in bytes below which part of a value, such as a line, is not a secret by itself.
	shortestPart = 16
	// shortestBent is the length below which a value is not searched backwards, in ROT13 or ignoring case: honest texts contain
	// such forms of short words.
	shortestBent = 8
)

func secretParts(value string) []string {
	out := []string{value, strings.TrimSpace(value)}
	if scheme, rest, ok := strings.Cut(strings.TrimSpace(value), " "); ok && slices.Contains(authSchemes, strings.ToLower(scheme)) {
		rest = strings.TrimSpace(rest)
		out = append(out, rest)
		if user, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(user), ":")
			out = append(out, password)
		}
	}
	if strings.ContainsAny(value, "\r\n") {
		out = append(out, secretLines(value)...)
	}
	if strings.Contains(value, "://") {
		for _, s := range URLSecrets(value) {
			if _, v, _ := strings.Cut(s, "="); len(v) >= shortestBent {
				out = append(out, v)
			}
		}
	}
	if strings.HasPrefix(strings.TrimSpace(value), "{") {
		for v := range rawjson.Read(value).All() {
			if text := v.Text(); v.Kind() == rawjson.String && len(text) >= shortestPart && strings.ContainsAny(text, "0123456789") {
				out = append(append(out, text), secretLines(text)...)
			}
		}
	}
	return out
}

func secretLines(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= shortestPart {
			out = append(out, line)
		}
	}
	return out
}

// authSchemes are the words before the secret in headers such as Authorization.
var authSchemes = []string{"bearer", "basic", "token", "apikey", "key", "digest"}

// plainForms returns the forms of a value that are searched byte by byte: unchanged, as it decodes itself (texts are compared
// decoded, and the value may contain what looks like an escape), backwards, and in ROT13.
func plainForms(value string) []string {
	out := []string{value}
	for v := newView(value); len(out) <= maxEscapes; {
		next, changed := v.decodeEscapes()
		if !changed {
			break
		}
		if v = next; len(v.text) >= Shortest {
			out = append(out, string(v.text))
		}
	}
	if len(value) >= shortestBent {
		// A value encoded first and then reversed decodes to nothing: both go by their letters.
		out = append(out, text.Backwards(value), text.Backwards(hex.EncodeToString([]byte(value))), text.Backwards(base64.RawStdEncoding.EncodeToString([]byte(value))))
		if r := text.Rot13(value); r != value {
			out = append(out, r)
		}
		out = slices.DeleteFunc(append(out, Renderings(value)...), func(form string) bool { return len(form) < shortestBent })
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// letterForms returns a value's letters and digits, forwards and backwards; nil if they are too few or too ordinary to distinguish
// from prose.
func letterForms(value string) []string {
	whole := newView(value)
	v := whole.squeeze()
	letters := string(v.text)
	digit := strings.ContainsAny(letters, "0123456789")
	letter := strings.ContainsFunc(letters, func(r rune) bool { return r > '9' })
	if n := len(letters); n < 10 || n < 16 && !(digit && letter) {
		return nil
	}
	return []string{letters, text.Backwards(letters)}
}

// URLSecrets returns the possible secrets of a URL as NAME=VALUE: the password, or a user name without one; query values long
// enough to be keys; path segments that look like keys. It returns nil for what is no URL.
func URLSecrets(text string) []string {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var out []string
	if user := u.User; user != nil {
		password, has := user.Password()
		if !has {
			password = user.Username()
		}
		out = append(out, "password="+password)
	}
	return append(append(out, QuerySecrets(u)...), PathSecrets(u)...)
}

// QuerySecrets returns, as NAME=VALUE, the query values that are long enough to be keys, which many servers take there, or named
// like credentials.
func QuerySecrets(u *url.URL) (out []string) {
	for name, values := range u.Query() {
		for _, v := range values {
			if len(v) >= shortestPart || len(v) >= shortestBent && CredentialName(name) {
				out = append(out, name+"="+v)
			}
		}
	}
	slices.Sort(out)
	return out
}

// PathSecrets returns, as path=VALUE, path segments that look like keys: some servers give every user a URL of their own.
func PathSecrets(u *url.URL) (out []string) {
	const shortest, digits = 20, 2
	for part := range strings.SplitSeq(u.EscapedPath(), "/") {
		plain, err := url.PathUnescape(part)
		if err != nil {
			plain = part
		}
		n := 0
		for _, r := range plain {
			if r >= '0' && r <= '9' {
				n++
			}
		}
		if len(plain) >= shortest && n >= digits {
			out = append(out, "path="+plain)
		}
	}
	return out
}

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
