// Command calibrate measures how often the classifier is right on a corpus of labelled servers, or learns its weights from corpora.
//
//	go run ./internal/testing/calibrate [flags] CORPUS_DIR
//	go run ./internal/testing/calibrate -learn classify CORPUS_DIR...
//
// It exits with 2 if something of a corpus could not be read. docs/classifier.md says what a corpus is and what the figures mean.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/target"
	"gauntlet/internal/testing/calibration"
	"gauntlet/report"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		code = 2
	}
	os.Exit(code)
}

// options are what the command line says.
type options struct {
	format, learn string
	folds         int
	sources       calibration.Sources
	models        modelset.Options
	all           bool
}

func parse(args []string, errs io.Writer) (o options, dirs []string, err error) {
	f := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.format, "format", "markdown", "how to write the figures: markdown or json")
	f.IntVar(&o.folds, "folds", 1, "judge families in so many groups, each without its own words; 1 leaves that out")
	f.StringVar(&o.learn, "learn", "", "write weights.txt and roleweights.txt, learnt from the corpora, into this `DIR`")
	f.StringVar(&o.sources.All, "sources", "", "read the sources of servers below this `DIR`, which holds one directory a server, called as its files of the corpus")
	f.Func("source", "read the server's source as well: `SERVER=DIR`; repeatable", func(s string) error {
		o.sources.Each = append(o.sources.Each, s)
		return nil
	})
	f.Func("model", "score the labels of this model `ID`, too, where the others are in doubt; repeatable", func(s string) error {
		o.models.IDs = append(o.models.IDs, s)
		return nil
	})
	f.BoolVar(&o.all, "model-all", false, "ask the models about tools without a label as well")
	f.StringVar(&o.models.URL, "model-url", "", "`URL` of the models, if their ids do not tell it")
	f.StringVar(&o.models.CacheDir, "model-cache", "", "keep the models' answers in this `DIR`")
	f.BoolVar(&o.models.Offline, "offline", false, "take the models' answers from the cache only")
	if err := f.Parse(args); err != nil {
		return o, nil, err
	}
	dirs = f.Args()
	if len(dirs) == 0 || len(dirs) > 1 && o.learn == "" {
		return o, nil, fmt.Errorf("want one directory that holds labels and snapshots; several only with -learn")
	}
	if o.format != "markdown" && o.format != "json" || o.folds < 1 {
		return o, nil, fmt.Errorf("want -format markdown or json, and -folds of at least 1")
	}
	return o, dirs, nil
}

func run(ctx context.Context, args []string, out, errs io.Writer) (code int, err error) {
	o, dirs, err := parse(args, errs)
	if err != nil {
		return 2, err
	}
	var corpora []*calibration.Corpus
	tell := func(problems []finding.Problem) {
		for _, p := range problems {
			fmt.Fprintln(errs, "calibrate:", target.FailureText(p))
			code = 2
		}
	}
	for _, dir := range dirs {
		corpus, problems, err := calibration.Read(dir)
		tell(problems)
		if err != nil {
			return 2, err
		}
		corpora = append(corpora, corpus)
	}
	if o.learn != "" {
		unseen, err := calibration.LearnTo(o.learn, corpora)
		if err != nil {
			return 2, err
		}
		return code, calibration.WriteUnseen(out, dirs, unseen)
	}
	problems, err := corpora[0].AddSources(ctx, o.sources, new(runstate.Progress).Step)
	if err != nil {
		return 2, err
	}
	tell(problems)
	r := corpora[0].Measure(o.folds)
	if err := o.score(ctx, corpora[0], r); err != nil {
		return 2, err
	}
	if o.format == "json" {
		return code, report.WriteJSON(out, r)
	}
	return code, r.Markdown(out)
}

// score adds what each model says of the corpus: of the tools that the other layers leave in doubt, or also of those without a label.
func (o *options) score(ctx context.Context, corpus *calibration.Corpus, r *calibration.Run) error {
	if len(o.models.IDs) == 0 {
		return nil
	}
	o.models.Getenv, o.models.Agent, o.models.Parallel = os.Getenv, "gauntlet-calibrate", 1
	set, err := modelset.Open(o.models)
	if err != nil {
		return err
	}
	defer set.Close()
	for i, client := range set.Clients {
		one := &modelset.Set{Clients: set.Clients[i : i+1], Ledger: set.Ledger}
		ask := func(ctx context.Context, before, servers []capability.Server, of []*catalog.Server, source func(string) string) (int, int, error) {
			l := &advise.Layer3{Set: one, All: o.all, Parallel: 1, Source: source, Progress: &runstate.Progress{}}
			l.Begin(before)
			return l.Label(ctx, servers, of)
		}
		if err := corpus.AddModel(ctx, r, client.Model(), ask); err != nil {
			return err
		}
	}
	return nil
}
