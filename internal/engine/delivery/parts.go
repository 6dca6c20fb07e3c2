package delivery

import (
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/verdict"
)

// A part is something that an actor has to say, with its text.
type part struct {
	verdict.Part
	// inherited are phases behind Phase that have no state of their own and go on saying it.
	inherited []string
	texts     []string
	first     bool // it stands in the first state of its actor
}

// lists are the lists of an adversarial server's state: by what method one is read, by
// which its members are used one by one, and under which names a member holds what a use of
// it gives and how it is called.
var lists = []struct{ key, list, use, id string }{
	{"tools", mcp.ToolsList, mcp.ToolsCall, "name"},
	{"prompts", mcp.PromptsList, mcp.PromptsGet, "name"},
	{"resources", mcp.ResourcesList, mcp.ResourcesRead, "uri"},
	{"resource_templates", mcp.ResourceTemplatesList, mcp.ResourcesRead, "uriTemplate"},
}

// answers are the members of a definition that are not listed but given when it is used.
var answers = []string{"responses", "content"}

// partsOf returns everything that the actors of a normalized document have to say over MCP,
// in its order.
func partsOf(doc *oatf.Document) []part {
	var out []part
	for i := range doc.Attack.Execution.Actors {
		a := &doc.Attack.Execution.Actors[i]
		if oatf.ProtocolOf(a.Mode) != "mcp" {
			continue
		}
		stated := -1 // where the parts of the latest state begin
		states := 0
		for n := range a.Phases {
			p := &a.Phases[n]
			if p.State.Kind() == rawjson.Object {
				states++
				stated = len(out)
				out = append(out, stateParts(a, p)...)
			} else if stated >= 0 {
				for k := stated; k < len(out); k++ {
					out[k].inherited = append(out[k].inherited, p.Name)
				}
			}
			for k := max(stated, 0); k < len(out) && stated >= 0; k++ {
				out[k].first = states == 1
			}
			for _, action := range p.OnEnter {
				if action.Send != nil {
					out = append(out, part{Part: verdict.Part{Actor: a.Name, Phase: p.Name, Method: action.Send.Method}, texts: textsOf(action.Send.Params)})
				}
			}
		}
	}
	return out
}

func stateParts(a *oatf.Actor, p *oatf.Phase) []part {
	if oatf.IsServer(a.Mode) {
		return serverParts(a.Name, p.Name, p.State)
	}
	var out []part
	for _, action := range p.State.Get("actions").Elements() {
		params := action.Get("params")
		name := params.Get("name")
		if name.Kind() != rawjson.String {
			name = params.Get("uri")
		}
		out = append(out, part{Part: verdict.Part{Actor: a.Name, Phase: p.Name, Method: action.Get("method").Text(), Name: name.Text()}, texts: textsOf(params)})
	}
	return out
}

func serverParts(actor, phase string, state rawjson.Value) []part {
	var out []part
	add := func(method, name string, texts []string) {
		if len(texts) > 0 {
			out = append(out, part{Part: verdict.Part{Actor: actor, Phase: phase, Method: method, Name: name}, texts: texts})
		}
	}
	add(mcp.Initialize, "", append(textsOf(state.Get("instructions")), textsOf(state.Get("server_info"))...))
	for _, l := range lists {
		var listed []string
		for _, item := range state.Get(l.key).Elements() {
			for m := range item.Members() {
				if !isAnswerKey(m.Key.Text()) {
					listed = append(listed, textsOf(m.Value)...)
				}
			}
		}
		add(l.list, "", listed)
		for _, item := range state.Get(l.key).Elements() {
			var given []string
			for _, key := range answers {
				given = append(given, textsOf(item.Get(key))...)
			}
			add(l.use, item.Get(l.id).Text(), given)
		}
	}
	for _, e := range state.Get("elicitations").Elements() {
		add(mcp.ElicitationCreate, "", textsOf(e))
	}
	return out
}

func isAnswerKey(key string) bool { return key == answers[0] || key == answers[1] }

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
