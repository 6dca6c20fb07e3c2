package attack

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// A scene is the state of an mcp_server phase (§7.1.4), read once: what it lists and what it
// answers. Whatever cannot be used of it is among its faults, and the rest is played.
type scene struct {
	state        rawjson.Value
	lists        [4][]prop // in the order of catalog.Kinds: tools, prompts, resources, templates
	elicitations *match.Dispatch
	fixed        bool // nothing that is shown before a call has a template
	faults       []string
}

// A prop is one thing of a list.
type prop struct {
	id        string // its name, URI or URI template, as written
	value     rawjson.Value
	responses *match.Dispatch // nil without
	uri       *uriTemplate    // of a resource template that can be matched
}

// The lists of a state. own are the members that are the format's and never go out; of
// resources responses is none of the specification's, but documents in the wild have it.
var sceneLists = [4]struct {
	key, id, what string
	own           []string
}{
	{"tools", "name", "tool", []string{"responses"}},
	{"prompts", "name", "prompt", []string{"responses"}},
	{"resources", "uri", "resource", []string{"content", "responses"}},
	{"resource_templates", "uriTemplate", "resource template", []string{"content", "responses"}},
}

// Indexes of sceneLists.
const (
	tools = iota
	prompts
	resources
	uriTemplates
)

// sceneKeys are those that the format defines for the state of a server.
var sceneKeys = []string{"protocol_version", "server_info", "instructions", "capabilities", "tools", "resources", "resource_templates", "prompts", "elicitations"}

func readScene(state rawjson.Value) *scene {
	s := &scene{state: state, fixed: true}
	for m := range state.Members() {
		name := m.Key.Text()
		if !slices.Contains(sceneKeys, name) && !strings.HasPrefix(name, "x-") {
			s.fault("the state's %q means nothing to this runtime and is not played", name)
		}
	}
	for _, key := range []string{"protocol_version", "server_info", "instructions", "capabilities"} {
		s.fixed = s.fixed && !templated(state.Get(key))
	}
	for l := range sceneLists {
		s.readList(l)
	}
	if e := given(state, "elicitations"); e.Exists() {
		var err error
		if s.elicitations, err = match.ParseDispatch(e); err != nil {
			s.fault("its elicitations cannot be used: %v", err)
		}
	}
	return s
}

func (s *scene) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

func (s *scene) readList(l int) {
	in := &sceneLists[l]
	for _, v := range s.state.Get(in.key).Elements() {
		p := prop{id: v.Get(in.id).Text(), value: v}
		for m := range v.Members() {
			if !slices.Contains(in.own, m.Key.Text()) {
				s.fixed = s.fixed && !templated(m.Value)
			}
		}
		var err error
		if r := given(v, "responses"); r.Exists() {
			if p.responses, err = match.ParseDispatch(r); err != nil {
				s.fault("%s %q: its responses cannot be used: %v", in.what, p.id, err)
			}
		}
		if l == uriTemplates {
			if p.uri, err = parseURITemplate(p.id); err != nil {
				s.fault("%s %q: nothing is read through it: %v", in.what, p.id, err)
			}
		}
		s.lists[l] = append(s.lists[l], p)
	}
}

// has reports whether the scene has a list. Capabilities that are given say which lists
// there are, beside those that are there; without them all are, if empty (§7.1.4).
func (s *scene) has(l int) bool {
	capabilities := given(s.state, "capabilities")
	name := [...]string{"tools", "prompts", "resources", "resources"}[l]
	return given(s.state, sceneLists[l].key).Exists() || !capabilities.Exists() || given(capabilities, name).Exists()
}

// items returns the definitions of a list as they go out.
func (s *scene) items(l int, x *expander) ([]string, error) {
	out := make([]string, 0, len(s.lists[l]))
	for i := range s.lists[l] {
		p := &s.lists[l][i]
		if p.value.Kind() != rawjson.Object {
			text, err := x.value(p.value)
			if err != nil {
				return nil, fmt.Errorf("%s %d: %w", sceneLists[l].what, i, err)
			}
			out = append(out, text)
			continue
		}
		o := newObject(x)
		o.members(p.value, sceneLists[l].own...)
		text, err := o.end()
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", sceneLists[l].what, p.id, err)
		}
		out = append(out, text)
	}
	return out, nil
}

// find returns what a call asks for by name, the first of that name; nil if there is none.
func (s *scene) find(l int, name string, x *expander) *prop {
	names := &expander{scope: x.scope}
	for i := range s.lists[l] {
		p := &s.lists[l][i]
		id := p.id
		if !s.fixed && strings.Contains(id, "{{") {
			var err error
			if id, err = names.text(id); err != nil {
				return nil // there is no room for the names of the others, either
			}
		}
		if id == name {
			return p
		}
	}
	return nil
}

// resource returns what is read under a URI: a resource of that URI, or the first template
// that the URI fits.
func (s *scene) resource(uri string, x *expander) *prop {
	if p := s.find(resources, uri, x); p != nil {
		return p
	}
	for i := range s.lists[uriTemplates] {
		if p := &s.lists[uriTemplates][i]; p.uri != nil && p.uri.match(uri) {
			return p
		}
	}
	return nil
}
