package boundary

import (
	"slices"
	"strings"

	"gauntlet/trace"
	"gauntlet/trust"
)

// A returnedValue is a value in results: a string, or the hash of an array or object, in one form. Holders are added as
// the trace is walked, so that each call sees only earlier results.
type returnedValue struct {
	text    string // as in the result; "" for an array or object
	how     transformation
	holders []holder
	// asked is the number of the first message in which the client sent the value; 0 for none. given says that the
	// user's own texts contain it.
	asked int
	given bool
}

// A holder is a server whose results contained the value.
type holder struct {
	server string
	firsts []held // the first ones, as many as are reported
	n      int    // total number
}

// held is the place of a value in a result.
type held struct {
	call   int // index in log.calls
	offset int // in the message, in bytes
}

// addHolder adds a result, ignoring repetitions.
func (u *returnedValue) addHolder(server string, h held, most int) {
	for i := range u.holders {
		o := &u.holders[i]
		if o.server != server {
			continue
		}
		if o.firsts[len(o.firsts)-1].call == h.call {
			return
		}
		if o.n++; len(o.firsts) < most {
			o.firsts = append(o.firsts, h)
		}
		return
	}
	u.holders = append(u.holders, holder{server, []held{h}, 1})
}

// A valueIndex finds values of results in call arguments.
type valueIndex struct {
	limits trust.Limits
	// live means that values arrive one by one: they are searched only verbatim, and unknown ones are kept whether or
	// not an argument contains them.
	live  bool
	units []returnedValue
	// exact holds values and their forms, loose folded values, parts folded arguments to search for in results.
	exact, loose, parts forms
	// whole are the units of values that are compared as a whole, by their keys, and wanted the keys of such values in arguments.
	whole   map[any]int
	wanted  map[any]bool
	blocks  blockIndex
	windows *windows
	// returned lists, per call, the units in its result and their places.
	returned [][]valueAt
}

// countSteps returns the search work, which tests limit.
func (x *valueIndex) countSteps() int {
	return x.exact.Steps + x.loose.Steps + x.parts.Steps + x.blocks.steps
}

// forms are texts that represent units.
type forms struct {
	*Set
	units [][]int // by the id of a text
}

type valueAt struct{ unit, offset int }

// leastFolded is the minimum length in bytes of a folded text to search for.
const leastFolded = 8

func newValueIndex(limits trust.Limits, size int) *valueIndex {
	return &valueIndex{
		limits: limits, exact: forms{Set: NewSet(limits.MinLength)}, loose: forms{Set: NewSet(leastFolded)}, parts: forms{Set: NewSet(leastFolded)},
		whole: map[any]int{}, wanted: map[any]bool{}, windows: newWindows(limits.MinLength, size), blocks: newBlocks(),
	}
}

// expectInputs records the arguments of all calls before any result is read, so that only relevant parts of results are kept.
func (x *valueIndex) expectInputs(s *valueSweep) {
	for i := range s.entries {
		e := &s.entries[i]
		switch {
		case e.text == "" && e.worthy, e.role != "":
			x.wanted[e.key()] = true
		case e.text != "":
			x.windows.addWindows(e.text)
			for _, f := range escapesOf(e.text) {
				x.windows.addWindows(f.text)
			}
			if e.worthy && len(e.text) < x.shortLimit() {
				if f := foldText(e.text); len(f) >= leastFolded {
					x.addForm(&x.parts, f, returnedValue{text: e.text, how: inWhole})
				}
			}
		}
	}
}

// addForm adds a form of a value and returns its unit, -1 for none.
func (x *valueIndex) addForm(to *forms, form string, u returnedValue) int {
	id, _ := to.Add(form)
	if id < 0 {
		return -1
	}
	for len(to.units) <= id {
		to.units = append(to.units, nil)
	}
	for _, n := range to.units[id] {
		if x.units[n].how == u.how {
			return n
		}
	}
	n := x.addUnit(u)
	to.units[id] = append(to.units[id], n)
	return n
}

func (x *valueIndex) addUnit(u returnedValue) int {
	x.units = append(x.units, u)
	return len(x.units) - 1
}

// keepVerbatim returns the unit of a value as it is, -1 for none. Its text does not keep its message in memory.
func (x *valueIndex) keepVerbatim(e *entry) int {
	text := strings.Clone(e.trimmed())
	if e.worthy && e.text != "" {
		return x.addForm(&x.exact, text, returnedValue{text: text})
	}
	n, ok := x.whole[e.key()]
	if !ok {
		n = x.addUnit(returnedValue{text: text})
		var key any = text
		if text == "" {
			key = e.hash
		}
		x.whole[key] = n
	}
	return n
}

func (x *valueIndex) learnResult(s *valueSweep, call int) {
	var out []valueAt
	keep := func(unit int, e *entry) {
		if unit >= 0 {
			out = append(out, valueAt{unit, e.offset})
		}
	}
	for i := range s.entries {
		switch e := &s.entries[i]; {
		case e.worthy && e.text != "":
			x.learnText(e, call, keep)
		case x.wanted[e.key()]:
			keep(x.keepVerbatim(e), e)
		}
	}
	x.returned[call] = out
}

// shortLimit is the length in bytes below which a folded text is kept to be found whole; longer ones are found by their blocks.
func (x *valueIndex) shortLimit() int { return 4 * x.limits.CommonPart }

// learnText indexes a string of a result: verbatim, folded, in other forms, and in parts.
func (x *valueIndex) learnText(e *entry, call int, keep func(int, *entry)) {
	f := foldText(e.text)
	if x.windows.mayHold(f) {
		keep(x.keepVerbatim(e), e)
		if len(f) < x.shortLimit() { // a long one is found by its blocks
			keep(x.addForm(&x.loose, f, returnedValue{text: e.trimmed(), how: inFolding}), e)
		}
	}
	if x.mayBeEncoded(e.text) {
		for _, f := range encodedForms(e.text) {
			if x.windows.mayHoldText(f.text) {
				keep(x.addForm(&x.exact, f.text, returnedValue{text: e.text, how: f.how}), e)
			}
		}
	}
	for _, d := range decodedForms(e.text) {
		if len(d.text) >= x.limits.MinLength && x.windows.mayHoldText(d.text) {
			keep(x.addForm(&x.exact, d.text, returnedValue{text: e.text, how: d.how + outOf}), e)
		}
	}
	x.parts.Find(f, func(id, _ int) bool {
		for _, n := range x.parts.units[id] {
			keep(n, e)
		}
		return true
	})
	if len(f) >= leastCommon {
		x.blocks.addBlocks(x.windows, f, held{call, e.offset})
	}
}

// mayBeEncoded checks the beginning of a text in base64 and hex, so that few texts are encoded completely.
func (x *valueIndex) mayBeEncoded(text string) bool {
	const head = 24
	if len(text) <= 2*head {
		return true
	}
	return slices.ContainsFunc(encodedForms(text[:head]), func(f form) bool { return x.windows.mayHoldText(f.text) })
}

// A hit is a unit found in an argument.
type hit struct {
	unit, at int // at: byte offset in the string
	how      transformation
}

// mostHits limits the values distinguished in an argument to more than fit side by side. Only heavily overlapping values exceed it.
func (x *valueIndex) mostHits(text string) int { return 100 + 2*len(text)/x.limits.MinLength }

// findValues finds units in an argument, verbatim ones and others separately.
func (x *valueIndex) findValues(e *entry) (exact, other []hit, all bool) {
	all = true
	if e.text == "" || e.role != "" {
		if n, ok := x.whole[e.key()]; ok {
			exact = append(exact, hit{unit: n, at: strings.Index(e.text, e.trimmed())})
		}
		return exact, nil, true
	}
	most := x.mostHits(e.text)
	find := func(in *forms, text string, through transformation) {
		all = in.Find(text, func(id, at int) bool {
			for _, n := range in.units[id] {
				switch how := x.units[n].how; {
				case through == verbatim && how == verbatim:
					exact = append(exact, hit{n, at, verbatim})
				case through == verbatim:
					other = append(other, hit{n, at, how})
				case how == verbatim: // decoded from the argument; double encodings are not searched
					other = append(other, hit{n, 0, through})
				}
			}
			return len(exact)+len(other) < most
		}) && all
	}
	find(&x.exact, e.text, verbatim)
	if x.live {
		return exact, nil, all
	}
	if x.exact.Len() > 0 {
		for _, f := range escapesOf(e.text) {
			find(&x.exact, f.text, f.how)
		}
	}
	if f := foldText(e.text); len(f) >= leastFolded {
		find(&x.loose, f, verbatim)
		if e.worthy && len(e.text) < x.shortLimit() {
			if id, added := x.parts.Add(f); !added && id >= 0 {
				for _, n := range x.parts.units[id] {
					other = append(other, hit{n, 0, inWhole})
				}
			}
		}
	}
	return exact, other, all
}

// markSent records that the client sent the values of the hits.
func (x *valueIndex) markSent(seq int, hits ...[]hit) {
	for _, hs := range hits {
		for _, h := range hs {
			if u := &x.units[h.unit]; u.asked == 0 {
				u.asked = seq
			}
		}
	}
}

// activateResult makes the units of a result visible to later calls.
func (x *valueIndex) activateResult(call int, server string) {
	for _, r := range x.returned[call] {
		x.units[r.unit].addHolder(server, held{call, r.offset}, x.limits.Producers)
	}
}

func (x *valueIndex) markGiven(given []string) {
	for _, text := range given {
		exact, other, _ := x.findValues(&entry{text: text, worthy: true})
		for _, hs := range [][]hit{exact, other} {
			for _, h := range hs {
				x.units[h.unit].given = true
			}
		}
	}
}

// buildIndex indexes a trace: first the calls' arguments, then the results.
func buildIndex(t *trace.Trace, k *callLog, limits trust.Limits) (*valueIndex, *valueSweep) {
	size := 0
	for _, c := range k.calls {
		size += len(t.Messages[c.request].Raw)
	}
	x, s := newValueIndex(limits, size), newSweep(limits.MinLength)
	for _, c := range k.calls {
		if s.parseMessage(t.Messages[c.request].Raw) {
			s.addInputs()
			x.expectInputs(s)
		}
	}
	x.returned = make([][]valueAt, len(k.calls))
	for i, c := range k.calls {
		if c.result >= 0 && s.parseMessage(t.Messages[c.result].Raw) {
			s.addOutputs(c.method)
			x.learnResult(s, i)
		}
	}
	return x, s
}

// isExcluded reports whether a value is insignificant for a call: a common word, or listed in the tool's schema.
func (k *callLog) isExcluded(text string, c *call) bool {
	return text != "" && (isCommonWord(text) || k.enums[[2]string{c.server, c.tool}][strings.TrimSpace(text)])
}
