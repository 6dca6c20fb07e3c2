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
	"gauntlet/rawjson"
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

// A Handed is a value in an answer by which another call may refer to the answer's subject.
type Handed struct {
	Name  string // name of the member that holds it, "" in prose
	Value string
}

// mostHanded bounds the values taken from one answer.
const mostHanded = 40

var (
	// handedMember matches members whose value names something.
	handedMember = lazyregexp.New(`(?i)(?:^|[_-])(?:id|uuid|guid|key|token|handle|ref|slug|number|code|name)$|(?:Id|ID|Uuid|Key|Token|Handle|Ref|Number|Name)$`)
	// handedProse matches a value in a sentence: after a word for it, or in a form that no word has.
	handedProse = lazyregexp.New(`(?i)\b(?:id|uuid|key|token|handle|ref(?:erence)?|number|named?)\b['"\x60]?\s*(?:is|=|:|#)?\s*['"\x60]?([\w-]{1,80}(?:\.[\w-]{1,40}){0,4})`)
	handedForm  = lazyregexp.New(`\b(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[a-zA-Z]{1,16}[_-][0-9a-zA-Z]*\d[0-9a-zA-Z]*|[0-9a-f]{16,64})\b|#(\d{1,10})\b`)
)

// ReadHanded returns the values in an answer that a later call may refer to, JSON members first.
func ReadHanded(text string) (out []Handed) {
	text = text[:min(len(text), 64<<10)]
	add := func(h Handed) {
		if len(out) < mostHanded && h.Value != "" && len(h.Value) <= 200 && !slices.ContainsFunc(out, func(o Handed) bool { return o.Value == h.Value }) {
			out = append(out, h)
		}
	}
	if at := strings.IndexAny(text, "{["); at >= 0 {
		if end, err := rawjson.Skip(text, at); err == nil {
			handedMembers(text[at:end], add)
		}
	}
	for _, m := range handedForm.FindAllStringSubmatch(text, mostHanded) {
		add(Handed{Value: strings.TrimPrefix(m[0], "#")})
	}
	for _, m := range handedProse.FindAllStringSubmatch(text, mostHanded) {
		add(Handed{Value: m[1]})
	}
	return out
}

// handedMembers adds the members of a JSON text whose names say that they identify something.
func handedMembers(raw string, add func(Handed)) {
	var tree rawjson.Tree
	if tree.Parse(raw, 0) != nil {
		return
	}
	for v := range tree.Root().All() {
		name := v.Key().Text()
		if !handedMember.MatchString(name) {
			continue
		}
		switch v.Kind() {
		case rawjson.String:
			add(Handed{Name: strings.Clone(name), Value: strings.Clone(v.Text())})
		case rawjson.Number:
			add(Handed{Name: strings.Clone(name), Value: strings.Clone(v.Raw())})
		}
	}
}

var (
	handleWords = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]+|\d+`)
	plainWords  = []string{"id", "ids", "uuid", "guid", "key", "token", "handle", "ref", "number", "name", "slug", "code"}
)

// NamesThing reports whether a parameter refers to something that another call created or listed.
func NamesThing(parameter string) bool {
	words := handleWords.FindAllString(parameter, 8)
	return len(words) > 0 && slices.Contains(plainWords, strings.ToLower(words[len(words)-1]))
}

// Fit returns how well a tool's returned value fits another tool's parameter; 0 for not at all. The parameter's name,
// "notebook_id", must match the member's or the tool's.
func Fit(parameter string, h Handed, tool string) int {
	if strings.EqualFold(flat(parameter), flat(h.Name)) && !slices.Contains(plainWords, strings.ToLower(h.Name)) {
		return 5
	}
	thing := things(parameter)
	last := lastWord(parameter)
	same := h.Name != "" && lastWord(h.Name) == last
	switch {
	case len(thing) == 0 && same:
		return 3
	case len(thing) == 0 && h.Name == "":
		return 1
	case !meets(thing, tool):
		return 0
	case same && len(things(h.Name)) == 0:
		return 4
	case h.Name == "":
		return 2
	case same:
		return 1
	}
	return 0
}

// meets reports whether a tool's name contains one of the words, singular or plural.
func meets(words []string, tool string) bool {
	tool = strings.ToLower(tool)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(tool, strings.TrimSuffix(w, "s")) })
}

// things returns the words of a name without final ones that only mark an identifier.
func things(name string) (out []string) {
	for _, w := range handleWords.FindAllString(name, 8) {
		if w = strings.ToLower(w); !slices.Contains(plainWords, w) && len(w) > 2 {
			out = append(out, w)
		}
	}
	return out
}

func lastWord(name string) string {
	words := handleWords.FindAllString(name, 8)
	if len(words) == 0 {
		return ""
	}
	return strings.ToLower(words[len(words)-1])
}

func flat(name string) string { return strings.NewReplacer("_", "", "-", "").Replace(name) }

// absentPhrases matches how tools say that an object does not exist.
var absentPhrases = lazyregexp.New(`(?i)\b(?:not|never) (?:found|exist|known|registered|created|active|open)|\bno (?:such|active|open)\b|\bno [\w-]+ (?:with|named|found|matches|[\w-]*\d[\w-]*)|\bunknown (?:id|[\w-]+ id)|\bdoes(?:n't| not) exist|\bcould(?:n't| not) find|\bexpired\b`)

// SaysAbsent reports whether an answer says that the call's object does not exist.
func SaysAbsent(a Answer) bool {
	return a.Came && absentPhrases.MatchString(a.Text[:min(len(a.Text), 4<<10)])
}
