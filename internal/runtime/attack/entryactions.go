package attack

import (
	"cmp"
	"context"
	"strings"
	"time"

	"gauntlet/oatf"
)

func (a *actor) enterPhases(ctx context.Context, entries []entry) {
	for _, e := range entries {
		a.enterPhase(ctx, e)
	}
}

// enterPhase does what a phase does first. Where it waits for values of other actors, that is
// done beside everything else.
func (a *actor) enterPhase(ctx context.Context, e entry) {
	p := &a.phases[e.to]
	if a.moved != nil {
		a.moved()
	}
	if len(p.awaits) == 0 {
		a.runEntryActions(ctx, e)
		close(a.entered[e.to])
		close(a.settled[e.to])
		return
	}
	close(a.entered[e.to])
	a.run.spawn(func() { // ends with the wait, the phase or the run
		defer close(a.settled[e.to])
		switch none := a.awaitCaptures(ctx, e.to, e.left); {
		case ctx.Err() != nil:
		case isClosed(e.left):
			a.notice(Unplayed, e.to, "the phase ended while it waited for %s: what it was to do first is left out", strings.Join(none, ", "))
		default:
			a.runEntryActions(ctx, e)
		}
	})
}

// awaitCaptures waits until everything that the phase waits for is captured, its time is up, or
// the phase has ended. It returns what is missing then.
func (a *actor) awaitCaptures(ctx context.Context, phase int, left <-chan struct{}) (none []string) {
	for _, w := range a.phases[phase].awaits {
		timer := time.NewTimer(w.timeout)
		for waiting := true; waiting; {
			missing, changed := a.run.captures.missingKeys(w.keys)
			none = missing
			if len(missing) == 0 {
				break
			}
			select {
			case <-changed:
			case <-timer.C:
				a.notice(Unplayed, phase, "after %s there is no value of %s: the phase goes on without", w.timeout, strings.Join(missing, ", "))
				waiting = false
			case <-left:
				waiting = false
			case <-ctx.Done():
				waiting = false
			}
		}
		timer.Stop()
	}
	return none
}

// runEntryActions does the actions of on_enter, in their order.
func (a *actor) runEntryActions(ctx context.Context, e entry) {
	a.entering.Lock()
	defer a.entering.Unlock()
	for i := range a.phases[e.to].onEnter {
		action := &a.phases[e.to].onEnter[i]
		x := a.expanderUpon(e.cause)
		switch {
		case action.Log != nil:
			if text, err := x.expandText(action.Log.Message); err == nil {
				a.notice(Logged, e.to, "%s: %s", cmp.Or(action.Log.Level, oatf.LogInfo), text)
			}
		case action.Send != nil:
			params, err := x.expandValue(action.Send.Params)
			if err != nil {
				a.notice(Unplayed, e.to, "%s is not sent: %v", action.Send.Method, err)
				break
			}
			a.send(ctx, e, action.Send.Method, params)
		case action.Binding != nil:
			a.notice(Skipped, e.to, "the action %q is of no binding that this runtime has", action.Binding.Name)
		}
		a.noteMissing(e.to, x)
	}
}
