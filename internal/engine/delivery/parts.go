package delivery

import (
	"slices"
	"strings"

	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/verdict"
)

// A part is something that an actor has to say, with its text.
type part struct {
	verdict.Part
	protocol string
	// inherited are phases behind Phase that have no state of their own and go on saying it.
	inherited []string
	texts     []string
	first     bool // it stands in the first state of its actor
	// unplayable says that it stands where the format has no place for it: nobody can bring it to anybody.
	unplayable bool
	task       bool // what the user asks for, in the user's own words
	bait       bool // an answer that only an agent that complies ever gets
	// choice is the dispatch list that the part is an entry of, nil if it is said whatever is asked.
	choice *match.Dispatch
	entry  rawjson.Value // that entry
}

// stateParts say what a state has its actor say, by the protocol of the actor. server is whether
// that waits for the agent to come.
var stateParts = map[string]func(state rawjson.Value, server bool) []part{
	"mcp":   mcpParts,
	"a2a":   a2aParts,
	"ag_ui": agUIParts,
}

// partsOf returns everything that the actors of a normalized document have to say, in its order.
func partsOf(doc *oatf.Document) []part {
	var out []part
	for i := range doc.Attack.Execution.Actors {
		out = append(out, actorParts(&doc.Attack.Execution.Actors[i])...)
	}
	return out
}

func actorParts(a *oatf.Actor) []part {
	protocol := oatf.ProtocolOf(a.Mode)
	read := stateParts[protocol]
	if read == nil {
		read = unknownParts
	}
	var out []part
	stated := 0 // where the parts of the latest state begin
	states := 0
	add := func(p part, phase string) {
		p.Actor, p.Phase, p.protocol, p.first = a.Name, phase, protocol, states <= 1
		out = append(out, p)
	}
	for n := range a.Phases {
		phase := &a.Phases[n]
		if phase.State.Kind() == rawjson.Object {
			states++
			stated = len(out)
			for _, p := range append(read(phase.State, oatf.IsServer(a.Mode)), unplayableParts(phase.State, a.Mode)...) {
				add(p, phase.Name)
			}
		} else {
			for k := stated; k < len(out); k++ {
				out[k].inherited = append(out[k].inherited, phase.Name)
			}
		}
		for _, action := range phase.OnEnter {
			switch {
			case action.Send != nil:
				add(newPart(action.Send.Method, "", textsOf(action.Send.Params)), phase.Name)
			case action.Binding != nil:
				add(newPart(action.Binding.Name, "", textsOf(action.Binding.Value)), phase.Name)
			}
		}
	}
	return out
}

func newPart(method, name string, texts []string) part {
	return part{Part: verdict.Part{Method: method, Name: name}, texts: texts}
}

// unknownParts is the state of an actor that speaks a protocol of which nothing is known.
func unknownParts(state rawjson.Value, _ bool) []part {
	return withText([]part{newPart("anything", "", textsOf(state))})
}

// unplayableParts are what a state says under keys that mean nothing in its mode, such as the sampling_requests of
// one executor.
func unplayableParts(state rawjson.Value, mode string) []part {
	known := oatf.StateKeys(mode)
	var out []part
	for m := range state.Members() {
		if name := m.Key.Text(); known != nil && !slices.Contains(known, name) && !strings.HasPrefix(name, "x-") {
			p := newPart(name, "", textsOf(m.Value))
			p.unplayable = true
			out = append(out, p)
		}
	}
	return withText(out)
}

// clientParts are the actions of a client.
func clientParts(state rawjson.Value) []part {
	var out []part
	for _, action := range state.Get("actions").Elements() {
		params := action.Get("params")
		name := params.Get("name")
		if name.Kind() != rawjson.String {
			name = params.Get("uri")
		}
		out = append(out, newPart(action.Get("method").Text(), name.Text(), textsOf(params)))
	}
	return out
}

// choiceParts are the entries of a dispatch list, each a part of its own: which of them is said
// depends on what is asked. keys are what an entry holds of the format's own.
func choiceParts(method, name string, list rawjson.Value) []part {
	choice, err := match.ParseDispatch(list)
	var out []part
	for _, e := range list.Elements() {
		p := newPart(method, name, nil)
		for m := range e.Members() {
			if key := m.Key.Text(); key != "when" { // what a model is told to write stands for what it writes
				p.texts = append(p.texts, textsOf(m.Value)...)
			}
		}
		if err == nil {
			p.choice, p.entry = choice, e
		}
		out = append(out, p)
	}
	return withText(out)
}

// withText drops parts that say nothing.
func withText(parts []part) []part {
	var out []part
	for _, p := range parts {
		if len(p.texts) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// textsOf returns the strings of a value, names of members left out.
func textsOf(v rawjson.Value) []string {
	var out []string
	for t := range v.Strings() {
		if !t.IsKey {
			out = append(out, t.Value.Text())
		}
	}
	return out
}

// equalParts reports whether two parts say the same: then neither is what changed.
func equalParts(a, b *part) bool {
	return a.Method == b.Method && a.Name == b.Name && strings.Join(a.texts, "\x00") == strings.Join(b.texts, "\x00")
}
