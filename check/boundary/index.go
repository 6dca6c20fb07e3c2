package boundary

import (
	"strings"

	"gauntlet/internal/within"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A unit is one value that results hold: a string, or an array or object by its hash, in one
// form. Who held it is filled in as the trace is walked, so that at any call it tells of
// earlier results alone.
type unit struct {
	text    string // as the result had it; "" for an array or object
	how     how
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
	call   int // place in talk.calls
	offset int // of the value in the message, in bytes
}

// hold adds one result; again with the same result it changes nothing.
func (u *unit) hold(server string, h held, most int) {
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

// An index finds values of results in the arguments of calls.
type index struct {
	limits trust.Limits
	// live says that values come one by one: they are looked for verbatim alone, and what is
	// not known yet is kept whether an argument is known to hold it or not.
	live  bool
	units []unit
	// exact are values and forms of them; loose are folded values; parts are folded
	// arguments that are looked for in results. forms gives the units for an id.
	exact, loose, parts                *within.Set
	exactForms, looseForms, partsForms [][]int
	structs                            map[uint64]int // units of arrays and objects
	wanted                             map[uint64]bool
	blocks                             blocks
	windows                            *windows
	// returned lists, for each call, the units that its result holds, and where.
	returned [][]returned
}

// steps is the work done in searching; tests hold it to a bound.
func (x *index) steps() int { return x.exact.Steps + x.loose.Steps + x.parts.Steps + x.blocks.steps }

type returned struct{ unit, offset int }

// leastFolded is how many bytes a folded text has that is looked for.
const leastFolded = 8

func newIndex(limits trust.Limits, size int, read func(held) string) *index {
	return &index{
		limits: limits, exact: within.NewSet(limits.MinLength), loose: within.NewSet(leastFolded), parts: within.NewSet(leastFolded),
		structs: map[uint64]int{}, wanted: map[uint64]bool{}, windows: newWindows(limits.MinLength, size), blocks: newBlocks(read),
	}
}

// expect learns what stands in the arguments of calls, before any result is read: only what
// may have come there is kept of results.
func (x *index) expect(s *sweep) {
	for i := range s.entries {
		e := &s.entries[i]
		switch {
		case e.text == "" && e.worthy:
			x.wanted[e.hash] = true
		case e.text != "":
			x.windows.add(e.text)
			for _, f := range escapesOf(e.text) {
				x.windows.add(f.text)
			}
			if e.worthy && len(e.text) < x.short() {
				if f := folded(e.text); len(f) >= leastFolded {
					x.add(x.parts, &x.partsForms, f, unit{text: e.text, how: inWhole})
				}
			}
		}
	}
}

// add adds a form of a value and returns its unit.
func (x *index) add(set *within.Set, forms *[][]int, form string, u unit) int {
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

// learn reads the result of a call.
func (x *index) learn(s *sweep, call int) {
	var out []returned
	keep := func(unit int, e *entry) {
		if unit >= 0 {
			out = append(out, returned{unit, e.value.Offset()})
		}
	}
	for i := range s.entries {
		e := &s.entries[i]
		if !e.worthy {
			continue
		}
		if e.text == "" {
			if x.wanted[e.hash] {
				n, ok := x.structs[e.hash]
				if !ok {
					n = len(x.units)
					x.units = append(x.units, unit{})
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

// short is how many bytes a folded text has that is kept to be found as a whole; longer ones
// have blocks enough to be found by.
func (x *index) short() int { return 4 * x.limits.CommonPart }

// learnText reads one string of a result: as it is, folded, in other forms, and its parts.
func (x *index) learnText(e *entry, call int, keep func(int, *entry)) {
	f := folded(e.text)
	if x.windows.may(f) {
		keep(x.add(x.exact, &x.exactForms, e.text, unit{text: e.text}), e)
		if len(f) < x.short() { // of a long one the blocks tell, without keeping it once more
			keep(x.add(x.loose, &x.looseForms, f, unit{text: e.text, how: inFolding}), e)
		}
	}
	if x.mayBeEncoded(e.text) {
		for _, f := range encodedForms(e.text) {
			if x.windows.mayText(f.text) {
				keep(x.add(x.exact, &x.exactForms, f.text, unit{text: e.text, how: f.how}), e)
			}
		}
	}
	for _, d := range decodedForms(e.text) {
		if len(d.text) >= x.limits.MinLength && x.windows.mayText(d.text) {
			keep(x.add(x.exact, &x.exactForms, d.text, unit{text: e.text, how: d.how + outOf}), e)
		}
	}
	x.parts.Find(f, func(id, _ int) bool {
		for _, n := range x.partsForms[id] {
			keep(n, e)
		}
		return true
	})
	if len(f) >= leastCommon {
		x.blocks.learn(x.windows, f, held{call, e.value.Offset()})
	}
}

// mayBeEncoded looks at the beginning of a text in base64 and hex, so that only few texts
// are encoded as a whole.
func (x *index) mayBeEncoded(text string) bool {
	const head = 24
	if len(text) <= 2*head {
		return true
	}
	for _, f := range encodedForms(text[:head]) {
		if x.windows.mayText(f.text) {
			return true
		}
	}
	return false
}

// A hit is a unit that stands in one argument.
type hit struct {
	unit, at int // at: where in the string, in bytes
	how      how
}

// mostHits is how many values are told apart in one argument: more than can stand in it side
// by side. Only values that overlap each other again and again come to more.
func (x *index) mostHits(text string) int { return 100 + 2*len(text)/x.limits.MinLength }

// look finds units in one argument: verbatim ones and, apart from them, others.
func (x *index) look(e *entry) (exact, other []hit, all bool) {
	all = true
	if e.text == "" {
		if n, ok := x.structs[e.hash]; ok && e.worthy {
			exact = append(exact, hit{unit: n})
		}
		return exact, nil, true
	}
	most := x.mostHits(e.text)
	find := func(set *within.Set, forms [][]int, text string, through how) {
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
	if f := folded(e.text); len(f) >= leastFolded {
		find(x.loose, x.looseForms, f, verbatim)
		if e.worthy && len(e.text) < x.short() {
			if id, added := x.parts.Add(f); !added && id >= 0 {
				for _, n := range x.partsForms[id] {
					other = append(other, hit{n, 0, inWhole})
				}
			}
		}
	}
	return exact, other, all
}

// sent remembers that the client sent what the hits stand for.
func (x *index) sent(seq int, hits ...[]hit) {
	for _, hs := range hits {
		for _, h := range hs {
			if u := &x.units[h.unit]; u.asked == 0 {
				u.asked = seq
			}
		}
	}
}

// arrive makes the units of a result known to the calls behind it.
func (x *index) arrive(call int, server string) {
	for _, r := range x.returned[call] {
		x.units[r.unit].hold(server, held{call, r.offset}, x.limits.Producers)
	}
}

// know says what the user gave.
func (x *index) know(given []string) {
	for _, text := range given {
		exact, other, _ := x.look(&entry{text: text, worthy: true})
		for _, hs := range [][]hit{exact, other} {
			for _, h := range hs {
				x.units[h.unit].given = true
			}
		}
	}
}

// build makes the index of a trace: what calls hold is read first, then what results hold.
func build(t *trace.Trace, k *talk, limits trust.Limits) (*index, *sweep) {
	size := 0
	for _, c := range k.calls {
		size += len(t.Messages[c.request].Raw)
	}
	var again rawjson.Tree
	read := func(h held) string {
		if again.Parse(t.Messages[k.calls[h.call].result].Raw, 0) == nil {
			for v := range again.Root().All() {
				if v.Offset() == h.offset {
					return folded(v.Text())
				}
			}
		}
		return ""
	}
	x, s := newIndex(limits, size, read), newSweep(limits.MinLength)
	for _, c := range k.calls {
		if s.parse(t.Messages[c.request].Raw) {
			s.inputs()
			x.expect(s)
		}
	}
	x.returned = make([][]returned, len(k.calls))
	for i, c := range k.calls {
		if c.result >= 0 && s.parse(t.Messages[c.result].Raw) {
			s.add(s.root().Get("result"))
			x.learn(s, i)
		}
	}
	return x, s
}

// excluded reports whether a value says nothing at this call: a common word, or what the
// schema of the tool lists.
func (k *talk) excluded(text string, c *call) bool {
	return text != "" && (common(text) || k.enums[[2]string{c.server, c.tool}][strings.TrimSpace(text)])
}
