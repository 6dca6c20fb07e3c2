package finding

import (
	"slices"
	"testing"
)

func TestSeverityNamesReadBack(t *testing.T) {
	for _, name := range Severities() {
		s, err := ParseSeverity(name)
		if err != nil || s.String() != name {
			t.Errorf("ParseSeverity(%q) = %v, %v", name, s, err)
		}
		text, err := s.MarshalText()
		var back Severity
		if err != nil || back.UnmarshalText(text) != nil || back != s {
			t.Errorf("%v is written as %q and read as %v", s, text, back)
		}
	}
	for _, bad := range []string{"", "High", "severe"} {
		if s, err := ParseSeverity(bad); err == nil {
			t.Errorf("ParseSeverity(%q) = %v, want an error", bad, s)
		}
	}
	if got, want := len(Severities()), int(Critical)+1; got != want {
		t.Errorf("%d names for %d severities", got, want)
	}
}

func TestRuleForm(t *testing.T) {
	for rule, want := range map[Rule]bool{"SEC-001": true, "GNT-101": true, "MCP-S-005": true, "MCP-SS-005": false, "SEC-1": false, "sec-001": false, "SEC-0011": false, "SEC-060/transformed": true, "SEC-061/b": true, "SEC-061/": false, "SEC-061/B": false, "SEC-061/b/c": false, "": false} {
		if got := rule.Valid(); got != want {
			t.Errorf("Rule(%q).Valid() = %v, want %v", rule, got, want)
		}
	}
}

// Compare orders by input, position, rule and fingerprint, in that order of weight, and
// says the opposite when its arguments change places.
func TestCompareIsAnOrder(t *testing.T) {
	var all []Finding
	for _, input := range []int{0, 1} {
		for _, order := range []int{3, 20} {
			for _, rule := range []Rule{"SEC-001", "SEC-002"} {
				for _, print := range []string{"a", "b"} {
					all = append(all, Finding{Input: input, Order: order, Rule: rule, Fingerprint: print})
				}
			}
		}
	}
	for i, a := range all {
		for j, b := range all {
			got, back := Compare(a, b), Compare(b, a)
			if got != -back || (got == 0) != (i == j) || (got < 0) != (i < j) {
				t.Errorf("Compare(%d, %d) = %d and back %d", i, j, got, back)
			}
		}
	}
	if !slices.IsSortedFunc(all, Compare) {
		t.Error("the findings were built in order and are not sorted")
	}
}

func TestSeverityBeyondTheLast(t *testing.T) {
	if got := (Critical + 1).String(); got != "Severity(6)" {
		t.Errorf("the severity above critical is called %q", got)
	}
}
