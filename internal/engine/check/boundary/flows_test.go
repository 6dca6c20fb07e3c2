package boundary

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/trace"
	"gauntlet/trust"
)

// found runs all checks of the lane.
func found(t *testing.T, tr *trace.Trace, b trust.Boundary) []finding.Finding {
	t.Helper()
	res := check.Run(&catalog.Catalog{}, Checks(), check.Options{Trace: check.Recording{Trace: tr, File: "t.ndjson", Boundary: b}})
	for _, p := range res.Problems {
		t.Errorf("problem: %s", p.Message)
	}
	return res.Findings
}

// The same trace gives the same findings, though hashes are drawn anew each time.
func TestFindingsAreSteady(t *testing.T) {
	for _, c := range cases(t, "flows.txt", "flow", "note") {
		r, b := conversation(t, c.lines)
		if one, two := found(t, &r.trace, b), found(t, &r.trace, b); !reflect.DeepEqual(one, two) {
			t.Errorf("%s: %v, then %v", c.name, one, two)
		}
	}
}

// What a tool takes may also be known from a snapshot that is scanned beside the trace.
func TestEnumsOfServersScannedBeside(t *testing.T) {
	r, b := conversation(t, []string{`call a.get {} = "append_only_mode"`, `call b.put {"mode":"append_only_mode"} = "ok"`})
	for _, tt := range []struct {
		name, server string
		want         int
	}{{"the server of the call", "b", 0}, {"another server", "c", 1}} {
		c, err := catalog.Parse("s.json", `{"server":{"name":"`+tt.server+`"},"tools":[{"name":"put","inputSchema":{"properties":{"mode":{"enum":["append_only_mode"]}}}}]}`, catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		res := check.Run(c, Checks(), check.Options{Trace: check.Recording{Trace: &r.trace, Boundary: b}})
		if len(res.Findings) != tt.want {
			t.Errorf("%s: %d findings, want %d", tt.name, len(res.Findings), tt.want)
		}
	}
}

func TestLabelledFlows(t *testing.T) {
	for _, c := range cases(t, "flows.txt", "flow", "note") {
		t.Run(c.name, func(t *testing.T) {
			r, b := conversation(t, c.lines)
			var got []string
			for _, f := range found(t, &r.trace, b) {
				if f.Rule.Base() != "SEC-060" {
					continue
				}
				from, to := r.ordinal[f.Related[0].Seq], r.ordinal[f.Location.Seq]
				switch f.Rule {
				case "SEC-060":
					got = append(got, fmt.Sprintf("flow %d -> %d %s", from, to, f.Severity))
				case "SEC-060/transformed":
					got = append(got, fmt.Sprintf("note %d -> %d", from, to))
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s\n got %q\nwant %q", strings.Join(c.lines, "\n"), got, c.want)
			}
		})
	}
}
