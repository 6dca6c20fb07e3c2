package attackmcp

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// A serverState is the parsed state of an mcp_server phase (§7.1.4): what it lists and answers. Unusable parts are recorded as
// faults, and the rest is played.
type serverState struct {
	state        rawjson.Value
	lists        [4][]stateItem // in the order of catalog.Kinds: tools, prompts, resources, templates
	elicitations *match.Dispatch
	fixed        bool // nothing shown before a call uses a template
	faults       []string
}

// A stateItem is one item of a list.
type stateItem struct {
	id        string // its name, URI or URI template, as written
	value     rawjson.Value
	responses *match.Dispatch // nil without
	uri       *uriTemplate    // of a matchable resource template
}

// stateLists are the members of a state that hold mcp.Lists. own lists members that belong to the format and are never sent;
// responses of resources is not in the specification but used in practice.
var stateLists = [len(mcp.Lists)]struct {
	key string
	own []string
}{
	{"tools", []string{"responses"}},
	{"prompts", []string{"responses"}},
	{"resources", []string{"content", "responses"}},
	{"resource_templates", []string{"content", "responses"}},
}

// Indexes of stateLists.
const (
	tools = iota
	prompts
	resources
	uriTemplates
)

func readServerState(state rawjson.Value) *serverState {
	s := &serverState{state: state, fixed: true}
	for _, key := range []string{"protocol_version", "server_info", "instructions", "capabilities"} {
		s.fixed = s.fixed && !attack.HasTemplate(state.Get(key))
	}
	for l := range stateLists {
		s.readList(l)
	}
	if e := attack.Member(state, "elicitations"); e.Exists() {
		s.elicitations, _ = match.ParseDispatch(e) // the engine has reported what is unusable
	}
	return s
}

func (s *serverState) addFault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

func (s *serverState) readList(l int) {
	in := &stateLists[l]
	for _, v := range s.state.Get(in.key).Elements() {
		p := stateItem{id: v.Get(mcp.Lists[l].ID).Text(), value: v}
		for m := range v.Members() {
			if !slices.Contains(in.own, m.Key.Text()) {
				s.fixed = s.fixed && !attack.HasTemplate(m.Value)
			}
		}
		var err error
		if r := attack.Member(v, "responses"); r.Exists() {
			p.responses, _ = match.ParseDispatch(r) // the engine has reported what is unusable
		}
		if l == uriTemplates {
			if p.uri, err = parseURITemplate(p.id); err != nil {
				s.addFault("%s %q: nothing is read through it: %v", mcp.Lists[l].Item, p.id, err)
			}
		}
		s.lists[l] = append(s.lists[l], p)
	}
}

// hasList reports whether the state has a list. Declared capabilities add lists to those present; without capabilities all lists
// exist, possibly empty (§7.1.4).
func (s *serverState) hasList(l int) bool {
	capabilities := attack.Member(s.state, "capabilities")
	return attack.Member(s.state, stateLists[l].key).Exists() || !capabilities.Exists() || attack.Member(capabilities, mcp.Lists[l].Capability).Exists()
}

// expandItems returns a list's definitions as they are sent.
func (s *serverState) expandItems(l int, x *attack.Expander) ([]string, error) {
	out := make([]string, 0, len(s.lists[l]))
	for i := range s.lists[l] {
		p := &s.lists[l][i]
		if p.value.Kind() != rawjson.Object {
			text, err := x.ExpandValue(p.value)
			if err != nil {
				return nil, fmt.Errorf("%s %d: %w", mcp.Lists[l].Item, i, err)
			}
			out = append(out, text)
			continue
		}
		o := attack.NewObjectWriter(x)
		o.CopyMembers(p.value, stateLists[l].own...)
		text, err := o.CloseObject()
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", mcp.Lists[l].Item, p.id, err)
		}
		out = append(out, text)
	}
	return out, nil
}

// findItem returns the first item of a name or, for a resource's URI, the first template that matches it; else nil.
func (s *serverState) findItem(l int, name string, x *attack.Expander) *stateItem {
	names := &attack.Expander{Scope: x.Scope}
	for i := range s.lists[l] {
		p := &s.lists[l][i]
		id := p.id
		if !s.fixed && strings.Contains(id, "{{") {
			var err error
			if id, err = names.ExpandText(id); err != nil {
				return nil // no room for the other names either
			}
		}
		if id == name {
			return p
		}
	}
	if l != resources {
		return nil
	}
	for i := range s.lists[uriTemplates] {
		if p := &s.lists[uriTemplates][i]; p.uri != nil && p.uri.matchesURI(name) {
			return p
		}
	}
	return nil
}

// A uriTemplate is an RFC 6570 level 1 template: literal texts with names in braces between them. A name with + may contain
// slashes.
type uriTemplate struct {
	texts []string // one more than names
	names []string
}

func parseURITemplate(s string) (*uriTemplate, error) {
	t := &uriTemplate{}
	for {
		text, rest, found := strings.Cut(s, "{")
		t.texts = append(t.texts, text)
		if !found {
			return t, nil
		}
		name, rest, closed := strings.Cut(rest, "}")
		bare := strings.TrimPrefix(name, "+")
		switch {
		case !closed:
			return nil, fmt.Errorf("%.60q: a { has no }", s)
		case bare == "" || strings.ContainsAny(bare, "{#./;?&=,!@|*:+"):
			return nil, fmt.Errorf("{%.60s}: only plain names, and + before one, can be matched", name)
		}
		t.names = append(t.names, name)
		s = rest
	}
}

// delimiters end the value of a plain name.
const delimiters = "/?#"

// matchesURI reports whether the template could expand to uri, with at least one byte per name. It takes linear time: matching the
// shortest value loses nothing among plain names, since the next name may hold whatever a longer value would.
func (t *uriTemplate) matchesURI(uri string) bool {
	rest, ok := strings.CutPrefix(uri, t.texts[0])
	if !ok {
		return false
	}
	for i, name := range t.names {
		text, last := t.texts[i+1], i+1 == len(t.names)
		if rest == "" {
			return false
		}
		var end int
		switch {
		case last && !strings.HasSuffix(rest[1:], text):
			return false
		case last:
			end = len(rest) - len(text)
		case text == "": // two names side by side: the first is one character
			end = 1
		default:
			if end = strings.Index(rest[1:], text); end < 0 {
				return false
			}
			end++
		}
		if name[0] != '+' && strings.ContainsAny(rest[:end], delimiters) {
			return false
		}
		rest = rest[end+len(text):]
	}
	return rest == ""
}
