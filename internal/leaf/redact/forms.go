package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"gauntlet/rawjson"
)

const (
	// shortestPart is the length in bytes below which a part of a value, such as one of its
	// lines, is no secret by itself.
	shortestPart = 16
	// shortestBent is the length below which a value is not looked for backwards, in ROT13 and
	// whatever its letter case: a short word bent like that is found in honest texts.
	shortestBent = 8
)

// secretParts returns a value and what in it is a secret by itself.
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
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= shortestPart {
				out = append(out, line)
			}
		}
	}
	if strings.Contains(value, "://") {
		for _, s := range URLSecrets(value) {
			if _, v, _ := strings.Cut(s, "="); len(v) >= shortestBent {
				out = append(out, v)
			}
		}
	}
	var tree rawjson.Tree
	if strings.HasPrefix(strings.TrimSpace(value), "{") && tree.Parse(value, 0) == nil {
		for v := range tree.Root().All() {
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

// authSchemes are the words before the secret in an Authorization header and its like.
var authSchemes = []string{"bearer", "basic", "token", "apikey", "key", "digest"}

// plainForms returns a value in the forms in which it is looked for byte by byte: as it is, as
// it decodes itself (a text is compared decoded, and the value may hold what looks like an
// escape), backwards, and in ROT13.
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
		// What is encoded first and reversed then decodes to nothing: both go by their letters.
		out = append(out, Backwards(value), Backwards(hex.EncodeToString([]byte(value))), Backwards(base64.RawStdEncoding.EncodeToString([]byte(value))))
		if r := Rot13(value); r != value {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// letterForms returns a value by its letters and digits alone, forwards and backwards; nil
// where they are too few or too ordinary to tell it from prose.
func letterForms(value string) []string {
	whole := newView(value)
	v := whole.squeeze()
	letters := string(v.text)
	digit := strings.ContainsAny(letters, "0123456789")
	letter := strings.ContainsFunc(letters, func(r rune) bool { return r > '9' })
	if n := len(letters); n < 10 || n < 16 && !(digit && letter) {
		return nil
	}
	return []string{letters, Backwards(letters)}
}

// Backwards returns a text from its last character to its first.
func Backwards(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// Rot13 returns a text with its letters 13 further in the alphabet.
func Rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// URLSecrets returns what may be secret in a URL, as NAME=VALUE: the password, or a user's name
// that stands alone; the values of the query that are long enough to be keys; the parts of the
// path that look like keys. It returns nil for what is no URL.
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

// QuerySecrets returns the values of the query that are long enough to be keys, which many
// servers take there, or that are named like credentials, as NAME=VALUE.
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

// PathSecrets returns the parts of the path that look like keys, which some servers give
// everybody an address of their own with, as path=VALUE.
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
