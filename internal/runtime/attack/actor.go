package attack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// An actor is a script that is being played. Its drivers feed it with what happens on its
// conversations; it says which phase answers, and does what the document wants done when
// a phase begins. It is safe for concurrent use, and nothing in it waits for a peer.
type actor struct {
	*script
	run *Run
	// send does a send action of on_enter. It must not wait for a peer.
	send func(ctx context.Context, e entry, method, params string)
	// moved is told of every phase that begins; nil for nobody.
	moved func()

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

// An entry is a phase that begins, and upon what.
type entry struct {
	change
	cause exchange      // of which the event was a part
	left  chan struct{} // closed when that phase ends
}

// An exchange is a request with its answer, as JSON: what an event was a part of. What is not known is
// "".
type exchange struct {
	request, response string
}

func newActor(s *script, r *Run) *actor {
	a := &actor{script: s, run: r, ended: make(chan struct{})}
	for range s.phases {
		a.settled = append(a.settled, make(chan struct{}))
		a.entered = append(a.entered, make(chan struct{}))
	}
	return a
}

// beginFirstPhase begins the first phase.
func (a *actor) beginFirstPhase(ctx context.Context) {
	a.mu.Lock()
	a.m = newPhaseMachine(a.script, a.run.clockNow())
	a.left = make(chan struct{})
	first := entry{left: a.left}
	a.armTimer(ctx)
	a.mu.Unlock()
	a.enterPhase(ctx, first)
}

// armTimer sets the timer to when the phase that holds ends by itself. a.mu is held.
func (a *actor) armTimer(ctx context.Context) {
	if a.timer != nil {
		a.timer.Stop()
	}
	if due, ok := a.m.dueTime(); ok && a.run.opt.Clock == nil {
		a.timer = time.AfterFunc(time.Until(due), func() { a.wake(ctx) })
	}
}

// wake is called by the timer.
func (a *actor) wake(ctx context.Context) {
	if ctx.Err() == nil {
		a.mu.Lock()
		entries := a.recordChanges(ctx, a.m.endDuePhases(a.run.clockNow()), exchange{})
		a.mu.Unlock()
		a.enterPhases(ctx, entries)
	}
}

// stopTimer stops the timer: nothing wakes the actor any more.
func (a *actor) stopTimer() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
	}
}

// recordChanges notes the steps from phase to phase and returns what is to be entered. a.mu is
// held.
func (a *actor) recordChanges(ctx context.Context, changes []change, cause exchange) []entry {
	var entries []entry
	for _, c := range changes {
		if c.over {
			a.finishScript()
			continue
		}
		close(a.left)
		a.left = make(chan struct{})
		entries = append(entries, entry{c, cause, a.left})
	}
	if len(changes) > 0 {
		a.armTimer(ctx)
	}
	return entries
}

// finishScript says that the script is through. a.mu is held.
func (a *actor) finishScript() {
	if !a.done {
		a.done = true
		close(a.ended)
	}
}

// observeMessage takes a message of a peer: an event under the name of its method, at which the
// extractors of the phase look that it came in. That phase is returned, which is the one to
// answer it, and what is to be done once it is answered; nil for nothing. counts is false for
// what is no event of its own, such as a call that is sent again with what was asked for.
func (a *actor) observeMessage(ctx context.Context, event string, side oatf.ExtractorSource, content rawjson.Value, counts bool) (phase int, then func(response string)) {
	a.mu.Lock()
	now := a.run.clockNow()
	due := a.recordChanges(ctx, a.m.endDuePhases(now), exchange{})
	phase = a.m.index
	a.runExtractors(phase, side, content)
	var upon []entry
	if counts {
		upon = a.applyTrigger(ctx, now, event, content, exchange{request: content.Raw()})
	}
	a.mu.Unlock()
	a.enterPhases(ctx, due)
	return phase, a.deferEntries(ctx, upon)
}

// observeEvent takes an event at which no extractor looks any more: the answer of an exchange.
func (a *actor) observeEvent(ctx context.Context, event string, content rawjson.Value, cause exchange) (then func(string)) {
	a.mu.Lock()
	now := a.run.clockNow()
	due := a.recordChanges(ctx, a.m.endDuePhases(now), exchange{})
	upon := a.applyTrigger(ctx, now, event, content, cause)
	a.mu.Unlock()
	a.enterPhases(ctx, due)
	return a.deferEntries(ctx, upon)
}

// applyTrigger has the trigger of the phase look at an event. a.mu is held.
func (a *actor) applyTrigger(ctx context.Context, now time.Time, event string, content rawjson.Value, cause exchange) []entry {
	limited, cancel := a.run.matchContext()
	defer cancel()
	changes, err := a.m.observe(limited, now, event, content)
	if err != nil {
		a.notice(Trouble, a.m.index, "%s is not counted: %v", event, err)
	}
	return a.recordChanges(ctx, changes, cause)
}

// deferEntries returns what enters the phases, nil for none; it takes the answer to the event where that
// is known by then. A replay waits until it was called.
func (a *actor) deferEntries(ctx context.Context, entries []entry) func(response string) {
	if entries == nil {
		return nil
	}
	a.run.progress.expectEntry()
	return func(response string) {
		defer a.run.progress.finishEntry()
		for i := range entries {
			if response != "" {
				entries[i].cause.response = response
			}
		}
		a.enterPhases(ctx, entries)
	}
}

// runExtractors takes out what the extractors of a phase find.
func (a *actor) runExtractors(phase int, side oatf.ExtractorSource, content rawjson.Value) {
	if len(a.phases[phase].extractors) == 0 {
		return
	}
	limited, cancel := a.run.matchContext()
	defer cancel()
	for _, x := range a.phases[phase].extractors {
		if x.source != side {
			continue
		}
		if limited.Err() != nil {
			a.notice(Trouble, phase, "extractor %q and those behind it: %v", x.name, context.Cause(limited))
			return
		}
		value, ok, err := x.Extract(content)
		switch {
		case err != nil:
			a.notice(Trouble, phase, "extractor %q: %v", x.name, err)
		case ok && a.run.captures.setCapture(a.name, x.name, value):
			a.notice(Trouble, phase, "extractor %q: the value has %d bytes and is not kept whole", x.name, len(value))
		}
	}
}

// lastPhase returns the phase that the actor was last seen in. It does nothing, so that it may
// be asked from anywhere.
func (a *actor) lastPhase() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.m.index
}

// currentPhase returns the phase that holds, with what time has brought about.
func (a *actor) currentPhase(ctx context.Context) int {
	a.mu.Lock()
	entries := a.recordChanges(ctx, a.m.endDuePhases(a.run.clockNow()), exchange{})
	at := a.m.index
	a.mu.Unlock()
	a.enterPhases(ctx, entries)
	return at
}

// expander returns what the templates of a message mean at this moment.
func (a *actor) expander(request rawjson.Value) *expander {
	return &expander{scope: match.Scope{Captures: a.run.captures.visibleTo(a.name), Request: request}}
}

// expanderUpon returns what the templates mean that belong to an exchange.
func (a *actor) expanderUpon(x exchange) *expander {
	out := a.expander(parseJSON(x.request))
	out.scope.Response = parseJSON(x.response)
	return out
}

// parseJSON reads a text that is JSON; absent if it is none.
func parseJSON(text string) rawjson.Value {
	tree := new(rawjson.Tree)
	if text == "" || tree.Parse(text, 0) != nil {
		return rawjson.Value{}
	}
	return tree.Root()
}

func (a *actor) noteMissing(phase int, x *expander) {
	for _, name := range x.missing {
		a.notice(Template, phase, "{{%s}} means nothing here and became empty (W-004)", name)
	}
}

func (a *actor) notice(kind NoticeKind, phase int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.run.notices.addNotice(Notice{kind, a.name, a.phases[phase].name, excerpt.Clip(text, mostNoticed)})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// isNotification reports whether a method is one of a message that nobody answers.
func isNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }

// needsClientRequest are the requests of a server that must belong to a request of the client's
// (SEP-2260).
func needsClientRequest(method string) bool {
	return method == mcp.ElicitationCreate || method == mcp.SamplingCreateMessage || method == mcp.RootsList
}

// errOver ends what a run has under way.
var errOver = errors.New("the run is over")

// mostNoticed is how much of a stranger's text a message shows, in bytes.
const mostNoticed = 1000
