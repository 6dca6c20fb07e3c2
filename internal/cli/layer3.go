package cli

import (
	"context"

	"gauntlet/calibrate"
	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/calibration"
	"gauntlet/internal/run/modelset"
)

// calibrateLayer3 adds to the scores what models say, by recorded answers or by asking them.
func (c *calibrateCommand) calibrateLayer3(ctx context.Context, corpus *calibration.Corpus, r *calibrate.Run) error {
	for i, client := range c.advisers.Clients {
		one := &modelset.Set{Clients: c.advisers.Clients[i : i+1], Ledger: c.advisers.Ledger}
		ask := func(ctx context.Context, before, servers []capability.Server, of []*catalog.Server, source func(string) string) (int, int, error) {
			l := &advise.Layer3{Set: one, All: c.layer3 == "all", Parallel: c.models.parallel, Source: source, Progress: c.progress}
			l.Begin(before)
			return l.Label(ctx, servers, of)
		}
		if err := corpus.AddModel(ctx, r, client.Model(), ask); err != nil {
			return err
		}
	}
	c.note("models: %s", c.advisers.Spent())
	return nil
}
