package classify

import (
	"math"
	"strings"
	"testing"
)

// TestParseWeights reads what calibrate writes, and refuses what it does not.
func TestParseWeights(t *testing.T) {
	w, err := ParseWeights("bias\texec=-1.5\nhigh where the rules say low\texec=2\nword:run\texec=0.75 fs_read=-0.25\nothers word:run\texec=3\n", "bias\tpath=-1\n")
	if err != nil {
		t.Fatal(err)
	}
	if row := w.tags.rows[keyOf("word:run")]; row[tExec] != .75 || row[tFSRead] != -.25 {
		t.Errorf("word:run: %v", row)
	}
	if row := w.tags.rows[keyOf("word:run").ofOthers()]; row[tExec] != 3 {
		t.Errorf("others word:run: %v", row)
	}
	if w.tags.rows[keyOf("word:walk")] != (logits{}) || w.tags.bias[tExec] != -1.5 || w.tags.high[1][tExec] != 2 {
		t.Errorf("got %+v", w.tags)
	}
	for _, bad := range []string{"word:run", "word:run\texec", "word:run\texec=x", "word:run\tfly=1"} {
		if _, err := ParseWeights(bad, ""); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: error %v, want one with its line", bad, err)
		}
	}
}

// TestObservationsCountOnce: a word that is repeated says no more, and a hostile text cannot fill the table.
func TestObservationsCountOnce(t *testing.T) {
	var o observations
	o.reset()
	for range 3 {
		o.addText(factWord, "run")
	}
	if len(o.keys) != 1 {
		t.Errorf("%d keys, want 1", len(o.keys))
	}
	for i := range 10 * maxObservations {
		o.addWord(factWord, []byte{byte(i), byte(i >> 8), byte(i >> 16)})
	}
	if len(o.keys) != maxObservations {
		t.Errorf("%d keys, want %d", len(o.keys), maxObservations)
	}
	o.reset()
	o.addText(factWord, "run")
	if len(o.keys) != 1 {
		t.Errorf("after reset: %d keys, want 1", len(o.keys))
	}
}

// TestStem: the forms of a word have one stem.
func TestStem(t *testing.T) {
	for _, forms := range []string{"folder folders", "store stored storing stores", "entity entities", "run runs", "listen listening listened"} {
		ws := strings.Fields(forms)
		want := string(stemWord([]byte(ws[0])))
		for _, f := range ws[1:] {
			if got := string(stemWord([]byte(f))); got != want {
				t.Errorf("%s: stem %q, of %s %q", f, got, ws[0], want)
			}
		}
	}
}

// TestWeightsAreFinite: the lists that the classifier comes with have a bias and thresholds in order.
func TestWeightsAreFinite(t *testing.T) {
	w := defaultWeights()
	for i := range columns {
		for k := range ruleVerdicts {
			if w.tags.medium[k][i] >= w.tags.high[k][i] || k > 0 && w.tags.high[k][i] > w.tags.high[k-1][i] {
				t.Errorf("%s where the rules say %q: medium from %v, high from %v", tagOrder[i], ruleVerdicts[k], w.tags.medium[k][i], w.tags.high[k][i])
			}
		}
		if b := float64(w.tags.bias[i]); b == 0 || math.IsNaN(b) {
			t.Errorf("%s: bias %v", tagOrder[i], b)
		}
	}
}
