package calibration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gauntlet/capability"
	"gauntlet/classify"
)

// fitWeights names the directory that TestFit writes weights.txt and roleweights.txt to; "-" writes none and only logs.
const fitWeights = "GAUNTLET_FIT_WEIGHTS"

// heldTogether is how many groups the families of labelled servers are dealt to; each is judged by weights learnt without it.
const heldTogether = 3

// TestFit learns the classifier's weights from the corpus that GAUNTLET_CORPUS names, the lessons and the families of labelled servers, and
// writes them where the environment says. It logs how labels do on families that were left out, for several choices of
// the shares that a level stands for, so that those of tagGroups can be chosen by them. It takes minutes.
func TestFit(t *testing.T) {
	out := os.Getenv(fitWeights)
	if out == "" {
		t.Skipf("%s is not set", fitWeights)
	}
	corpora := []*Corpus{readable(t, corpusOrSkip(t)), readable(t, "testdata/lessons")}
	first := len(corpora)
	files, err := filepath.Glob("../../engine/scanner/testdata/families/servers-*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatal("no families of labelled servers", err)
	}
	for _, file := range files {
		corpora = append(corpora, readable(t, file))
	}
	h := heldOut{t: t, scores: map[levelShares][][]Case{}, files: files}
	for group := range heldTogether {
		var rest []*Corpus
		for i, c := range corpora {
			if i < first || (i-first)%heldTogether != group {
				rest = append(rest, c)
			}
		}
		l := Learn(rest, learnFolds)
		for i, c := range corpora[first:] {
			if i%heldTogether == group {
				h.judge(i, c, l)
			}
		}
	}
	h.log()
	if out == "-" {
		return
	}
	l := Learn(corpora, learnFolds)
	if err := l.Write(out); err != nil {
		t.Fatal(err)
	}
}

// heldOut collects how families do that were left out.
type heldOut struct {
	t      *testing.T
	files  []string
	scores map[levelShares][][]Case // by family
}

// judge classifies the servers of one family with each choice of shares.
func (h *heldOut) judge(family int, c *Corpus, l *Lists) {
	for _, shares := range triedShares {
		weights, err := classify.ParseWeights(l.tagsAt(shares), l.Roles)
		if err != nil {
			h.t.Fatal(err)
		}
		if h.scores[shares] == nil {
			h.scores[shares] = make([][]Case, len(h.files))
		}
		for j, s := range c.servers {
			p := (&classify.Lens{Weights: weights}).Server(s)
			h.scores[shares][family] = append(h.scores[shares][family], Case{Truth: c.truths[j], Predicted: &p, Mode: capability.DefinitionOnly})
		}
	}
}

// triedShares are those in use, and others.
var triedShares = []levelShares{{}, {.95, .7}, {.9, .6}, {.85, .55}, {.8, .5}, {.75, .45}, {.7, .4}, {.65, .35}, {.6, .3}, {.5, .25}, {.4, .2}}

// log logs the figures of all families together for each choice, by tag, and those of each family for the one in use.
func (h *heldOut) log() {
	for _, shares := range triedShares {
		s := Of(slices.Concat(h.scores[shares]...))
		h.t.Logf("%+v: %s", shares, figures(s.Micro))
		for _, tag := range s.Tags {
			h.t.Logf("    %-13s of %d: %s", tag.Tag, tag.Positives, figures(tag))
		}
	}
	for i, file := range h.files {
		s := Of(h.scores[levelShares{}][i])
		right, all := 0, 0
		for _, r := range s.Roles {
			right, all = right+r.Acted.TP, all+r.Parameters
		}
		h.t.Logf("%s: %s; roles %d of %d", filepath.Base(file), figures(s.Micro), right, all)
	}
}

func figures(s TagScore) string {
	return fmt.Sprintf("high %s; high and medium %s", shares(s.High), shares(s.Acted))
}
