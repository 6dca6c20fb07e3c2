package simagent

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/text"
)

// A clause is one order, or what one could be: from a verb in the place of an order to the next one.
type clause struct {
	verb     string // in its base form, "" in a clause without one
	act      act
	tokens   []token // from the verb on, then what is before the first order of the sentence
	sentence []token // all of it
	denied   bool    // "do not"
	item     bool    // the sentence is an entry of a list
}

const (
	// longestText is how much of one text is read, in bytes.
	longestText = 64 << 10
	// mostClauses is how many clauses of one text are heeded.
	mostClauses = 200
)

// readableViews returns what a reader may see in a text: the text itself without disguise, JSON as lines, and what is encoded in it.
func readableViews(s string) []string {
	s = excerpt.Head(s, longestText)
	folded := letters.ReplaceAllStringFunc(text.Fold(s).Text(), func(word string) string {
		if ascii, ok := text.LooksLike(word); ok {
			return ascii
		}
		return word
	})
	out := []string{flattenJSON(folded)}
	for _, b := range text.Blobs(folded) {
		out = append(out, b.Decoded)
	}
	for _, m := range text.Marks(s) {
		out = append(out, m.Decoded)
	}
	return slices.DeleteFunc(out, func(v string) bool { return strings.TrimSpace(v) == "" })
}

var letters = lazyregexp.New(`\pL+`)

// parseClauses reads a text, up to mostClauses.
func parseClauses(all []token) (out []clause) {
	item, begin := false, 0
	for i, t := range all {
		if t.kind != stop {
			continue
		}
		if i > begin && len(out) < mostClauses {
			out = append(out, parseSentence(all[begin:i], item)...)
		}
		item, begin = t.item, i+1
	}
	return out
}

// parseSentence parts a sentence where its orders begin.
func parseSentence(s []token, item bool) []clause {
	var begins []int
	for i := range s {
		if beginsOrder(s, i, len(begins) > 0) {
			begins = append(begins, i)
		}
	}
	if begins == nil {
		return []clause{{tokens: s, sentence: s, item: item}}
	}
	var out []clause
	for n, at := range begins {
		end := len(s)
		if n+1 < len(begins) {
			end = begins[n+1]
		}
		c := clause{verb: s[at].low, act: verbs[s[at].low], tokens: s[at:end:end], sentence: s, item: item, denied: isDenied(s[:at])}
		if n == 0 {
			c.tokens = slices.Concat(c.tokens, s[:at])
		}
		out = append(out, c)
	}
	return out
}

// beginsOrder reports whether the word at i is a verb in the place of an order. open says that the sentence has an order already, so
// that "to read" belongs to that.
func beginsOrder(s []token, i int, open bool) bool {
	if s[i].kind != word || verbs[s[i].low] == none {
		return false
	}
	if i+1 < len(s) && verbs[s[i].low] == do {
		if behind := s[i+1]; behind.kind == sign && strings.Contains(":=", behind.text) || behind.kind == word && (reporting[behind.low] || strings.HasSuffix(behind.low, "ed")) {
			return false // a noun spelt like a verb: "query: x", "email sent to x", "search results"
		}
	}
	if i == 0 || s[i-1].kind == sign {
		return true
	}
	return s[i-1].kind == word && (leads[s[i-1].low] || s[i-1].low == "to" && !open)
}

// isDenied reports whether an order behind these tokens is one not to do something.
func isDenied(before []token) bool {
	for i := len(before) - 1; i >= max(0, len(before)-4) && before[i].kind != sign; i-- {
		if before[i].kind == word && denials[before[i].low] {
			return true
		}
	}
	return false
}
