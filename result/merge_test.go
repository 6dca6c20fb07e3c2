package result

import (
	"fmt"
	"slices"
	"testing"

	"gauntlet/finding"
)

// Findings that quote the same words of one text are one, of the severest and else of the strongest rule; it is looked
// for as far back as nearby and no further.
func TestMergeCauses(t *testing.T) {
	one := func(rule finding.Rule, severity finding.Severity, from, to int) finding.Finding {
		return finding.Finding{Rule: rule, Severity: severity, Order: from, OrderEnd: to}
	}
	apart := func(n int) (out []finding.Finding) {
		for i := range n {
			out = append(out, one("SEC-010", finding.Low, i, i+1))
		}
		return out
	}
	elsewhere := one("SEC-002", finding.High, 0, 5)
	elsewhere.Location.Pointer = "/tools/1"
	for _, tt := range []struct {
		name string
		in   []finding.Finding
		want []string // of the rules that quote clauses
	}{
		{"none", nil, nil},
		{"one", []finding.Finding{one("SEC-001", finding.High, 0, 5)}, []string{"SEC-001 []"}},
		{"the severest stays", []finding.Finding{one("SEC-003", finding.Low, 0, 5), one("SEC-001", finding.High, 4, 9)}, []string{"SEC-001 [SEC-003]"}},
		{"the strongest rule stays", []finding.Finding{one("SEC-001", finding.High, 0, 5), one("SEC-003", finding.High, 4, 9)}, []string{"SEC-003 [SEC-001]"}},
		{"three in one", []finding.Finding{one("SEC-001", finding.High, 0, 5), one("SEC-003", finding.High, 4, 9), one("SEC-002", finding.Low, 0, 9)}, []string{"SEC-003 [SEC-001 SEC-002]"}},
		{"side by side", []finding.Finding{one("SEC-001", finding.High, 0, 5), one("SEC-003", finding.High, 5, 9)}, []string{"SEC-001 []", "SEC-003 []"}},
		{"another rule", []finding.Finding{one("SEC-001", finding.High, 0, 5), one("SEC-010", finding.High, 0, 5)}, []string{"SEC-001 []"}},
		{"another text", []finding.Finding{one("SEC-001", finding.High, 0, 5), elsewhere}, []string{"SEC-001 []", "SEC-002 []"}},
		{"as far back as is looked", slices.Concat([]finding.Finding{one("SEC-001", finding.High, 0, 5)}, apart(nearby-1), []finding.Finding{one("SEC-003", finding.High, 0, 5)}), []string{"SEC-003 [SEC-001]"}},
		{"further back", slices.Concat([]finding.Finding{one("SEC-001", finding.High, 0, 5)}, apart(nearby), []finding.Finding{one("SEC-003", finding.High, 0, 5)}), []string{"SEC-001 []", "SEC-003 []"}},
	} {
		r := &Report{Findings: slices.Clone(tt.in)}
		r.MergeCauses()
		var got []string
		for _, f := range r.Findings {
			if slices.Contains(ofClauses, f.Rule) {
				got = append(got, fmt.Sprint(f.Rule, " ", f.Also))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
