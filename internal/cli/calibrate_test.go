package cli

import (
	"bytes"
	"os"
	"testing"

	"gauntlet/calibrate"
)

// TestOwnCorpus holds the classifier to floors on definitions written for this project.
// Floors are raised when it gets better and never lowered.
func TestOwnCorpus(t *testing.T) {
	holds(t, "../../calibrate/testdata/corpus", calibrate.Floors{
		HighPrecision: 0.98, HighRecall: 0.74, TagRecall: 0.94, Recall: 0.97, MacroRecall: 0.97, RoleAccuracy: 0.98, Enough: 5,
	})
}

// TestCorpus does the same on real servers, which are no part of the project, where the
// variable GAUNTLET_CORPUS names the directory that holds them.
func TestCorpus(t *testing.T) {
	holds(t, corpusOrSkip(t), calibrate.Floors{
		HighPrecision: 0.985, HighRecall: 0.64, TagRecall: 0.80, Recall: 0.965, MacroRecall: 0.935, RoleAccuracy: 0.95, Enough: 11,
	})
}

// TestUnknownServices holds the classifier to floors where it knows no name of a service,
// and where it lacks the words that only the servers at hand use.
func TestUnknownServices(t *testing.T) {
	m := (&calibrateRun{folds: 5}).measure(corpusOrSkip(t))
	if m.err != nil {
		t.Fatal(m.err)
	}
	for _, below := range m.run.Nameless.Below(calibrate.Floors{
		HighPrecision: 0.94, HighRecall: 0.66, TagRecall: 0.80, Recall: 0.945, MacroRecall: 0.87, RoleAccuracy: 0.95, Enough: 11,
	}) {
		t.Errorf("without names of services: %s", below)
	}
	for _, below := range m.run.Unseen.Below(calibrate.Floors{
		HighPrecision: 0.91, HighRecall: 0.61, TagRecall: 0.76, Recall: 0.935, MacroRecall: 0.89, RoleAccuracy: 0.95, Enough: 11,
	}) {
		t.Errorf("without the words of the fold: %s", below)
	}
}

func corpusOrSkip(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("GAUNTLET_CORPUS")
	if dir == "" {
		t.Skip("GAUNTLET_CORPUS names no corpus of real servers: the classifier is held to its floors on its own corpus only")
	}
	return dir
}

func holds(t *testing.T, dir string, floors calibrate.Floors) {
	t.Helper()
	cases := corpus(t, dir)
	s := calibrate.Of(cases)
	if s.Unseen > 0 || s.Unlabelled > 0 {
		t.Errorf("%d labelled tools are in no snapshot, %d tools have no labels", s.Unseen, s.Unlabelled)
	}
	for _, below := range s.Below(floors) {
		t.Error(below)
	}
	if !t.Failed() {
		return
	}
	for _, e := range append(s.TagErrors, s.RoleErrors...) {
		t.Logf("%s %s %s: said %q, true %q, %s %q", e.Server, e.Tool, e.Parameter, e.Said, e.Want, e.Confidence, e.Evidence)
	}
}

func corpus(t *testing.T, dir string) []calibrate.Case {
	t.Helper()
	servers, truths, err := readCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	return predicted(servers, truths)
}

// TestEvalDoc compares docs/classifier-eval.md with what the corpus gives now.
func TestEvalDoc(t *testing.T) {
	const file = "../../docs/classifier-eval.md"
	m := (&calibrateRun{folds: 5}).measure(corpusOrSkip(t))
	if m.err != nil {
		t.Fatal(m.err)
	}
	var want bytes.Buffer
	if err := m.run.Markdown(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the corpus gives: run go test ./internal/cli -run TestEvalDoc -update and read the diff", file)
	}
}
