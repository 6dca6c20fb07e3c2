package verdict

import (
	"encoding/json"
	"testing"
)

// The names are those of SDK §2.19.
func TestJSON(t *testing.T) {
	a := Attack{ID: "ACME-001", Outcome: Exploited, MaxTier: "ingested", Indicators: []Indicator{{ID: "ACME-001-01", Result: Matched, Evidence: "x", Message: 3, Examined: 2}}}
	for _, r := range []Result{Matched, NotMatched, NotMatched, Error, Skipped} {
		a.Summary.Add(r)
	}
	got, err := json.Marshal(a)
	const want = `{"attack_id":"ACME-001","result":"exploited","indicator_verdicts":[{"indicator_id":"ACME-001-01","result":"matched","evidence":"x","message":3,"messages_examined":2}],` +
		`"evaluation_summary":{"matched":1,"not_matched":2,"error":1,"skipped":1},"max_tier":"ingested"}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if n := a.Summary.Total(); n != 5 {
		t.Errorf("Total = %d, want 5", n)
	}
}

func TestReached(t *testing.T) {
	for _, tt := range []struct {
		name      string
		delivered []int
		want      bool
	}{
		{"no part", nil, false}, {"none delivered", []int{0, 0}, false}, {"one delivered once", []int{0, 1}, true}, {"the first delivered", []int{3, 0}, true},
	} {
		var e Exposure
		for _, n := range tt.delivered {
			e.Parts = append(e.Parts, Part{Delivered: n})
		}
		if got := e.Reached(); got != tt.want {
			t.Errorf("%s: reached %t, want %t", tt.name, got, tt.want)
		}
	}
}
