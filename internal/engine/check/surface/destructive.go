package surface

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A nameWord is a lower-case word of a tool's name and its byte range.
type nameWord struct {
	word       string
	start, end int
}

// nameWords splits a name at non-letters and capitals: "HTTPDelete_v2" is http, delete, v.
func nameWords(name string) []nameWord {
	var out []nameWord
	start := -1
	add := func(end int) {
		if start >= 0 {
			out = append(out, nameWord{strings.ToLower(name[start:end]), start, end})
		}
		start = -1
	}
	var last rune
	for i, r := range name {
		if !unicode.IsLetter(r) {
			add(i)
			last = r
			continue
		}
		next, _ := utf8.DecodeRuneInString(name[i+utf8.RuneLen(r):])
		if unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsUpper(last) && unicode.IsLower(next)) {
			add(i)
		}
		if start < 0 {
			start = i
		}
		last = r
	}
	add(len(name))
	return out
}

// destructiveWords is the data: see the comment at its top.
//
//go:embed destructive.txt
var destructiveWords string

// A wordUse is the meaning of a word in the position of the verb.
type wordUse uint8

const (
	noVerb   wordUse = iota // a namespace or an object: continue with the next word
	otherOne                // a harmless verb, or a word that makes the name a noun
	destroys
	mayDestroy // together with certain objects
)

// destructiveVocabulary is the parsed destructive.txt.
type destructiveVocabulary struct {
	use     map[string]wordUse
	objects map[string]map[string]bool // for mayDestroy: what can be lost
	nouns   map[string]map[string]bool // words after a verb that make it a noun
	openers map[string]bool
	told    map[string]map[string]bool // verbs in descriptions and the words that the sentence must contain, nil for none
}

var destructive = parseDestructive(destructiveWords)

// parseDestructive parses lines "kind: word word…" and "kind verb: word word…".
func parseDestructive(s string) destructiveVocabulary {
	v := destructiveVocabulary{use: map[string]wordUse{}, objects: map[string]map[string]bool{}, nouns: map[string]map[string]bool{}, told: map[string]map[string]bool{}}
	for line := range strings.Lines(s) {
		head, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(list)
		kind, verb, _ := strings.Cut(head, " ")
		switch kind {
		case "destroys":
			v.add(words, destroys)
		case "with":
			v.use[verb] = mayDestroy
			v.objects[verb] = setOf(words...)
		case "other":
			v.add(words, otherOne)
		case "opener":
			v.openers = setOf(words...)
		case "told":
			if verb != "" {
				v.told[verb] = setOf(words...)
				continue
			}
			for _, w := range words {
				v.told[w] = nil
			}
		case "noun":
			v.nouns[verb] = setOf(words...)
		}
	}
	return v
}

func (v *destructiveVocabulary) add(words []string, use wordUse) {
	for _, w := range words {
		v.use[w] = use
	}
}

func destructiveVerb(name string) (nameWord, bool) {
	words := nameWords(name)
	for i, w := range words {
		use, verb := destructive.lookup(w.word)
		if use == noVerb {
			continue
		}
		rest := words[i+1:]
		if ambiguous[w.word] && len(rest) == 1 && destructive.use[rest[0].word] == destroys {
			continue
		}
		if use == otherOne || len(rest) > 0 && destructive.nouns[verb][rest[0].word] {
			return nameWord{}, false
		}
		return w, use == destroys || anyWord(words, i, destructive.objects[verb])
	}
	return nameWord{}, false
}

// toldVerb returns the first verb of a description whose first sentence says that something is lost: "Permanently
// deletes the account", but neither "Deletes nothing" nor "Get the records that were deleted".
func toldVerb(description string) (nameWord, bool) {
	sentence := firstSentence(description)
	words := nameWords(sentence)
	for i, w := range words {
		if destructive.openers[w.word] {
			continue
		}
		needs, ok := destructive.told[w.word]
		if base := strings.TrimSuffix(w.word, "s"); !ok {
			needs, ok = destructive.told[base]
		}
		rest := words[i+1:]
		if !ok || len(rest) == 0 || rest[0].word == "nothing" || rest[0].word == "no" || destructive.nouns["delete"][rest[0].word] {
			return nameWord{}, false
		}
		return w, needs == nil || anyWord(words[:min(len(words), i+objectReach)], i, needs)
	}
	return nameWord{}, false
}

// objectReach is the maximum distance of an object from its verb, in words: "removes a user account", but not a file in
// which a signal is removed.
const objectReach = 6

// firstSentence returns the first sentence of a description, at most 300 bytes.
func firstSentence(s string) string {
	s = s[:min(len(s), 300)]
	for i, r := range s {
		if r == '\n' && strings.TrimSpace(s[:i]) != "" || (r == '.' || r == ';') && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') {
			return s[:i]
		}
	}
	return s
}

// ambiguous are verbs that can also be objects: "post_delete", "queue.watch.remove". The verb is then the next word, if it is the last.
var ambiguous = setOf("list", "post", "store", "search", "report", "test", "index", "query", "watch", "set", "group", "schedule", "monitor")

func anyWord(words []nameWord, except int, set map[string]bool) bool {
	for i, w := range words {
		if i != except && (set[w.word] || set[strings.TrimSuffix(w.word, "s")]) {
			return true
		}
	}
	return false
}

// lookup finds a word itself, or a verb in the third person: "deletes", "wipes".
func (v *destructiveVocabulary) lookup(w string) (wordUse, string) {
	if u := v.use[w]; u != noVerb {
		return u, w
	}
	base := strings.TrimSuffix(w, "s")
	if u := v.use[base]; base != w && (u == destroys || u == mayDestroy) {
		return u, base
	}
	return noVerb, w
}
