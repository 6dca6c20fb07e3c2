package proberun

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A twin keeps what is to be seen, and nothing that a parser reads.
func TestTwin(t *testing.T) {
	for _, tt := range []struct{ value, want any }{
		{"x'; return 2*3; //", "x   nruter 2*3"},
		{"{{2*3}}", "2*3"},
		{"(SELECT 2*3 AS a)", "TCELES 2*3 SA a"},
		{"x' OR 2*3=6 -- ", "x  RO 2*3=6"},
		{"x' UNION SELECT 2*3-4-- ", "x  NOINU TCELES 2*3-4"},
		{"; touch /w/abc #", "hcuot /w/abc"},
		{"x\r\nX-Gauntlet-abc: 1", "x  X-Gauntlet-abc: 1"},
		{map[string]any{"$regex": "^(?!abc)"}, map[string]any{"xeger": "^(?!abc)"}},
		{7, 7},
	} {
		if got := Twin(tt.value, "/w/abc"); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Twin(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
}

// Every payload whose class is a matter of syntax has a twin that differs from it and still says what is to be seen.
func TestEveryPayloadHasATwin(t *testing.T) {
	m := Mark{Token: "abcdefghijkl", Touch: "/w/abcdefghijkl", A: 123457, B: 234567, C: 345678}
	for _, r := range slices.Concat(payloads.asked, payloads.wide) {
		target := target{Class: r.class, variants: r.variants}
		for n := range target.Payloads() {
			p, ok := target.Payload(n, m, Place{Port: 1, Root: "/r", WriteDir: "/w"}, "x")
			text, isText := p.Value.(string)
			if !ok || !isText || !target.BySyntax() {
				continue
			}
			twin := Twin(text, m.Touch).(string)
			if twin == text {
				t.Errorf("%s, %s: %q is its own twin", r.class, p.Variant, text)
			}
			for _, seen := range []string{m.Touch, "123457*234567-345678", "X-Gauntlet-" + m.Token + ": 1"} {
				if strings.Count(twin, seen) != strings.Count(text, seen) {
					t.Errorf("%s, %s: %q has not the %s of %q", r.class, p.Variant, twin, seen, text)
				}
			}
		}
	}
}
