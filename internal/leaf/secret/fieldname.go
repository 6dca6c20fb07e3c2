package secret

import "gauntlet/internal/leaf/lazyregexp"

// secretField matches names of secret fields by what they end in. Words must be separate: "token_count" counts tokens, "keyboard" is no key,
// and "cookie_recipe" is a recipe.
var secretField = lazyregexp.New(`(?i)^(?:.*[_\- .])?(?:password|passwd|passphrase|pass|api[_\- ]?key|secret|secret[_\- ]?key|private[_\- ]?key|access[_\- ]?key|session[_\- ]?(?:key|id)|(?:access|api|auth|bearer|id|refresh|session)?[_\- ]?token|jwt|cookie|authorization|t?otp|(?:one[_\- ]?time|2fa|mfa)[_\- ]?code|credentials?|credit[_\- ]?card(?:[_\- ]?number)?|card[_\- ]?number|cvv|cvc|pin[_\- ]?code|ssn)$`)

// openToken matches names of tokens that open nothing: a place in a list ("next_token"), a word of a model ("stop_token"), or a coin.
var openToken = lazyregexp.New(`(?i)^(?:.*[_\- .])?(?:page|paging|pagination|next|prev|previous|continue|continuation|cursor|start|starting|resume|resumption|sync|delta|change|skip|list|search|idempotency|progress|per|stop|bos|eos|pad|mask|unk|sep|base|quote|from|to|input|output|in|out|pay|sell|buy|reward|erc20|native)[_\- ]?token$`)

// camel matches word boundaries in camel case.
var camel = lazyregexp.New(`([a-z0-9])([A-Z])`)

// IsFieldName reports whether a field of this name holds a password, key or token.
func IsFieldName(name string) bool {
	if len(name) >= 80 {
		return false
	}
	name = camel.ReplaceAllString(name, "${1}_$2")
	return secretField.MatchString(name) && !openToken.MatchString(name)
}
