// Package redact removes known secrets from everything that is written: reports, traces, snapshots, lockfiles, messages.
//
// It compares values, not spellings: a text is searched as it is and decoded, since a server that obtained a secret may write it in
// any encoding. It decodes escapes of JSON, URLs and HTML, hex, binary digits, lists of character codes, base64 and base32, gzip, zlib
// and bzip2, three levels deep; in longer values it ignores case, white space, punctuation and invisible characters; and it finds values
// backwards, in ROT13, and as [Renderings] has them. Encrypted values, and parts of less than four bytes, are not found.
package redact

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// Shortest is the length in bytes below which a value cannot be hidden: it occurs in every other word.
const Shortest = 4

// A Redactor knows secrets by name. It is safe for concurrent use. The zero value and nil know none.
type Redactor struct {
	names   []string
	plain   matcher // unchanged values
	letters matcher // letters and digits of values
	parts   []edge  // for excerpts that begin or end inside a value
	longest int
	least   int // length of the shortest value
}

// New returns a Redactor for values given as NAME=VALUE. It hides the value, each long line of a multi-line one, and the secret
// inside a header ("Bearer …"), a URL or a JSON object. Values of less than [Shortest] bytes stay.
func New(given []string) *Redactor {
	r := &Redactor{}
	seen := map[string]bool{}
	for _, g := range given {
		name, value, _ := strings.Cut(g, "=")
		for _, v := range secretParts(value) {
			if len(v) >= Shortest && !seen[v] {
				seen[v] = true
				r.addValue(name, v)
			}
		}
	}
	return r
}

func (r *Redactor) addValue(name, value string) {
	id := len(r.names)
	r.names = append(r.names, name)
	r.longest = max(r.longest, len(value))
	if r.least == 0 || len(value) < r.least {
		r.least = len(value)
	}
	for _, form := range plainForms(value) {
		r.plain.addPattern(form, id)
		r.parts = append(r.parts, edge{form, id})
	}
	for _, form := range letterForms(value) {
		r.letters.addPattern(form, id)
	}
}

// Replace returns text with each secret replaced by its name in brackets.
func (r *Redactor) Replace(text string) string {
	spans := r.find(text)
	if spans == nil {
		return text
	}
	var b strings.Builder
	done := 0
	for _, s := range spans {
		b.WriteString(text[done:s.start])
		b.WriteString(r.bracketName(s.id))
		done = s.end
	}
	b.WriteString(text[done:])
	return b.String()
}

func (r *Redactor) bracketName(id int) string { return "[" + r.names[id] + "]" }

// ReplaceJSON is Replace for JSON text, which stays valid: secrets are replaced within strings and member names, and a number that
// is one becomes a string. A secret spread over several successive strings removes all of them. Other text is treated as by
// Replace.
func (r *Redactor) ReplaceJSON(text string) string {
	spans := r.find(text)
	if spans == nil {
		return text
	}
	var tree rawjson.Tree
	if tree.Parse(text, 0) != nil {
		return r.Replace(text)
	}
	var out []byte
	done := 0
	edit := func(v rawjson.Value, old string) {
		start, end := v.Offset(), v.Offset()+len(v.Raw())
		for len(spans) > 0 && spans[0].end <= start {
			spans = spans[1:]
		}
		if len(spans) == 0 || spans[0].start >= end {
			return
		}
		s := r.Replace(old)
		if s == old {
			s = r.bracketName(spans[0].id)
		}
		out = append(out, text[done:start]...)
		out = rawjson.AppendString(out, s)
		done = end
	}
	for v := range tree.Root().All() {
		if key := v.Key(); key.Exists() {
			edit(key, key.Text())
		}
		switch v.Kind() {
		case rawjson.String:
			edit(v, v.Text())
		case rawjson.Number:
			edit(v, v.Raw())
		}
	}
	return string(append(out, text[done:]...))
}

// Names returns the names of the secrets in text, in the order given to New.
func (r *Redactor) Names(text string) []string {
	var ids []int
	for _, s := range r.find(text) {
		ids = append(append(ids, s.id), s.others...)
	}
	slices.Sort(ids)
	var out []string
	for _, id := range ids {
		if !slices.Contains(out, r.names[id]) {
			out = append(out, r.names[id])
		}
	}
	return out
}

// CredentialName reports whether a variable, header, flag or parameter of this name holds a credential: it ends in a word for one,
// and not in a word for a place that stores one.
func CredentialName(name string) bool {
	n := strings.ToLower(strings.Trim(name, "-"))
	n = strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(n)
	return credentialWord.MatchString(n) && !notCredential.MatchString(n)
}

var (
	credentialWord = lazyregexp.New(`(?:^|_|[a-z])(?:api_?key|apikey|app_?key|access_?key|secret_?key|private_?key|signing_?key|encryption_?key|license_?key|token|secret|password|passwd|passphrase|pwd|credentials?|authorization|cookie|bearer|client_?secret)(?:_?[0-9])?$|^(?:key|pat|pass|x_key)$|_(?:key|pat|pass|auth)$`)
	notCredential  = lazyregexp.New(`(?:max|min|num|limit|count|per|next|page|continuation|total|budget)_?token|(?:public|primary|partition|sort|cache|foreign|host|registry|project|table|index|idempotency)_?key$|tokens$`)
)
