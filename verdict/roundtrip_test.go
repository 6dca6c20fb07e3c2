package verdict

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// Every field of a verdict is there again after writing and reading, each under its own name: all values differ.
func TestEveryFieldIsReadAgain(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 23, hour, 0, 0, 0, time.UTC) }
	want := Attack{
		ID: "id", Outcome: NotExposed, Reason: "reason", Summary: Summary{Matched: 1, NotMatched: 2, Error: 3, Skipped: 4},
		Indicators: []Indicator{{
			ID: "indicator", Result: Error, Evidence: "evidence", Kind: "kind", Message: 5, Examined: 6, Failed: 7,
			Unobservable: true, Tier: "tier", Time: at(1), Source: "indicator's source",
		}},
		MaxTier: "max tier", Exposure: &Exposure{Basis: "basis", Parts: []Part{{Actor: "actor", Phase: "phase", Method: "method", Name: "name", Delivered: 8, Message: 9}}},
		Time: at(2), Source: "source",
	}
	everyFieldIsSet(t, reflect.ValueOf(want), "Attack")
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Attack
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read again: %+v, %v\nwant %+v", got, err, want)
	}
	var members struct {
		Own struct {
			Exposure, Reason any
		} `json:"x-gauntlet"`
		Indicators []struct {
			Own map[string]any `json:"x-gauntlet"`
		} `json:"indicator_verdicts"`
	}
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	if members.Own.Exposure == nil || members.Own.Reason != "reason" {
		t.Errorf("x-gauntlet is %+v, want reason and exposure", members.Own)
	}
	for name, value := range map[string]any{"error_kind": "kind", "message": 5.0, "messages_examined": 6.0, "messages_failed": 7.0, "unobservable": true, "tier": "tier"} {
		if got := members.Indicators[0].Own[name]; got != value {
			t.Errorf("x-gauntlet.%s of the indicator is %v, want %v", name, got, value)
		}
	}
}

// everyFieldIsSet fails where a field of a struct is zero, so that a new field cannot be left out of the test.
func everyFieldIsSet(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		everyFieldIsSet(t, v.Elem(), name)
	case reflect.Slice:
		for i := range v.Len() {
			everyFieldIsSet(t, v.Index(i), name)
		}
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s is not set", name, v.Type().Field(i).Name)
			}
			everyFieldIsSet(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	}
}

// What is no verdict is an error and changes nothing.
func TestUnreadableVerdictsAreErrors(t *testing.T) {
	for _, text := range []string{`[]`, `{"result":1}`, `{"indicator_verdicts":[1]}`, `{"indicator_verdicts":[{"result":2}]}`} {
		a := Attack{ID: "before"}
		if err := json.Unmarshal([]byte(text), &a); err == nil || a.ID != "before" {
			t.Errorf("%s: %+v, %v, want an error and no change", text, a, err)
		}
	}
	i := Indicator{ID: "before"}
	if err := json.Unmarshal([]byte(`{"result":2}`), &i); err == nil || i.ID != "before" {
		t.Errorf("an indicator without a result: %+v, %v, want an error and no change", i, err)
	}
}

// Each result has a counter of its own, and the total is their sum; a word of a later version is in none.
func TestEachResultIsCountedOnce(t *testing.T) {
	for r, want := range map[Result]Summary{Matched: {Matched: 1}, NotMatched: {NotMatched: 1}, Error: {Error: 1}, Skipped: {Skipped: 1}, "later": {}} {
		var s Summary
		s.Add(r)
		if s != want {
			t.Errorf("%s: %+v, want %+v", r, s, want)
		}
	}
	if n := (Summary{Matched: 1, NotMatched: 10, Error: 100, Skipped: 1000}).Total(); n != 1111 {
		t.Errorf("Total = %d, want 1111", n)
	}
}
