package simagent

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/text"
	"gauntlet/rawjson"
)

// A clause is one order, or what one could be: from a verb in the place of an order to the
// next one.
type clause struct {
	verb     string // in its base form, "" in a clause without one
	act      act
	tokens   []token // with what stands before the first order of a sentence
	own      []token // from the verb on
	sentence []token // all of the sentence, conditions before the order included
	denied   bool    // "do not"
	item     bool    // the sentence is an entry of a list
}

const (
	// longestText is how much of one text is read, in bytes.
	longestText = 64 << 10
	// mostClauses is how many clauses of one text are heeded.
	mostClauses = 200
)

// readableViews returns what a reader may see in a text: the text itself without disguise, JSON as
// lines, and what is encoded in it.
func readableViews(s string) []string {
	s = excerpt.Head(s, longestText)
	folded := foldLookalikes(text.Fold(s).Text())
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

// foldLookalikes writes words of letters that only look like Latin ones as what they look like.
func foldLookalikes(s string) string {
	return letters.ReplaceAllStringFunc(s, func(word string) string {
		if ascii, ok := text.LooksLike(word); ok {
			return ascii
		}
		return word
	})
}

// flattenJSON writes a JSON text as one line a value, with its name before it.
func flattenJSON(s string) string {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return s
	}
	var tree rawjson.Tree
	if tree.Parse(trimmed, 0) != nil {
		return s
	}
	var b strings.Builder
	for v := range tree.Root().All() {
		if v.Kind() == rawjson.Object || v.Kind() == rawjson.Array {
			continue
		}
		if key := v.Key(); key.Exists() {
			b.WriteString(key.Text() + ": ")
		}
		if v.Kind() == rawjson.String {
			b.WriteString(v.Text())
		} else {
			b.WriteString(v.Raw())
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// A sentence is what stands between two stops.
type sentence struct {
	tokens []token
	item   bool // of a list
}

func splitSentences(all []token) (out []sentence) {
	var s sentence
	for _, t := range all {
		if t.kind != stop {
			s.tokens = append(s.tokens, t)
			continue
		}
		if len(s.tokens) > 0 {
			out = append(out, s)
		}
		s = sentence{item: t.item}
	}
	return out
}

// parseClauses reads a text, up to mostClauses.
func parseClauses(all []token) (out []clause) {
	for _, s := range splitSentences(all) {
		if len(out) < mostClauses {
			out = append(out, parseSentence(s.tokens, s.item)...)
		}
	}
	return out
}

// parseSentence finds the orders of a sentence. What stands before the first one belongs to it.
func parseSentence(sentence []token, item bool) []clause {
	var out []clause
	begin, verbAt := 0, 0
	for i := range sentence {
		verb, a := orderAt(sentence, i, len(out) > 0 && out[len(out)-1].verb != "")
		if a == none {
			continue
		}
		if n := len(out); n > 0 {
			out[n-1].tokens, out[n-1].own = sentence[begin:i], sentence[verbAt:i]
			begin = i
		}
		verbAt = i
		out = append(out, clause{verb: verb, act: a, sentence: sentence, denied: isDenied(sentence[:i]), item: item})
	}
	if len(out) == 0 {
		return []clause{{tokens: sentence, own: sentence, sentence: sentence, item: item}}
	}
	out[len(out)-1].tokens, out[len(out)-1].own = sentence[begin:], sentence[verbAt:]
	return out
}

// orderAt reports what the word at i orders. open says that the sentence has an order already,
// so that "to read" belongs to that.
func orderAt(s []token, i int, open bool) (string, act) {
	t := s[i]
	if t.kind != word {
		return "", none
	}
	var before token
	if i > 0 {
		before = s[i-1]
	}
	if a := participles[t.low]; a != none && before.kind == word && i > 1 {
		switch {
		case before.low == "be":
			return t.low, a
		case before.low == "is" && (t.low == "called" || t.low == "invoked") && !containsWord(s[:i], conditional):
			return t.low, a
		}
	}
	a := verbs[t.low]
	switch {
	case a == none:
		return "", none
	case i == 0, before.kind == sign, before.kind == word && leads[before.low]:
	case before.low == "to" && !open:
	default:
		return "", none
	}
	// A noun that happens to be spelt like a verb is followed by a colon ("query: x") or
	// has something said of it ("email sent to x").
	if i+1 < len(s) && a == do {
		behind := s[i+1]
		if behind.kind == sign && (behind.text == ":" || behind.text == "=") || copulas[behind.low] || participles[behind.low] != none && verbs[behind.low] == none {
			return "", none
		}
	}
	return t.low, a
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

func containsWord(tokens []token, words map[string]bool) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.kind == word && words[t.low] })
}

// joinTokens returns the tokens as text.
func joinTokens(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		if b.Len() > 0 && !(t.kind == sign && strings.Contains(",:)", t.text)) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}
