package calibration

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"testing"
)

// TestOwnCorpus holds the classifier to floors on definitions written for this project.
// Floors are raised when it gets better and never lowered.
func TestOwnCorpus(t *testing.T) {
	holds(t, "testdata/corpus", Floors{
		HighPrecision: 0.98, HighRecall: 0.80, TagRecall: 0.94, Recall: 0.98, MacroRecall: 0.98, RoleAccuracy: 0.98, Enough: 5,
	})
}

// TestCorpus does the same on real servers, which are no part of the project, where the
// variable GAUNTLET_CORPUS names the directory that holds them.
func TestCorpus(t *testing.T) {
	holds(t, corpusOrSkip(t), Floors{
		HighPrecision: 0.99, HighRecall: 0.70, TagRecall: 0.80, Recall: 0.97, MacroRecall: 0.935, RoleAccuracy: 0.96, Enough: 11,
	})
}

// TestUnknownServices holds the classifier to floors where it knows no name of a service,
// and where it lacks the words that only the servers at hand use.
func TestUnknownServices(t *testing.T) {
	run := readable(t, corpusOrSkip(t)).Measure(5)
	for _, below := range run.Nameless.Below(Floors{
		HighPrecision: 0.94, HighRecall: 0.70, TagRecall: 0.80, Recall: 0.95, MacroRecall: 0.88, RoleAccuracy: 0.96, Enough: 11,
	}) {
		t.Errorf("without names of services: %s", below)
	}
	for _, below := range run.Unseen.Below(Floors{
		HighPrecision: 0.91, HighRecall: 0.61, TagRecall: 0.76, Recall: 0.935, MacroRecall: 0.90, RoleAccuracy: 0.96, Enough: 11,
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

func holds(t *testing.T, dir string, floors Floors) {
	t.Helper()
	cases := readable(t, dir).classifyCases()
	s := Of(cases)
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

func readable(t *testing.T, dir string) *Corpus {
	t.Helper()
	c, problems, err := Read(dir)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, problems %v", err, problems)
	}
	return c
}

// TestOwnSources holds the second layer to floors on sources written for this project.
func TestOwnSources(t *testing.T) {
	l := withSources(t, "testdata/corpus", "testdata/sources").Measure(1).Layers
	holdsLayers(t, l, Floors{HighPrecision: 1, HighRecall: 0.5, TagRecall: 1, Recall: 1, MacroRecall: 1, Enough: 1})
	if len(l.Unread) > 0 || len(l.Servers) != 4 {
		t.Errorf("servers %+v, unread %+v", l.Servers, l.Unread)
	}
}

// TestSources does the same on the sources of real servers, where the variable
// GAUNTLET_SOURCES names the directory that holds them beside their corpus. Any of them will do.
func TestSources(t *testing.T) {
	holdsLayers(t, withSources(t, corpusOrSkip(t), sourcesOrSkip(t)).Measure(1).Layers, Floors{
		HighPrecision: 0.97, HighRecall: 0.64, TagRecall: 0.80, Recall: 0.96, MacroRecall: 0.94, Enough: 8,
	})
}

func sourcesOrSkip(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("GAUNTLET_SOURCES")
	if dir == "" {
		t.Skip("GAUNTLET_SOURCES names no sources of real servers: the second layer is held to its floors on its own sources only")
	}
	return dir
}

// withSources reads a corpus and the sources of its servers, some of which say nothing.
func withSources(t *testing.T, dir, sources string) *Corpus {
	t.Helper()
	c := readable(t, dir)
	problems, err := c.AddSources(t.Context(), Sources{All: sources}, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Logf("%s: %s", p.Location.File, p.Message)
	}
	return c
}

// holdsLayers also holds that no label that is true is lost by what the source says, nor one
// that is wrong raised to high.
func holdsLayers(t *testing.T, l *Layers, floors Floors) {
	t.Helper()
	if l == nil {
		t.Fatal("no source was read")
	}
	for _, below := range l.Source.Below(floors) {
		t.Error(below)
	}
	for _, c := range l.Changes {
		if !c.Better() {
			t.Logf("%s %s: %s, true: %v, %q became %q: %q", c.Server, c.Tool, c.Tag, c.True, c.Before, c.After, c.Evidence)
		}
	}
}

// firstSightHeading begins the part of the page that is kept by hand: figures of servers that no corpus holds.
const firstSightHeading = "## First sight"

var update = flag.Bool("update", false, "rewrite docs/classifier-eval.md")

// TestEvalDoc compares docs/classifier-eval.md with what the corpus gives now, and its last
// part with what the sources give, where they are.
func TestEvalDoc(t *testing.T) {
	const file = "../../../docs/classifier-eval.md"
	c := readable(t, corpusOrSkip(t))
	sources := os.Getenv("GAUNTLET_SOURCES")
	if sources != "" {
		c = withSources(t, corpusOrSkip(t), sources)
	}
	var page bytes.Buffer
	if err := c.Measure(5).Markdown(&page); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := page.Bytes()
	for _, heading := range []string{SourceHeading, firstSightHeading} {
		_, rest, ok := bytes.Cut(got, []byte("\n"+heading+"\n"))
		if rest, _, _ := bytes.Cut(rest, []byte("\n"+firstSightHeading+"\n")); ok && (sources == "" || heading == firstSightHeading) {
			want = slices.Concat(bytes.TrimRight(want, "\n"), []byte("\n\n"+heading+"\n"), bytes.TrimRight(rest, "\n"), []byte("\n"))
		}
	}
	if *update {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
		got = want
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the corpus gives: run go test ./internal/run/calibration -run TestEvalDoc -update and read the diff", file)
	}
}
