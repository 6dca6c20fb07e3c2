package simagent

import (
	"context"
	"errors"
	"sync"
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
	for _, t := range a.tools() {
		if t.server.name != r.server || t.name != r.tool {
			continue
		}
		from := r.from
		args, ok := a.called[t.toolKey()]
		if !ok {
			args, ok = from.fillArguments(t)
		}
		if !ok {
			from.near, from.far = tokenize(a.opt.Prompt), from.near
			args, ok = from.fillArguments(t)
		}
		if ok {
			a.useTool(ctx, t, args, r.where)
		}
		return
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

// hearPending listens for what servers are about to say upon a call, if anything, and reports whether they changed
// something.
func (a *simAgent) hearPending(ctx context.Context) (changed bool) {
	for a.cut == "" && ctx.Err() == nil {
		heard, pending := a.awaitChanges(ctx, 0)
		for _, l := range heard {
			changed = true
			a.rereadServer(ctx, l)
		}
		if !pending {
			return changed
		}
	}
	return changed
}

// awaitChanges listens to all servers at once for so long, and until nothing is pending, and returns those that changed. What one
// says ends the wait for all. pending says whether there may be more.
func (a *simAgent) awaitChanges(ctx context.Context, wait time.Duration) (changed []*serverSession, pending bool) {
	one, cancel, pending := a.opt.Pending.Listening(ctx, wait)
	defer cancel()
	if wait <= 0 && !pending {
		return nil, false
	}
	heard := make([]bool, len(a.servers))
	var all sync.WaitGroup
	for i, l := range a.servers {
		// Ends with one, at the latest when the time is over.
		all.Go(func() {
			if l.session.Idle(one, max(wait, mcpclient.PendingWait)) != "" {
				heard[i] = true
				cancel()
			}
		})
	}
	all.Wait()
	for i, l := range a.servers {
		if heard[i] {
			changed = append(changed, l)
		}
	}
	if pending && len(changed) == 0 {
		<-one.Done() // there may be no way on which anything is heard
		if errors.Is(one.Err(), context.DeadlineExceeded) {
			a.opt.Pending.Settled = nil // it is waited for once
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
