package simagent

import (
	"context"
	"time"

	"gauntlet/internal/runtime/mcpclient"
)

// mostRelists is how often the lists of servers are read again.
const mostRelists = 20

// runDelayed carries out what was put off until the task was done, and makes the calls that an
// order spoke of and that nothing else has brought about.
func (a *simAgent) runDelayed(ctx context.Context) {
	for a.cut == "" && ctx.Err() == nil {
		switch r := a.unusedRule(); {
		case len(a.delayed) > 0:
			first := a.delayed[0]
			a.delayed = a.delayed[1:]
			first(ctx)
		case r != nil:
			r.used = true
			a.callForRule(ctx, r)
		default:
			return
		}
	}
}

// unusedRule returns a rule for a call that was not made, nil for none.
func (a *simAgent) unusedRule() *paramRule {
	for _, r := range a.rules {
		if !r.used && !r.standing {
			return r
		}
	}
	return nil
}

func (a *simAgent) callForRule(ctx context.Context, r *paramRule) {
	t := a.toolOfKey(r.tool)
	if t == nil {
		return
	}
	args, ok := a.called[r.tool]
	if !ok {
		args, ok = r.from.fillArguments(t)
	}
	if !ok {
		from := r.from
		from.near, from.far = tokenize(a.opt.Prompt), from.near
		args, ok = from.fillArguments(t)
	}
	if ok {
		a.useTool(ctx, t, args, r.where)
	}
}

// listenUntilIdle waits for servers to say that they define something else now, or to ask for
// something, until the agent has listened for as long as it was told to.
func (a *simAgent) listenUntilIdle(ctx context.Context) {
	if a.opt.Idle < 0 {
		return
	}
	until := time.Now().Add(a.opt.Pending.Patience(a.opt.Idle))
	for a.cut == "" && ctx.Err() == nil {
		changed, pending := a.awaitChanges(ctx, time.Until(until))
		for _, l := range changed {
			a.rereadServer(ctx, l)
		}
		heard := a.obeyQueued(ctx)
		a.runDelayed(ctx)
		if !pending && len(changed) == 0 && !heard {
			return
		}
	}
}

// hearPending reads again what servers changed with a call, and waits for what they are about to say upon it.
func (a *simAgent) hearPending(ctx context.Context) {
	for a.cut == "" && ctx.Err() == nil {
		heard, pending := a.awaitChanges(ctx, 0)
		for _, l := range heard {
			a.rereadServer(ctx, l)
		}
		if !pending {
			return
		}
	}
}

// awaitChanges listens to all servers at once for so long, and until nothing is pending, and returns those that changed. pending
// says whether there may be more.
func (a *simAgent) awaitChanges(ctx context.Context, wait time.Duration) (changed []*serverSession, pending bool) {
	var sessions []*mcpclient.Session
	for _, l := range a.servers {
		sessions = append(sessions, l.session)
	}
	heard, pending := a.opt.Pending.Await(ctx, wait, sessions)
	for i, l := range a.servers {
		if heard[i] {
			changed = append(changed, l)
		}
	}
	return changed, pending
}

// rereadServer reads what a server offers now. The victim obeys what is new in it.
func (a *simAgent) rereadServer(ctx context.Context, l *serverSession) {
	if a.relists == mostRelists {
		a.cut = "a server changes its lists for ever"
		return
	}
	a.relists++
	l.readLists(ctx)
	if a.obedient {
		a.studyServer(ctx, l)
	}
}

// obeyQueued obeys what servers said in requests of their own, and reports whether they did.
func (a *simAgent) obeyQueued(ctx context.Context) bool {
	a.mu.Lock()
	heard := a.toObey
	a.toObey = nil
	a.mu.Unlock()
	for _, r := range heard {
		a.obeyText(ctx, r)
	}
	return len(heard) > 0
}
