package result

import (
	"testing"

	"gauntlet/verdict"
)

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		hits, trials int
		want         Interval
	}{
		{0, 0, Interval{0, 0, 1}},
		{0, 5, Interval{0, 0, 0.4345}},
		{5, 5, Interval{1, 0.5655, 1}},
		{1, 10, Interval{0.1, 0.0179, 0.4042}}, // Newcombe 1998, table I gives 0.0179 to 0.4042 for 1 of 10
		{81, 263, Interval{0.308, 0.2553, 0.3662}},
		{15, 148, Interval{0.1014, 0.0624, 0.1605}},
	} {
		if got := Wilson(tt.hits, tt.trials); got != tt.want {
			t.Errorf("%d of %d: %+v, want %+v", tt.hits, tt.trials, got, tt.want)
		}
	}
}

func TestRatesOf(t *testing.T) {
	run := func(doc string, o verdict.Outcome) AttackRun {
		return AttackRun{Document: doc, Agent: "model:x", Verdict: &verdict.Attack{Outcome: o}}
	}
	got := RatesOf([]AttackRun{run("b", verdict.Exploited), run("a", verdict.NotExploited), run("b", verdict.NotExposed), run("b", verdict.NotExploited), {Document: "a", Agent: "model:x", Problem: "no"}})
	want := []Rate{
		{"b", "model:x", 1, 1, 1, Wilson(1, 2)},
		{"a", "model:x", 0, 1, 1, Wilson(0, 1)},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("rates %+v, want %+v", got, want)
	}
}
