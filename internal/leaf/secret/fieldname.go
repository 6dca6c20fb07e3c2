package secret

import "gauntlet/internal/leaf/lazyregexp"

// secretField is how fields for secrets are called. Their parts are words of their own: "token_count"
// counts tokens, and "keyboard" is no key.
var secretField = lazyregexp.New(`(?i)^(?:.*[_\- .])?(?:password|passwd|passphrase|pass|api[_\- ]?key|secret|secret[_\- ]?key|private[_\- ]?key|access[_\- ]?(?:token|key)|auth[_\- ]?token|bearer[_\- ]?token|refresh[_\- ]?token|client[_\- ]?secret|credentials?|credit[_\- ]?card(?:[_\- ]?number)?|card[_\- ]?number|cvv|cvc|pin[_\- ]?code|ssn)$`)

// camel parts words that are written together.
var camel = lazyregexp.New(`([a-z0-9])([A-Z])`)

// IsFieldName reports whether a field of this name takes a password, key or token.
func IsFieldName(name string) bool {
	return len(name) < 80 && secretField.MatchString(camel.ReplaceAllString(name, "${1}_$2"))
}
