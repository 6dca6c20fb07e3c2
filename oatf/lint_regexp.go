package oatf

import (
	"regexp/syntax"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// maxPrograms limits the compiled instructions examined per document.
const maxPrograms = 100_000

// lintRegexps applies GNT-207 to every regular expression of a document.
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

// maxProgram limits the instructions examined per expression. A longer one is assumed to match something.
const maxProgram = 2000

// neverMatches reports whether an expression matches no text at all: an assertion contradicts its neighbours (a^b,
// x\bx), or a class is empty. An expression that does not compile is not judged.
//
// It walks the compiled program over the classes of characters that assertions distinguish instead of over characters.
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

// kind is a class of characters as assertions distinguish them.
type kind uint8

const (
	edge    kind = iota // start or end of the text
	newline             // \n
	inWord              // an ASCII letter, digit or _
	other               // any other character
	kinds
	allKinds = 1<<kinds - 1
)

// sample has a character of each kind to test assertions with.
var sample = [kinds]rune{edge: -1, newline: '\n', inWord: 'a', other: '-'}

// walk is a position in the program and what is known of the characters around it.
type walk struct {
	pc     uint32
	before kind
	after  uint8 // a set of kinds
}

type walker struct {
	prog *syntax.Prog
	seen map[walk]bool
	todo []walk
	// takes caches the kinds of character that an instruction accepts.
	takes []uint8
}

func (w *walker) addWalk(p walk) {
	if p.after != 0 && !w.seen[p] {
		w.seen[p] = true
		w.todo = append(w.todo, p)
	}
}

// stepWalk advances from a position and reports whether it is a match.
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
	default: // a character
		if w.takes[p.pc] == 0 {
			w.takes[p.pc] = 1 << edge // computed; no instruction accepts an edge
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

// takes reports whether an instruction accepts any character of a kind.
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

// takesOther reports whether an instruction accepts a character that is neither a newline nor a word character, ASCII or beyond.
func takesOther(inst *syntax.Inst) bool {
	for r := rune(0); r < 0x80; r++ {
		if r != '\n' && !syntax.IsWordChar(r) && inst.MatchRune(r) {
			return true
		}
	}
	for _, r := range inst.Rune { // a single character, or range ends
		if r >= 0x80 {
			return true
		}
	}
	// (?i)k accepts the Kelvin sign, and s the long s.
	return inst.MatchRune('\u212a') || inst.MatchRune('\u017f')
}
