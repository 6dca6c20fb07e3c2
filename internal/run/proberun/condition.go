package proberun

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

// conditionPairs is how many true and false conditions are sent in random order before their answers count: a server whose answers
// differ for another reason matches the order by chance once in 924 times.
const conditionPairs = 6

// tryConditions tests whether answers follow conditions on random numbers, for the targets that labels ask for (planned) or the
// others.
func (r *run) tryConditions(ctx context.Context, planned bool) {
	for _, t := range r.targets {
		if t.Planned != planned || t.settled() || t.tool.slowness() > 0 || len(t.Parameter.Enum) > 0 {
			continue
		}
		for _, c := range t.Conditions() {
			if r.over(ctx) {
				return
			}
			found := r.followsCondition(ctx, t, c, repeated)
			if found == nil {
				continue
			}
			t.weigh(found, t.declares(&conditionLanguage, t.tool.description), func(k control) bool { return r.followsCondition(ctx, t, c, k) != nil })
			r.tellFindings()
			if t.settled() {
				break
			}
		}
	}
}

// followsCondition returns the proof that a tool's answers follow the truth of a condition: answers to true ones are equal, answers
// to false ones are equal, and the two differ. Every value has new numbers, so that echoing makes the answers differ.
func (r *run) followsCondition(ctx context.Context, t *target, c Condition, k control) *probe.Proof {
	if k == whole && !c.Whole {
		c = wholeCondition
	}
	var answers [2]string
	var last conditionCall
	for i, holds := range append([]bool{true, false}, randomOrder()...) {
		call := r.sendCondition(ctx, t, c, holds, k)
		which := 0
		if holds {
			which = 1
		}
		switch {
		case !call.answer.Came || r.over(ctx):
			return nil
		case i < 2:
			answers[which] = call.text
		case call.text != answers[which]:
			return nil
		}
		if i == 1 && answers[0] == answers[1] {
			return nil
		}
		if holds {
			last = call
		}
	}
	method, _ := t.tool.request("{}")
	return &probe.Proof{
		Kind: probe.Truth, Variant: c.Variant, Payload: last.payload, Method: method, Arguments: last.arguments, Answer: Excerpt(last.answer.Text, last.payload),
		Observed: fmt.Sprintf("the answers follow a condition on random numbers in the value: one answer to %d true ones, another to %d false ones", conditionPairs+1, conditionPairs+1),
	}
}

// randomOrder returns as many true as false values, shuffled.
func randomOrder() []bool {
	out := make([]bool, 2*conditionPairs)
	for i, place := range rand.Perm(len(out)) {
		out[place] = i < conditionPairs
	}
	return out
}

// A conditionCall is one call with a condition in one parameter.
type conditionCall struct {
	payload, arguments string
	answer             Answer
	text               string // the answer's text without the payload
}

func (r *run) sendCondition(ctx context.Context, t *target, c Condition, holds bool, k control) conditionCall {
	value, text := c.Value(holds, k == twin, r.newMark(t))
	set := map[string]any{t.Parameter.Path: value}
	if c.All {
		for _, p := range t.tool.Schema.Parameters() {
			if p.Required && p.Free() {
				set[p.Path] = value
			}
		}
	}
	arguments := schemafill.Encode(t.tool.filler.Arguments(set))
	a := r.call(ctx, t.tool, arguments)
	return conditionCall{text, arguments, a, strings.TrimSpace(Strip(a.Text, text))}
}
