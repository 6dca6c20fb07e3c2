package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/calibrate"
	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/result"
)

// calibrateRun is one run of the subcommand calibrate.
type calibrateRun struct {
	*app
	format  string
	file    string
	folds   int
	sources sourceFlags
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

--sources and --source say where the sources of servers are. Those servers are judged
twice, by their definitions alone and with what their source shows, and the figures stand
side by side. Nothing is executed.

Exit codes: 2 if anything of the corpus or of the sources could not be read, the rest is
measured; else 0.`,
		Example: `  gauntlet calibrate corpus
  gauntlet calibrate --sources checkouts --source files=./files corpus
  gauntlet calibrate --folds 5 --format markdown --output docs/classifier-eval.md corpus`,
		RunE: c.run,
	}
	cmd.Flags().SortFlags = false
	textFormat(cmd, &c.format, "markdown", "json")
	outputFlag(cmd, &c.file, "the figures")
	cmd.Flags().Var(number(&c.folds, 1, 1000), "folds", "judge families in so many groups, each without its own words; 1 leaves that out")
	c.sources.flags(cmd)
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no notes on stderr, only errors (default off)")
	return cmd
}

func (c *calibrateRun) run(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, "want one directory that holds labels and snapshots")
	}
	if err := writable(c.file, nil); err != nil {
		return usage(cmd, "%s", err)
	}
	defer c.startProgress().stop()
	corpus, problems, err := readCorpus(args[0])
	if err == nil {
		more, failed := c.readSources(cmd.Context(), corpus)
		if failed != nil {
			return failed
		}
		problems = append(problems, more...)
	}
	c.progress.stop()
	for _, p := range problems {
		c.say("%s", failureText(p))
	}
	if err != nil {
		return err
	}
	r, err := interruptible(cmd.Context(), func() *calibrate.Run { return corpus.measure(c.folds) })
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		c.code = result.ExitTrouble
	}
	return c.writeTo(c.file, func(w io.Writer) error {
		if c.format == "json" {
			return writeIndented(w, r)
		}
		return r.Markdown(w)
	})
}

// measure scores the corpus by layer 1, and the servers whose sources were read by both.
func (c *corpus) measure(folds int) *calibrate.Run {
	cases := c.predicted()
	r := &calibrate.Run{
		Vocabulary: capability.VocabularyVersion, Lexicon: classify.LexiconVersion, Layer: "1",
		Corpus: calibrate.Entries(cases), All: calibrate.Of(cases), Folds: folds,
		Layers: c.compared(cases),
	}
	nameless := slices.Clone(cases)
	for i, s := range c.servers {
		p := classify.Nameless(s)
		nameless[i].Predicted = &p
	}
	r.Nameless = calibrate.Of(nameless)
	if folds > 1 {
		r.Unseen = calibrate.Of(unseen(c.servers, cases, folds))
	}
	return r
}

// predicted classifies every server from its definitions.
func (c *corpus) predicted() []calibrate.Case {
	cases := make([]calibrate.Case, len(c.truths))
	for i, t := range c.truths {
		p := classify.Server(c.servers[i])
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
