package puppet

import (
	"context"
	"sync"
	"time"
)

// mostRelists is how often the lists of servers are read again.
const mostRelists = 20

// settle carries out what was put off until the task was done, and makes the calls that an
// order spoke of and that nothing else has brought about.
func (a *agent) settle(ctx context.Context) {
	for a.cut == "" && ctx.Err() == nil {
		switch r := a.owed(); {
		case len(a.delayed) > 0:
			first := a.delayed[0]
			a.delayed = a.delayed[1:]
			first(ctx)
		case r != nil:
			r.used = true
			a.pay(ctx, r)
		default:
			return
		}
	}
}

// owed returns a rule for a call that was not made, nil for none.
func (a *agent) owed() *rule {
	for _, r := range a.rules {
		if !r.used && !r.standing {
			return r
		}
	}
	return nil
}

func (a *agent) pay(ctx context.Context, r *rule) {
	for _, t := range a.tools() {
		if t.at.name != r.server || t.name != r.tool {
			continue
		}
		from := r.from
		args, ok := a.called[t.key()]
		if !ok {
			args, ok = from.arguments(t)
		}
		if !ok {
			from.near, from.far = tokens(a.opt.Prompt), from.near
			args, ok = from.arguments(t)
		}
		if ok {
			a.useTool(ctx, t, args, r.where)
		}
		return
	}
}

// listen waits for servers to say that they define something else now, or to ask for
// something, until the agent has listened for as long as it was told to.
func (a *agent) listen(ctx context.Context) {
	if a.opt.Idle < 0 {
		return
	}
	until := time.Now().Add(a.opt.Idle)
	for a.cut == "" && ctx.Err() == nil && time.Until(until) > 0 {
		changed := a.await(ctx, until)
		for _, l := range changed {
			a.reread(ctx, l)
		}
		heard := a.obeyHeard(ctx)
		a.settle(ctx)
		if len(changed) == 0 && !heard {
			return
		}
	}
}

// await listens to all servers at once and returns those that changed, or none when the time
// is over. What one says ends the wait for all.
func (a *agent) await(ctx context.Context, until time.Time) (changed []*link) {
	one, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	heard := make([]bool, len(a.links))
	var all sync.WaitGroup
	for i, l := range a.links {
		// Ends with one, at the latest when the time is over.
		all.Go(func() {
			if l.session.Idle(one, time.Until(until)) != "" {
				heard[i] = true
				cancel()
			}
		})
	}
	all.Wait()
	for i, l := range a.links {
		if heard[i] {
			changed = append(changed, l)
		}
	}
	return changed
}

// reread reads what a server offers now. The victim obeys what is new in it.
func (a *agent) reread(ctx context.Context, l *link) {
	if a.relists == mostRelists {
		a.cut = "a server changes its lists for ever"
		return
	}
	a.relists++
	l.read(ctx)
	if a.gullible {
		a.studyOf(ctx, l)
	}
}

// obeyHeard obeys what servers said in requests of their own, and reports whether they did.
func (a *agent) obeyHeard(ctx context.Context) bool {
	a.mind.Lock()
	heard := a.heard
	a.heard = nil
	a.mind.Unlock()
	for _, r := range heard {
		a.obey(ctx, r)
	}
	return len(heard) > 0
}
