package labelrun

import (
	"context"

	"gauntlet/calibrate"
	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/calibration"
	"gauntlet/internal/run/modelset"
)

// Score adds to the scores of a classifier what each model says of the corpus: of the tools that the other layers leave in
// doubt, or with Options.All also of those without a label.
func Score(ctx context.Context, corpus *calibration.Corpus, r *calibrate.Run, opt Options) error {
	for i, client := range opt.Models.Clients {
		one := &modelset.Set{Clients: opt.Models.Clients[i : i+1], Ledger: opt.Models.Ledger}
		ask := func(ctx context.Context, before, servers []capability.Server, of []*catalog.Server, source func(string) string) (int, int, error) {
			l := &advise.Layer3{Set: one, All: opt.All, Parallel: opt.Parallel, Source: source, Progress: opt.Progress}
			l.Begin(before)
			return l.Label(ctx, servers, of)
		}
		if err := corpus.AddModel(ctx, r, client.Model(), ask); err != nil {
			return err
		}
	}
	return nil
}
