package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gauntlet/result"
)

// Report makes, once, the report over all jobs of the plan. It is complete only where every job has a complete result. Unless directory is
// "", reports of each target are written there as well; one that cannot be read is told to note and makes its job one not done.
func (o *Owner) Report(ctx context.Context, directory string, note func(format string, args ...any)) (*result.Fleet, error) {
	k, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	r := o.list // it serves this report
	r.Refused = slices.Sorted(maps.Values(k.refused))
	waiting := "it is not done yet: no worker has taken it, or one still does it"
	if order := o.order(ctx); order != nil && order.State != Running {
		waiting = fmt.Sprintf("the fleet was told to end first (%s)", order.State)
	}
	for _, t := range r.Targets {
		for i := range t.Jobs {
			switch j := &t.Jobs[i]; {
			case k.entries[j.ID] != nil:
				*j = k.entries[j.ID].FleetJob
			case k.forged[j.ID]:
				j.Reason = "the index holds a result that no worker of the plan wrote"
			default:
				j.Reason = waiting + j.Reason
			}
		}
	}
	if directory != "" {
		if err := o.writeDirectory(ctx, directory, k, r, note); err != nil {
			return nil, err
		}
	}
	r.Summarize()
	return r, nil
}
