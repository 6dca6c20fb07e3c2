package fleet

import (
	"context"
	"fmt"

	"gauntlet/result"
)

// Report is the report over all jobs of the plan. It is complete only where every job has a complete result.
func (o *Owner) Report(ctx context.Context) (*result.Fleet, error) {
	c, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	r := &result.Fleet{SchemaVersion: result.FleetSchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: o.list.Version}, Name: o.list.Name, Plan: o.list.Plan, Round: o.list.Round}
	o.addJobs(ctx, r, c)
	for _, l := range o.list.Left {
		r.Left = append(r.Left, result.FleetLeft{Target: l.Target, Reason: l.Reason})
	}
	r.Refused = c.refusals()
	r.Summarize()
	return r, nil
}

// addJobs adds every job of the list under its target.
func (o *Owner) addJobs(ctx context.Context, r *result.Fleet, c *collector) {
	waiting := "it is queued, and no worker has taken it or ended it"
	if order, err := o.order(ctx); err == nil && order.State != "running" {
		waiting = "the fleet was told to end first (" + string(order.State) + ")"
	}
	at := map[string]int{}
	for i := range o.list.Jobs {
		l := &o.list.Jobs[i]
		if _, ok := at[l.Target]; !ok {
			at[l.Target] = len(r.Targets)
			r.Targets = append(r.Targets, result.FleetTarget{Name: l.Target, Kind: string(l.Kind)})
		}
		t := &r.Targets[at[l.Target]]
		t.Jobs = append(t.Jobs, jobOf(l, c, waiting))
	}
}

// jobOf says what became of one job.
func jobOf(l *Listed, c *collector, waiting string) result.FleetJob {
	j := result.FleetJob{ID: l.ID, Lane: string(l.Lane), Document: l.Document, State: result.FleetNotDone}
	switch e := c.entries[l.ID]; {
	case e != nil && e.Failed != "":
		j.State, j.Reason, j.Attempts, j.Worker = result.FleetFailed, e.Failed, e.Attempt, e.Worker
	case e != nil:
		j.State, j.Exit, j.Counts, j.Attempts, j.Worker, j.Milliseconds = result.FleetDone, e.Exit, e.Counts, e.Attempt, e.Worker, e.Took.Milliseconds()
		if !e.Complete {
			j.State, j.Reason = result.FleetIncomplete, e.First
		}
	case c.forged[l.ID]:
		j.Reason = "the index holds a result that no worker of the plan wrote"
	default:
		j.Reason = waiting
		if len(l.Needs) > 0 {
			j.Reason += "; it needs " + fmt.Sprint(l.Needs)
		}
	}
	return j
}

// Each calls use with the report of every job that has one, as its worker wrote it. One that cannot be read is passed as an
// error and spoils no other.
func (o *Owner) Each(ctx context.Context, use func(l *Listed, text []byte, err error) error) error {
	c, err := o.load(ctx)
	if err != nil {
		return err
	}
	for i := range o.list.Jobs {
		l := &o.list.Jobs[i]
		e := c.entries[l.ID]
		if e == nil || e.Failed != "" {
			continue
		}
		text, err := readReport(ctx, o.Fleet, e)
		if err := use(l, text, err); err != nil {
			return err
		}
	}
	return nil
}
