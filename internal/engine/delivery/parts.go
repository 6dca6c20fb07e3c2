package delivery

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/planted"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/verdict"
)

// A part is something that an actor presents, with its text.
type part struct {
	verdict.Part
	protocol string
	// inherited are phases after Phase without a state of their own, which continue to say it.
	inherited []string
	texts     []string
	first     bool // in the actor's first state
	// unplayable says that the format has no place for it here: it cannot be delivered.
	unplayable bool
	task       bool   // the user's request, in the user's words
	marker     string // of a planted file: whoever repeats it has read the file; "" for what is said
	bait       bool   // an answer that only a compliant agent receives
	action     bool   // what a client asks of the server under attack
	// choice is the dispatch list that contains the part, nil if it is always said.
	choice *match.Dispatch
	entry  rawjson.Value // its entry in choice
}

// stateParts return the parts of a state by protocol. server is whether the actor waits for the agent to connect.
var stateParts = map[string]func(state rawjson.Value, server bool) []part{
	"mcp":   mcpParts,
	"a2a":   a2aParts,
	"ag_ui": agUIParts,
}

func partsOf(doc *oatf.Document) []part {
	var out []part
	for i := range doc.Attack.Execution.Actors {
		out = append(out, actorParts(&doc.Attack.Execution.Actors[i])...)
	}
	for _, f := range Files(doc) {
		if f.Marker != "" {
			p := newPart(file, f.Path, []string{f.Text})
			p.Actor, p.Phase, p.marker = planted.Server, "start", f.Marker
			out = append(out, p)
		}
	}
	return out
}

// file is the method of a planted file's part.
const file = "file"

// Files returns the files that a valid document plants where the agent works; nil for none.
func Files(doc *oatf.Document) []planted.File {
	x := doc.Attack.Extension(planted.Key)
	if !x.Exists() || x.Kind() == rawjson.Null {
		return nil
	}
	files, _ := planted.Read(x)
	return files
}

func actorParts(a *oatf.Actor) []part {
	protocol := oatf.ProtocolOf(a.Mode)
	read := stateParts[protocol]
	if read == nil {
		read = unknownParts
	}
	var out []part
	stated := 0 // index of the latest state's parts
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

// unknownParts handles the state of an actor with an unknown protocol.
func unknownParts(state rawjson.Value, _ bool) []part {
	return withText([]part{newPart("anything", "", textsOf(state))})
}

// unplayableParts returns the parts under keys unknown in a mode, such as the sampling_requests of one executor.
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

func clientParts(state rawjson.Value) []part {
	var out []part
	for _, action := range state.Get("actions").Elements() {
		params := action.Get("params")
		name := params.Get("name")
		if name.Kind() != rawjson.String {
			name = params.Get("uri")
		}
		p := newPart(action.Get("method").Text(), name.Text(), textsOf(params))
		p.action = true
		out = append(out, p)
	}
	return out
}

// onlyLists reports whether the part is a client's request for a list, which says nothing: it prepares an attack.
func (p *part) onlyLists() bool {
	return p.action && len(p.texts) == 0 && strings.HasSuffix(p.Method, "/list")
}

// choiceParts returns the entries of a dispatch list as separate parts: the request decides which is said. keys are the
// format's own members of an entry.
func choiceParts(method, name string, list rawjson.Value) []part {
	choice, err := match.ParseDispatch(list)
	var out []part
	for _, e := range list.Elements() {
		p := newPart(method, name, nil)
		for m := range e.Members() {
			if key := m.Key.Text(); key != "when" { // instructions to a model stand for what it writes
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

func withText(parts []part) []part {
	var out []part
	for _, p := range parts {
		if len(p.texts) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// TextOf returns the strings and numbers of an answer in the order of the alphabet, one a line, without the URI that was asked for.
func TextOf(v rawjson.Value) string {
	var out []string
	for t := range v.All() {
		switch {
		case t.Kind() == rawjson.String && !t.Key().Is("uri"):
			out = append(out, t.Text())
		case t.Kind() == rawjson.Number:
			out = append(out, t.Raw())
		}
	}
	slices.Sort(out)
	return strings.Clone(strings.Join(out, "\n"))
}

// textsOf returns the strings of a value, without member names.
func textsOf(v rawjson.Value) []string {
	var out []string
	for t := range v.Strings() {
		if !t.IsKey {
			out = append(out, t.Value.Text())
		}
	}
	return out
}

// equalParts reports whether two parts say the same, so that neither is the change.
func equalParts(a, b *part) bool {
	return a.Method == b.Method && a.Name == b.Name && strings.Join(a.texts, "\x00") == strings.Join(b.texts, "\x00")
}
