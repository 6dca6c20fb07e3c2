package proberun

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

// mostReaders bounds the tools called to see what a value left behind.
const mostReaders = 6

var (
	// keyName matches parameters for a member's name, valueName those for its value.
	keyName   = lazyregexp.New(`(?i)^(?:key|path|property|prop|field|setting|option|name)$`)
	valueName = lazyregexp.New(`(?i)^(?:value|val|data|content)$`)
	// inherited are names by which a value reaches what all objects inherit.
	inherited = []string{"__proto__", "constructor"}
)

// A pollution is one way to pass a tool a member that may reach Object.prototype.
type pollution struct {
	parameter string
	// arguments returns the arguments of a call that stores a value under a container's name.
	arguments func(container, key, value string) map[string]any
}

// openMembers are the parameters of a tool by which members of any name can be passed.
func openMembers(_ *run, _ context.Context, t *tool) (out []schemafill.Parameter) {
	for _, p := range pollutionsOf(t) {
		if t.slowness() == 0 {
			out = append(out, schemafill.Parameter{Path: p.parameter})
		}
	}
	return out
}

// pollutionsOf returns a tool's parameters that accept members of any name.
func pollutionsOf(t *tool) (out []pollution) {
	var key, value string
	for _, p := range t.Schema.Parameters() {
		at, open := p.Around()
		switch {
		case open:
			out = append(out, pollution{at, func(container, name, v string) map[string]any {
				return map[string]any{at: nested(container, name, v)}
			}})
		case keyName.MatchString(p.Name) && p.Free():
			key = p.Path
		case valueName.MatchString(p.Name) && p.Free():
			value = p.Path
		}
	}
	if key != "" && value != "" {
		out = append(out, pollution{key, func(container, name, v string) map[string]any {
			if container == "constructor" {
				container = "constructor.prototype"
			}
			return map[string]any{key: container + "." + name, value: v}
		}})
	}
	return out
}

func nested(container, name, value string) map[string]any {
	inner := map[string]any{name: value}
	if container == "constructor" {
		inner = map[string]any{"prototype": inner}
	}
	return map[string]any{container: inner}
}

// pollute passes a tool members that reach what all objects of a JavaScript program inherit: it compares later answers after an ordinary container and after one that objects inherit from. A tool that merely stores the
// value shows it under the container's name both times.
func (r *run) pollute(ctx context.Context, t *tool, at schemafill.Parameter) probe.Outcome {
	all := pollutionsOf(t)
	p := all[slices.IndexFunc(all, func(p pollution) bool { return p.parameter == at.Path })]
	answered, why := 0, "no answer in time"
	for _, container := range inherited {
		ordinary, control, value, key := "gauntlet"+randomWord(6), "g"+randomWord(10), "g"+randomWord(10), "k"+randomWord(8)
		plain := r.give(ctx, t, p.arguments(ordinary, key, control))
		switch {
		case !plain.Came:
			continue
		case plain.Failed:
			why = "the call fails with ordinary members as well: " + Excerpt(plain.Text, plain.Sent)
			continue
		}
		before := r.readAll(ctx, t)
		a := r.give(ctx, t, p.arguments(container, key+"p", value))
		if !a.Came {
			continue
		}
		answered++
		if !r.answersWithin(ctx, r.Stall) {
			if proof := r.provesSilence(ctx, t, p, container); proof != nil {
				return probe.Prove(proof)
			}
			continue
		}
		for name, text := range r.readAll(ctx, t) {
			if !strings.Contains(text, value) || strings.Contains(text, strings.Trim(container, "_")) {
				continue // stored where it was put, perhaps under a sanitised name
			}
			if shown := before[name]; strings.Contains(shown, control) && !strings.Contains(shown, ordinary) {
				continue // it shows all values without their names
			}
			return probe.Prove(a.proof(probe.Kept, container, value, Excerpt(text, a.Sent),
				"an answer of "+name+", to a call that did not carry it, held the value in an object that it was not put into"))
		}
	}
	return probe.Resist(answered, answered, why)
}

// provesSilence repeats what silenced a server: the value below an ordinary name, after which it must answer, and below an
// inherited one. Libraries that validate messages accept none with unexpected members.
func (r *run) provesSilence(ctx context.Context, t *tool, p pollution, container string) *probe.Proof {
	if !r.restart(ctx) {
		return nil
	}
	key, value := "k"+randomWord(8), "g"+randomWord(10)
	plain := r.give(ctx, t, p.arguments("gauntlet"+randomWord(6), key, value))
	if !plain.Came || !r.answersWithin(ctx, r.Stall) {
		return nil
	}
	a := r.give(ctx, t, p.arguments(container, key+"p", value))
	if !a.Came || r.answersWithin(ctx, r.Stall) {
		return nil
	}
	r.restart(ctx)
	return a.proof(probe.Stopped, container, value, Excerpt(a.Text, a.Sent), "the server answered this call and no message after it, twice; after the same value below an ordinary name it answered")
}

// readAll calls the reading tools with ordinary values, and returns their raw answers by name.
func (r *run) readAll(ctx context.Context, t *tool) map[string]string {
	out := map[string]string{}
	for _, other := range r.tools {
		reads := other != t && other.entry == entry{} && r.allows(other) && other.slow == 0 && (other.ReadOnly || readsWords.MatchString(other.Name))
		if reads && len(out) < mostReaders && !r.over(ctx) {
			out[other.Name] = r.give(ctx, other, nil).Raw
		}
	}
	return out
}
