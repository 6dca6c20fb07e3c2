package oatf

import (
	"regexp/syntax"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// maxPrograms is how many instructions of compiled expressions are looked at in one document.
const maxPrograms = 100_000

// lintRegexps is GNT-207 for every regular expression of a document.
func (c *checker) lintRegexps() {
	for _, i := range c.indicators {
		p := memberOfKind(i, "pattern", rawjson.Object)
		c.lintRegexp(p, "regex")
		c.lintRegexp(memberOfKind(p, "condition", rawjson.Object), "regex")
	}
	for _, a := range c.actors {
		for _, p := range a.phases {
			for _, e := range memberOfKind(p.value, "extractors", rawjson.Array).Elements() {
				if textOf(e, "type") == string(ExtractRegex) {
					c.lintRegexp(e, "selector")
				}
			}
			c.lintPredicate(memberOfKind(p.value, "trigger", rawjson.Object).Get("match"))
			eachAnswer(p.state, func(_ string, entry rawjson.Value) { c.lintPredicate(entry.Get("when")) })
		}
	}
}

func (c *checker) lintPredicate(v rawjson.Value) {
	for m := range v.Members() {
		if m.Value.Kind() == rawjson.Object {
			c.lintRegexp(m.Value, "regex")
		}
	}
}

func (c *checker) lintRegexp(v rawjson.Value, name string) {
	re := memberOfKind(v, name, rawjson.String)
	if c.instructions += len(re.Text()); !re.Exists() || c.instructions > maxPrograms {
		return
	}
	never, size := neverMatches(re.Text())
	if c.instructions += size; never {
		c.rule("GNT-207", v, name, "the regular expression matches no text at all: %q", excerpt.Clip(re.Text(), mostQuoted))
	}
}

// maxProgram is how many instructions of a compiled expression are looked at. A longer one
// is taken to match something.
const maxProgram = 2000

// neverMatches reports whether no text whatever matches an expression: an assertion in it
// contradicts what stands around it (a^b, x\bx), or a class is empty. One that does not
// compile is not judged.
//
// It walks the compiled program over the kinds of characters that assertions can tell
// apart instead of over characters.
func neverMatches(expression string) (never bool, instructions int) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return false, 0
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return false, maxProgram
	}
	w := walker{prog: prog, seen: map[walk]bool{}, takes: make([]uint8, len(prog.Inst))}
	for before := kind(0); before < kinds; before++ {
		w.addWalk(walk{uint32(prog.Start), before, allKinds})
	}
	for len(w.todo) > 0 {
		next := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if w.stepWalk(next) {
			return false, len(prog.Inst)
		}
	}
	return true, len(prog.Inst)
}

// kind is a sort of character on one side of a place in a text, as far as assertions care.
type kind uint8

const (
	edge    kind = iota // the text begins or ends
	newline             // \n
	inWord              // a letter, digit or _ of ASCII
	other               // any other character
	kinds
	allKinds = 1<<kinds - 1
)

// sample is a character of each kind, for the assertions to look at.
var sample = [kinds]rune{edge: -1, newline: '\n', inWord: 'a', other: '-'}

// walk is a place in the program with what is known of the characters around it.
type walk struct {
	pc     uint32
	before kind
	after  uint8 // a set of kinds
}

type walker struct {
	prog *syntax.Prog
	seen map[walk]bool
	todo []walk
	// takes is which kinds of character an instruction takes, once that is known.
	takes []uint8
}

func (w *walker) addWalk(p walk) {
	if p.after != 0 && !w.seen[p] {
		w.seen[p] = true
		w.todo = append(w.todo, p)
	}
}

// stepWalk goes on from a place and reports whether it is a match.
func (w *walker) stepWalk(p walk) bool {
	inst := &w.prog.Inst[p.pc]
	switch inst.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		w.addWalk(walk{inst.Out, p.before, p.after})
		w.addWalk(walk{inst.Arg, p.before, p.after})
	case syntax.InstCapture, syntax.InstNop:
		w.addWalk(walk{inst.Out, p.before, p.after})
	case syntax.InstEmptyWidth:
		holds := uint8(0)
		for after := kind(0); after < kinds; after++ {
			if p.after&(1<<after) != 0 && syntax.EmptyOp(inst.Arg)&^syntax.EmptyOpContext(sample[p.before], sample[after]) == 0 {
				holds |= 1 << after
			}
		}
		w.addWalk(walk{inst.Out, p.before, holds})
	case syntax.InstFail:
	default: // one character
		if w.takes[p.pc] == 0 {
			w.takes[p.pc] = 1 << edge // known: no instruction takes an edge
			for k := newline; k < kinds; k++ {
				if takes(inst, k) {
					w.takes[p.pc] |= 1 << k
				}
			}
		}
		for k := newline; k < kinds; k++ {
			if p.after&w.takes[p.pc]&(1<<k) != 0 {
				w.addWalk(walk{inst.Out, k, allKinds})
			}
		}
	}
	return false
}

// takes reports whether an instruction takes any character of a kind.
func takes(inst *syntax.Inst, k kind) bool {
	switch inst.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return k != newline
	}
	switch k {
	case newline:
		return inst.MatchRune('\n')
	case inWord:
		for r := '0'; r <= 'z'; r++ {
			if syntax.IsWordChar(r) && inst.MatchRune(r) {
				return true
			}
		}
		return false
	}
	return takesOther(inst)
}

// takesOther reports whether an instruction takes a character that is no newline and not
// of a word: one of ASCII, or any beyond it.
func takesOther(inst *syntax.Inst) bool {
	for r := rune(0); r < 0x80; r++ {
		if r != '\n' && !syntax.IsWordChar(r) && inst.MatchRune(r) {
			return true
		}
	}
	for _, r := range inst.Rune { // a single character, or ends of ranges
		if r >= 0x80 {
			return true
		}
	}
	// (?i)k takes the Kelvin sign, and s the long s.
	return inst.MatchRune('\u212a') || inst.MatchRune('\u017f')
}
