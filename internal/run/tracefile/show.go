package tracefile

import (
	"context"

	"gauntlet/trace"
)

// A View shows a trace's selected messages, in the context of the others.
type View interface {
	Add(*trace.Message) error
	Skip(*trace.Message)
	Flush() error
}

// Show passes every message to a view, marks those that the filter selects, and counts them. Unreadable lines go to unread as in
// [Input.Each]. The view is flushed even after an error.
func (t *Input) Show(ctx context.Context, f *Filter, view View, unread func(*trace.LineError)) (Count, error) {
	sum := Count{}
	err := t.Each(unread, func(m *trace.Message) error {
		if sum.All++; !f.Picks(m) {
			view.Skip(m)
			return ctx.Err()
		}
		sum.Add(m)
		return view.Add(m)
	})
	if flushed := view.Flush(); err == nil {
		err = flushed
	}
	return sum, err
}
