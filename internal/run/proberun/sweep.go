package proberun

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/probe"
)

// A sweep puts one form of a payload into all text parameters of a tool at once, each with its own token: one call shows which of
// them let it through. Hits are then tried alone.
type sweep struct {
	class  probe.Class
	format string // of the payload, with a placeholder for the visible effect
	option bool   // the effect is a program's option, not a file
}

var sweeps = []sweep{
	{class: probe.CommandInjection, format: "x$(touch %s)"},
	{class: probe.ArgumentInjection, format: "x --gauntlet-%s=1", option: true},
	{class: probe.CommandInjection, format: "x\"; touch %s #"},
	{class: probe.CommandInjection, format: "x; touch %s #"},
}

// maxVolley bounds the parameters with payloads in one call.
const maxVolley = 16

// sweeps sends each sweep to each tool once for each of its choices.
func (r *run) sweeps(ctx context.Context) {
	for _, v := range sweeps {
		byTool := map[*tool][]*target{}
		for _, t := range r.targets {
			if t.Class == v.class && len(t.Parameter.Enum) == 0 && len(byTool[t.tool]) < maxVolley {
				byTool[t.tool] = append(byTool[t.tool], t)
			}
		}
		for _, t := range slices.SortedStableFunc(slices.Values(r.tools), func(a, b *tool) int { return a.slowness() - b.slowness() }) {
			if len(byTool[t]) == 0 || t.tooSlow() || r.over(ctx) {
				continue
			}
			r.Progress("%s: %s, all parameters of %s", r.out.Place, v.class, t.Name)
			for _, choice := range t.choices {
				if !r.over(ctx) && !t.tooSlow() {
					r.sendSweep(ctx, v, t, byTool[t], choice)
				}
			}
		}
	}
	for _, s := range r.sweepCalls { // programs that a tool does not wait for
		r.markHits(s)
		r.followUp(ctx, slices.Collect(maps.Keys(s.tokens)))
	}
	r.sweepCalls = nil
}

// tooSlow reports whether sweeps at a tool would take too much of the total time.
func (t *tool) tooSlow() bool { return t.slow > 4 || t.slow > 1 && len(t.choices) > 1 }

// A sweepCall is one call of a sweep: what was put into which parameter.
type sweepCall struct {
	sweep  sweep
	tokens map[*target]string
	choice map[string]any
}

// sendSweep sends one sweep. Parameters rejected by validation get an ordinary value instead.
func (r *run) sendSweep(ctx context.Context, v sweep, t *tool, targets []*target, choice map[string]any) {
	tokens := map[*target]string{}
	set := maps.Clone(choice)
	for _, one := range targets {
		if _, chooses := choice[one.Parameter.Path]; chooses || one.settled() || one.first != nil {
			continue
		}
		tokens[one] = randomWord(12)
		effect := r.testbed.place.WriteDir + "/" + tokens[one]
		if v.option {
			effect = tokens[one]
		}
		set[one.Parameter.Path] = fmt.Sprintf(v.format, effect)
	}
	for range mostMends {
		if len(tokens) == 0 {
			return
		}
		before := r.testbed.mark()
		a := r.give(ctx, t, set)
		if t.started == "" {
			t.started = r.testbed.startedSince(before)
		}
		sweepCall := sweepCall{v, maps.Clone(tokens), choice}
		r.sweepCalls = append(r.sweepCalls, sweepCall)
		r.markHits(sweepCall)
		r.followUp(ctx, targets)
		if r.renew(ctx, t, a) {
			continue
		}
		if !a.Failed || !r.withdraw(t, a, tokens, set) || r.over(ctx) {
			return
		}
	}
}

// followUp tries alone what a sweep hit, while there is time.
func (r *run) followUp(ctx context.Context, targets []*target) {
	for _, t := range targets {
		for round := 0; t.first != nil && !t.settled() && t.tried == 0 && round < min(t.Payloads(), 6) && !r.over(ctx); round++ {
			tried := t.tried
			r.tryRound(ctx, t, round)
			t.tried = tried
		}
		if t.first != nil {
			t.tried++
		}
	}
}

// withdraw removes payloads from parameters that an answer complains about. It reports whether another call may succeed.
func (r *run) withdraw(t *tool, a Answer, tokens map[*target]string, set map[string]any) bool {
	c := t.Schema.ReadComplaint(a.Text)
	changed := t.filler.Mend(c, "")
	for one := range tokens {
		if c.Names(one.Parameter.Path) && (c.Validation || a.Code == -32602) {
			delete(tokens, one)
			delete(set, one.Parameter.Path)
			changed = true
		}
	}
	if c.Both { // of two mutually exclusive ones, one must go
		names := slices.SortedFunc(maps.Keys(tokens), func(x, y *target) int { return strings.Compare(x.Parameter.Path, y.Parameter.Path) })
		for i, one := range names {
			if c.Names(one.Parameter.Path) && i > 0 {
				delete(tokens, one)
				delete(set, one.Parameter.Path)
				changed = true
			}
		}
	}
	return changed
}

// markHits records the choice with which a sweep showed an effect.
func (r *run) markHits(s sweepCall) {
	if s.sweep.option {
		r.testbed.look()
	}
	for one, token := range s.tokens {
		hit := false
		if s.sweep.option {
			hit = r.testbed.calledWith(0, "--gauntlet-"+token) != nil
		} else {
			hit = r.testbed.exists(r.testbed.place.WriteDir + "/" + token)
		}
		if hit {
			one.first = s.choice
		}
	}
}
