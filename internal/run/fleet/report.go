package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/result"
)

// Report is the report over all jobs of the plan. It is complete only where every job has a complete result. Unless directory is
// "", reports of each target are written there as well; one that cannot be read is told to note and makes its job one not done.
func (o *Owner) Report(ctx context.Context, directory string, note func(format string, args ...any)) (*result.Fleet, error) {
	k, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	r := &result.Fleet{
		SchemaVersion: result.FleetSchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: o.list.Version}, Name: o.list.Name, Plan: o.list.Plan, Round: o.list.Round,
		Left: o.list.Left, Refused: slices.Sorted(maps.Values(k.refused)),
	}
	waiting := "it is not done yet: no worker has taken it, or one still does it"
	if order := o.order(ctx); order != nil && order.State != fleetplan.Running {
		waiting = fmt.Sprintf("the fleet was told to end first (%s)", order.State)
	}
	for i := range o.list.Jobs {
		l := &o.list.Jobs[i]
		if n := len(r.Targets); n == 0 || r.Targets[n-1].Name != l.Target {
			r.Targets = append(r.Targets, result.FleetTarget{Name: l.Target, Kind: string(l.Kind)})
		}
		t := &r.Targets[len(r.Targets)-1]
		t.Jobs = append(t.Jobs, k.jobOf(l, waiting))
	}
	if directory != "" {
		if err := o.writeDirectory(ctx, directory, k, r, note); err != nil {
			return nil, err
		}
	}
	r.Summarize()
	return r, nil
}

// jobOf says what became of one job.
func (k *known) jobOf(l *Listed, waiting string) result.FleetJob {
	j := result.FleetJob{ID: l.ID, Lane: string(l.Lane), Document: l.Document, State: result.FleetNotDone}
	switch e := k.entries[l.ID]; {
	case e != nil:
		j.State, j.Exit, j.Counts, j.Attempts, j.Worker, j.Milliseconds = result.FleetDone, e.Exit, e.Counts, e.Attempt, e.Worker, e.Took.Milliseconds()
		if e.Failed != "" {
			j.State, j.Reason = result.FleetFailed, e.Failed
		} else if !e.Complete {
			j.State, j.Reason = result.FleetIncomplete, e.First
		}
	case k.forged[l.ID]:
		j.Reason = "the index holds a result that no worker of the plan wrote"
	default:
		j.Reason = waiting
		if len(l.Needs) > 0 {
			j.Reason += "; it needs " + fmt.Sprint(l.Needs)
		}
	}
	return j
}
