package attack

import (
	"cmp"
	"context"
	"strings"
	"time"

	"gauntlet/oatf"
)

func (a *Actor) enterPhases(ctx context.Context, entries []Entry) {
	for _, e := range entries {
		a.enterPhase(ctx, e)
	}
}

// enterPhase performs a phase's entry actions. If they wait for other actors' values, that happens in the background.
func (a *Actor) enterPhase(ctx context.Context, e Entry) {
	p := &a.Phases[e.to]
	a.player.Moved()
	if len(p.awaits) == 0 {
		a.runEntryActions(ctx, e)
		close(a.entered[e.to])
		close(a.settled[e.to])
		e.acted()
		e.met()
		return
	}
	close(a.entered[e.to])
	e.acted()
	a.Spawn(func() { // ends with the wait, the phase or the run
		defer e.met()
		defer close(a.settled[e.to])
		switch none := a.awaitCaptures(ctx, e.to, e.left); {
		case ctx.Err() != nil:
		case IsClosed(e.left):
			a.Notice(Unplayed, e.to, "the phase ended while it waited for %s: what it was to do first is left out", strings.Join(none, ", "))
		default:
			a.runEntryActions(ctx, e)
		}
	})
}

// awaitCaptures waits until the phase's awaited values are captured, the wait times out, or the phase ends. It returns the missing
// ones.
func (a *Actor) awaitCaptures(ctx context.Context, phase int, left <-chan struct{}) (none []string) {
	for _, w := range a.Phases[phase].awaits {
		timer := time.NewTimer(w.timeout)
		for waiting := true; waiting; {
			missing, changed := a.captures.missingKeys(w.keys)
			none = missing
			if len(missing) == 0 {
				break
			}
			select {
			case <-changed:
			case <-timer.C:
				a.Notice(Unplayed, phase, "after %s there is no value of %s: the phase goes on without", w.timeout, strings.Join(missing, ", "))
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

func (a *Actor) runEntryActions(ctx context.Context, e Entry) {
	a.entering.Lock()
	defer a.entering.Unlock()
	for i := range a.Phases[e.to].OnEnter {
		action := &a.Phases[e.to].OnEnter[i]
		x := a.ExpanderUpon(e.cause)
		switch {
		case action.Log != nil:
			if text, err := x.ExpandText(action.Log.Message); err == nil {
				a.Notice(Logged, e.to, "%s: %s", cmp.Or(action.Log.Level, oatf.LogInfo), text)
			}
		case action.Send != nil:
			params, err := x.ExpandValue(action.Send.Params)
			if err != nil {
				a.Notice(Unplayed, e.to, "%s is not sent: %v", action.Send.Method, err)
				break
			}
			a.player.Send(ctx, e, action.Send.Method, params)
		case action.Binding != nil:
			a.doBindingAction(ctx, e, x, action.Binding)
		}
		a.NoteMissing(e.to, x)
	}
}

// doBindingAction performs an action defined by the protocol's binding.
func (a *Actor) doBindingAction(ctx context.Context, e Entry, x *Expander, action *oatf.BindingAction) {
	value, err := x.ExpandValue(action.Value)
	if err != nil {
		a.Notice(Unplayed, e.to, "%s is not done: %v", action.Name, err)
		return
	}
	if d, ok := a.player.(Doer); !ok || !d.Do(ctx, e, action.Name, value) {
		a.Notice(Skipped, e.to, "the action %q is of no binding that this runtime has", action.Name)
	}
}
