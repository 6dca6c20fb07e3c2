package text

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A pattern is a sequence of word classes inside one sentence. Patterns are data, one a
// line in lexicon/patterns.pat:
//
//	family.name weight : elements ; guards
//
// An element is a class or several (a|b), with ^ in front if it must begin a clause, _ if it must not follow
// punctuation, ! behind if it must be a verb's base form; ~N in front of an element allows up to N words
// before it (2 by default). {a b c}~N is the same classes in any order. Guards: -a no
// such class in the sentence, -a<N none within N words before the match, -a>N none
// within N words behind it, +a somewhere in the sentence.
type pattern struct {
	family, name string
	weight       int
	says         string
	elems        []element
	guards       []guard
}

type element struct {
	any    ClassSet
	base   bool // must be a base form in one of the classes
	clause bool // must begin a clause
	inside bool // must not stand right behind punctuation
	gap    int32
}

type guard struct {
	class  ClassSet
	want   bool
	before int32 // look only this many words before the match; 0: the whole sentence
	after  int32
}

const (
	defaultGap  = 2
	maxCluster  = 5   // classes in braces: every order of them is a pattern of its own
	maxVariants = 720 // patterns that one line may stand for
)

// patternBook is every pattern, and how to find those that a sentence may match.
type patternBook struct {
	patterns []pattern
	// anchors lists, per class, the patterns that cannot match without a word of it. Each
	// pattern is listed under its rarest element, so that ordinary sentences, full of common
	// words, have few candidates.
	anchors [][]int32
}

// book is loaded when the first text is read, as words is.
var book = sync.OnceValue(func() *patternBook {
	ps := loadPatterns(words())
	return &patternBook{ps, anchorsOf(ps, words())}
})

func loadPatterns(l *lexicon) []pattern {
	data, err := fs.ReadFile(lexiconFiles, "lexicon/patterns.pat")
	if err != nil {
		panic("text: " + err.Error())
	}
	ps, err := parsePatterns(string(data), l)
	if err != nil {
		panic("text: patterns: " + err.Error())
	}
	sayings := loadSayings()
	for i := range ps {
		ps[i].says = cmp.Or(sayings[ps[i].family+"."+ps[i].name], sayings[ps[i].family])
	}
	return ps
}

// loadSayings reads what tells a person what a signal means, lexicon/sayings.tsv.
func loadSayings() map[string]string {
	data, err := fs.ReadFile(lexiconFiles, "lexicon/sayings.tsv")
	if err != nil {
		panic("text: " + err.Error())
	}
	m := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, says, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			m[name] = strings.TrimSpace(says)
		}
	}
	return m
}

func parsePatterns(data string, l *lexicon) ([]pattern, error) {
	var out []pattern
	for n, line := range strings.Split(data, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		ps, err := parsePattern(line, l)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		out = append(out, ps...)
	}
	return out, nil
}

func parsePattern(line string, l *lexicon) ([]pattern, error) {
	head, body, ok := strings.Cut(line, ":")
	fields := strings.Fields(head)
	if !ok || len(fields) != 2 {
		return nil, fmt.Errorf("want \"family.name weight : elements\", got %q", line)
	}
	p := pattern{}
	if p.family, p.name, ok = strings.Cut(fields[0], "."); !ok || p.family == "" || p.name == "" {
		return nil, fmt.Errorf("want family.name, got %q", fields[0])
	}
	var err error
	if p.weight, err = strconv.Atoi(fields[1]); err != nil {
		return nil, fmt.Errorf("weight: %w", err)
	}
	elems, guards, _ := strings.Cut(body, ";")
	for _, g := range strings.Fields(guards) {
		parsed, err := parseGuard(g, l)
		if err != nil {
			return nil, err
		}
		p.guards = append(p.guards, parsed)
	}
	variants := [][]element{nil}
	for rest := strings.TrimSpace(elems); rest != ""; rest = strings.TrimSpace(rest) {
		var next [][]element
		next, rest, err = parseElement(rest, l)
		if err != nil {
			return nil, err
		}
		if len(variants)*len(next) > maxVariants {
			return nil, fmt.Errorf("more than %d orders in %q", maxVariants, line)
		}
		var grown [][]element
		for _, v := range variants {
			for _, n := range next {
				grown = append(grown, append(append([]element(nil), v...), n...))
			}
		}
		variants = grown
	}
	var out []pattern
	for _, v := range variants {
		if len(v) == 0 {
			return nil, fmt.Errorf("no elements in %q", line)
		}
		q := p
		q.elems = v
		out = append(out, q)
	}
	return out, nil
}

// parseElement reads one element, or a cluster as all its orders.
func parseElement(s string, l *lexicon) (variants [][]element, rest string, err error) {
	gap := int32(defaultGap)
	if s[0] == '~' {
		num, after, _ := strings.Cut(s[1:], " ")
		if gap, err = parseGap(num); err != nil {
			return nil, "", err
		}
		s = strings.TrimSpace(after)
	}
	if strings.HasPrefix(s, "{") {
		inside, after, ok := strings.Cut(s[1:], "}")
		if !ok {
			return nil, "", fmt.Errorf("unclosed { in %q", s)
		}
		within := int32(defaultGap)
		if strings.HasPrefix(after, "~") {
			num, more, _ := strings.Cut(after[1:], " ")
			if within, err = parseGap(num); err != nil {
				return nil, "", err
			}
			after = more
		}
		var es []element
		for _, f := range strings.Fields(inside) {
			e, err := parseClasses(f, l)
			if err != nil {
				return nil, "", err
			}
			e.gap = within
			es = append(es, e)
		}
		if len(es) == 0 || len(es) > maxCluster {
			return nil, "", fmt.Errorf("{%s}: want 1 to %d classes", inside, maxCluster)
		}
		for _, order := range permutations(es) {
			order = append([]element(nil), order...)
			order[0].gap = gap
			variants = append(variants, order)
		}
		return variants, after, nil
	}
	word, after, _ := strings.Cut(s, " ")
	e, err := parseClasses(word, l)
	e.gap = gap
	return [][]element{{e}}, after, err
}

func parseGap(s string) (int32, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("gap %q", s)
	}
	return int32(n), nil
}

func parseClasses(s string, l *lexicon) (element, error) {
	var e element
	s, e.clause = strings.CutPrefix(s, "^")
	s, e.inside = strings.CutPrefix(s, "_")
	s, e.base = strings.CutSuffix(s, "!")
	for name := range strings.SplitSeq(s, "|") {
		c, ok := l.classes[name]
		if !ok {
			return e, fmt.Errorf("unknown class %q", name)
		}
		e.any.add(c)
	}
	return e, nil
}

func parseGuard(s string, l *lexicon) (guard, error) {
	var g guard
	if s == "" || s[0] != '+' && s[0] != '-' {
		return g, fmt.Errorf("guard %q begins with neither + nor -", s)
	}
	g.want = s[0] == '+'
	names := s[1:]
	for _, side := range []struct {
		sign string
		n    *int32
	}{{"<", &g.before}, {">", &g.after}} {
		if name, num, ok := strings.Cut(names, side.sign); ok {
			n, err := strconv.ParseUint(num, 10, 16)
			if err != nil || n == 0 { // 0 would mean the whole sentence
				return g, fmt.Errorf("guard %q", s)
			}
			names, *side.n = name, int32(n)
		}
	}
	e, err := parseClasses(names, l)
	g.class = e.any
	return g, err
}

func permutations(es []element) [][]element {
	if len(es) <= 1 {
		return [][]element{es}
	}
	var out [][]element
	for i := range es {
		rest := append(append([]element(nil), es[:i]...), es[i+1:]...)
		for _, p := range permutations(rest) {
			out = append(out, append([]element{es[i]}, p...))
		}
	}
	return out
}

// match looks for the pattern among the words of one sentence, all the words of whose
// classes are in mask, and returns the first and last word of its first occurrence.
func (p *pattern) match(ws []word, mask ClassSet, m *matcher) (first, last int, ok bool) {
	for i := range p.elems {
		if !mask.meets(p.elems[i].any) {
			return 0, 0, false
		}
	}
	for i := range p.guards {
		if g := &p.guards[i]; !g.near() && mask.meets(g.class) != g.want {
			return 0, 0, false
		}
	}
	// from[j] is where a partial match that ends in word j begins, -1 if none does. One
	// sweep an element, so the time is linear in the words.
	from, next := m.rows(len(ws))
	for j := range ws {
		from[j] = -1
		if p.elems[0].accepts(ws, j) {
			from[j] = int32(j)
		}
	}
	for e := 1; e < len(p.elems); e++ {
		el := &p.elems[e]
		latest := -1
		for k := range ws {
			next[k] = -1
			if j := before(ws, from, latest, k); j >= 0 && ws[k].n-ws[j].last-1 <= el.gap && el.accepts(ws, k) {
				next[k] = from[j]
			}
			if from[k] >= 0 {
				latest = k
			}
		}
		from, next = next, from
	}
	for j := range ws {
		if from[j] >= 0 && p.allowed(ws, int(from[j]), j) {
			return int(from[j]), j, true
		}
	}
	return 0, 0, false
}

func (e *element) accepts(ws []word, j int) bool {
	w := &ws[j]
	if !w.classes.meets(e.any) || e.base && !w.base.meets(e.any) {
		return false
	}
	if e.inside && w.flags&clauseStart != 0 {
		return false
	}
	return !e.clause || startsClause(ws, j)
}

// before returns the last word with a partial match that ends before word k begins, -1 if
// there is none: latest, unless it is a phrase that k is part of.
func before(ws []word, from []int32, latest, k int) int {
	const overlap = 8 // a phrase and its words
	for j, n := latest, 0; j >= 0 && n < overlap; j, n = j-1, n+1 {
		if from[j] >= 0 && ws[j].last < ws[k].n {
			return j
		}
	}
	return -1
}

// startsClause reports whether word j is where an order could begin: at the start of a
// clause, or right behind words that lead to a verb ("you must", "then", "please").
func startsClause(ws []word, j int) bool {
	if ws[j].flags&clauseStart != 0 {
		return true
	}
	return j > 0 && ws[j-1].last == ws[j].n-1 && ws[j-1].classes.has(classLead)
}

// anchorsOf makes the anchors of a patternBook.
func anchorsOf(patterns []pattern, l *lexicon) [][]int32 {
	index := make([][]int32, len(l.classes))
	cost := commonness(l)
	for i := range patterns {
		best, least := 0, 1<<30
		for e := range patterns[i].elems {
			sum := 1
			for c := range cost {
				if patterns[i].elems[e].any.has(Class(c)) {
					sum += cost[c]
				}
			}
			if sum < least {
				best, least = e, sum
			}
		}
		for c := range cost {
			if patterns[i].elems[best].any.has(Class(c)) {
				index[c] = append(index[c], int32(i))
			}
		}
	}
	return index
}

// commonWords are frequent in the definitions of ordinary tools. A class is the more
// common the more of them it has.
const commonWords = "and or to not use used get list you it if when with by for all any each no value result content field query " +
	"request response data file user tool function this first then set add include return must should is will can before after " +
	"instead from of in as string name id default example e.g. only new text message search create update delete call run"

func commonness(l *lexicon) []int {
	cost := make([]int, len(l.classes))
	for w := range strings.FieldsSeq(commonWords) {
		s := l.lookup([]byte(w))
		if s == nil {
			continue
		}
		for c := range cost {
			if s.classes.has(Class(c)) {
				cost[c] += 100
			}
		}
	}
	return cost
}

// among returns the patterns that can match a sentence whose words have the classes in
// mask, in their order.
func (m *matcher) among(mask ClassSet) []int32 {
	b := book()
	if m.seen == nil {
		m.seen = make([]uint32, len(b.patterns))
	}
	m.stamp++
	m.candidates = m.candidates[:0]
	for w, set := range mask {
		for ; set != 0; set &= set - 1 {
			c := w<<6 + bits.TrailingZeros64(set)
			for _, i := range b.anchors[c] {
				if m.seen[i] != m.stamp {
					m.seen[i] = m.stamp
					m.candidates = append(m.candidates, i)
				}
			}
		}
	}
	slices.Sort(m.candidates)
	return m.candidates
}

// near reports whether the guard looks only around the match. What it says of the whole
// sentence, match has asked once.
func (g *guard) near() bool { return g.before > 0 || g.after > 0 }

func (p *pattern) allowed(ws []word, first, last int) bool {
	for i := range p.guards {
		if g := &p.guards[i]; g.near() && g.found(ws, first, last) != g.want {
			return false
		}
	}
	return true
}

// found looks no further than the guard's distance: a hostile sentence may hold as many
// matches as words.
func (g *guard) found(ws []word, first, last int) bool {
	if g.before > 0 {
		for j := first - 1; j >= 0 && ws[first].n-ws[j].last <= g.before; j-- {
			if ws[j].classes.meets(g.class) {
				return true
			}
		}
	}
	if g.after > 0 {
		for j := last + 1; j < len(ws) && ws[j].n-ws[last].last <= g.after; j++ {
			if ws[j].classes.meets(g.class) {
				return true
			}
		}
	}
	return false
}

// matcher holds the memory that matching reuses.
type matcher struct {
	a, b       []int32
	seen       []uint32 // per pattern: the sentence it was last a candidate in
	stamp      uint32
	candidates []int32
}

func (m *matcher) rows(n int) (a, b []int32) {
	if cap(m.a) < n {
		m.a, m.b = make([]int32, n), make([]int32, n)
	}
	return m.a[:n], m.b[:n]
}
