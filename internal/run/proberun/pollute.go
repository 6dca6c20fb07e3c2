package proberun

import (
	"context"
	"strings"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

// mostReaders is how many tools are called to see what a value left behind.
const mostReaders = 6

var (
	// keyName is a parameter that takes the name of a member, valueName one that takes what is kept there.
	keyName   = lazyregexp.New(`(?i)^(?:key|path|property|prop|field|setting|option|name)$`)
	valueName = lazyregexp.New(`(?i)^(?:value|val|data|content)$`)
	// inherited are the names under which a value reaches what all objects inherit.
	inherited = []string{"__proto__", "constructor"}
)

// A pollution is one way to hand a tool a member that may reach the prototype of all objects.
type pollution struct {
	parameter string
	// arguments are those of a call that puts a value under a container's name.
	arguments func(container, key, value string) map[string]any
}

// pollutePrototypes hands tools members that reach what all objects of a program in JavaScript inherit, and
// looks whether a later answer holds them.
func (r *run) pollutePrototypes(ctx context.Context) {
	if !r.out.Sealed {
		return // nothing undoes it but a new start
	}
	for _, t := range r.tools {
		if t.entry != (entry{}) || t.slowness() > 0 || !r.allows(&t.Tool) {
			continue
		}
		for _, p := range pollutionsOf(t) {
			if r.over(ctx) {
				return
			}
			r.addTrial(probe.Trial{Tool: t.Name, Parameter: p.parameter, Class: probe.Pollution, Basis: "any text"}, func() probe.Outcome { return r.pollute(ctx, t, p) })
		}
	}
}

// pollutionsOf are the parameters of a tool that take members of any name.
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

// pollute compares what later answers hold after an ordinary container and after one that objects inherit
// from. A tool that keeps the value shows it under the container's name both times.
func (r *run) pollute(ctx context.Context, t *tool, p pollution) probe.Outcome {
	answered, why := 0, "no answer in time"
	for _, container := range inherited {
		ordinary, control, value, key := "gauntlet"+randomWord(6), "g"+randomWord(10), "g"+randomWord(10), "k"+randomWord(8)
		plainArguments := schemafill.Encode(t.filler.Arguments(p.arguments(ordinary, key, control)))
		plain := r.call(ctx, t, plainArguments)
		switch {
		case !plain.Came:
			continue
		case plain.Failed:
			why = "the call fails with ordinary members as well: " + Excerpt(plain.Text, plainArguments)
			continue
		}
		before := r.readAll(ctx, t)
		arguments := schemafill.Encode(t.filler.Arguments(p.arguments(container, key+"p", value)))
		if a := r.call(ctx, t, arguments); !a.Came {
			continue
		}
		answered++
		if !r.answersWithin(ctx, r.Stall) {
			if proof := r.provesSilence(ctx, t, p, container); proof != nil {
				return probe.Proved{Proof: *proof}
			}
			continue
		}
		for name, text := range r.readAll(ctx, t) {
			if !strings.Contains(text, value) || strings.Contains(text, strings.Trim(container, "_")) {
				continue // it is kept where it was put, maybe under a name made clean
			}
			if shown := before[name]; strings.Contains(shown, control) && !strings.Contains(shown, ordinary) {
				continue // it shows all values without the names that they are kept under
			}
			return probe.Proved{Proof: probe.Proof{
				Kind: probe.Kept, Variant: container, Payload: value, Method: mcp.ToolsCall, Arguments: arguments, Answer: Excerpt(text, arguments),
				Observed: "an answer of " + name + ", to a call that did not carry it, held the value in an object that it was not put into",
			}}
		}
	}
	return probe.Resist(answered, answered, why)
}

// provesSilence repeats what made a server answer nothing any more: the value below an ordinary name, after which
// it has to answer, and below one that objects inherit from. Libraries that look at messages closely take
// none with members that nobody sent.
func (r *run) provesSilence(ctx context.Context, t *tool, p pollution, container string) *probe.Proof {
	if !r.restart(ctx) {
		return nil
	}
	key, value := "k"+randomWord(8), "g"+randomWord(10)
	plain := r.call(ctx, t, schemafill.Encode(t.filler.Arguments(p.arguments("gauntlet"+randomWord(6), key, value))))
	if !plain.Came || !r.answersWithin(ctx, r.Stall) {
		return nil
	}
	arguments := schemafill.Encode(t.filler.Arguments(p.arguments(container, key+"p", value)))
	a := r.call(ctx, t, arguments)
	if !a.Came || r.answersWithin(ctx, r.Stall) {
		return nil
	}
	r.restart(ctx)
	return &probe.Proof{
		Kind: probe.Stopped, Variant: container, Payload: value, Method: mcp.ToolsCall, Arguments: arguments, Answer: Excerpt(a.Text, arguments),
		Observed: "the server answered this call and no message after it, twice; after the same value below an ordinary name it answered",
	}
}

// readAll calls the tools that read with ordinary values, and returns their answers as they came, by name.
func (r *run) readAll(ctx context.Context, t *tool) map[string]string {
	out := map[string]string{}
	for _, other := range r.tools {
		reads := other != t && other.entry == entry{} && r.allows(&other.Tool) && other.slow == 0 && (other.ReadOnly || readsWords.MatchString(other.Name))
		if reads && len(out) < mostReaders && !r.over(ctx) {
			out[other.Name] = r.call(ctx, other, schemafill.Encode(other.filler.Arguments(nil))).Raw
		}
	}
	return out
}
