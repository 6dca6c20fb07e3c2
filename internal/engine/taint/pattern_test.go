package taint

import (
	"regexp"
	"strings"
	"testing"
)

// TestPatternFacts: what a pattern proves is decided from the characters that it lets through.
func TestPatternFacts(t *testing.T) {
	a := &analyzer{factsOf: map[string]charFacts{}}
	for _, tt := range []struct {
		pattern  string
		anchored bool
		match    fact // must hold of what matches
		never    fact // must not
		differ   fact // must hold of what does not match
	}{
		{`^[a-z0-9]+$`, false, noShellMeta | noQuote | noSlash | noDash | noDotDot, 0, 0},
		{`[a-z0-9]+`, false, 0, noShellMeta | noSlash, 0},
		{`[a-z0-9]+`, true, noShellMeta, 0, 0}, // re.fullmatch
		{`^[a-z]|x$`, false, 0, noShellMeta, 0},
		{`^(foo|bar)$`, false, noShellMeta | noDash, 0, 0},
		{`^[\w./-]+$`, false, noShellMeta | noQuote, noSlash | noDotDot | noDash, 0},
		{`^[a-z][a-z-]*$`, false, noShellMeta | noDash, 0, 0},
		{`^.*$`, false, 0, noShellMeta | noSlash, 0},
		{"[;&|`$<>\\n]", false, 0, noShellMeta, noShellMeta},
		{`[;&]`, false, 0, noShellMeta, halfQuoted},
		{`[/\\]`, false, 0, noSlash, noSlash},
		{`/|\\`, false, 0, noSlash, noSlash},
		{`^[/\\]`, false, 0, noSlash, 0}, // at the beginning alone
		{`rm -rf`, false, 0, noShellMeta, 0},
	} {
		f := a.patternFacts(tt.pattern, tt.anchored)
		if f.match&tt.match != tt.match || f.match&tt.never != 0 || f.differ&tt.differ != tt.differ {
			t.Errorf("%q: match %b, differ %b; want %b without %b, %b", tt.pattern, f.match, f.differ, tt.match, tt.never, tt.differ)
		}
	}
}

// TestReplacements: what is known of a text in which something was replaced is decided by replacing it.
func TestReplacements(t *testing.T) {
	all := func(old, with string) replacement {
		return func(s string) string { return strings.ReplaceAll(s, old, with) }
	}
	regex := func(pattern, with string) replacement {
		re := regexp.MustCompile(pattern)
		return func(s string) string { return re.ReplaceAllString(s, with) }
	}
	for _, tt := range []struct {
		name string
		do   replacement
		want fact
	}{
		{"doubled", all("'", "''"), sqlQuoted},
		{"closed, escaped and opened", regex("'", `'\''`), shellQuoted},
		{"a backslash in front, backslashes as they are", all("'", `\'`), halfQuoted},
		{"backslashes doubled", regex(`\\`, `\\`), slashed},
		{"both", regex(`[\\"]`, `\${0}`), slashQuoted},
		{"of several the first alone", regex(`[\\"]+`, `\${0}`), halfQuoted},
		{"for a pattern", regex(`[.*+?^${}()|[\]\\"]`, `\${0}`), patternQuoted},
		{"letters and digits left", regex(`[^a-z0-9]`, ""), plainWord},
		{"letters, digits and signs that a set holds", regex(`[^a-z0-9]`, "-"), plainWord &^ noDash},
		{"no dot", all(".", "_"), noDotDot},
		{"two dots, once", all("..", ""), halfQuoted},
		{"at the end", regex(`[^a-z0-9]+$`, ""), halfQuoted},
	} {
		if got := tt.do.facts(nothing); got != tt.want {
			t.Errorf("%s: got %b, want %b", tt.name, got, tt.want)
		}
	}
}

// TestPatternsOfHosts: a pattern fixes a host where no name of somebody else's can match it.
func TestPatternsOfHosts(t *testing.T) {
	a := &analyzer{factsOf: map[string]charFacts{}}
	for _, tt := range []struct {
		pattern       string
		address, host bool
	}{
		{`^https://docs\.example\.com/`, true, true},
		{`^https://docs\.example\.com(/|$)`, true, true},
		{`^https://docs\.example\.com`, false, true}, // docs.example.com.elsewhere.org
		{`docs\.example\.com/`, false, true},
		{`^https://[a-z0-9-]+\.example\.com/`, true, true},
		{`^https://[^/]+\.com/`, false, true},
		{`^https?://\d+\.\d+\.\d+\.\d+/`, false, true},
		{`^(docs|api)\.example\.com$`, false, true},
		{`\.example\.com$`, false, true},
		{`^docs\.example\.com`, false, false},
		{`^[a-z0-9.-]+$`, false, false},
		{`^[a-z]+$`, false, false},
		{`^\d+$`, false, false},
		{`^.*$`, false, false},
	} {
		f := a.patternFacts(tt.pattern, false)
		if address, host := f.match&hostAllowed != 0, f.ofHost != 0; address != tt.address || host != tt.host {
			t.Errorf("%q: fixes an address %v, a host %v; want %v, %v", tt.pattern, address, host, tt.address, tt.host)
		}
	}
}

// TestJoin: behind two ways holds what holds on both, and a warning of either; where the source is not the
// caller's on one way, the other alone counts.
func TestJoin(t *testing.T) {
	src, other := source{param: 0, path: ".path"}, source{param: 0, path: ".mode"}
	checked, plain := newState(), newState()
	checked.facts[src] = contained | denylisted
	plain.facts[other] = noSlash
	if f := joinStates(checked, plain).facts; f[src] != denylisted || f[other] != 0 {
		t.Errorf("facts of both ways: %v", f)
	}
	plain.facts[src] |= few | halfQuoted // of a warning on that way, nothing is the caller's either
	if f := joinStates(checked, plain).facts[src]; f != contained|denylisted {
		t.Errorf("where the source is gone on the other way: %b", f)
	}
	checked.dead = true
	if got := joinStates(checked, plain); got != plain {
		t.Error("a way that ends does not count")
	}
}

// TestMembersAreBounded: a loop that nests a value in itself ends, with its marks kept.
func TestMembersAreBounded(t *testing.T) {
	v := newValue(mark{src: source{param: 0}, whole: true})
	for range 1000 {
		v = nothing.with("next", v)
	}
	if v.depth > maxNesting+1 || len(v.all()) != 1 {
		t.Errorf("depth %d, marks %v", v.depth, v.all())
	}
	w := newValue(mark{src: source{param: 0}, whole: true})
	for range 1000 {
		w = w.member("next")
	}
	if len(w.marks) != 1 || len(w.marks[0].src.path) > maxPathLength || w.marks[0].whole {
		t.Errorf("marks %+v", w.marks)
	}
}
