package secret

import "gauntlet/internal/leaf/lazyregexp"

// secretField matches names of secret fields. Words must be separate: "token_count" counts tokens, and "keyboard" is no key.
var secretField = lazyregexp.New(`(?i)^(?:.*[_\- .])?(?:password|passwd|passphrase|pass|api[_\- ]?key|secret|secret[_\- ]?key|private[_\- ]?key|access[_\- ]?(?:token|key)|auth[_\- ]?token|bearer[_\- ]?token|refresh[_\- ]?token|client[_\- ]?secret|credentials?|credit[_\- ]?card(?:[_\- ]?number)?|card[_\- ]?number|cvv|cvc|pin[_\- ]?code|ssn)$`)

// camel matches word boundaries in camel case.
var camel = lazyregexp.New(`([a-z0-9])([A-Z])`)

// IsFieldName reports whether a field of this name holds a password, key or token.
func IsFieldName(name string) bool {
	return len(name) < 80 && secretField.MatchString(camel.ReplaceAllString(name, "${1}_$2"))
}
