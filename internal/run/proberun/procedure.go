package proberun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/probejudge"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// procedures are trials that take more than one call: one for comparison, or one to look whether
// something stayed. They come before payloads, since each is a few calls.
func (r *run) procedures(ctx context.Context) {
	for _, p := range []struct {
		class probe.Class
		do    func(context.Context)
	}{
		{probe.UnlistedTool, r.guessTools}, {probe.GuessedHandle, r.guessHandles}, {probe.UnofferedField, r.addFields}, {probe.ForgedState, r.forgeStates}, {probe.Pollution, r.pollutePrototypes}, {probe.ErrorLeak, r.provokeErrors},
	} {
		if (r.Classes == nil || slices.Contains(r.Classes, p.class)) && !r.over(ctx) {
			p.do(ctx)
		}
	}
}

// exhaust comes after the payloads, since what it sends may keep a server busy.
func (r *run) exhaust(ctx context.Context) {
	if r.Classes == nil || slices.Contains(r.Classes, probe.Exhaustion) {
		r.stallTools(ctx)
	}
}

// addTrial writes down how a trial of a procedure ended.
func (r *run) addTrial(tool, parameter string, class probe.Class, basis string, o probe.Outcome) {
	t := probe.Trial{Tool: tool, Parameter: parameter, Class: class, Basis: basis, Planned: true, Outcome: o}
	if r.Only != nil && !r.Only(r.out.Evidence.Server, &t) {
		return
	}
	r.out.Evidence.Trials = append(r.out.Evidence.Trials, t)
	if _, proved := o.(probe.Proved); proved {
		r.tellFindings()
	}
	r.out.Evidence.None = slices.DeleteFunc(r.out.Evidence.None, func(c probe.Class) bool { return c == class })
}

// guessedTools are names that developers give to what they do not mean to ship.
var guessedTools = []string{"debug", "debug_exec", "admin", "admin_reset", "internal_dump", "eval", "exec", "__list_secrets", "run_command", "test"}

// unlistedPlace is where a report puts tools that no list has.
const unlistedPlace = "tools that no list has"

// guessTools calls tools that no list has, by names that are often there, and one by a random name.
func (r *run) guessTools(ctx context.Context) {
	if !r.out.Sealed && !r.AllowCalls {
		return // what they would do is not known
	}
	const basis = "any server with tools"
	guess := func(name string) (probejudge.Answer, string) {
		params := `{"name":` + rawjson.Quote(name) + `,"arguments":{}}`
		return r.ask(ctx, &tool{}, mcp.ToolsCall, params), params
	}
	if !slices.ContainsFunc(r.tools, func(t *tool) bool { return t.entry == entry{} }) {
		return
	}
	if a, _ := guess("tool" + randomWord(10)); !a.Came || !a.Failed {
		r.addTrial(unlistedPlace, "name", probe.UnlistedTool, basis, probe.NotDelivered{Why: "the server answers calls of tools that do not exist"})
		return
	}
	asked := 0
	for _, name := range guessedTools {
		if slices.ContainsFunc(r.tools, func(t *tool) bool { return t.Name == name }) || r.over(ctx) {
			continue
		}
		asked++
		a, params := guess(name)
		if a.Came && !a.Failed {
			proof := probe.Proof{Kind: probe.Accepted, Observed: fmt.Sprintf("%s answered, which no list has, and a random name was refused", name), Variant: "a name that was guessed", Payload: name, Method: mcp.ToolsCall, Arguments: params, Answer: probejudge.Excerpt(a.Text, name)}
			r.addTrial(unlistedPlace, "name", probe.UnlistedTool, basis, probe.Proved{Proof: proof})
			return
		}
	}
	r.addTrial(unlistedPlace, "name", probe.UnlistedTool, basis, probe.Resist(asked, asked, "the run ended before it was tried"))
}

var (
	// handleName is a parameter that names state which a server keeps for somebody.
	handleName = lazyregexp.New(`(?i)(?:session|cart|basket|conversation|thread|checkout|tenant)_?-?(?:id|key|handle|token)$`)
	// handleGuesses are what servers give out that count or keep somebody in mind.
	handleGuesses = []string{"1", "2", "1001", "default", "admin", "00000000-0000-0000-0000-000000000001"}
	absentWords   = lazyregexp.New(`(?i)\bnot (?:found|exist|known|valid|available|active|open)|\bno (?:such|active|open|data|messages|records?)\b|\bunknown\b|\binvalid\b|\bdoes(?:n't| not) exist|\bempty\b|\bexpired\b|\bdenied\b|\bforbidden\b`)
)

// guessHandles tries to open what belongs to others by handles that can be guessed.
func (r *run) guessHandles(ctx context.Context) {
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(&t.Tool) {
			continue
		}
		for _, p := range t.Schema.Parameters() {
			if p.Type == "string" && len(p.Enum) == 0 && handleName.MatchString(p.Name) && !r.over(ctx) {
				r.addTrial(t.Name, p.Path, probe.GuessedHandle, "a handle of "+p.Name, r.guessHandle(ctx, t, p.Path))
			}
		}
	}
}

func (r *run) guessHandle(ctx context.Context, t *tool, path string) probe.Outcome {
	call := func(value string) (probejudge.Answer, string) {
		arguments := schemafill.Encode(t.filler.Arguments(map[string]any{path: value}))
		return r.call(ctx, t, arguments), arguments
	}
	opens := func(a probejudge.Answer, value string) bool {
		return a.Came && !a.Failed && strings.TrimSpace(probejudge.Strip(a.Text, value)) != "" && !absentWords.MatchString(a.Text)
	}
	controls := []string{randomWord(16), "9" + fmt.Sprint(randomFactor()) + fmt.Sprint(randomFactor())}
	for _, control := range controls {
		a, _ := call(control)
		switch {
		case !a.Came:
			return probe.NotDelivered{Why: "no answer in time"}
		case opens(a, control):
			return probe.NotDelivered{Why: "the tool takes any handle"}
		}
		if d := t.Schema.ReadComplaint(a.Text); d.Validation || d.Others(path) {
			return probe.NotDelivered{Why: "refused by validation"}
		}
	}
	for _, guess := range handleGuesses {
		if r.given[guess] {
			continue // it may be our own
		}
		if a, arguments := call(guess); opens(a, guess) {
			return probe.Proved{Proof: probe.Proof{
				Kind: probe.Accepted, Observed: fmt.Sprintf("the handle %q, which nobody gave out, opens something, and random ones do not", guess), Variant: "a handle that was guessed",
				Payload: guess, Method: mcp.ToolsCall, Arguments: arguments, Answer: probejudge.Excerpt(a.Text, guess),
			}}
		}
	}
	return probe.Resist(len(handleGuesses), len(handleGuesses), "")
}

// rememberGiven keeps which guesses stood in answers, so that they are no guesses any more.
func (r *run) rememberGiven(text string) {
	for _, word := range givenWord.FindAllString(text[:min(len(text), 64<<10)], 2_000) {
		if slices.Contains(handleGuesses, word) {
			r.given[word] = true
		}
	}
}

var givenWord = lazyregexp.New(`[\w-]+`)

// rightFields are names by which servers keep what somebody may do.
var rightFields = []string{"role", "is_admin", "owner", "tenant", "permissions"}

// changesWords are verbs of tools that keep what they are given.
var changesWords = lazyregexp.New(`(?i)(?:^|[_-])(?:update|edit|set|create|add|register|patch|save|store)(?:[_-]|$)|^(?:update|edit|set|create|add|register|patch|save|store)[A-Z]`)

// addFields sends along fields that no schema has, and looks whether they come back in an answer to a
// call that does not carry them.
func (r *run) addFields(ctx context.Context) {
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(&t.Tool) || !changesWords.MatchString(t.Name) && !writes(t) || t.Schema.TakesAny() || t.slow > 0 {
			continue
		}
		if r.over(ctx) {
			return
		}
		r.addTrial(t.Name, "", probe.UnofferedField, "a tool that keeps what it is given", r.addField(ctx, t))
	}
}

func (r *run) addField(ctx context.Context, t *tool) probe.Outcome {
	have := t.Schema.Parameters()
	plain := t.filler.Arguments(nil)
	with := t.filler.Arguments(nil)
	values := map[string]string{}
	for _, name := range rightFields {
		if !slices.ContainsFunc(have, func(p schemafill.Parameter) bool { return p.Name == name }) {
			values[name] = randomWord(16)
			with[name] = values[name]
		}
	}
	arguments := schemafill.Encode(with)
	a := r.call(ctx, t, arguments)
	switch {
	case !a.Came:
		return probe.NotDelivered{Why: "no answer in time"}
	case a.Failed && t.Schema.ReadComplaint(a.Text).Validation:
		return probe.Resist(1, 1, "") // it says that it does not take them
	case a.Failed:
		return probe.NotDelivered{Why: "the call fails with ordinary values as well: " + probejudge.Excerpt(a.Text, arguments)}
	}
	later := []string{r.call(ctx, t, schemafill.Encode(plain)).Text}
	looked := 0
	for _, other := range r.tools {
		reads := other.entry == entry{} && other != t && r.allows(&other.Tool) && (other.ReadOnly || readsWords.MatchString(other.Name))
		if reads && looked < 6 && !r.over(ctx) {
			looked++
			later = append(later, r.call(ctx, other, schemafill.Encode(other.filler.Arguments(nil))).Text)
		}
	}
	for _, text := range later {
		for _, name := range rightFields {
			if v := values[name]; v != "" && strings.Contains(text, v) {
				return probe.Proved{Proof: probe.Proof{
					Kind: probe.Kept, Observed: fmt.Sprintf("the value of the field %q, which no schema has, came back in the answer to a later call", name), Variant: "fields that speak of rights",
					Payload: name, Method: mcp.ToolsCall, Arguments: arguments, Answer: probejudge.Excerpt(text, arguments),
				}}
			}
		}
	}
	return probe.Resist(1, 1, "")
}

var readsWords = lazyregexp.New(`(?i)^(?:get|list|read|show|find|search|view|fetch)(?:[_-]|[A-Z]|$)`)

// mostProvoked is how many tools are called with what they cannot take, and provocations how.
const mostProvoked = 60

var provocations = []any{[]any{1, map[string]any{}}, 1e30, nil, map[string]any{"a": []any{nil}}}

// provokeErrors calls tools with values of the wrong kind: what counts is whether the error holds a
// secret that was planted.
func (r *run) provokeErrors(ctx context.Context) {
	if r.ground.box == nil {
		return
	}
	for i, t := range r.tools {
		parameters := t.Schema.Parameters()
		if t.entry != (entry{}) || !r.allows(&t.Tool) || len(parameters) == 0 || i >= mostProvoked || t.slowness() > 0 {
			continue
		}
		answered := 0
		var proved *probe.Proof
		for n := range provocations[:2] {
			if r.over(ctx) || proved != nil {
				break
			}
			set := map[string]any{}
			for _, p := range parameters {
				if p.Required && !strings.ContainsAny(p.Path, ".[") {
					set[p.Path] = provocations[n]
				}
			}
			arguments := schemafill.Encode(t.filler.Arguments(set))
			a := r.call(ctx, t, arguments)
			if a.Came {
				answered++
			}
			proved = r.leakIn(a, arguments)
		}
		if proved == nil {
			proved = t.leaked // in the answer to any other call
		}
		switch {
		case proved != nil:
			r.addTrial(t.Name, "", probe.ErrorLeak, "any tool", probe.Proved{Proof: *proved})
		default:
			r.addTrial(t.Name, "", probe.ErrorLeak, "any tool", probe.Resist(answered, answered, "no answer in time"))
		}
	}
}

// leakIn returns the proof that an error holds a planted secret of the environment, nil if it holds
// none. What a tool reads from files because it was told to is no leak of its error.
func (r *run) leakIn(a probejudge.Answer, arguments string) *probe.Proof {
	if !a.Came || !a.Failed || r.leaks == nil {
		return nil
	}
	names := r.leaks.Names(a.Text)
	if len(names) == 0 {
		return nil
	}
	return &probe.Proof{
		Kind: probe.Content, Observed: "the error holds the value of the variable " + names[0], Variant: "values of the wrong kind", Method: mcp.ToolsCall, Arguments: arguments,
		Answer: probejudge.Excerpt(a.Text, arguments),
	}
}

// writes reports whether a tool is labelled as one that changes something.
func writes(t *tool) bool {
	return slices.ContainsFunc(t.Labels.Capabilities, func(l capability.Label) bool {
		return l.Confidence.AtLeast(capability.Medium) && (l.Tag == capability.FSWrite || l.Tag == capability.DBWrite)
	})
}
