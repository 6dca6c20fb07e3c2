package proberun

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// procedures runs trials of more than one call: one for comparison, or one to see whether something persisted. They precede
// payloads, since each takes few calls.
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

// exhaust follows the payloads, since it may keep a server busy.
func (r *run) exhaust(ctx context.Context) {
	if r.Classes == nil || slices.Contains(r.Classes, probe.Exhaustion) {
		r.stallTools(ctx)
	}
}

// addTrial runs a procedure's trial if it is wanted, and records its outcome.
func (r *run) addTrial(t probe.Trial, try func() probe.Outcome) {
	if r.Only != nil && !r.Only(r.out.Evidence.Server, &t) {
		return
	}
	t.Outcome = try()
	r.out.Evidence.Trials = append(r.out.Evidence.Trials, t)
	if _, proved := t.Outcome.(probe.Proved); proved {
		r.tellFindings()
	}
	r.out.Evidence.None = slices.DeleteFunc(r.out.Evidence.None, func(c probe.Class) bool { return c == t.Class })
}

// guessedTools are names developers give to tools they do not mean to ship.
var guessedTools = []string{"debug", "debug_exec", "admin", "admin_reset", "internal_dump", "eval", "exec", "__list_secrets", "run_command", "test"}

// unlistedPlace is the place of unlisted tools in a report.
const unlistedPlace = "tools that no list has"

// guessTools calls unlisted tools by common names, and one by a random name.
func (r *run) guessTools(ctx context.Context) {
	if !r.out.Sealed && !r.AllowCalls {
		return // their effect is unknown
	}
	if !slices.ContainsFunc(r.tools, func(t *tool) bool { return t.entry == entry{} }) {
		return
	}
	r.addTrial(probe.Trial{Tool: unlistedPlace, Parameter: "name", Class: probe.UnlistedTool, Basis: "any server with tools", Planned: true}, func() probe.Outcome { return r.guessTool(ctx) })
}

func (r *run) guessTool(ctx context.Context) probe.Outcome {
	guess := func(name string) Answer {
		params := `{"name":` + rawjson.Quote(name) + `,"arguments":{}}`
		a := r.ask(ctx, &tool{}, mcp.ToolsCall, params)
		a.Sent = params
		return a
	}
	if a := guess("tool" + randomWord(10)); !a.Came || !a.Failed {
		return probe.NotDelivered{Why: "the server answers calls of tools that do not exist"}
	}
	asked := 0
	for _, name := range guessedTools {
		if slices.ContainsFunc(r.tools, func(t *tool) bool { return t.Name == name }) || r.over(ctx) {
			continue
		}
		asked++
		if a := guess(name); a.Came && !a.Failed {
			return probe.Proved{Proof: a.proof(probe.Accepted, "a name that was guessed", name, Excerpt(a.Text, name), name+", which is in no list, answered, and a random name was refused")}
		}
	}
	return probe.Resist(asked, asked, "the run ended before it was tried")
}

var (
	// handleName matches parameters that name state a server keeps for somebody.
	handleName = lazyregexp.New(`(?i)(?:session|cart|basket|conversation|thread|checkout|tenant)_?-?(?:id|key|handle|token)$`)
	// handleGuesses are handles issued by servers that count, or keep a default.
	handleGuesses = []string{"1", "2", "1001", "default", "admin", "00000000-0000-0000-0000-000000000001"}
	absentWords   = lazyregexp.New(`(?i)\bnot (?:found|exist|known|valid|available|active|open)|\bno (?:such|active|open|data|messages|records?)\b|\bunknown\b|\binvalid\b|\bdoes(?:n't| not) exist|\bempty\b|\bexpired\b|\bdenied\b|\bforbidden\b`)
)

// guessHandles tries to open others' objects by guessable handles.
func (r *run) guessHandles(ctx context.Context) {
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(&t.Tool) {
			continue
		}
		for _, p := range t.Schema.Parameters() {
			if p.Type == "string" && len(p.Enum) == 0 && handleName.MatchString(p.Name) && !r.over(ctx) {
				about, _ := p.Schema["description"].(string)
				r.rememberGiven(t.description + " " + about) // what the server offers is no guess: "default is the shared session"
				trial := probe.Trial{Tool: t.Name, Parameter: p.Path, Class: probe.GuessedHandle, Basis: "a handle of " + p.Name, Planned: true}
				r.addTrial(trial, func() probe.Outcome { return r.guessHandle(ctx, t, p.Path) })
			}
		}
	}
}

func (r *run) guessHandle(ctx context.Context, t *tool, path string) probe.Outcome {
	opens := func(a Answer, value string) bool {
		return a.Came && !a.Failed && strings.TrimSpace(Strip(a.Text, value)) != "" && !absentWords.MatchString(a.Text)
	}
	controls := []string{randomWord(16), "9" + fmt.Sprint(randomFactor()) + fmt.Sprint(randomFactor())}
	for _, control := range controls {
		a := r.give(ctx, t, map[string]any{path: control})
		switch {
		case !a.Came:
			return probe.NotDelivered{Why: "no answer in time"}
		case opens(a, control):
			return probe.NotDelivered{Why: "the tool takes any handle"}
		}
		if d := t.Schema.ReadComplaint(a.Text); d.Validation || d.Others(path) {
			return probe.NotDelivered{Why: probe.Refused}
		}
	}
	for _, guess := range handleGuesses {
		if r.given[guess] {
			continue // it may be our own
		}
		if a := r.give(ctx, t, map[string]any{path: guess}); opens(a, guess) {
			return probe.Proved{Proof: a.proof(probe.Accepted, "a handle that was guessed", guess, Excerpt(a.Text, guess),
				fmt.Sprintf("the handle %q, which nobody gave out, opens something, and random ones do not", guess))}
		}
	}
	return probe.Resist(len(handleGuesses), len(handleGuesses), "")
}

// rememberGiven records guesses that occurred in answers: they are no guesses any more.
func (r *run) rememberGiven(text string) {
	for _, word := range givenWord.FindAllString(text[:min(len(text), 64<<10)], 2_000) {
		if slices.Contains(handleGuesses, word) {
			r.given[word] = true
		}
	}
}

var givenWord = lazyregexp.New(`[\w-]+`)

// rightFields are names under which servers keep permissions.
var rightFields = []string{"role", "is_admin", "owner", "tenant", "permissions"}

// changesWords matches verbs of tools that store what they are given.
var changesWords = lazyregexp.New(`(?i)(?:^|[_-])(?:update|edit|set|create|add|register|patch|save|store)(?:[_-]|$)|^(?:update|edit|set|create|add|register|patch|save|store)[A-Z]`)

// addFields sends fields that no schema has, and checks whether they return in the answer to a call without them.
func (r *run) addFields(ctx context.Context) {
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(&t.Tool) || !changesWords.MatchString(t.Name) && !writes(t) || t.Schema.TakesAny() || t.slow > 0 {
			continue
		}
		if r.over(ctx) {
			return
		}
		trial := probe.Trial{Tool: t.Name, Class: probe.UnofferedField, Basis: "a tool that keeps what it is given", Planned: true}
		r.addTrial(trial, func() probe.Outcome { return r.addField(ctx, t) })
	}
}

func (r *run) addField(ctx context.Context, t *tool) probe.Outcome {
	a, values := r.giveFields(ctx, t)
	switch {
	case !a.Came:
		return probe.NotDelivered{Why: "no answer in time"}
	case a.Failed && (t.Schema.ReadComplaint(a.Text).Validation || !r.give(ctx, t, nil).Failed):
		return probe.Resist(1, 1, "") // it rejects them, and accepts a call without them
	case a.Failed:
		return probe.NotDelivered{Why: "the call fails with ordinary values as well: " + Excerpt(a.Text, a.Sent)}
	}
	later := r.readAll(ctx, t)
	later[t.Name] = r.give(ctx, t, nil).Text
	for tool, text := range later {
		for name, v := range values {
			if !strings.Contains(text, v) {
				continue
			}
			if keepsAnything.MatchString(t.description) {
				return probe.ByDesign{What: "the tool keeps any field, by its own word"}
			}
			if r.showsCalls(ctx, t, tool) {
				return probe.ByDesign{What: tool + " shows what calls carried, kept or not"}
			}
			return probe.Proved{Proof: a.proof(probe.Kept, "fields that speak of rights", name, Excerpt(text, a.Sent),
				fmt.Sprintf("the value of the field %q, which no schema has, came back in the answer to a later call", name))}
		}
	}
	return probe.Resist(1, 1, "")
}

// keepsAnything matches descriptions of tools whose callers choose the fields.
var keepsAnything = lazyregexp.New(`(?i)\b(?:any|arbitrary|further|additional|custom|extra|free-?form)\b(?: [\w-]+){0,3} (?:fields?|properties|attributes|metadata|keys|columns|members)\b`)

// giveFields calls a tool with ordinary arguments and permission fields missing from its schema, whose values it returns.
func (r *run) giveFields(ctx context.Context, t *tool) (a Answer, values map[string]string) {
	have, with := t.Schema.Parameters(), t.filler.Arguments(nil)
	values = map[string]string{}
	for _, name := range rightFields {
		if !slices.ContainsFunc(have, func(p schemafill.Parameter) bool { return p.Name == name }) {
			values[name] = randomWord(16)
			with[name] = values[name]
		}
	}
	return r.call(ctx, t, schemafill.Encode(with)), values
}

// showsCalls is the control of a field that came back: the field is sent to a tool that stores nothing. A log of calls shows that
// one too.
func (r *run) showsCalls(ctx context.Context, kept *tool, shownBy string) bool {
	for _, other := range r.tools {
		if other == kept || other.Name == shownBy || other.entry != (entry{}) || !r.allows(&other.Tool) || !other.ReadOnly && !readsWords.MatchString(other.Name) || r.over(ctx) {
			continue
		}
		_, values := r.giveFields(ctx, other)
		for _, reader := range r.tools {
			if reader.Name != shownBy {
				continue
			}
			text := r.give(ctx, reader, nil).Raw
			for _, v := range values {
				if strings.Contains(text, v) {
					return true
				}
			}
		}
		return false
	}
	return false
}

var readsWords = lazyregexp.New(`(?i)^(?:get|list|read|show|find|search|view|fetch)(?:[_-]|[A-Z]|$)`)

// mostProvoked bounds the tools called with invalid values; provocations are those values.
const mostProvoked = 60

var provocations = []any{[]any{1, map[string]any{}}, 1e30}

// provokeErrors calls tools with values of the wrong type and checks whether the error contains a planted secret.
func (r *run) provokeErrors(ctx context.Context) {
	if r.testbed.box == nil {
		return
	}
	for i, t := range r.tools {
		parameters := t.Schema.Parameters()
		if t.entry != (entry{}) || !r.allows(&t.Tool) || len(parameters) == 0 || i >= mostProvoked || t.slowness() > 0 {
			continue
		}
		r.addTrial(probe.Trial{Tool: t.Name, Class: probe.ErrorLeak, Basis: "any tool", Planned: true}, func() probe.Outcome { return r.provokeError(ctx, t, parameters) })
	}
}

func (r *run) provokeError(ctx context.Context, t *tool, parameters []schemafill.Parameter) probe.Outcome {
	answered := 0
	for n := range provocations {
		if r.over(ctx) {
			break
		}
		set := map[string]any{}
		for _, p := range parameters {
			if p.Required && !strings.ContainsAny(p.Path, ".[") {
				set[p.Path] = provocations[n]
			}
		}
		a := r.give(ctx, t, set)
		if a.Came {
			answered++
		}
		if proved := r.leakIn(a); proved != nil {
			return probe.Proved{Proof: *proved}
		}
	}
	if t.leaked != nil { // from the answer to any other call
		return probe.Proved{Proof: *t.leaked}
	}
	return probe.Resist(answered, answered, "no answer in time")
}

// leakIn returns the proof that an error contains a planted secret of the environment, or nil. What a tool was told to read from
// files is no leak.
func (r *run) leakIn(a Answer) *probe.Proof {
	if !a.Came || !a.Failed || r.leaks == nil {
		return nil
	}
	names := r.leaks.Names(a.Text)
	if len(names) == 0 {
		return nil
	}
	proof := a.proof(probe.Content, "values of the wrong kind", "", Excerpt(a.Text, a.Sent), "the error holds the value of the variable "+names[0])
	return &proof
}

// writes reports whether a tool is labelled as changing something.
func writes(t *tool) bool {
	return slices.ContainsFunc(t.Labels.Capabilities, func(l capability.Label) bool {
		return l.Confidence.AtLeast(capability.Medium) && (l.Tag == capability.FSWrite || l.Tag == capability.DBWrite)
	})
}

// forgeStates continues calls that ask for input as if it had been given, with a state the server never issued.
func (r *run) forgeStates(ctx context.Context) {
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(&t.Tool) || r.over(ctx) {
			continue
		}
		arguments := schemafill.Encode(t.filler.Arguments(nil))
		if t.asks == "" && r.Classes != nil {
			_ = r.call(ctx, t, arguments) // it may ask now
		}
		if rawjson.UnquoteString(rawjson.LastMember(t.asks, "requestState")) == "" {
			continue
		}
		trial := probe.Trial{Tool: t.Name, Parameter: "requestState", Class: probe.ForgedState, Basis: "a tool that asks for input and issues a state", Planned: true}
		r.addTrial(trial, func() probe.Outcome { return r.forgeState(ctx, t, arguments) })
	}
}

// forgeState sends forged states with an answer that agrees to everything.
func (r *run) forgeState(ctx context.Context, t *tool, arguments string) probe.Outcome {
	method, params := t.request(arguments)
	agreed := agreement(rawjson.LastMember(t.asks, "inputRequests"))
	continues := func(a Answer) bool { return a.Came && !a.Failed && rawjson.LastMember(a.Raw, "inputRequests") == "" }
	answered := 0
	forged := []string{base64.StdEncoding.EncodeToString([]byte(`{"step":"confirmed"}`)), `{"step":"confirmed"}`, randomWord(24)}
	for _, state := range forged {
		sent := strings.TrimSuffix(params, "}") + `,"requestState":` + rawjson.Quote(state) + `,"inputResponses":{` + agreed + `}}`
		a := r.ask(ctx, t, method, sent)
		if a.Came {
			answered++
		}
		if continues(a) {
			if continues(r.ask(ctx, t, method, strings.TrimSuffix(params, "}")+`,"inputResponses":{`+agreed+`}}`)) {
				return probe.ByDesign{What: "the tool also continues without a state, so its state decides nothing"}
			}
			a.Sent = sent
			return probe.Proved{Proof: a.proof(probe.Accepted, "a state that was made up", state, Excerpt(a.Text, state), t.Name+" continued with a state that it never issued")}
		}
	}
	return probe.Resist(answered, answered, "no answer in time")
}

// agreement returns members that consent to each of the input requests.
func agreement(requests string) string {
	var parts []string
	if strings.HasPrefix(requests, "{") {
		_ = rawjson.EachMember(requests, 0, func(key, _ rawjson.Span) bool {
			parts = append(parts, requests[key.Start:key.End]+`:{"action":"accept","content":{"confirm":true}}`)
			return len(parts) < 10
		})
	}
	return strings.Join(parts, ",")
}
