package secret

import (
	"net/url"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// password judges a human-chosen password, for which entropy does not help. It must mix character classes and must not be a
// technical term ("sha256", "oauth2", "min8", "v2"), which follow "password:" in honest schemas.
func password(s string, secret span) bool {
	text := secret.spanText(s)
	return mixed(text) && !trade().MatchString(text) && !weak().MatchString(text) && ascends(text) < 5 && !exemplary(s, secret)
}

// strong requires more of a password after the bare word: upper and lower case and digits, or a symbol that identifiers lack.
func strong(text string) bool {
	symbol := strings.ContainsAny(text, "!@#$%^&*?+~")
	cased := strings.ToLower(text) != text && strings.ToUpper(text) != text
	return len(text) >= 8 && (symbol || cased)
}

// trade matches technical terms that contain a number.
var trade = lazy(`(?i)^(?:(?:sha|hmac|md|base|utf|oauth|u?int|float|ipv?|http|pkcs|aes|rsa|ed|argon|bcrypt|pbkdf|scrypt|win|rc|api|mp|min|max|len|length|ascii|latin|iso|rfc|level|step|option|type|part|field|col|arg|param|line|example|test|user|string|char|varchar|ntlmv|tls|ssl|ws|wpa|saml|totp|mfa|fido|fa)[-_ ]?\d+.*|[a-z]\d+|\d+(?:[a-z]{1,12})?[.,;:]?|\d+[-_]?(?:char|byte|bit|day|digit|hour|min|sec).*|.*\d+\+.*|[a-z]+\(.*|.*://.*|[\d.:/-]+.*\d)$`)

// mixed reports whether text has letters and digits, and enough of both or a third class.
func mixed(text string) bool {
	var low, up, digit, other int
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			low++
		case 'A' <= c && c <= 'Z':
			up++
		case '0' <= c && c <= '9':
			digit++
		default:
			other++
		}
	}
	classes := 0
	for _, n := range []int{low, up, digit, other} {
		if n > 0 {
			classes++
		}
	}
	return low+up >= 3 && digit > 0 && other <= len(text)/3 && (classes >= 3 || low+up+digit == len(text) && len(text) >= 7)
}

// urlPassword judges the password of a connection string. Manuals are full of postgres://user:password@localhost, so a password of
// letters only does not count, nor one equal to the user name, nor an easy one on an example host.
func urlPassword(s string, secret, match span) bool {
	text := secret.spanText(s)
	if p, err := url.PathUnescape(text); err == nil {
		text = p
	}
	head, host, _ := strings.Cut(match.spanText(s), secret.spanText(s)+"@")
	user := head[strings.LastIndexByte(head, '/')+1:]
	user = strings.TrimSuffix(user, ":")
	if placeholder(text) || placeholder(user) || strings.EqualFold(user, text) || weak().MatchString(text) || exemplary(s, secret) && !random(text) {
		return false
	}
	if mixed(text) {
		return random(text) || !nobodys().MatchString(host)
	}
	return concrete().MatchString(host) && !nobodys().MatchString(host) && !anybody().MatchString(user)
}

// weak matches passwords of manuals: "password123", "pass", "p@ss".
var weak = lazy(`(?i)^(?:(?:my|the|db|user|root|admin|test|super)?[-_]?(?:p[a@4][s$5]{2}(?:w[o0]rd|wd)?|pwd|token|key|user(?:name)?|test|guest)[-_]?\d{0,4}|abc\d*)$`)

// nobodys matches example hosts and the local machine (RFC 2606, RFC 6761, RFC 5737), and the word "host" itself.
var nobodys = lazy(`(?i)^(?:localhost|127\.|0\.0\.0\.0|\[::1|1\.2\.3\.4|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|[<{$\[]|(?:db|my|your|proxy|server|the)?[-_.]?(?:host|hostname|server|db|database|ip|proxy|domain|address|endpoint|cluster)(?:[-_.]?name|\d)?(?:\.(?:com|net|org|io))?$|[\w.-]*(?:example|company|domain|\bacme\b)|[\w.-]*\.(?:test|invalid|localhost)$)`)

// concrete matches hosts that name one machine: an address, or a name of three labels.
var concrete = lazy(`(?i)^(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+){2,})$`)

// anybody matches user names of manuals.
var anybody = lazy(`(?i)^(?:(?:my|db|proxy|the)?[-_]?(?:user|username|usr|name|login|me|foo)[-_]?(?:name)?\d*)?$`)

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
