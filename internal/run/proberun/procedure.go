package proberun

import (
	"cmp"
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

// A procedure is a trial of more than one call: one for comparison, or one to see whether something persisted.
type procedure struct {
	class   probe.Class
	basis   string // NAME is the parameter's
	planned bool
	sealed  bool   // only in a sandbox, which undoes what it does
	place   string // what it is tried on, once, where that is no tool of the list; or ""
	// on returns the parameters of a tool that it is tried on; an empty one is the tool as a whole.
	on  func(r *run, ctx context.Context, t *tool) []schemafill.Parameter
	try func(r *run, ctx context.Context, t *tool, p schemafill.Parameter) probe.Outcome
}

// asTool is what a procedure is tried on that concerns no parameter.
var asTool = []schemafill.Parameter{{}}

// procedures precede payloads, since each takes few calls.
var procedures = []procedure{
	{class: probe.UnlistedTool, basis: "any server with tools", planned: true, place: "tools that no list has", on: hiddenNames, try: (*run).guessTool},
	{class: probe.GuessedHandle, basis: "a handle of NAME", planned: true, on: handlesOf, try: (*run).guessHandle},
	{class: probe.UnofferedField, basis: "a tool that keeps what it is given", planned: true, on: keptFields, try: (*run).addField},
	{class: probe.ForgedState, basis: "a tool that asks for input and issues a state", planned: true, on: issuedState, try: (*run).forgeState},
	{class: probe.Pollution, basis: "any text", sealed: true, on: openMembers, try: (*run).pollute},
	{class: probe.ErrorLeak, basis: "any tool", planned: true, sealed: true, on: provokable, try: (*run).provokeError},
}

// stalling follows the payloads, since it may keep a server busy.
var stalling = []procedure{{class: probe.Exhaustion, basis: "any text", sealed: true, on: stallable, try: (*run).stallParameter}}

// follow runs procedures on the tools that may be called.
func (r *run) follow(ctx context.Context, all []procedure) {
	for _, p := range all {
		if r.Classes != nil && !slices.Contains(r.Classes, p.class) || p.sealed && !r.out.Sealed {
			continue
		}
		for _, t := range r.tools {
			if t.entry != (entry{}) || !r.allows(t) || r.over(ctx) {
				continue
			}
			for _, at := range p.on(r, ctx, t) {
				if r.over(ctx) || r.stalls >= mostStalls {
					return
				}
				trial := probe.Trial{Tool: cmp.Or(p.place, t.Name), Parameter: at.Path, Class: p.class, Basis: strings.Replace(p.basis, "NAME", at.Name, 1), Planned: p.planned}
				r.addTrial(trial, func() probe.Outcome { return p.try(r, ctx, t, at) })
			}
			if p.place != "" {
				break
			}
		}
	}
}

// addTrial runs a procedure's trial if it is wanted, and records its outcome.
func (r *run) addTrial(t probe.Trial, try func() probe.Outcome) {
	if !r.wants(&t) {
		return
	}
	t.Outcome = try()
	r.out.Evidence.Trials = append(r.out.Evidence.Trials, t)
	if t.Proof != nil {
		r.tellFindings()
	}
	r.out.Evidence.None = slices.DeleteFunc(r.out.Evidence.None, func(c probe.Class) bool { return c == t.Class })
}

// guessedTools are names developers give to tools they do not mean to ship.
var guessedTools = []string{"debug", "debug_exec", "admin", "admin_reset", "internal_dump", "eval", "exec", "__list_secrets", "run_command", "test"}

// hiddenNames are the names of tools that no list has, where what they do may be risked.
func hiddenNames(r *run, _ context.Context, _ *tool) []schemafill.Parameter {
	if !r.out.Sealed && !r.AllowCalls {
		return nil // their effect is unknown
	}
	return []schemafill.Parameter{{Path: "name"}}
}

// guessTool calls unlisted tools by common names, and one by a random name.
func (r *run) guessTool(ctx context.Context, _ *tool, _ schemafill.Parameter) probe.Outcome {
	guess := func(name string) Answer {
		params := `{"name":` + rawjson.Quote(name) + `,"arguments":{}}`
		a := r.ask(ctx, &tool{}, mcp.ToolsCall, params)
		a.Sent = params
		return a
	}
	if a := guess("tool" + randomWord(10)); !a.Came || !a.Failed {
		return probe.NotDelivered.Because("the server answers calls of tools that do not exist")
	}
	asked := 0
	for _, name := range guessedTools {
		if slices.ContainsFunc(r.tools, func(t *tool) bool { return t.Name == name }) || r.over(ctx) {
			continue
		}
		asked++
		if a := guess(name); a.Came && !a.Failed {
			return probe.Prove(a.proof(probe.Accepted, "a name that was guessed", name, Excerpt(a.Text, name), name+", which is in no list, answered, and a random name was refused"))
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

func handlesOf(_ *run, _ context.Context, t *tool) []schemafill.Parameter {
	return slices.DeleteFunc(t.Schema.Parameters(), func(p schemafill.Parameter) bool {
		return p.Type != "string" || len(p.Enum) > 0 || !handleName.MatchString(p.Name)
	})
}

// guessHandle tries to open others' objects by guessable handles.
func (r *run) guessHandle(ctx context.Context, t *tool, p schemafill.Parameter) probe.Outcome {
	path := p.Path
	about, _ := p.Schema["description"].(string)
	r.rememberGiven(t.description+" "+about, "") // what the server offers is no guess: "default is the shared session"
	opens := func(a Answer, value string) bool {
		return a.Came && !a.Failed && strings.TrimSpace(Strip(a.Text, value)) != "" && !absentWords.MatchString(a.Text)
	}
	controls := []string{randomWord(16), "9" + fmt.Sprint(randomFactor()) + fmt.Sprint(randomFactor())}
	var opened []string // by handles that nobody can have: a new session for each
	for _, control := range controls {
		a := r.give(ctx, t, map[string]any{path: control})
		switch {
		case !a.Came:
			return probe.NotDelivered.Because("no answer in time")
		case opens(a, control) && !strings.Contains(a.Text, control):
			return probe.NotDelivered.Because("the tool takes any handle")
		case opens(a, control):
			opened = append(opened, a.Text)
		}
		if d := t.Schema.ReadComplaint(a.Text); d.Validation || d.Others(path) {
			return probe.NotDelivered.Because(probe.Refused)
		}
	}
	for _, guess := range handleGuesses {
		if r.given[guess] {
			continue // it may be our own
		}
		a := r.give(ctx, t, map[string]any{path: guess})
		switch {
		case len(opened) == len(controls) && probe.Ignores(a.Text, opened[0], opened[1]):
		case len(opened) > 0:
			return probe.NotDelivered.Because("the tool takes any handle, and what they open differs")
		case opens(a, guess):
			return probe.Prove(a.proof(probe.Accepted, "a handle that was guessed", guess, Excerpt(a.Text, guess),
				fmt.Sprintf("the handle %q, which nobody gave out, opens something, and random ones do not", guess)))
		}
	}
	return probe.Resist(len(handleGuesses), len(handleGuesses), "")
}

// rememberGiven records guesses that occurred in answers: they are no guesses any more, unless the answer repeats what was sent.
func (r *run) rememberGiven(text, sent string) {
	for _, word := range givenWord.FindAllString(text[:min(len(text), 64<<10)], 2_000) {
		if slices.Contains(handleGuesses, word) && !strings.Contains(sent, rawjson.Quote(word)) {
			r.given[word] = true
		}
	}
}

var givenWord = lazyregexp.New(`[\w-]+`)

// rightFields are names under which servers keep permissions.
var rightFields = []string{"role", "is_admin", "owner", "tenant", "permissions"}

// changesWords matches verbs of tools that store what they are given.
var changesWords = lazyregexp.New(`(?i)(?:^|[_-])(?:update|edit|set|create|add|register|patch|save|store)(?:[_-]|$)|^(?:update|edit|set|create|add|register|patch|save|store)[A-Z]`)

func keptFields(_ *run, _ context.Context, t *tool) []schemafill.Parameter {
	if !changesWords.MatchString(t.Name) && !writes(t) || t.Schema.TakesAny() || t.slow > 0 {
		return nil
	}
	return asTool
}

// addField sends fields that no schema has, and checks whether they return in the answer to a call without them.
func (r *run) addField(ctx context.Context, t *tool, _ schemafill.Parameter) probe.Outcome {
	a, values := r.giveFields(ctx, t)
	switch {
	case !a.Came:
		return probe.NotDelivered.Because("no answer in time")
	case a.Failed && (t.Schema.ReadComplaint(a.Text).Validation || !r.give(ctx, t, nil).Failed):
		return probe.Resist(1, 1, "") // it rejects them, and accepts a call without them
	case a.Failed:
		return probe.NotDelivered.Because("the call fails with ordinary values as well: " + Excerpt(a.Text, a.Sent))
	}
	later := r.readAll(ctx, t)
	later[t.Name] = r.give(ctx, t, nil).Text
	for tool, text := range later {
		for name, v := range values {
			if !strings.Contains(text, v) {
				continue
			}
			if keepsAnything.MatchString(t.description) {
				return probe.ByDesign.Because("the tool keeps any field, by its own word")
			}
			if r.showsCalls(ctx, t, tool) {
				return probe.ByDesign.Because(tool + " shows what calls carried, kept or not")
			}
			return probe.Prove(a.proof(probe.Kept, "fields that speak of rights", name, Excerpt(text, a.Sent),
				fmt.Sprintf("the value of the field %q, which no schema has, came back in the answer to a later call", name)))
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
		if other == kept || other.Name == shownBy || other.entry != (entry{}) || !r.allows(other) || !other.ReadOnly && !readsWords.MatchString(other.Name) || r.over(ctx) {
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

func provokable(r *run, _ context.Context, t *tool) []schemafill.Parameter {
	if len(t.Schema.Parameters()) == 0 || slices.Index(r.tools, t) >= mostProvoked || t.slowness() > 0 {
		return nil
	}
	return asTool
}

// provokeError calls a tool with values of the wrong type and checks whether the error contains a planted secret.
func (r *run) provokeError(ctx context.Context, t *tool, _ schemafill.Parameter) probe.Outcome {
	answered := 0
	for n := range provocations {
		if r.over(ctx) {
			break
		}
		set := map[string]any{}
		for _, p := range t.Schema.Parameters() {
			if p.Required && !strings.ContainsAny(p.Path, ".[") {
				set[p.Path] = provocations[n]
			}
		}
		a := r.give(ctx, t, set)
		if a.Came {
			answered++
		}
		if proved := r.leakIn(a); proved != nil {
			return probe.Prove(proved)
		}
	}
	if t.leaked != nil { // from the answer to any other call
		return probe.Prove(t.leaked)
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
	return a.proof(probe.Content, "values of the wrong kind", "", Excerpt(a.Text, a.Sent), "the error holds the value of the variable "+names[0])
}

// writes reports whether a tool is labelled as changing something.
func writes(t *tool) bool {
	return slices.ContainsFunc(t.Labels.Capabilities, func(l capability.Label) bool {
		return l.Confidence.AtLeast(capability.Medium) && (l.Tag == capability.FSWrite || l.Tag == capability.DBWrite)
	})
}

// issuedState is the state of a tool that asked for input.
func issuedState(r *run, ctx context.Context, t *tool) []schemafill.Parameter {
	if t.asks == "" && r.Classes != nil {
		_ = r.give(ctx, t, nil) // it may ask now
	}
	if rawjson.LastText(t.asks, "requestState") == "" {
		return nil
	}
	return []schemafill.Parameter{{Path: "requestState"}}
}

// forgeState continues a call that asked for input as if everything had been agreed to, with a state the server never issued.
func (r *run) forgeState(ctx context.Context, t *tool, _ schemafill.Parameter) probe.Outcome {
	arguments := schemafill.Encode(t.filler.Arguments(nil))
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
				return probe.ByDesign.Because("the tool also continues without a state, so its state decides nothing")
			}
			a.Sent = sent
			return probe.Prove(a.proof(probe.Accepted, "a state that was made up", state, Excerpt(a.Text, state), t.Name+" continued with a state that it never issued"))
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
