package trace

import (
	"slices"
	"strings"
	"unicode"
)

// A Field is an HTTP header field. A repeated name has several.
type Field struct {
	Name  string
	Value string
	// Withheld says that a secret value was removed; Value is empty.
	Withheld bool
}

// Words in the names of headers that carry a credential. The long ones count anywhere, also inside a word such as
// AccessToken; the short ones, which occur in harmless words (auth in author), only as a whole word.
var (
	secretParts = []string{
		"apikey", "authorisation", "authorization", "authentication", "authtoken", "bearer", "cookie", "credential",
		"oauth", "passcode", "passphrase", "passwd", "password", "secret", "session", "signature", "token",
	}
	secretWords = []string{"auth", "dpop", "jwt", "key", "otp", "pin", "pwd", "sid"}
)

// Secret reports whether a header carries a credential, whose value never enters a trace. It judges by the words of the
// name and errs on the side of withholding: Idempotency-Key is withheld, WWW-Authenticate, which has no secret, is not.
func Secret(name string) bool {
	name = strings.ToLower(name)
	if slices.ContainsFunc(secretParts, func(s string) bool { return strings.Contains(name, s) }) {
		return true
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.TrimSuffix(strings.TrimRight(w, "0123456789"), "s")
		return slices.ContainsFunc(secretWords, func(s string) bool { return w == s || w == "x"+s })
	})
}

// withholdSecrets returns h without the values of secret headers; h itself if it has none.
func withholdSecrets(h *HTTP) *HTTP {
	if h == nil || !slices.ContainsFunc(h.Headers, func(f Field) bool { return Secret(f.Name) && f.Value != "" }) {
		return h
	}
	out := *h
	out.Headers = slices.Clone(h.Headers)
	for i, f := range out.Headers {
		if Secret(f.Name) && f.Value != "" {
			out.Headers[i] = Field{Name: f.Name, Withheld: true}
		}
	}
	return &out
}
