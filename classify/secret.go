package classify

import (
	"slices"
	"strings"

	"gauntlet/capability"
)

// secretValues end the names of parameters that bring a secret along: secretValue, password,
// new_token.
var secretValues = map[string]bool{"value": true, "values": true, "data": true, "content": true, "secret": true, "secrets": true, "password": true, "passphrase": true,
	"token": true, "credential": true, "credentials": true, "payload": true, "plaintext": true, "certificate": true}

// revealing begin the names of parameters that ask for more than is usually told.
var revealing = map[string]bool{"return": true, "reveal": true, "show": true, "include": true, "expose": true, "decrypt": true, "with": true, "print": true}

// aboutSecrets are words that, behind the word for a secret, say that something about it is meant.
var aboutSecrets = map[string]bool{"schema": true, "schemas": true, "type": true, "types": true, "policy": true, "policies": true, "template": true, "templates": true,
	"provider": true, "providers": true, "metadata": true, "name": true, "names": true, "format": true, "strength": true, "count": true, "usage": true, "rules": true, "requirements": true,
	"health": true, "status": true, "expiry": true, "permission": true, "permissions": true, "scope": true, "scopes": true}

// qualifiesSecret reports whether a word stands behind the term that ends at a place of s and makes it
// the thing that word names: a credential schema is a schema.
func qualifiesSecret(s string, end int) bool {
	var buf [48]byte
	if end >= len(s) || s[end] == '.' || s[end] == ',' {
		return false
	}
	word, start, _ := nextWord(s, end, buf[:0])
	return start-end <= 1 && aboutSecrets[string(word)]
}

// discountStoredSecrets takes back that a tool hands out a secret where the caller brings it along, or where the
// description says that values are masked: who creates a secret from a value stores it, and who creates one without a value is
// told what it is. A switch such as returnSecret or reveal tells that the secret comes back all the same.
func (w *toolReader) discountStoredSecrets() {
	brought := false
	for i := range w.params {
		q := &w.params[i]
		if q.depth > 0 && !w.params[0].wrapper {
			continue
		}
		n := len(q.parts)
		if n > 0 && q.kind == boolKind && revealing[q.parts[0]] && (n > 1 && w.namesSecret(q.parts[1:]) || n == 1 && q.parts[0] != "with" && w.mentions.meets(secretWords)) {
			w.addSignal(signal{tag: tSecret, source: byParameter, weight: 2, value: q.key, kind: "param", text: q.name})
			return
		}
		if n > 0 && (secretValues[q.parts[n-1]] || q.role.role == capability.Content && q.kind == stringKind && q.parts[n-1] != "description") && q.mayHoldSecret() {
			brought = true
		}
	}
	if w.said&saidMasked != 0 && !w.tellsValues() {
		w.against[tSecret] -= 4
	}
	if brought && w.nameAct.meets(changeOnly) && !w.nameAct.meets(lookActs) && w.score[tSecret][byName]+w.score[tSecret][byDescription] > 0 {
		w.against[tSecret] -= 4
	}
}

// tellsValues reports whether a description says that values are told, as one may that masks them elsewhere:
// "lists names without values, or retrieves the secret value".
func (w *toolReader) tellsValues() bool {
	return slices.ContainsFunc(w.actions, func(d action) bool {
		return d.source == byDescription && d.acts.meets(revealActs) && strings.Contains(w.tokenText(d.object), "value")
	})
}

// mayHoldSecret reports whether a parameter may hold a secret itself, and not its name.
func (q *parameter) mayHoldSecret() bool {
	return !q.closed && q.kind != boolKind && q.kind != numberKind && (q.role.role != capability.ID || strings.HasSuffix(strings.ToLower(q.name), "value"))
}

func (w *toolReader) namesSecret(words []string) bool {
	for _, s := range words {
		if e := lex.findWord(s); e != nil && e.set.meets(secretNouns) || s == "decryption" {
			return true
		}
	}
	return false
}

var secretNouns = lex.classSet("secret")
