package clause

// How many bare words between commas make a list of names, behind a label ("Status values: disabled, enabled,
// scheduled") and without one. Orders are written with commas as well ("read, summarize, delete the mail"), but
// an item of those has an object, and a list without a label has to be long to be no sentence.
const (
	labelledItems = 3
	bareItems     = 6
	// vocabularyItems are so many that the list is a vocabulary: the sentence around it is not weighed by their words.
	vocabularyItems = 16
)

// nameItems marks the items of lists of names: values that a field may have, kinds of places. They say
// nothing, whatever they mean as words, so none of them is a verb, and none judges a tool.
func (r *framer) nameItems(a, b int) {
	for i := a; i < b; {
		end := i + 1
		for end < b && r.toks[end].flags&commaPrior != 0 {
			end++
		}
		if end == b || r.toks[end].flags&fresh != 0 || r.toks[end-1].flags&colonAfter != 0 {
			r.nameRun(a, i, end)
		} else {
			r.nameRun(a, i, end-1) // the last item has several words
		}
		i = end
	}
}

// nameRun marks the tokens from first to end as names if they are enough of them.
func (r *framer) nameRun(a, first, end int) {
	n := end - first
	labelled := first > a && r.toks[first-1].flags&colonAfter != 0
	if n < labelledItems || n < bareItems && !labelled {
		return
	}
	for i := first; i < end; i++ {
		t := &r.toks[i]
		t.flags |= named
		if n >= vocabularyItems {
			t.flags |= vocabulary
		}
		t.set = t.set.without(verbs).without(judging)
	}
}

// judging holds what is said of other tools, and of consents.
var judging = setOf(bad, better, granted, simulated)
