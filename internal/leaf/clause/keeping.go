package clause

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file tells apart who keeps what from whom in languages that are read without the order of
// words: "the user does not mention it", "do not tell the user what we paid", "do not tell the user
// that it was sent".

// keepsDark reports whether clause i, in another language than English, which denies a telling or a knowing, keeps the
// user in the dark: it is the user who is not told, and what is kept is that something was done, or is not said.
func (r *Reader) keepsDark(f *frame, i int) bool {
	if at := r.actingUser(f); at >= 0 && !r.keptFromKnowing(f, at) {
		return false // "the user does not mention a date"
	}
	if f.all.has(step) || r.saysFact(i) {
		return true
	}
	return !f.all.any(setOf(people, secret, rawThing)) && (!r.onlyCustomers(f) || r.hasWord(f, demonstratives))
}

// actingUser returns the token of the user where the user is who does what the clause says, and -1 otherwise. It is
// read from what stands before the word: an article without a preposition at the beginning of the clause, the
// nominative of German, or a verb of the third person in Arabic and Dutch.
func (r *Reader) actingUser(f *frame) int {
	for k := f.first; k <= f.last; k++ {
		t := &r.framer.toks[k]
		if !t.has(user) {
			continue
		}
		if !nominative(r.lowered(k)) {
			return -1
		}
		before := k - 1
		if before >= f.first && articles[r.lowered(before)] {
			before--
		}
		switch {
		case before < f.first, before == f.first && conditionals[r.lowered(before)]:
			return k
		case r.isVerb(before) && strings.HasPrefix(r.lowered(before), "ي"):
			return k
		case before == f.first && r.isVerb(before) && strings.HasSuffix(r.lowered(before), "t") && articles[r.lowered(k-1)]:
			return k // "meldt de gebruiker niets, dan …"
		}
		return -1
	}
	return -1
}

// nominative reports whether a word for the user can be the subject of its clause, as far as its form shows. Where particles behind
// the word or endings that harmony changes show it, the answer is no.
func nominative(w string) bool {
	ends := func(endings ...string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
	}
	first, _ := utf8.DecodeRuneInString(w)
	switch {
	case unicode.Is(unicode.Cyrillic, first):
		return ends("ь", "и", "т", "ы", "р")
	case unicode.Is(unicode.Arabic, first):
		return !strings.HasPrefix(w, "لل")
	case !unicode.Is(unicode.Latin, first), strings.HasPrefix(w, "kullan"):
		return false
	case strings.HasPrefix(w, "uzytkown"):
		return ends("k", "cy")
	}
	return !strings.Contains(w, "'") || strings.HasPrefix(w, "l'") // "all'utente"
}

func (r *Reader) isVerb(k int) bool {
	return r.framer.toks[k].set.any(setOf(tell, know, appear, ask))
}

// lowered returns a token as it is written, in lower case.
func (r *Reader) lowered(k int) string {
	t := &r.framer.toks[k]
	return strings.ToLower(r.framer.s[t.start:t.end])
}

// keptFromKnowing reports whether a clause that begins with the user, at token at, is about what the user is told or may know:
// "the user is not informed", "the user must not know".
func (r *Reader) keptFromKnowing(f *frame, at int) bool {
	if f.all.has(step) {
		return true
	}
	forbidden := false
	for k := max(f.first, at-3); k <= f.last; k++ {
		switch w := r.lowered(k); {
		case passives[w] && k > at && k <= at+3:
			return true
		case forbidding[w]:
			forbidden = true
		}
	}
	return forbidden && f.act.has(know)
}

// saysFact reports whether what clause i speaks of is put as a clause of its own, which says that something was done: "that it
// was sent".
func (r *Reader) saysFact(i int) bool {
	fs := r.framer.frames
	f := &fs[i]
	if f.act.any(setOf(give, send, call)) {
		return true
	}
	for k := max(f.verb, f.first); k <= f.last; k++ {
		if thatWords[r.lowered(k)] && !relatives[r.lowered(k-1)] {
			return true
		}
	}
	return i+1 < len(fs) && fs[i+1].sentence == f.sentence && thatWords[r.lowered(fs[i+1].first)]
}

// onlyCustomers reports whether all who are spoken of in a clause are customers: persons outside the talk, of whom the user of an
// honest tool keeps this and that.
func (r *Reader) onlyCustomers(f *frame) bool {
	any := false
	for k := f.first; k <= f.last; k++ {
		if t := &r.framer.toks[k]; t.set.any(setOf(user, users)) {
			if !t.has(customer) {
				return false
			}
			any = true
		}
	}
	return any
}

// namesPath reports whether a clause in another language asks for the path of the file that it names.
func (r *Reader) namesPath(f *frame) bool {
	for k := f.first; k < f.last && k <= f.first+1; k++ {
		switch {
		case pathWords[r.lowered(k)]:
			return true
		case r.framer.toks[k].set.any(setOf(take, give, send, neg)):
			return false
		}
	}
	return false
}

// onlyPaths reports whether a sentence in another language says of a parameter that it takes the path of a file, and at most
// what it does not take.
func (r *Reader) onlyPaths(g *sentenceContent) bool {
	fs := r.framer.frames
	if r.place != Slot || !fs[g.first].foreign || !r.namesPath(&fs[g.first]) {
		return false
	}
	for i := g.first + 1; i <= g.last; i++ {
		if !r.framer.toks[fs[i].first].has(neg) {
			return false
		}
	}
	return true
}

func (r *Reader) hasWord(f *frame, words map[string]bool) bool {
	for k := f.first; k <= f.last; k++ {
		if words[r.lowered(k)] {
			return true
		}
	}
	return false
}

func setOfWords(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

// Words of grammar, folded as texts are.
var (
	articles       = setOfWords("le la les un une der die das ein eine de het een el los las il lo gli i o os a as um uma the")
	conditionals   = setOfWords("si se wenn falls sofern als indien wanneer quand lorsque quando cuando jesli gdy если когда اذا eger")
	passives       = setOfWords("est n'est sera wird werden wordt worden e es sera viene vengono sera jest zostanie ist")
	forbidding     = setOfWords("doit doivent devra darf durfen soll sollen mag moet hoort deve devono dovrebbe debe deben puede pode podem powinien moze должен может يجب ينبغي")
	thatWords      = setOfWords("que qu'il qu'elle qu'une qu'un qu'on dass daß dat che ch'e ze iz что что-то чтобы ان بان انه انها")
	demonstratives = setOfWords("davon diese diesen dieser dieses dies deze dit hiervan cette cet ces ceci cela esta este esto eso questo questa cio essa esse isso isto этом этой этого эту tym tej tego هذا هذه ذلك")
	pathWords      = setOfWords("chemin pfad dateipfad ruta pad percorso caminho sciezka путь مسار yolu")
	relatives      = setOfWords("lo ce o cio quel quello aquilo wat was to то")
)
