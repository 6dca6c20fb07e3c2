package proberun

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

// A binding is a parameter whose value another tool returns: the id of what it created or listed.
type binding struct {
	tool      *tool
	parameter schemafill.Parameter
	from      *tool
	value     string
}

// A returnedValue is a value that an answer returned.
type returnedValue struct {
	Handed
	from *tool
}

const (
	mostProducers = 20 // tools called only for the values they return
	mostFittings  = 6  // values tried per parameter
)

// givesWords matches verbs of tools that create or list something.
var givesWords = lazyregexp.New(`(?i)^(?:create|add|new|open|start|begin|register|init|upload|import|insert|make|list|get|search|find|show|read|browse|save|set|store|connect|launch)(?:[_-]|[A-Z]|$)|(?:[_-](?:create|add|new|open|start|register|init|list|search))$`)

// makesWords matches those that create something new on each call.
var makesWords = lazyregexp.New(`(?i)(?:^|[_-])(?:create|add|new|open|start|begin|register|init|upload|import|insert|make|save|set|store|connect|launch)(?:[_-]|[A-Z]|$)`)

// bindHandouts finds, for parameters that name something, values returned by other tools, and keeps those with which a call gets
// further than with a made-up value.
func (r *run) bindHandouts(ctx context.Context) {
	wanting := r.wanting()
	if len(wanting) == 0 {
		return
	}
	r.callProducers(ctx)
	// What one tool returns for another's id may be what a third needs: two rounds.
	for range 2 {
		bound := false
		for _, t := range wanting {
			if !r.over(ctx) && t.slow == 0 && len(r.bindingsOf(t)) == 0 && r.bind(ctx, t) {
				bound = true
			}
		}
		if !bound {
			return
		}
	}
}

// wanting returns the callable tools that reported a missing object.
func (r *run) wanting() (out []*tool) {
	for _, t := range r.tools {
		if t.entry == (entry{}) && r.allows(t) && len(namesOf(t)) > 0 && t.slow == 0 {
			out = append(out, t)
		}
	}
	return out
}

// namesOf returns a tool's required parameters that name something.
func namesOf(t *tool) (out []schemafill.Parameter) {
	for _, p := range t.Schema.Parameters() {
		if p.Required && len(p.Enum) == 0 && (p.Type == "string" || p.Type == "integer" || p.Type == "number" || p.Type == "") && NamesThing(p.Name) {
			out = append(out, p)
		}
	}
	return out
}

// callProducers calls tools that create or list something and were not called yet.
func (r *run) callProducers(ctx context.Context) {
	called := 0
	for _, t := range r.tools {
		if t.entry != (entry{}) || t.calls > 0 || !r.allows(t) || !givesWords.MatchString(t.Name) {
			continue
		}
		if called++; called > mostProducers || r.over(ctx) {
			return
		}
		r.keepHandouts(t, r.give(ctx, t, nil))
	}
}

// bind tries returned values for a tool's parameters that name something.
func (r *run) bind(ctx context.Context, t *tool) bool {
	plain := r.give(ctx, t, nil)
	if !plain.Came || !plain.Failed && !SaysAbsent(plain) {
		return false // it accepts what it is given, or cannot be called
	}
	t.absent = withoutValues(plain)
	var second []binding // values with which the call fails differently: it got further
	for round := range mostFittings {
		made := r.fit(t, round)
		if len(made) == 0 || r.over(ctx) {
			break
		}
		set := map[string]any{}
		for _, b := range made {
			set[b.parameter.Path] = asType(b.value, b.parameter.Type)
		}
		a := r.give(ctx, t, set)
		switch {
		case !a.Came || withoutValues(a) == t.absent:
		case !a.Failed && !SaysAbsent(a):
			r.keepHandouts(t, a)
			r.keepBindings(made)
			return true
		case second == nil:
			second = made
		}
	}
	r.keepBindings(second)
	return second != nil
}

// fit chooses values for a tool's naming parameters, different in each round; nil if there are no more.
func (r *run) fit(t *tool, round int) (made []binding) {
	for _, p := range namesOf(t) {
		others := slices.DeleteFunc(slices.Clone(r.returnedValues), func(v returnedValue) bool { return v.from == t })
		if fitting := fitting(others, p.Name); round < len(fitting) {
			made = append(made, binding{t, p, fitting[round].from, fitting[round].Value})
		}
	}
	return made
}

func (r *run) keepBindings(made []binding) {
	for _, b := range made {
		b.tool.filler.Fix(b.parameter.Path, asType(b.value, b.parameter.Type))
	}
	r.bindings = append(r.bindings, made...)
}

// withoutValues returns an answer's text without the texts that were sent.
func withoutValues(a Answer) string {
	var sent map[string]any
	_ = json.Unmarshal([]byte(a.Sent), &sent) // ours
	text := a.Text
	for _, v := range sent {
		if s := fmt.Sprint(v); len(s) > 2 {
			text = strings.ReplaceAll(text, s, "")
		}
	}
	return text
}

// fitting returns those of values that fit a parameter, best first, latest first among equals.
func fitting(values []returnedValue, parameter string) []returnedValue {
	fit := func(v returnedValue) int { return Fit(parameter, v.Handed, v.from.Name) }
	out := slices.DeleteFunc(slices.Clone(values), func(v returnedValue) bool { return fit(v) == 0 })
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b returnedValue) int { return fit(b) - fit(a) })
	return out
}

// returned returns the values in an answer to an ordinary call of a tool.
func returned(t *tool, a Answer) (out []returnedValue) {
	if !a.Came || a.Failed || t.entry != (entry{}) {
		return nil
	}
	for _, h := range ReadHanded(a.Text) {
		out = append(out, returnedValue{h, t})
	}
	return out
}

// asType converts a value to a parameter's type.
func asType(value, kind string) any {
	if kind == "integer" || kind == "number" {
		return schemafill.Number(value)
	}
	return value
}

// mostReturned bounds the values kept from all answers.
const mostReturned = 400

// keepHandouts keeps the values that an answer to an ordinary call returns.
func (r *run) keepHandouts(t *tool, a Answer) {
	values := returned(t, a)
	r.returnedValues = append(r.returnedValues, values[:min(len(values), mostReturned-len(r.returnedValues))]...)
}

func (r *run) bindingsOf(t *tool) (out []*binding) {
	for i := range r.bindings {
		if r.bindings[i].tool == t {
			out = append(out, &r.bindings[i])
		}
	}
	return out
}

// renew gets new values if an answer says that a call's object no longer exists: another trial removed it, or the server was
// restarted. It reports whether there are any.
func (r *run) renew(ctx context.Context, t *tool, a Answer) bool {
	mine := r.bindingsOf(t)
	if len(mine) == 0 || !a.Came || withoutValues(a) != t.absent || t.renewed >= mostRenewals || r.over(ctx) {
		return false
	}
	t.renewed++
	changed := false
	for _, b := range mine {
		if value := bestHanded(b, r.give(ctx, b.from, nil)); value != "" && value != b.value {
			b.value, changed = value, true
			t.filler.Fix(b.parameter.Path, asType(value, b.parameter.Type))
		}
	}
	return changed
}

const mostRenewals = 30

// bestHanded returns the value in an answer that fits a binding best, or "".
func bestHanded(b *binding, a Answer) string {
	values := returned(b.from, a)
	slices.Reverse(values) // the first among equals
	if fitting := fitting(values, b.parameter.Name); len(fitting) > 0 {
		return fitting[0].Value
	}
	return ""
}

// proofLater uses the values returned by an attempt and checks its proof again: the effect of a payload may show only when its
// object is used.
func (r *run) proofLater(ctx context.Context, a *attempt) *probe.Proof {
	t := a.target.tool
	if a.answer.Failed || !makesWords.MatchString(t.Name) {
		return nil
	}
	used := 0
	for i := range r.bindings {
		b := &r.bindings[i]
		value := ""
		if b.from == t && b.tool.slow == 0 && used < mostUses && !r.over(ctx) {
			value = bestHanded(b, a.answer)
		}
		if value == "" {
			continue
		}
		used++
		later := *a
		later.answer = r.give(ctx, b.tool, map[string]any{b.parameter.Path: asType(value, b.parameter.Type)})
		later.answer.Sent = a.answer.Sent // the payload went with the first call
		if p := r.proofOf(&later); p != nil {
			p.Observed += fmt.Sprintf(", after %s was called with the %s that the first call gave out", b.tool.Name, b.parameter.Name)
			return p
		}
	}
	return nil
}

// mostUses bounds the tools called with one answer's values.
const mostUses = 2

// useWhatIsKept calls each tool once more with ordinary values, so that payloads stored in a server take effect while it is
// observed.
func (r *run) useWhatIsKept(ctx context.Context) {
	if len(r.pending) == 0 || !r.out.Sealed && !r.AllowCalls {
		return
	}
	called := 0
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(t) || t.slowness() > 0 {
			continue
		}
		if called++; called > mostProducers || r.over(ctx) {
			return
		}
		r.give(ctx, t, nil)
	}
}
