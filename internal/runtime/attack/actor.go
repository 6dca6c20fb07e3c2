// Package attack plays attack documents: it runs their actors' phases, counts events, captures values, expands templates and
// performs entry actions. It knows no protocol by name: a [Binding] for each plays the actors and reports events.
//
// Phase logic uses neither I/O nor a clock ([script], [phaseMachine]). An actor has one machine shared by all its sessions, and
// captured values are visible to all actors.
//
// Documents and peers are both untrusted: nothing they send may stop the run, another session, or the end of the run at its limit.
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

// An Actor is a script being played. Its drivers report the events on their sessions; it says which phase answers them, and
// performs the entry actions of new phases. It is safe for concurrent use, and never waits for a peer.
type Actor struct {
	*script
	*services
	player Player
	place  int // index among the run's servers

	entering sync.Mutex // held during a phase's entry actions, so that those of two phases do not interleave

	mu    sync.Mutex
	m     *phaseMachine
	timer *time.Timer
	left  chan struct{} // closed when the current phase ends

	settled []chan struct{} // by phase: closed when its entry actions are done, including waits for values
	entered []chan struct{} // by phase: closed when its entry actions are done or waiting for values
	ended   chan struct{}   // closed when the script has ended
	done    bool            // ended is closed
	failed  string          // why it could not do its part, or ""
}

// An Entry records that a phase began, and the event that caused it.
type Entry struct {
	change
	cause Exchange      // the exchange the event was part of
	left  chan struct{} // closed when the phase ends
	acted func()        // the entry actions are done, or wait for other actors' values
	met   func()        // they are done and no longer pending
}

// An Exchange is the request and answer, as JSON, that an event was part of. Unknown ones are "".
type Exchange struct {
	Request, Response string
}

func newActor(s *script, r *Run) *Actor {
	a := &Actor{script: s, services: &r.services, ended: make(chan struct{})}
	for range s.Phases {
		a.settled = append(a.settled, make(chan struct{}))
		a.entered = append(a.entered, make(chan struct{}))
	}
	return a
}

func (a *Actor) beginFirstPhase(ctx context.Context) {
	a.mu.Lock()
	a.m = newPhaseMachine(a.script, a.Now())
	a.left = make(chan struct{})
	first := Entry{left: a.left, acted: func() {}, met: func() {}}
	a.armTimer(ctx)
	a.mu.Unlock()
	a.enterPhase(ctx, first)
}

// armTimer sets the timer to when the current phase ends by itself. a.mu is held.
func (a *Actor) armTimer(ctx context.Context) {
	if a.timer != nil {
		a.timer.Stop()
	}
	if due, ok := a.m.dueTime(); ok && a.opt.Clock == nil {
		a.timer = time.AfterFunc(time.Until(due), func() { a.wake(ctx) })
	}
}

func (a *Actor) wake(ctx context.Context) {
	if ctx.Err() == nil {
		a.mu.Lock()
		entries := a.recordChanges(ctx, a.m.endDuePhases(a.Now()), Exchange{})
		a.mu.Unlock()
		a.enterPhases(ctx, entries)
	}
}

// isDueBy reports whether the current phase ends by itself before t.
func (a *Actor) isDueBy(t time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	due, ok := a.m.dueTime()
	return ok && !due.After(t)
}

// recordChanges records phase changes and returns the phases to enter. a.mu is held.
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

// beginEntry marks a phase's entry actions as pending for the agent, before the script ends, so that the run does not end in
// between. A client's actions are not counted: no agent waits for them.
func (a *Actor) beginEntry() (acted, met func()) {
	if _, ok := a.player.(Listener); !ok {
		return func() {}, func() {}
	}
	return a.openings.begin(), a.BeginPending()
}

// finishScript marks the script as ended. a.mu is held.
func (a *Actor) finishScript() {
	if !a.done {
		a.done = true
		close(a.ended)
	}
}

// ObserveMessage handles a peer's message, an event under its method's name, and runs the extractors of the current phase. It
// returns that phase, which must answer the message, and what to call once it is answered, or nil. counts is false for what is no
// event of its own, such as a call repeated with requested input.
func (a *Actor) ObserveMessage(ctx context.Context, event string, side oatf.ExtractorSource, content rawjson.Value, counts bool) (phase int, then func(response string)) {
	return a.observe(ctx, event, content, Exchange{Request: content.Raw()}, counts, func() { a.RunExtractors(a.m.index, side, content) })
}

// ObserveEvent handles an event without running extractors: the answer of an exchange.
func (a *Actor) ObserveEvent(ctx context.Context, event string, content rawjson.Value, cause Exchange) (then func(string)) {
	_, then = a.observe(ctx, event, content, cause, true, func() {})
	return then
}

// observe calls extract, with a.mu held, in the phase that an event falls into.
func (a *Actor) observe(ctx context.Context, event string, content rawjson.Value, cause Exchange, counts bool, extract func()) (phase int, then func(response string)) {
	a.mu.Lock()
	now := a.Now()
	due := a.recordChanges(ctx, a.m.endDuePhases(now), Exchange{})
	phase = a.m.index
	extract()
	var upon []Entry
	if counts {
		upon = a.applyTrigger(ctx, now, event, content, cause)
	}
	a.mu.Unlock()
	a.enterPhases(ctx, due)
	return phase, a.deferEntries(ctx, upon)
}

// applyTrigger checks an event against the phase's trigger. a.mu is held.
func (a *Actor) applyTrigger(ctx context.Context, now time.Time, event string, content rawjson.Value, cause Exchange) []Entry {
	limited, cancel := a.MatchContext()
	defer cancel()
	changes, err := a.m.observe(limited, now, event, content)
	if err != nil {
		a.Notice(Trouble, a.m.index, "%s is not counted: %v", event, err)
	}
	return a.recordChanges(ctx, changes, cause)
}

// deferEntries returns a function that enters the phases, or nil; it takes the answer to the event if known by then. A replay waits
// for the call.
func (a *Actor) deferEntries(ctx context.Context, entries []Entry) func(response string) {
	if entries == nil {
		return nil
	}
	a.progress.ExpectEntry()
	return func(response string) {
		defer a.progress.FinishEntry()
		for i := range entries {
			if response != "" {
				entries[i].cause.Response = response
			}
		}
		a.enterPhases(ctx, entries)
	}
}

// RunExtractors stores what a phase's extractors find in content.
func (a *Actor) RunExtractors(phase int, side oatf.ExtractorSource, content rawjson.Value) {
	if len(a.Phases[phase].Extractors) == 0 {
		return
	}
	limited, cancel := a.MatchContext()
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
		case ok && a.captures.setCapture(a.Name, x.Name, value):
			a.Notice(Trouble, phase, "extractor %q: the value has %d bytes and is not kept whole", x.Name, len(value))
		}
	}
}

// LastPhase returns the phase the actor was last seen in. It has no side effects and may be called from anywhere.
func (a *Actor) LastPhase() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.m.index
}

// CurrentPhase returns the current phase, after ending those whose time is up.
func (a *Actor) CurrentPhase(ctx context.Context) int {
	a.wake(ctx)
	return a.LastPhase()
}

// Expander returns an expander with the current values.
func (a *Actor) Expander(request rawjson.Value) *Expander {
	return &Expander{Scope: match.Scope{Captures: a.captures.visibleTo(a.Name), Request: request}}
}

// ExpanderUpon returns an expander for templates about an exchange.
func (a *Actor) ExpanderUpon(x Exchange) *Expander {
	out := a.Expander(rawjson.Read(x.Request))
	out.Scope.Response = rawjson.Read(x.Response)
	return out
}

func (a *Actor) NoteMissing(phase int, x *Expander) {
	for _, name := range x.Missing {
		a.Notice(Template, phase, "{{%s}} means nothing here and became empty (W-004)", name)
	}
}

func (a *Actor) Notice(kind NoticeKind, phase int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.notices.addNotice(Notice{kind, a.Name, a.Phases[phase].Name, excerpt.Clip(text, mostNoticed)})
}

func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// ErrOver is the cause that cancels what a run has in progress.
var ErrOver = errors.New("the run is over")

// mostNoticed bounds the bytes of a stranger's text in a message.
const mostNoticed = 1000
