// Package redact takes known secrets out of whatever is written: reports, traces, snapshots,
// lockfiles, messages.
//
// It compares values and not spellings: a text is searched as it is and as what it decodes to,
// since a server that got hold of a secret may say it in any encoding. Decoded are escapes of
// JSON, URLs and HTML, hex, lists of character codes, base64 and base32, gzip, zlib and bzip2, three deep; letter
// case, white space, punctuation and invisible characters between the letters of a longer
// value do not count; and a value is found backwards and in ROT13.
// What is encrypted or cut to parts of less than four bytes is not found.
package redact

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// Shortest is the length in bytes below which a value is no secret that can be hidden: it is
// found in every other word.
const Shortest = 4

// A Redactor knows secrets by name. It is safe for use from several goroutines. The zero value
// and nil know none.
type Redactor struct {
	names   []string
	plain   matcher // values as they are
	letters matcher // values without all but letters and digits
	parts   []edge  // what an excerpt may begin or end in the middle of
	longest int
	least   int // bytes of the shortest value
}

// New returns a Redactor for values given as NAME=VALUE. It hides a value, each long line of
// one that has several, and the secret inside of a header ("Bearer …"), a URL or a JSON
// object. Values of less than [Shortest] bytes stay.
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

// ReplaceJSON is Replace for JSON text, which stays JSON: secrets are replaced within strings
// and names of members, and a number that is one becomes a string. A secret that stands in
// several strings in a row takes all of them out. Any other text is treated as by Replace.
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

// Names returns the names of the secrets that text holds, in the order they were given.
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
