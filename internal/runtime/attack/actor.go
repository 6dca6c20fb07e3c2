package attack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// An Actor is a script that is being played. Its drivers feed it with what happens on its
// conversations; it says which phase answers, and does what the document wants done when
// a phase begins. It is safe for concurrent use, and nothing in it waits for a peer.
type Actor struct {
	*script
	run    *Run
	player Player
	place  int // among the servers of the run

	entering sync.Mutex // held while the actions of a phase are done, so that those of two do not mix

	mu    sync.Mutex
	m     *phaseMachine
	timer *time.Timer
	left  chan struct{} // closed when the phase that holds ends

	settled []chan struct{} // by phase: closed when what it does first is done, and it waits for no value any more
	entered []chan struct{} // by phase: closed when what it does first is done, or waits for values
	ended   chan struct{}   // closed when the script is through
	done    bool            // ended is closed
	failed  string          // why it could not do its part
}

// An Entry records that a phase began, and the event that caused it.
type Entry struct {
	change
	cause Exchange      // of which the event was a part
	left  chan struct{} // closed when that phase ends
	acted func()        // what the phase does first is done, or waits for values of others
	met   func()        // it is done, and pending no more
}

// An Exchange is a request with its answer, as JSON: what an event was a part of. What is not known is
// "".
type Exchange struct {
	Request, Response string
}

func newActor(s *script, r *Run) *Actor {
	a := &Actor{script: s, run: r, ended: make(chan struct{})}
	for range s.Phases {
		a.settled = append(a.settled, make(chan struct{}))
		a.entered = append(a.entered, make(chan struct{}))
	}
	return a
}

// beginFirstPhase begins the first phase.
func (a *Actor) beginFirstPhase(ctx context.Context) {
	a.mu.Lock()
	a.m = newPhaseMachine(a.script, a.run.clockNow())
	a.left = make(chan struct{})
	first := Entry{left: a.left, acted: func() {}, met: func() {}}
	a.armTimer(ctx)
	a.mu.Unlock()
	a.enterPhase(ctx, first)
}

// armTimer sets the timer to when the phase that holds ends by itself. a.mu is held.
func (a *Actor) armTimer(ctx context.Context) {
	if a.timer != nil {
		a.timer.Stop()
	}
	if due, ok := a.m.dueTime(); ok && a.run.opt.Clock == nil {
		a.timer = time.AfterFunc(time.Until(due), func() { a.wake(ctx) })
	}
}

// wake is called by the timer.
func (a *Actor) wake(ctx context.Context) {
	if ctx.Err() == nil {
		a.mu.Lock()
		entries := a.recordChanges(ctx, a.m.endDuePhases(a.run.clockNow()), Exchange{})
		a.mu.Unlock()
		a.enterPhases(ctx, entries)
	}
}

// isDueBy reports whether the phase that holds ends by itself until then.
func (a *Actor) isDueBy(t time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	due, ok := a.m.dueTime()
	return ok && !due.After(t)
}

// stopTimer stops the timer: nothing wakes the actor any more.
func (a *Actor) stopTimer() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
	}
}

// recordChanges notes the steps from phase to phase and returns what is to be entered. a.mu is
// held.
func (a *Actor) recordChanges(ctx context.Context, changes []change, cause Exchange) []Entry {
	var entries []Entry
	for _, c := range changes {
		if c.over {
			a.finishScript()
			continue
		}
		close(a.left)
		a.left = make(chan struct{})
		acted, met := a.beginEntry()
		entries = append(entries, Entry{c, cause, a.left, acted, met})
	}
	if len(changes) > 0 {
		a.armTimer(ctx)
	}
	return entries
}

// beginEntry notes that the agent is about to meet what a phase does first. That must be known before the script is
// through, so that the run does not end in between. What a client does first no agent waits for.
func (a *Actor) beginEntry() (acted, met func()) {
	if _, ok := a.player.(Listener); !ok {
		return func() {}, func() {}
	}
	return a.run.entering.begin(), a.BeginPending()
}

// finishScript says that the script is through. a.mu is held.
func (a *Actor) finishScript() {
	if !a.done {
		a.done = true
		close(a.ended)
	}
}

// ObserveMessage takes a message of a peer: an event under the name of its method, at which the
// extractors of the phase look that it came in. That phase is returned, which is the one to
// answer it, and what is to be done once it is answered; nil for nothing. counts is false for
// what is no event of its own, such as a call that is sent again with what was asked for.
func (a *Actor) ObserveMessage(ctx context.Context, event string, side oatf.ExtractorSource, content rawjson.Value, counts bool) (phase int, then func(response string)) {
	a.mu.Lock()
	now := a.run.clockNow()
	due := a.recordChanges(ctx, a.m.endDuePhases(now), Exchange{})
	phase = a.m.index
	a.RunExtractors(phase, side, content)
	var upon []Entry
	if counts {
		upon = a.applyTrigger(ctx, now, event, content, Exchange{Request: content.Raw()})
	}
	a.mu.Unlock()
	a.enterPhases(ctx, due)
	return phase, a.deferEntries(ctx, upon)
}

// ObserveEvent takes an event at which no extractor looks any more: the answer of an exchange.
func (a *Actor) ObserveEvent(ctx context.Context, event string, content rawjson.Value, cause Exchange) (then func(string)) {
	a.mu.Lock()
	now := a.run.clockNow()
	due := a.recordChanges(ctx, a.m.endDuePhases(now), Exchange{})
	upon := a.applyTrigger(ctx, now, event, content, cause)
	a.mu.Unlock()
	a.enterPhases(ctx, due)
	return a.deferEntries(ctx, upon)
}

// applyTrigger has the trigger of the phase look at an event. a.mu is held.
func (a *Actor) applyTrigger(ctx context.Context, now time.Time, event string, content rawjson.Value, cause Exchange) []Entry {
	limited, cancel := a.run.matchContext()
	defer cancel()
	changes, err := a.m.observe(limited, now, event, content)
	if err != nil {
		a.Notice(Trouble, a.m.index, "%s is not counted: %v", event, err)
	}
	return a.recordChanges(ctx, changes, cause)
}

// deferEntries returns what enters the phases, nil for none; it takes the answer to the event where that
// is known by then. A replay waits until it was called.
func (a *Actor) deferEntries(ctx context.Context, entries []Entry) func(response string) {
	if entries == nil {
		return nil
	}
	a.run.progress.ExpectEntry()
	return func(response string) {
		defer a.run.progress.FinishEntry()
		for i := range entries {
			if response != "" {
				entries[i].cause.Response = response
			}
		}
		a.enterPhases(ctx, entries)
	}
}

// RunExtractors takes out what the extractors of a phase find.
func (a *Actor) RunExtractors(phase int, side oatf.ExtractorSource, content rawjson.Value) {
	if len(a.Phases[phase].Extractors) == 0 {
		return
	}
	limited, cancel := a.run.matchContext()
	defer cancel()
	for _, x := range a.Phases[phase].Extractors {
		if x.Source != side {
			continue
		}
		if limited.Err() != nil {
			a.Notice(Trouble, phase, "extractor %q and those behind it: %v", x.Name, context.Cause(limited))
			return
		}
		value, ok, err := x.Extract(content)
		switch {
		case err != nil:
			a.Notice(Trouble, phase, "extractor %q: %v", x.Name, err)
		case ok && a.run.captures.setCapture(a.Name, x.Name, value):
			a.Notice(Trouble, phase, "extractor %q: the value has %d bytes and is not kept whole", x.Name, len(value))
		}
	}
}

// LastPhase returns the phase that the actor was last seen in. It does nothing, so that it may
// be asked from anywhere.
func (a *Actor) LastPhase() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.m.index
}

// CurrentPhase returns the phase that holds, with what time has brought about.
func (a *Actor) CurrentPhase(ctx context.Context) int {
	a.mu.Lock()
	entries := a.recordChanges(ctx, a.m.endDuePhases(a.run.clockNow()), Exchange{})
	at := a.m.index
	a.mu.Unlock()
	a.enterPhases(ctx, entries)
	return at
}

// Expander returns what the templates of a message mean at this moment.
func (a *Actor) Expander(request rawjson.Value) *Expander {
	return &Expander{Scope: match.Scope{Captures: a.run.captures.visibleTo(a.Name), Request: request}}
}

// ExpanderUpon returns what the templates mean that belong to an exchange.
func (a *Actor) ExpanderUpon(x Exchange) *Expander {
	out := a.Expander(ParseJSON(x.Request))
	out.Scope.Response = ParseJSON(x.Response)
	return out
}

// ParseJSON reads a text that is JSON; absent if it is none.
func ParseJSON(text string) rawjson.Value {
	tree := new(rawjson.Tree)
	if text == "" || tree.Parse(text, 0) != nil {
		return rawjson.Value{}
	}
	return tree.Root()
}

func (a *Actor) NoteMissing(phase int, x *Expander) {
	for _, name := range x.Missing {
		a.Notice(Template, phase, "{{%s}} means nothing here and became empty (W-004)", name)
	}
}

func (a *Actor) Notice(kind NoticeKind, phase int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.run.notices.addNotice(Notice{kind, a.Name, a.Phases[phase].Name, excerpt.Clip(text, mostNoticed)})
}

func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// ErrOver ends what a run has under way.
var ErrOver = errors.New("the run is over")

// mostNoticed is how much of a stranger's text a message shows, in bytes.
const mostNoticed = 1000
