package advise

import "testing"

func TestReadScore(t *testing.T) {
	for answer, want := range map[string]float64{
		`{"score":0}`: 0, `{"score":1}`: 1, " {\"score\": 0.7}\n": 0.7, "```json\n{\"score\":0.5}\n```": 0.5,
		`{"score":1.1}`: -1, `{"score":-0.1}`: -1, `{"score":"1"}`: -1, `{}`: -1, `1`: -1, ``: -1, `{"score":NaN}`: -1, `{"score":null}`: -1,
	} {
		got, err := readScore(answer)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %v, %v, want %v", answer, got, err, want)
		}
	}
}
