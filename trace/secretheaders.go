package trace

import (
	"slices"
	"strings"
	"unicode"
)

// A Field is one header of HTTP. A name that came more than once has a Field each.
type Field struct {
	Name  string
	Value string
	// Withheld says that there was a value which a trace must not hold; Value is empty.
	Withheld bool
}

// Names of headers that carry a credential are made of these: whoever invents a header for
// a secret calls it by one of them. The long ones count wherever they stand, also in names
// that are written together, such as AccessToken; the short ones, which are parts of honest
// words as well (auth of author), as a word of the name.
var (
	secretParts = []string{
		"apikey", "authorisation", "authorization", "authentication", "authtoken", "bearer", "cookie", "credential",
		"oauth", "passcode", "passphrase", "passwd", "password", "secret", "session", "signature", "token",
	}
	secretWords = []string{"auth", "dpop", "jwt", "key", "otp", "pin", "pwd", "sid"}
)

// Secret reports whether a header of this name carries a credential, so that its value never enters
// a trace. It judges by the words of the name and errs on the side of withholding: Idempotency-Key
// is withheld, WWW-Authenticate, which holds no secret, is not.
func Secret(name string) bool {
	name = strings.ToLower(name)
	if slices.ContainsFunc(secretParts, func(s string) bool { return strings.Contains(name, s) }) {
		return true
	}
	return slices.ContainsFunc(nameWords(name), func(w string) bool {
		w = strings.TrimSuffix(strings.TrimRight(w, "0123456789"), "s")
		return slices.ContainsFunc(secretWords, func(s string) bool { return w == s || w == "x"+s })
	})
}

func nameWords(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// withholdSecrets returns h without the values of secret headers, h itself if it has none.
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
