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

// described reads a description sentence by sentence.
func (w *worker) described(ks []token) {
	for a := 0; a < len(ks); {
		b := a
		var all classes
		names := false
		for b < len(ks) && ks[b].sentence == ks[a].sentence {
			all = all.with(ks[b].set)
			names = names || ks[b].flags&sibling != 0
			b++
		}
		first := ks[a].sentence == 0
		if ks[a].flags&outside == 0 && !(names && !first) {
			if first {
				w.headSet = all
			}
			w.mentions = w.mentions.with(all)
			w.sentence(ks[a:b], all, first)
		}
		a = b
	}
}

// sentence finds acts and what they are done to.
func (w *worker) sentence(ks []token, all classes, first bool) {
	where := inText | w.placed(all)
	if all.meets(readOnlyWords) {
		w.said |= saidReadOnly
	}
	anyForeign := false
	for i := range ks {
		anyForeign = anyForeign || ks[i].flags&foreign != 0
	}
	faint := !first
	for i, k := range ks {
		if len(w.deeds) > maxDeeds {
			return
		}
		if !k.set.meets(acts) || k.flags&identifier != 0 || negated(ks, i, w.prose) || noun(ks, i, w.prose) {
			continue
		}
		d := deed{acts: k.set.common(acts), source: byDescription, where: where, value: w.desc, act: k, faint: faint || also(ks, i) || supposed(ks, i)}
		got := false
		for j := i + 1; j < len(ks); j++ {
			o := ks[j]
			if o.place-k.place > reach && !anyForeign || o.set.meets(condWords) && !anyForeign || j-i > foreignReach {
				break
			}
			if got && o.set.meets(acts) && !o.set.meets(objects) {
				break
			}
			if o.set.meets(negations) && !anyForeign {
				break
			}
			if o.set.meets(objects) && o.flags&identifier == 0 && !(ks[j-1].place == o.place-1 && (ks[j-1].set.meets(asWords) || k.set.meets(convertActs) && ks[j-1].set.meets(toWords))) {
				e := d
				e.objects, e.object = o.set.common(objects), o
				if takenFrom(ks[i+1:j], k) { // imports from a file: the file is read
					e.acts = e.acts.without(changeOnly).with(readAct)
				}
				w.deeds = append(w.deeds, e)
				got = true
			}
		}
		// The object may go before: file deletion, web search; and does in other languages.
		for j := i - 1; j >= 0 && i-j <= foreignReach; j-- {
			o := ks[j]
			if !anyForeign && (k.place-o.place > 1 || o.clause != k.clause) {
				break
			}
			if o.set.meets(objects) && o.flags&identifier == 0 {
				e := d
				e.objects, e.object = o.set.common(objects), o
				w.deeds = append(w.deeds, e)
			}
		}
	}
}

// takenFrom reports whether what stands between a verb of making and its object says that
// the object is what something is made from. What is deleted from a file changes it.
func takenFrom(between []token, act token) bool {
	if !act.set.meets(writeActs) || act.set.meets(destroyActs) {
		return false
	}
	for j := len(between) - 1; j >= 0; j-- {
		switch {
		case between[j].set.meets(fromWords):
			return true
		case between[j].set.meets(toWords) || between[j].set.meets(acts) && !between[j].set.meets(objects):
			return false
		}
	}
	return false
}

// negated reports whether a negation stands shortly before the act, in its clause.
func negated(ks []token, i int, s string) bool {
	span := int32(4)
	if head := strings.ToLower(s[max(0, min(int(ks[i].start), len(s))-5):min(int(ks[i].start), len(s))]); strings.HasSuffix(head, " or ") || strings.HasSuffix(head, " nor ") {
		span = 10 // never returned to the caller or written to a log
	}
	for j := i - 1; j >= 0 && ks[i].place-ks[j].place <= span && ks[j].sentence == ks[i].sentence; j-- {
		if ks[j].set.meets(negations) {
			return true
		}
	}
	// In Japanese and German it follows.
	for j := i + 1; j < len(ks) && ks[i].flags&foreign != 0 && ks[j].place-ks[i].place <= 3; j++ {
		if ks[j].set.meets(negations) {
			return true
		}
	}
	return false
}

// supposed reports whether the act stands behind "when" in a language that puts the condition
// first without a mark at its end.
func supposed(ks []token, i int) bool {
	for j := i - 1; j >= 0 && ks[i].flags&foreign != 0 && ks[i].place-ks[j].place <= 24; j-- {
		if ks[j].flags&foreign != 0 && ks[j].set.meets(condWords) {
			return true
		}
	}
	return false
}

// noun reports whether the word stands where a verb cannot: "the list", "a new record".
// A form in -ing is a verb behind a preposition.
func noun(ks []token, i int, s string) bool {
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

// also reports whether the act is told as an example.
func also(ks []token, i int) bool {
	for j := i - 1; j >= 0 && ks[i].place-ks[j].place <= 12; j-- {
		if ks[j].set.meets(alsoWords) {
			return true
		}
	}
	return false
}
