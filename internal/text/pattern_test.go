package text

import (
	"slices"
	"strings"
	"testing"
)

const small = "[lead]\nmust\n[a]\nalpha\n[b]\nbeta\n[c]\ncharlie\n[d]\ndelta\n[e]\necho\n[f]\nfoxtrot\n[v verb]\ncarry"

func TestPatternErrors(t *testing.T) {
	l := load(t, small)
	for _, tt := range []struct{ name, line, want string }{
		{"no colon", "f.n 3 a b", "want \"family.name weight : elements\""},
		{"no weight", "f.n : a", "want \"family.name weight : elements\""},
		{"no name", "f 3 : a", "want family.name"},
		{"empty family", ".n 3 : a", "want family.name"},
		{"weight is a word", "f.n x : a", "weight"},
		{"no elements", "f.n 3 :", "no elements"},
		{"no elements before guards", "f.n 3 : ; -a", "no elements"},
		{"unknown class", "f.n 3 : a zebra", `unknown class "zebra"`},
		{"unknown alternative", "f.n 3 : a|zebra", `unknown class "zebra"`},
		{"empty alternative", "f.n 3 : a|", `unknown class ""`},
		{"gap is a word", "f.n 3 : a ~x b", `gap "x"`},
		{"negative gap", "f.n 3 : a ~-1 b", `gap "-1"`},
		{"gap before nothing", "f.n 3 : a ~2", `unknown class ""`},
		{"open cluster", "f.n 3 : {a b", "unclosed {"},
		{"empty cluster", "f.n 3 : {}", "want 1 to 5 classes"},
		{"huge cluster", "f.n 3 : {a b c d e f}", "want 1 to 5 classes"},
		{"too many orders", "f.n 3 : {a b c d e} {a b c d e}", "more than 720 orders"},
		{"cluster gap is a word", "f.n 3 : {a b}~x", `gap "x"`},
		{"guard without a sign", "f.n 3 : a ; b", "begins with neither"},
		{"unknown guard", "f.n 3 : a ; -zebra", `unknown class "zebra"`},
		{"guard distance is a word", "f.n 3 : a ; -b<x", "guard"},
		{"guard distance 0", "f.n 3 : a ; -b>0", "guard"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parsePatterns("# comment\n\n"+tt.line, l)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "line 3: ") {
				t.Errorf("parsePatterns(%q) = %v, want line 3 and %q", tt.line, err, tt.want)
			}
		})
	}
}

// matching runs one pattern over words written as "alpha x x beta. charlie": a comma
// begins a clause, x is a word without a class, A* is a base form.
func matching(t *testing.T, l *lexicon, line, sentence string) (first, last int, ok bool) {
	t.Helper()
	ps, err := parsePatterns(line, l)
	if err != nil {
		t.Fatal(err)
	}
	var ws []word
	var mask ClassSet
	fresh := true
	for n, f := range strings.Fields(sentence) {
		f, comma := strings.CutSuffix(f, ",")
		if s := l.lookup([]byte(f)); s != nil {
			w := word{n: int32(n), last: int32(n), classes: s.classes, base: s.base}
			if fresh {
				w.flags |= clauseStart
			}
			mask.addAll(w.classes)
			ws = append(ws, w)
		}
		fresh = comma
	}
	var m matcher
	for i := range ps {
		if first, last, ok = ps[i].match(ws, mask, &m); ok {
			return int(ws[first].n), int(ws[last].n), true
		}
	}
	return 0, 0, false
}

func TestPatternMatch(t *testing.T) {
	l := load(t, small)
	for _, tt := range []struct {
		name, pattern, sentence string
		want                    bool
	}{
		{"neighbours", "a b", "alpha beta", true},
		{"wrong order", "a b", "beta alpha", false},
		{"default gap at its limit", "a b", "alpha x x beta", true},
		{"default gap exceeded", "a b", "alpha x x x beta", false},
		{"gap at its limit", "a ~4 b", "alpha x x x x beta", true},
		{"gap exceeded", "a ~4 b", "alpha x x x x x beta", false},
		{"no gap", "a ~0 b", "alpha beta", true},
		{"no gap exceeded", "a ~0 b", "alpha x beta", false},
		{"the nearest start counts", "a ~0 b", "alpha x alpha beta", true},
		{"three elements", "a b ~1 c", "alpha x beta x charlie", true},
		{"one word is not two elements", "a a", "alpha", false},
		{"alternatives, first", "a|b c", "alpha charlie", true},
		{"alternatives, second", "a|b c", "beta charlie", true},
		{"clause start", "^a b", "alpha beta", true},
		{"clause start behind a comma", "^b", "alpha, beta", true},
		{"no clause start", "^b", "alpha beta", false},
		{"inside a clause", "a _b", "alpha beta", true},
		{"not inside a clause", "a _b", "alpha, beta", false},
		{"clause start behind a lead", "^b", "must beta", true},
		{"no clause start a word behind a lead", "^b", "must x beta", false},
		{"base form", "v! a", "carry alpha", true},
		{"no base form", "v! a", "carries alpha", false},
		{"any form", "v a", "carries alpha", true},
		{"cluster in order", "{a b c}~1", "alpha beta charlie", true},
		{"cluster out of order", "{a b c}~1", "charlie x alpha beta", true},
		{"cluster too far apart", "{a b}~1", "alpha x x beta", false},
		{"cluster that lacks one", "{a b c}~1", "alpha beta", false},
		{"forbidden in the sentence", "a b ; -c", "alpha beta", true},
		{"forbidden and there", "a b ; -c", "alpha beta x x x x charlie", false},
		{"wanted and there", "a b ; +c", "charlie x x x alpha beta", true},
		{"wanted and missing", "a b ; +c", "alpha beta", false},
		{"forbidden before, near", "a ; -b<2", "beta x alpha", false},
		{"forbidden before, far", "a ; -b<2", "beta x x alpha", true},
		{"forbidden before stands behind", "a ; -b<2", "alpha beta", true},
		{"forbidden behind, near", "a ; -b>2", "alpha x beta", false},
		{"forbidden behind, far", "a ; -b>2", "alpha x x beta", true},
		{"forbidden behind stands before", "a ; -b>2", "beta alpha", true},
		{"wanted before", "a ; +b<3", "beta x alpha", true},
		{"wanted before, too far", "a ; +b<3", "beta x x x alpha", false},
		{"a second match where a guard refuses the first", "a ; -b<1", "beta alpha x alpha", true},
		{"two guards", "a ; +b -c", "alpha beta charlie", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, ok := matching(t, l, "f.n 3 : "+tt.pattern, tt.sentence); ok != tt.want {
				t.Errorf("%q on %q: match = %v, want %v", tt.pattern, tt.sentence, ok, tt.want)
			}
		})
	}
	if first, last, ok := matching(t, l, "f.n 3 : a b", "x alpha x beta alpha beta"); first != 1 || last != 3 || !ok {
		t.Errorf("first match = %d to %d (%v), want 1 to 3", first, last, ok)
	}
}

func TestPatternAttributes(t *testing.T) {
	ps, err := parsePatterns("fam.some.name 2 : ~3 ^a! ~7 _b|c {d e}~9 ; -f<4 +b", load(t, small))
	if err != nil {
		t.Fatal(err)
	}
	if len(ps) != 2 { // two orders of the cluster
		t.Fatalf("%d patterns, want 2", len(ps))
	}
	p := ps[0]
	var gaps []int32
	for _, e := range p.elems {
		gaps = append(gaps, e.gap)
	}
	if p.family != "fam" || p.name != "some.name" || p.weight != 2 || !slices.Equal(gaps, []int32{3, 7, 2, 9}) ||
		!p.elems[0].clause || !p.elems[0].base || !p.elems[1].inside || len(p.guards) != 2 || p.guards[0].before != 4 || p.guards[0].want || !p.guards[1].want {
		t.Errorf("parsed %+v", p)
	}
}

func FuzzParsePattern(f *testing.F) {
	l := words()
	for _, s := range []string{"a.b 3 : ignore ~4 prior", "a.b 3 : {xneg xtell}~2 ; -xdetect", "a.b 1 : ^_ignore! ; +user<3", "a.b 3 : {}", "a.b 3 : ~", ":", "a.b -1 : a|b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		ps, err := parsePattern(line, l)
		if (err == nil) != (len(ps) > 0) {
			t.Fatalf("parsePattern(%q) = %d patterns and %v, want exactly one", line, len(ps), err)
		}
		for i := range ps {
			if len(ps[i].elems) == 0 || len(ps) > maxVariants {
				t.Fatalf("parsePattern(%q) = %d patterns, one of them %+v", line, len(ps), ps[i])
			}
			for _, e := range ps[i].elems {
				if e.gap < 0 || e.any.empty() {
					t.Fatalf("parsePattern(%q): element %+v", line, e)
				}
			}
		}
	})
}
