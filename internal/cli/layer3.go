package cli

import (
	"context"

	"gauntlet/calibrate"
	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/calibration"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/target"
)

// beginLayer3 takes note of what layer 1 leaves in doubt; nil where no model is asked.
func (c *classifyCommand) beginLayer3(servers []capability.Server, got *target.Gathered) *advise.Layer3 {
	if c.advisers == nil {
		return nil
	}
	l := &advise.Layer3{Set: c.advisers, All: c.layer3 == "all", Parallel: c.models.parallel, Mask: redaction.New(got.Secrets).Replace, Progress: c.progress}
	l.Begin(servers)
	return l
}

// askLayer3 has models label what is in doubt, or with --plan says what that would cost.
func (c *classifyCommand) askLayer3(ctx context.Context, l *advise.Layer3, servers []capability.Server, got *target.Gathered) error {
	if l == nil {
		return nil
	}
	plans := l.Plan(servers, got.Catalog.Servers)
	if c.models.plan {
		c.planned = true
		return c.writePlans(c.advisers, plans)
	}
	c.advisers.TellPlans(plans, c.note)
	c.progress.CountOf("questions")
	asked, _, err := l.Label(ctx, servers, got.Catalog.Servers)
	if err != nil {
		return err
	}
	c.note("layer 3: %d tools in doubt; models: %s", asked, c.advisers.Spent())
	return nil
}

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
