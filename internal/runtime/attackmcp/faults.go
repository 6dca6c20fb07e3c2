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
	"gauntlet/rawjson"
)

// Limits on what is kept.
const (
	maxInjections = 1000      // injections per server
	maxListing    = 256 << 10 // bytes of a list served repeatedly
	maxLists      = 64        // number of such lists
)

// faultInjector carries out a server's fault rules.
type faultInjector struct {
	*server
	mu         sync.Mutex
	used       map[*faults.Rule]int64
	injections []*injection
	underWay   int               // deliveries in progress
	idle       chan struct{}     // closed when there are none; nil unless somebody waits
	lists      map[string]string // first pages of cursor loops, by session and method
}

// injection is one fault on one client, in progress or done.
type injection struct {
	attack.FaultOutcome
	rule     *faults.Rule
	session  *mcpserver.Session
	closed   bool
	hung     bool
	underWay int // deliveries in progress
}

// newFaultInjector returns nil if no phase of the server has rules.
func newFaultInjector(s *server) *faultInjector {
	if !slices.ContainsFunc(s.Phases, func(p attack.Phase) bool { return p.Faults != nil }) {
		return nil
	}
	return &faultInjector{server: s, used: map[*faults.Rule]int64{}, lists: map[string]string{}}
}

// noteUnusedFaults warns about rules on an actor that is no server.
func noteUnusedFaults(a *attack.Actor) {
	for at := range a.Phases {
		if a.Phases[at].Faults != nil {
			a.Notice(attack.Unplayed, at, "%s is for servers: a client's messages are sent as usual", faults.Key)
		}
	}
}

// injectFault is offered every message of the server.
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

// chooseRule returns the rule that applies to a message, or nil, and counts it.
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
			w.Notice(attack.Trouble, at, "x-gauntlet-wire: at most %d observations of clients are kept, and nothing is done to further clients", maxInjections)
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

// injectionFor returns the injection of a rule for a client. w.mu is held.
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

// undoInjection uncounts an injection that could not be carried out.
func (w *faultInjector) undoInjection(f *injection) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used[f.rule]--
	f.Times--
	w.endDeliveryLocked(f)
}

// loopedPage returns the looped page of a list. Our cursors mean nothing to the engine, so every page is the first again.
func (w *faultInjector) loopedPage(t *mcpserver.Session, method string, m wire.Message) string {
	key := strconv.Itoa(t.Number()) + " " + method
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.Kind == wire.Error {
		if first := w.lists[key]; first != "" {
			return rawjson.Replace(first, "id", m.ID)
		}
	} else if len(m.Raw) <= maxListing && len(w.lists) < maxLists {
		w.lists[key] = m.Raw
	}
	return m.Raw
}

// tapFaulted records the message as it is sent, with the fault applied.
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

// carryOut carries out a plan until the client or the run ends.
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
	stop := func(note func(), reset bool) {
		w.mu.Lock()
		note()
		w.mu.Unlock()
		o.Close(reset)
	}
	for s := range plan.Steps {
		switch {
		case run.Err() != nil:
			stop(func() { f.hung = true }, false)
			return
		case ctx.Err() != nil:
			stop(func() { f.closed = true }, false)
			return
		case s.Close || s.Reset:
			stop(func() { f.Ceiling = f.rule.Name == "endless" }, s.Reset)
			return
		case s.Wait > 0:
			select {
			case <-time.After(s.Wait):
			case <-ctx.Done():
			case <-run.Done():
			}
			continue
		}
		data := s.Data
		if s.Begin {
			data = slices.Concat([]byte(begin), data)
		}
		if s.End {
			data = slices.Concat(data, []byte(end))
		}
		if !write(data) {
			return
		}
	}
}

func (w *faultInjector) endDelivery(f *injection) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endDeliveryLocked(f)
}

// endDeliveryLocked is endDelivery with w.mu held.
func (w *faultInjector) endDeliveryLocked(f *injection) {
	f.underWay--
	if w.underWay--; w.underWay == 0 && w.idle != nil {
		close(w.idle)
		w.idle = nil
	}
}

// lastWrite bounds the wait, at the end of a run, for a client to read.
const lastWrite = time.Second

// awaitDeliveries waits until the deliveries in progress have noticed the end of the run.
func (w *faultInjector) awaitDeliveries() {
	w.mu.Lock()
	idle := make(chan struct{})
	if w.underWay == 0 {
		close(idle)
	} else {
		w.idle = idle
	}
	w.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(lastWrite):
	}
}

// observeMethod records what a client sends after a fault. begins marks its first message.
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

// observeTapped records messages and HTTP requests after a fault.
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

// maxMethod bounds the kept part of a method name.
const maxMethod = 100

func clipMethod(s string) string { return s[:min(len(s), maxMethod)] }

// outcomes returns the observations after the run has ended.
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
