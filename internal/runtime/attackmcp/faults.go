package attackmcp

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/faults"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// Bounds of what is remembered.
const (
	maxInjections = 1000      // facts of one server
	maxListing    = 256 << 10 // bytes of a list that goes out again and again
	maxLists      = 64        // and how many there are
)

// faultInjector are the rules of a server being carried out.
type faultInjector struct {
	*server
	mu         sync.Mutex
	used       map[*faults.Rule]int64
	injections []*injection
	underWay   int               // deliveries under way
	idle       chan struct{}     // closed when there are none; nil while nobody waits for that
	lists      map[string]string // of cursor loops: what the first page was answered with, by session and method
}

// injection is a fact in the making.
type injection struct {
	attack.FaultOutcome
	rule     *faults.Rule
	session  *mcpserver.Session
	closed   bool
	hung     bool
	underWay int // deliveries under way
}

// newFaultInjector returns nil for a server none of whose phases has rules: then nothing of this
// file is ever run.
func newFaultInjector(s *server) *faultInjector {
	if !slices.ContainsFunc(s.Phases, func(p attack.Phase) bool { return p.Faults != nil }) {
		return nil
	}
	return &faultInjector{server: s, used: map[*faults.Rule]int64{}, lists: map[string]string{}}
}

// noteUnusedFaults tells of rules of an actor that is no server.
func noteUnusedFaults(a *attack.Actor) {
	for at := range a.Phases {
		if a.Phases[at].Faults != nil {
			a.Notice(attack.Unplayed, at, "%s is for servers: what a client sends goes out as usual", faults.Key)
		}
	}
}

// injectFault is offered every message of the server's.
func (w *faultInjector) injectFault(ctx context.Context, o *mcpserver.Outgoing) bool {
	m := wire.Decode(o.Text)
	at, method, answer := w.CurrentPhase(w.AwaitBegin()), m.Method, false
	if m.Kind == wire.Response || m.Kind == wire.Error {
		answer = true
		if c := w.stateOf(o.Session); c != nil {
			at, method = c.peekRequest(m.ID, at)
		}
	}
	f := w.chooseRule(at, method, answer, o)
	if f == nil {
		return false
	}
	text := o.Text
	if f.rule.Name == "cursor_loop" {
		text = w.loopedPage(o.Session, method, m)
	}
	plan, why := f.rule.Plan(faults.Message{Text: text, Method: method, Answer: answer, Number: int64(f.Times - 1)})
	switch {
	case why != "":
	case plan.Many && !o.Stream():
		why = "the client takes no event stream"
	case plan.Status != 0 || plan.Header != nil:
		if !o.Head(plan.Status, plan.Header) {
			why = "the answer has begun: it is part of an event stream"
		}
	}
	if why != "" {
		w.undoInjection(f)
		w.Notice(attack.Unplayed, at, "x-gauntlet-wire: %s is not done to %s: %s", f.rule.Name, cmp.Or(method, "a message"), why)
		return false
	}
	w.tapFaulted(o, m, cmp.Or(plan.Text, text), f)
	w.carryOut(ctx, o, f, plan)
	return true
}

// chooseRule returns the rule for a message, nil if there is none, and counts it.
func (w *faultInjector) chooseRule(at int, method string, answer bool, o *mcpserver.Outgoing) *injection {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.Phases[at].Faults {
		if !r.For(method) || r.Answers && !answer || r.Times > 0 && w.used[r] >= r.Times {
			continue
		}
		if r.HTTP && !o.HTTP {
			w.Notice(attack.Unplayed, at, "x-gauntlet-wire: %s is done over HTTP only", r.Name)
			continue
		}
		f := w.injectionFor(r, at, o.Session)
		if f == nil {
			w.Notice(attack.Trouble, at, "x-gauntlet-wire: more than %d facts of what clients did are not kept, and nothing is done to further clients", maxInjections)
			return nil
		}
		w.used[r]++
		f.Times++
		f.underWay++
		w.underWay++
		return f
	}
	return nil
}

// injectionFor returns what is known of a rule and a client. w.mu is held.
func (w *faultInjector) injectionFor(r *faults.Rule, at int, t *mcpserver.Session) *injection {
	for _, f := range w.injections {
		if f.rule == r && f.session == t {
			return f
		}
	}
	if len(w.injections) >= maxInjections {
		return nil
	}
	f := &injection{rule: r, session: t}
	f.Actor, f.Phase, f.Do, f.Session = w.Name, w.Phases[at].Name, r.String(), "s"+strconv.Itoa(t.Number())
	w.injections = append(w.injections, f)
	return f
}

// undoInjection takes back what could not be done.
func (w *faultInjector) undoInjection(f *injection) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used[f.rule]--
	f.Times--
	w.endDeliveryLocked(f)
}

// loopedPage returns what a page of a list is answered with. Cursors of ours mean nothing to
// the engine, so each page is the first again.
func (w *faultInjector) loopedPage(t *mcpserver.Session, method string, m wire.Message) string {
	key := strconv.Itoa(t.Number()) + " " + method
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.Kind == wire.Error {
		if first := w.lists[key]; first != "" {
			return faults.WithID(first, m.ID)
		}
	} else if len(m.Raw) <= maxListing && len(w.lists) < maxLists {
		w.lists[key] = m.Raw
	}
	return m.Raw
}

// tapFaulted puts the message into the trace as it goes out, with what is done to it.
func (w *faultInjector) tapFaulted(o *mcpserver.Outgoing, was wire.Message, text string, f *injection) {
	out := wire.Decode(text)
	out.Note = joinNotes(out.Note, "x-gauntlet-wire: "+f.Do+", done to this message")
	if out.ID != was.ID && (was.Kind == wire.Response || was.Kind == wire.Error) {
		if c := w.stateOf(o.Session); c != nil {
			c.takeRequestPhase(was.ID)
		}
	}
	o.Tap(out)
}

// carryOut carries out a plan, until the client or the run has ended.
func (w *faultInjector) carryOut(ctx context.Context, o *mcpserver.Outgoing, f *injection, plan faults.Plan) {
	run := w.AwaitBegin()
	defer w.endDelivery(f)
	begin, end := o.Frame()
	write := func(b []byte) bool {
		n, err := o.Write(b)
		w.mu.Lock()
		defer w.mu.Unlock()
		f.Bytes += int64(n)
		f.closed, f.hung = f.closed || err != nil && run.Err() == nil, f.hung || err != nil && run.Err() != nil
		return err == nil
	}
	for s := range plan.Steps {
		switch {
		case run.Err() != nil:
			w.mu.Lock()
			f.hung = true
			w.mu.Unlock()
			o.Close(false)
			return
		case ctx.Err() != nil:
			w.mu.Lock()
			f.closed = true
			w.mu.Unlock()
			o.Close(false)
			return
		case s.Close || s.Reset:
			w.mu.Lock()
			f.Ceiling = f.rule.Name == "endless"
			w.mu.Unlock()
			o.Close(s.Reset)
			return
		case s.Wait > 0:
			sleepUntil(ctx, run, s.Wait)
			continue
		}
		data := s.Data
		if s.Begin && begin != "" || s.End && end != "" {
			data = slices.Concat([]byte(textIf(s.Begin, begin)), data, []byte(textIf(s.End, end)))
		}
		if !write(data) {
			return
		}
	}
}

func textIf(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

// endDelivery notes that a delivery is over.
func (w *faultInjector) endDelivery(f *injection) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endDeliveryLocked(f)
}

// endDeliveryLocked is left for who holds w.mu.
func (w *faultInjector) endDeliveryLocked(f *injection) {
	f.underWay--
	if w.underWay--; w.underWay == 0 && w.idle != nil {
		close(w.idle)
		w.idle = nil
	}
}

// lastWrite is how long the end of a run waits for bytes that a client does not take.
const lastWrite = time.Second

// awaitDeliveries waits until what was under way when the run ended has noticed that.
func (w *faultInjector) awaitDeliveries() {
	w.mu.Lock()
	idle := make(chan struct{})
	if w.underWay == 0 {
		close(idle)
	} else {
		w.idle = idle
	}
	w.mu.Unlock()
	timer := time.NewTimer(lastWrite)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}

// sleepUntil waits, unless the client or the run ends before.
func sleepUntil(ctx, run context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-run.Done():
	}
}

// observeMethod notes what a client asks or tells behind what was done to it. begins says that it is
// the first thing that it says.
func (w *faultInjector) observeMethod(t *mcpserver.Session, method string, begins bool) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.injections {
		switch {
		case f.Times == 0:
		case f.session == t && f.Next == "":
			f.Next = strings.Clone(clipMethod(method))
		case f.session != t && begins:
			f.Again++
		}
	}
}

// observeTapped notes messages and requests of HTTP.
func (w *faultInjector) observeTapped(t mcpserver.Tapped) {
	if w == nil || t.ToClient || t.Session == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.injections {
		if f.session != t.Session || f.Times == 0 {
			continue
		}
		if t.Message.Raw != "" {
			f.Back++
		}
		if t.HTTP != nil && t.HTTP.Header.Get(mcp.HeaderLastEventID) != "" {
			f.Resumed++
		}
	}
}

// maxMethod is how much of the name of a method is kept.
const maxMethod = 100

func clipMethod(s string) string { return s[:min(len(s), maxMethod)] }

// outcomes returns what was found out, when the run has ended.
func (w *faultInjector) outcomes() []attack.FaultOutcome {
	if w == nil {
		return nil
	}
	w.awaitDeliveries()
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []attack.FaultOutcome
	for _, f := range w.injections {
		one := f.FaultOutcome
		switch {
		case one.Times == 0:
			continue
		case f.closed:
			one.Client = attack.Closed
		case f.Next != "":
			one.Client = attack.WentOn
		case f.hung || f.underWay > 0:
			one.Client = attack.Hung
		case attack.IsClosed(f.session.Done()):
			one.Client = attack.Left
		default:
			one.Client = attack.Silent
		}
		out = append(out, one)
	}
	return out
}

// Faults says what clients did when messages to them were tampered with.
func (s *server) Faults() []attack.FaultOutcome { return s.faults.outcomes() }
