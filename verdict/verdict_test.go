package verdict

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
)

// The names are those of SDK §2.19.
func TestJSON(t *testing.T) {
	a := Attack{ID: "ACME-001", Outcome: Exploited, MaxTier: "ingested", Indicators: []Indicator{{ID: "ACME-001-01", Result: Matched, Evidence: "x", Message: 3, Examined: 2}}}
	for _, r := range []Result{Matched, NotMatched, NotMatched, Error, Skipped} {
		a.Summary.Add(r)
	}
	got, err := json.Marshal(a)
	const want = `{"attack_id":"ACME-001","result":"exploited","indicator_verdicts":[{"indicator_id":"ACME-001-01","result":"matched","evidence":"x","x-gauntlet":{"message":3,"messages_examined":2}}],` +
		`"evaluation_summary":{"matched":1,"not_matched":2,"error":1,"skipped":1},"x-gauntlet":{"outcome":"exploited","max_tier":"ingested"}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	var back Attack
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, a) {
		t.Errorf("read again: %+v, %v, want %+v", back, err, a)
	}
	if n := a.Summary.Total(); n != 5 {
		t.Errorf("Total = %d, want 5", n)
	}
}

// The format has four words for the result, and ours is beside them.
func TestResultsAreInTheWordsOfTheFormat(t *testing.T) {
	for ours, formats := range map[Outcome]Outcome{Exploited: Exploited, NotExploited: NotExploited, Partial: Partial, Failed: Failed, NotExposed: Failed} {
		text, err := json.Marshal(Attack{Outcome: ours})
		var in struct {
			Result Outcome `json:"result"`
			Own    struct {
				Outcome Outcome `json:"outcome"`
			} `json:"x-gauntlet"`
		}
		if err != nil || json.Unmarshal(text, &in) != nil || in.Result != formats || in.Own.Outcome != ours {
			t.Errorf("%s: %s, %v, want the result %s", ours, text, err, formats)
		}
		var back Attack
		if err := json.Unmarshal(text, &back); err != nil || back.Outcome != ours {
			t.Errorf("%s is read again as %s, %v", ours, back.Outcome, err)
		}
		var foreign Attack
		if err := json.Unmarshal([]byte(`{"result":"`+string(formats)+`"}`), &foreign); err != nil || foreign.Outcome != formats {
			t.Errorf("a verdict of another tool, %s, is read as %s, %v", formats, foreign.Outcome, err)
		}
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

// An actor is reached by any of its parts, in whatever order they stand; the parts of one that is not are all named.
func TestUnreached(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parts []Part
		want  []string // names
	}{
		{"no parts", nil, nil},
		{"one actor, nothing delivered", []Part{{Actor: "a", Name: "1"}, {Actor: "a", Name: "2"}}, []string{"1", "2"}},
		{"one actor, the first part delivered", []Part{{Actor: "a", Name: "1", Delivered: 2}, {Actor: "a", Name: "2"}}, nil},
		{"one actor, the last part delivered", []Part{{Actor: "a", Name: "1"}, {Actor: "a", Name: "2", Delivered: 1}}, nil},
		{"one of two actors", []Part{{Actor: "a", Name: "1", Delivered: 1}, {Actor: "b", Name: "2"}, {Actor: "a", Name: "3"}}, []string{"2"}},
	} {
		e := Exposure{Parts: tt.parts}
		var got []string
		for _, p := range e.Unreached() {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
