package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/calibrate"
	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
)

// calibrateRun is one run of the subcommand calibrate.
type calibrateRun struct {
	*app
	format string
	file   string
	folds  int
}

func (a *app) calibrateCommand() *cobra.Command {
	c := &calibrateRun{app: a}
	cmd := &cobra.Command{
		Use:   "calibrate [flags] CORPUS_DIR",
		Short: "Measure how often the classifier is right",
		Long: `calibrate classifies the servers of a corpus and compares the labels with those that
people gave. CORPUS_DIR holds snapshots/NAME.json and labels/NAME.yaml, as
docs/classifier.md describes them. The format markdown is docs/classifier-eval.md.

--folds judges families of servers that resemble each other with word lists that lack
the words which only they use.

Exit codes: 2 if a server of the corpus could not be read; else 0.`,
		Example: `  gauntlet calibrate corpus
  gauntlet calibrate --folds 5 --format markdown --output docs/classifier-eval.md corpus`,
		RunE: c.run,
	}
	cmd.Flags().SortFlags = false
	textFormat(cmd, &c.format, "markdown", "json")
	outputFlag(cmd, &c.file, "the figures")
	cmd.Flags().Var(number(&c.folds, 1, 1000), "folds", "judge families in so many groups, each without its own words; 1 leaves that out")
	return cmd
}

func (c *calibrateRun) run(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, "want one directory that holds labels and snapshots")
	}
	if err := writable(c.file, nil); err != nil {
		return usage(cmd, "%s", err)
	}
	r, err := interruptible(cmd.Context(), func() *measured { return c.measure(args[0]) })
	if err != nil {
		return err
	}
	if r.err != nil {
		return r.err
	}
	return c.writeTo(c.file, func(w io.Writer) error {
		if c.format == "json" {
			return writeIndented(w, r.run)
		}
		return r.run.Markdown(w)
	})
}

// measured is what a calibration gave, or why it gave nothing.
type measured struct {
	run *calibrate.Run
	err error
}

func (c *calibrateRun) measure(dir string) *measured {
	servers, truths, err := readCorpus(dir)
	if err != nil {
		return &measured{err: err}
	}
	cases := predicted(servers, truths)
	r := &calibrate.Run{
		Vocabulary: capability.VocabularyVersion, Lexicon: classify.LexiconVersion, Layer: "1",
		Corpus: calibrate.Entries(cases), All: calibrate.Of(cases), Folds: c.folds,
	}
	nameless := slices.Clone(cases)
	for i, s := range servers {
		p := classify.Nameless(s)
		nameless[i].Predicted = &p
	}
	r.Nameless = calibrate.Of(nameless)
	if c.folds > 1 {
		r.Unseen = calibrate.Of(unseen(servers, cases, c.folds))
	}
	return &measured{run: r}
}

// predicted classifies every server from its definitions.
func predicted(servers []*catalog.Server, truths []*calibrate.Truth) []calibrate.Case {
	cases := make([]calibrate.Case, len(truths))
	for i, t := range truths {
		p := classify.Server(servers[i])
		cases[i] = calibrate.Case{Truth: t, Predicted: &p, Mode: capability.DefinitionOnly}
	}
	calibrate.Families(cases)
	return cases
}

// unseen classifies every server without the words that only its fold uses.
func unseen(servers []*catalog.Server, cases []calibrate.Case, n int) []calibrate.Case {
	out := slices.Clone(cases)
	words := make([]map[string]bool, len(servers))
	for i, s := range servers {
		words[i] = map[string]bool{}
		classify.Words(s, words[i])
	}
	for _, fold := range calibrate.Split(cases, n) {
		known := map[string]bool{}
		for i := range servers {
			if slices.Contains(fold, i) {
				continue
			}
			for w := range words[i] {
				known[w] = true
			}
		}
		for _, i := range fold {
			p := classify.Without(servers[i], func(w string) bool { return known[w] })
			out[i].Predicted = &p
		}
	}
	return out
}

// maxLabels is the longest file of labels that is read, in bytes.
const maxLabels = 16 << 20

// readCorpus reads every labelled server of a corpus, by name.
func readCorpus(dir string) ([]*catalog.Server, []*calibrate.Truth, error) {
	found, err := filepath.Glob(filepath.Join(dir, "labels", "*.yaml"))
	if err != nil || len(found) == 0 {
		return nil, nil, fmt.Errorf("%s: no labels/*.yaml in it", dir)
	}
	var servers []*catalog.Server
	var truths []*calibrate.Truth
	for _, file := range found {
		t, err := readLabels(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		snapshot := filepath.Join(dir, "snapshots", strings.TrimSuffix(filepath.Base(file), ".yaml")+".json")
		s, err := readOne(snapshot)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", snapshot, err)
		}
		servers, truths = append(servers, s), append(truths, t)
	}
	return servers, truths, nil
}

func readLabels(file string) (*calibrate.Truth, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	text, err := readUpTo(f, 0, maxLabels)
	if err != nil {
		return nil, err
	}
	return calibrate.Parse([]byte(text))
}

func readOne(file string) (*catalog.Server, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	text, err := readUpTo(f, 0, catalog.DefaultBytes)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(file, text, catalog.Limits{})
	if err != nil {
		return nil, err
	}
	if len(c.Servers) != 1 {
		return nil, fmt.Errorf("want one server, there are %d", len(c.Servers))
	}
	return c.Servers[0], nil
}
