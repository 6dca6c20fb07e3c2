package redact

import (
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// CredentialName reports whether a variable, header, flag or parameter of this name holds a credential: it ends in a word for one,
// and not in a word for a place that stores one.
func CredentialName(name string) bool {
	n := strings.ToLower(strings.Trim(name, "-"))
	n = strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(n)
	if notCredential.MatchString(n) {
		return false
	}
	return credentialWord.MatchString(n)
}

var (
	credentialWord = lazyregexp.New(`(?:^|_|[a-z])(?:api_?key|apikey|app_?key|access_?key|secret_?key|private_?key|signing_?key|encryption_?key|license_?key|token|secret|password|passwd|passphrase|pwd|credentials?|authorization|cookie|bearer|client_?secret)(?:_?[0-9])?$|^(?:key|pat|pass|x_key)$|_(?:key|pat|pass|auth)$`)
	notCredential  = lazyregexp.New(`(?:max|min|num|limit|count|per|next|page|continuation|total|budget)_?token|(?:public|primary|partition|sort|cache|foreign|host|registry|project|table|index|idempotency)_?key$|tokens$`)
)
