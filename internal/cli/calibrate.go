package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/calibrate"
	"gauntlet/internal/run/calibration"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/labelrun"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

// calibrateCommand is one run of the subcommand calibrate.
type calibrateCommand struct {
	*app
	format  string
	file    string
	folds   int
	learn   string
	sources calibration.Sources

	layer3   string
	models   modelFlags
	advisers *modelset.Set // nil without layer 3
}

func (a *app) newCalibrateCommand() *cobra.Command {
	c := &calibrateCommand{app: a}
	cmd := &cobra.Command{
		Use:   "calibrate [flags] CORPUS_DIR...",
		Short: "Measure how often the classifier is right",
		RunE:  c.measureClassifier,
	}
	textFormat(cmd, &c.format, "markdown", "html", "json")
	outputFlag(cmd, &c.file, "the figures")
	cmd.Flags().Var(countFlag(&c.folds, 1, 1000), "folds", "judge families in so many groups, each without its own words; 1 leaves that out")
	cmd.Flags().StringVar(&c.learn, "learn", "", "write weights.txt and roleweights.txt, learnt from the corpora, into this `DIR` (default none)")
	cmd.Flags().StringVar(&c.sources.All, "sources", "", "read the sources of servers below this `DIR`, which holds one directory a server, called as its files of the corpus (default none)")
	cmd.Flags().StringArrayVar(&c.sources.Each, "source", nil, "read the server's source as well: `SERVER=DIR`; repeatable (default none)")
	layer3Flag(cmd, &c.layer3)
	c.models.addModelFlags(cmd, "with --llm-classifier, its labels are scored as well")
	_ = cmd.Flags().MarkHidden("plan") // classify has it
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	return cmd
}

func (c *calibrateCommand) measureClassifier(cmd *cobra.Command, args []string) error {
	if c.learn != "" && len(args) > 0 {
		return c.learnWeights(cmd, args)
	}
	if len(args) != 1 {
		return usage(cmd, "want one directory that holds labels and snapshots")
	}
	if err := userfile.CheckWritable(c.file, nil); err != nil {
		return usage(cmd, "%s", err)
	}
	if why := layer3Conflict(cmd, c.layer3, &c.models); why != "" {
		return usage(cmd, "%s", why)
	}
	if c.layer3 != "" {
		var err error
		if c.advisers, err = c.openModels(&c.models); err != nil {
			return usage(cmd, "%s", err)
		}
		defer c.advisers.Close()
	}
	defer c.startProgress().Stop()
	corpus, problems, err := calibration.Read(args[0])
	if err == nil {
		more, failed := corpus.AddSources(cmd.Context(), c.sources, c.progress.Step)
		if failed != nil {
			return failed
		}
		problems = append(problems, more...)
	}
	c.progress.Stop()
	for _, p := range problems {
		c.say("%s", target.FailureText(p))
	}
	if err != nil {
		return err
	}
	r, err := interrupt.Do(cmd.Context(), func() *calibrate.Run { return corpus.Measure(c.folds) })
	if err != nil {
		return err
	}
	if c.advisers != nil {
		if err := labelrun.Score(cmd.Context(), corpus, r, labelrun.Options{Models: c.advisers, All: c.layer3 == "all", Parallel: c.models.parallel, Progress: c.progress}); err != nil {
			return err
		}
		c.note("models: %s", c.advisers.Spent())
	}
	if len(problems) > 0 {
		c.code = result.ExitTrouble
	}
	return c.writeTo(c.file, func(w io.Writer) error { return calibration.Write(w, r, c.format) })
}

// learnWeights learns the classifier's weights from corpora and writes them below a directory.
func (c *calibrateCommand) learnWeights(cmd *cobra.Command, args []string) error {
	defer c.startProgress().Stop()
	var corpora []*calibration.Corpus
	for _, dir := range args {
		corpus, problems, err := calibration.Read(dir)
		if err != nil {
			return err
		}
		for _, p := range problems {
			c.say("%s", target.FailureText(p))
			c.code = result.ExitTrouble
		}
		corpora = append(corpora, corpus)
	}
	unseen, err := interrupt.Try(cmd.Context(), func() ([]*calibrate.Score, error) { return calibration.LearnTo(c.learn, corpora) })
	if err != nil {
		return err
	}
	return c.writeTo(c.file, func(w io.Writer) error { return calibration.WriteUnseen(w, args, unseen) })
}
