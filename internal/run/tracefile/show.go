package tracefile

import (
	"context"

	"gauntlet/trace"
)

// A View is a way to show a trace: the messages that are picked, in the light of those that are not.
type View interface {
	Add(*trace.Message) error
	Skip(*trace.Message)
	Flush() error
}

// Show gives a view every message, those that the filter picks to be shown, and counts them. Lines that cannot be read
// are given to unread as [Input.Each] does. The view is flushed also after an error.
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
