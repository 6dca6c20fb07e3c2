package classify

import (
	"strings"
)

// reach is how many words an object may stand behind its act.
const reach = 7

// foreignReach is how many terms away it may stand in a language whose order of words is
// not that of English.
const foreignReach = 12

// maxDeeds is how many acts with their objects are kept of one definition. An honest one
// has a few dozen.
const maxDeeds = 1024

func (w *toolReader) readDescription(ks []token) {
	for a := 0; a < len(ks); {
		b := a
		var all classes
		names := false
		for b < len(ks) && ks[b].sentence == ks[a].sentence {
			all = all.with(ks[b].set)
			names = names || ks[b].flags&sibling != 0
			w.rows = w.rows || ks[b].sentence == 0 && isDatabaseContent(ks[b])
			b++
		}
		first := ks[a].sentence == 0
		if ks[a].flags&outside == 0 && !(names && !first) {
			if first {
				w.headSet = all
			}
			w.mentions = w.mentions.with(all)
			w.readSentence(ks[a:b], all, first)
		}
		a = b
	}
}

func (w *toolReader) readSentence(ks []token, all classes, first bool) {
	where := inText | w.placeOf(all)
	if all.meets(readOnlyWords) {
		w.said |= saidReadOnly
	}
	if all.meets(maskedWords) {
		w.said |= saidMasked
	}
	anyForeign := false
	for i := range ks {
		if w.localMention.end == 0 && ks[i].set.meets(localWords) && !isNegated(ks, i) {
			w.localMention = ks[i]
		}
		anyForeign = anyForeign || ks[i].flags&foreign != 0
		w.intoFile = w.intoFile || first && isInto(ks, i)
	}
	faint := !first
	for i, k := range ks {
		if len(w.actions) > maxDeeds {
			return
		}
		if k.set.meets(plainWords) && k.flags&identifier == 0 && !isNegated(ks, i) {
			w.actions = append(w.actions, action{acts: runCode, objects: codeWord, source: byDescription, where: where, value: w.desc, act: k, object: k, plain: true})
		}
		if !k.set.meets(actClasses) || k.flags&identifier != 0 || isNegated(ks, i) || isNoun(ks, i, w.prose) {
			continue
		}
		d := action{acts: k.set.common(actClasses), source: byDescription, where: where, value: w.desc, act: k, faint: faint && !(all.meets(secretWords) && leaks[w.tokenText(k)])}
		got := false
		for j := i + 1; j < len(ks); j++ {
			o := ks[j]
			if o.place-k.place > reach && !anyForeign || o.set.meets(condWords) && !anyForeign || j-i > foreignReach {
				break
			}
			if got && o.set.meets(actClasses) && !o.set.meets(objectClasses) {
				break
			}
			if o.set.meets(negationWords) && !anyForeign {
				break
			}
			if o.set.meets(objectClasses) && o.flags&identifier == 0 && !(ks[j-1].place == o.place-1 && (w.tokenText(ks[j-1]) == "as" || k.set.meets(convertActs) && ks[j-1].set.meets(toWords))) {
				e := d
				e.objects, e.object = o.set.common(objectClasses), o
				w.actions = append(w.actions, e)
				got = true
			}
		}
		// The object may go before: file deletion, web search; and does in other languages.
		for j := i - 1; j >= 0 && i-j <= foreignReach; j-- {
			o := ks[j]
			if !anyForeign && (k.place-o.place > 1 || o.clause != k.clause) {
				break
			}
			if o.set.meets(objectClasses) && o.flags&identifier == 0 {
				e := d
				e.objects, e.object = o.set.common(objectClasses), o
				w.actions = append(w.actions, e)
			}
		}
	}
}

// leaks are verbs of what goes wrong: wherever a description says it, the tool does it.
var leaks = map[string]bool{"leak": true, "leaks": true, "leaking": true, "expose": true, "exposes": true, "exposing": true, "disclose": true, "discloses": true}

// tokenText returns a token of the description as it is written, in lower case.
func (w *toolReader) tokenText(k token) string {
	return strings.ToLower(w.prose[min(int(k.start), len(w.prose)):min(int(k.end), len(w.prose))])
}

// isNegated reports whether a negation stands shortly before the act, in its clause.
func isNegated(ks []token, i int) bool {
	for j := i - 1; j >= 0 && ks[i].place-ks[j].place <= 4 && ks[j].sentence == ks[i].sentence; j-- {
		if ks[j].set.meets(negationWords) || ks[j].clause == ks[i].clause && ks[j].set.meets(maskedWords) {
			return true
		}
	}
	// In Japanese and German it follows.
	for j := i + 1; j < len(ks) && ks[i].flags&foreign != 0 && ks[j].place-ks[i].place <= 3; j++ {
		if ks[j].set.meets(negationWords) {
			return true
		}
	}
	return false
}

// isNoun reports whether the word stands where a verb cannot: "the list", "a new record".
// A form in -ing is a verb behind a preposition.
func isNoun(ks []token, i int, s string) bool {
	k := &ks[i]
	// Keys stored in a database, saved connections: what was done, not what the tool does.
	if k.flags&(foreign|opens) == 0 && int(k.end) <= len(s) && strings.HasSuffix(s[k.start:k.end], "ed") && !participles[strings.ToLower(s[k.start:k.end])] {
		return true
	}
	if i == 0 || k.flags&foreign != 0 || ks[i-1].place != k.place-1 || ks[i-1].sentence != k.sentence || ks[i-1].clause != k.clause {
		return false
	}
	if !ks[i-1].set.meets(detWords) {
		return false
	}
	return int(k.end) > len(s) || !strings.HasSuffix(s[k.start:k.end], "ing") || articles[strings.ToLower(s[ks[i-1].start:ks[i-1].end])]
}

// articles stand before adjectives and nouns only: a running app.
var articles = map[string]bool{"a": true, "an": true, "the": true, "any": true, "each": true, "every": true, "its": true, "your": true, "their": true, "this": true, "existing": true}

// participles are words in -ed that are none.
var participles = map[string]bool{"embed": true, "feed": true, "speed": true, "seed": true}

// isInto reports whether a token is a file that something goes into: "to a PNG file", "into one archive".
func isInto(ks []token, i int) bool {
	if !ks[i].set.meets(fileObjects) {
		return false
	}
	for j := i - 1; j >= 0 && ks[i].place-ks[j].place <= 4 && ks[j].clause == ks[i].clause; j-- {
		switch {
		case ks[j].set.meets(toWords):
			return j > 0 // what goes there stands before
		case ks[j].set.meets(actClasses) && !ks[j].set.meets(objectClasses), ks[j].set.meets(fromWords):
			return false
		}
	}
	return false
}
