package taint

import (
	"regexp/syntax"
	"slices"
)

// What a pattern proves is one question, asked in several ways: can a text of a certain form match it? The form is a row of sets of characters, any
// number of anything among them; the pattern is the automaton that it is compiled to, and both are walked together.

// A textForm is a row of pieces.
type textForm []piece

// A piece is one character of a set or, where it is many, any number of them. One without characters stands for any.
type piece struct {
	of   string
	many bool
}

var anything = piece{many: true}

func literally(text string) (out textForm) {
	for _, c := range text {
		out = append(out, piece{of: string(c)})
	}
	return out
}

// holding is the form of all texts that hold a character of a set.
func holding(set string) textForm { return textForm{anything, {of: set}, anything} }

// A search is a pattern and the form that is looked for.
type search struct {
	prog *syntax.Prog
	form textForm
	seen map[place]bool
}

// A place is how much of a text was read, and how far the pattern has come with it.
type place struct {
	pc      uint32 // the instruction of the pattern; before for none yet, behind where it has matched
	piece   int
	started bool // a character was read
}

// The pattern may match a part of a text.
const before, behind = ^uint32(0), ^uint32(0) - 1

// maxPlaces bounds a search; one that is larger is taken to have found something.
const maxPlaces = 20_000

// admits reports whether a text of a form can match a pattern, or hold what matches. Where a boundary of words or the end of a line decides,
// it can.
func admits(re *syntax.Regexp, form textForm) bool {
	prog, err := syntax.Compile(re)
	if err != nil {
		return true
	}
	s := &search{prog: prog, form: form, seen: map[place]bool{}}
	return s.reaches(place{pc: before}) || s.reaches(place{pc: uint32(prog.Start)})
}

// reaches reports whether the end of the text can be reached from a place with the pattern matched.
func (s *search) reaches(at place) bool {
	if s.seen[at] {
		return false
	}
	if s.seen[at] = true; len(s.seen) > maxPlaces {
		return true
	}
	ended := !slices.ContainsFunc(s.form[at.piece:], func(p piece) bool { return !p.many })
	switch at.pc {
	case behind:
		return ended || s.readsOn(at, nil, behind)
	case before:
		return s.readsOn(at, nil, before, uint32(s.prog.Start))
	}
	next := func(pc uint32) bool { return s.reaches(place{pc, at.piece, at.started}) }
	switch i := &s.prog.Inst[at.pc]; i.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return next(i.Out) || next(i.Arg)
	case syntax.InstCapture, syntax.InstNop:
		return next(i.Out)
	case syntax.InstEmptyWidth:
		switch op := syntax.EmptyOp(i.Arg); {
		case op&syntax.EmptyBeginText != 0 && at.started, op&syntax.EmptyEndText != 0 && !ended:
			return false
		case op&syntax.EmptyEndText != 0: // nothing more is read
			at.piece = len(s.form)
		}
		return next(i.Out)
	case syntax.InstMatch:
		return next(behind)
	case syntax.InstFail:
		return false
	default:
		return s.readsOn(at, i, i.Out)
	}
}

// readsOn reads one character that an instruction takes, nil for one that takes any, and goes on at one of some others.
func (s *search) readsOn(at place, takes *syntax.Inst, next ...uint32) bool {
	for n := at.piece; n < len(s.form); n++ {
		p := s.form[n]
		if p.fits(takes) {
			after := n + 1
			if p.many {
				after = n
			}
			for _, pc := range next {
				if s.reaches(place{pc, after, true}) {
					return true
				}
			}
		}
		if !p.many {
			return false
		}
	}
	return false
}

// fits reports whether an instruction takes one of the characters of a piece.
func (p piece) fits(takes *syntax.Inst) bool {
	if takes == nil || p.of == "" {
		return true
	}
	return slices.ContainsFunc([]rune(p.of), takes.MatchRune)
}
