package secret

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// judgeMatch decides whether r's match is a secret. Cheap tests come first.
func (set *ruleset) judgeMatch(r *rule, s string, secret, match span) bool {
	text := secret.spanText(s)
	if text == "" || r.Entropy != 0 && entropy(text) <= r.Entropy || placeholder(text) || set.documented[text] {
		return false
	}
	if special := specials[r.ID]; special != nil && !special(s, secret, match) {
		return false
	}
	if r.shape == labelled && !r.own && !isTold(s, secret, match) {
		return false
	}
	if chosen[r.ID] {
		return true // neither random nor in gitleaks' lists
	}
	// A hash, UUID or number alone proves nothing: commits, ids and checksums look the same. It is a secret if a label says so.
	if opaque(text) && !credentialLabel(s, secret) {
		return false
	}
	if invented(body(text)) && !live(s, secret) {
		return false
	}
	return !set.allowed(r, s, secret, match)
}

// allowed applies the allowlists of the rule and, for gitleaks' rules, the global one.
func (set *ruleset) allowed(r *rule, s string, secret, match span) bool {
	if r.shape == labelled { // restore what idlePrefix would have matched
		for n := 0; n < 50 && match.start > 0 && (wordByte(s[match.start-1]) || s[match.start-1] == '.' || s[match.start-1] == '-'); n++ {
			match.start--
		}
	}
	if !r.own && set.global.allows(s, secret, match) {
		return true
	}
	for _, a := range r.Allowlists {
		if a.allows(s, secret, match) {
			return true
		}
	}
	return false
}

// isTold judges a value found by its label alone: the label must name a credential, the value must look random, and the text must
// not call it an example.
func isTold(s string, secret, match span) bool {
	text := secret.spanText(s)
	if !random(text) {
		return false
	}
	if strings.HasPrefix(text, "eyJ") {
		return false // base64 of JSON: a cursor, or a JWT, which has its own rule
	}
	return credentialLabel(s, secret) && !exemplary(s, secret)
}

// random reports whether text mixes letters and digits like random values: versions, names with a number, model ids, dates and
// paths switch between them only once or twice.
func random(text string) bool {
	letters, digits, turns, last := 0, 0, 0, byte(0)
	for i := range len(text) {
		c, class := lowerByte(text[i]), byte(0)
		switch {
		case 'a' <= c && c <= 'z':
			letters++
			class = 'a'
		case '0' <= c && c <= '9':
			digits++
			class = '0'
		default:
			continue
		}
		if class != last && last != 0 {
			turns++
		}
		last = class
	}
	return letters >= 3 && digits >= 3 && turns >= 4 && entropy(text) > 3.2
}

// specials are the rules whose matches need a further test. They return false for a match that is no secret.
var specials = map[string]func(s string, secret, match span) bool{
	"jwt":               func(s string, secret, _ span) bool { return signedToken(secret.spanText(s)) },
	"private-key":       func(s string, _, match span) bool { return keyMaterial().MatchString(match.spanText(s)) },
	"url-password":      urlPassword,
	"password-in-prose": func(s string, secret, _ span) bool { return password(s, secret) },
	"user-and-password": func(s string, secret, _ span) bool { return strong(secret.spanText(s)) && password(s, secret) },
	"curl-auth-user":    func(s string, secret, _ span) bool { return random(secret.spanText(s)) && !exemplary(s, secret) },
	"curl-auth-header":  func(s string, secret, _ span) bool { return random(secret.spanText(s)) },
	"bearer-token":      func(s string, secret, _ span) bool { return random(secret.spanText(s)) && !exemplary(s, secret) },
	"key-in-prose":      func(s string, secret, _ span) bool { return random(secret.spanText(s)) && !exemplary(s, secret) },
}

// chosen are the rules for secrets invented by people.
var chosen = map[string]bool{"url-password": true, "password-in-prose": true, "user-and-password": true}

// keyMaterial matches a base64 line of a PEM block; "-----BEGIN PRIVATE KEY-----\n..." in a format's description has none.
var keyMaterial = lazy(`[A-Za-z0-9+/]{40}`)

// signedToken reports whether a token is a real JWT: a header with an algorithm, claims other than jwt.io's sample (copied by RFC
// 7519 and a thousand manuals), a signature.
func signedToken(token string) bool {
	part := strings.Split(token, ".")
	if len(part) < 3 || part[2] == "" {
		return false
	}
	var header struct{ Alg string }
	var claims map[string]any
	if unpack(part[0], &header) != nil || unpack(part[1], &claims) != nil || header.Alg == "" {
		return false
	}
	sub, _ := claims["sub"].(string)
	name, _ := claims["name"].(string)
	iss, _ := claims["iss"].(string)
	return sub != "1234567890" && name != "John Doe" && iss != "joe"
}

func unpack(part string, v any) error {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(part, "="))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
