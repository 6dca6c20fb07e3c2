package boundary

import (
	"strings"

	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A returnedValue is one value that results hold: a string, or an array or object by its hash, in one
// form. Who held it is filled in as the trace is walked, so that at any call it tells of
// earlier results alone.
type returnedValue struct {
	text    string // as the result had it; "" for an array or object
	how     transformation
	holders []holder
	// asked is the number of the first message in which the client sent the value; 0 if it
	// never did. given: the user's own texts hold it.
	asked int
	given bool
}

// A holder is one server whose results held the value.
type holder struct {
	server string
	firsts []held // the first of them, as many as are reported
	n      int    // all of them
}

// held is where in a result the value stood.
type held struct {
	call   int // place in log.calls
	offset int // of the value in the message, in bytes
}

// addHolder adds one result; again with the same result it changes nothing.
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

// A valueIndex finds values of results in the arguments of calls.
type valueIndex struct {
	limits trust.Limits
	// live says that values come one by one: they are looked for verbatim alone, and what is
	// not known yet is kept whether an argument is known to hold it or not.
	live  bool
	units []returnedValue
	// exact are values and forms of them; loose are folded values; parts are folded
	// arguments that are looked for in results. forms gives the units for an id.
	exact, loose, parts                *Set
	exactForms, looseForms, partsForms [][]int
	structs                            map[uint64]int // units of arrays and objects
	// shorts are units of short strings that count where a parameter takes something dangerous.
	// wantedShorts are those that stand in such a parameter.
	shorts       map[string]int
	wantedShorts map[string]bool
	wanted       map[uint64]bool
	blocks       blockIndex
	windows      *windowFilter
	// returned lists, for each call, the units that its result holds, and where.
	returned [][]valueAt
}

// countSteps is the work done in searching; tests hold it to a bound.
func (x *valueIndex) countSteps() int {
	return x.exact.Steps + x.loose.Steps + x.parts.Steps + x.blocks.steps
}

type valueAt struct{ unit, offset int }

// leastFolded is how many bytes a folded text has that is looked for.
const leastFolded = 8

func newValueIndex(limits trust.Limits, size int, read func(held) string) *valueIndex {
	return &valueIndex{
		limits: limits, exact: NewSet(limits.MinLength), loose: NewSet(leastFolded), parts: NewSet(leastFolded),
		structs: map[uint64]int{}, shorts: map[string]int{}, wantedShorts: map[string]bool{}, wanted: map[uint64]bool{}, windows: newWindows(limits.MinLength, size), blocks: newBlocks(read),
	}
}

// expectInputs learns what stands in the arguments of calls, before any result is read: only what
// may have come there is kept of results.
func (x *valueIndex) expectInputs(s *valueSweep) {
	for i := range s.entries {
		e := &s.entries[i]
		switch {
		case e.text == "" && e.worthy:
			x.wanted[e.hash] = true
		case e.role != "":
			x.wantedShorts[strings.Clone(e.trimmed())] = true
		case e.text != "":
			x.windows.addWindows(e.text)
			for _, f := range escapesOf(e.text) {
				x.windows.addWindows(f.text)
			}
			if e.worthy && len(e.text) < x.shortLimit() {
				if f := foldText(e.text); len(f) >= leastFolded {
					x.addForm(x.parts, &x.partsForms, f, returnedValue{text: e.text, how: inWhole})
				}
			}
		}
	}
}

// addForm adds a form of a value and returns its unit.
func (x *valueIndex) addForm(set *Set, forms *[][]int, form string, u returnedValue) int {
	id, _ := set.Add(form)
	if id < 0 {
		return -1
	}
	for len(*forms) <= id {
		*forms = append(*forms, nil)
	}
	for _, n := range (*forms)[id] {
		if x.units[n].how == u.how {
			return n
		}
	}
	x.units = append(x.units, u)
	(*forms)[id] = append((*forms)[id], len(x.units)-1)
	return len(x.units) - 1
}

// learnResult reads the result of a call.
func (x *valueIndex) learnResult(s *valueSweep, call int) {
	var out []valueAt
	keep := func(unit int, e *entry) {
		if unit >= 0 {
			out = append(out, valueAt{unit, e.offset})
		}
	}
	for i := range s.entries {
		e := &s.entries[i]
		if !e.worthy {
			if t := e.trimmed(); x.wantedShorts[t] {
				keep(x.keepShort(t), e)
			}
			continue
		}
		if e.text == "" {
			if x.wanted[e.hash] {
				n, ok := x.structs[e.hash]
				if !ok {
					n = len(x.units)
					x.units = append(x.units, returnedValue{})
					x.structs[e.hash] = n
				}
				keep(n, e)
			}
			continue
		}
		x.learnText(e, call, keep)
	}
	x.returned[call] = out
}

// keepShort returns the unit of a short string.
func (x *valueIndex) keepShort(text string) int {
	n, ok := x.shorts[text]
	if !ok {
		n = len(x.units)
		text = strings.Clone(text)
		x.units = append(x.units, returnedValue{text: text})
		x.shorts[text] = n
	}
	return n
}

// shortLimit is how many bytes a folded text has that is kept to be found as a whole; longer ones
// have blocks enough to be found by.
func (x *valueIndex) shortLimit() int { return 4 * x.limits.CommonPart }

// learnText reads one string of a result: as it is, folded, in other forms, and its parts.
func (x *valueIndex) learnText(e *entry, call int, keep func(int, *entry)) {
	f := foldText(e.text)
	if x.windows.mayHold(f) {
		text := e.trimmed()
		keep(x.addForm(x.exact, &x.exactForms, text, returnedValue{text: text}), e)
		if len(f) < x.shortLimit() { // of a long one the blocks tell, without keeping it once more
			keep(x.addForm(x.loose, &x.looseForms, f, returnedValue{text: text, how: inFolding}), e)
		}
	}
	if x.mayBeEncoded(e.text) {
		for _, f := range encodedForms(e.text) {
			if x.windows.mayHoldText(f.text) {
				keep(x.addForm(x.exact, &x.exactForms, f.text, returnedValue{text: e.text, how: f.how}), e)
			}
		}
	}
	for _, d := range decodedForms(e.text) {
		if len(d.text) >= x.limits.MinLength && x.windows.mayHoldText(d.text) {
			keep(x.addForm(x.exact, &x.exactForms, d.text, returnedValue{text: e.text, how: d.how + outOf}), e)
		}
	}
	x.parts.Find(f, func(id, _ int) bool {
		for _, n := range x.partsForms[id] {
			keep(n, e)
		}
		return true
	})
	if len(f) >= leastCommon {
		x.blocks.addBlocks(x.windows, f, held{call, e.offset})
	}
}

// mayBeEncoded looks at the beginning of a text in base64 and hex, so that only few texts
// are encoded as a whole.
func (x *valueIndex) mayBeEncoded(text string) bool {
	const head = 24
	if len(text) <= 2*head {
		return true
	}
	for _, f := range encodedForms(text[:head]) {
		if x.windows.mayHoldText(f.text) {
			return true
		}
	}
	return false
}

// A hit is a unit that stands in one argument.
type hit struct {
	unit, at int // at: where in the string, in bytes
	how      transformation
}

// mostHits is how many values are told apart in one argument: more than can stand in it side
// by side. Only values that overlap each other again and again come to more.
func (x *valueIndex) mostHits(text string) int { return 100 + 2*len(text)/x.limits.MinLength }

// findValues finds units in one argument: verbatim ones and, apart from them, others.
func (x *valueIndex) findValues(e *entry) (exact, other []hit, all bool) {
	all = true
	if e.text == "" {
		if n, ok := x.structs[e.hash]; ok && e.worthy {
			exact = append(exact, hit{unit: n})
		}
		return exact, nil, true
	}
	if e.role != "" {
		if n, ok := x.shorts[e.trimmed()]; ok {
			exact = append(exact, hit{unit: n, at: strings.Index(e.text, e.trimmed())})
		}
		return exact, nil, true
	}
	most := x.mostHits(e.text)
	find := func(set *Set, forms [][]int, text string, through transformation) {
		all = set.Find(text, func(id, at int) bool {
			for _, n := range forms[id] {
				switch how := x.units[n].how; {
				case through == verbatim && how == verbatim:
					exact = append(exact, hit{n, at, verbatim})
				case through == verbatim:
					other = append(other, hit{n, at, how})
				case how == verbatim: // undone in the argument; twice encoded is not looked for
					other = append(other, hit{n, 0, through})
				}
			}
			return len(exact)+len(other) < most
		}) && all
	}
	find(x.exact, x.exactForms, e.text, verbatim)
	if x.live {
		return exact, nil, all
	}
	if x.exact.Len() > 0 {
		for _, f := range escapesOf(e.text) {
			find(x.exact, x.exactForms, f.text, f.how)
		}
	}
	if f := foldText(e.text); len(f) >= leastFolded {
		find(x.loose, x.looseForms, f, verbatim)
		if e.worthy && len(e.text) < x.shortLimit() {
			if id, added := x.parts.Add(f); !added && id >= 0 {
				for _, n := range x.partsForms[id] {
					other = append(other, hit{n, 0, inWhole})
				}
			}
		}
	}
	return exact, other, all
}

// markSent remembers that the client sent what the hits stand for.
func (x *valueIndex) markSent(seq int, hits ...[]hit) {
	for _, hs := range hits {
		for _, h := range hs {
			if u := &x.units[h.unit]; u.asked == 0 {
				u.asked = seq
			}
		}
	}
}

// activateResult makes the units of a result known to the calls behind it.
func (x *valueIndex) activateResult(call int, server string) {
	for _, r := range x.returned[call] {
		x.units[r.unit].addHolder(server, held{call, r.offset}, x.limits.Producers)
	}
}

// markGiven says what the user gave.
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

// buildIndex makes the index of a trace: what calls hold is read first, then what results hold.
func buildIndex(t *trace.Trace, k *callLog, limits trust.Limits) (*valueIndex, *valueSweep) {
	size := 0
	for _, c := range k.calls {
		size += len(t.Messages[c.request].Raw)
	}
	var again rawjson.Tree
	read := func(h held) string {
		if again.Parse(t.Messages[k.calls[h.call].result].Raw, 0) == nil {
			for v := range again.Root().All() {
				if v.Offset() == h.offset {
					return foldText(v.Text())
				}
			}
		}
		return ""
	}
	x, s := newValueIndex(limits, size, read), newSweep(limits.MinLength)
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

// isExcluded reports whether a value says nothing at this call: a common word, or what the
// schema of the tool lists.
func (k *callLog) isExcluded(text string, c *call) bool {
	return text != "" && (isCommonWord(text) || k.enums[[2]string{c.server, c.tool}][strings.TrimSpace(text)])
}
