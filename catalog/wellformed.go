package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// checkItem reads the name of a definition and reports deviations from MCP's form. The item stays in its list in any
// case: a malformed one cannot hide, since its strings are scanned from the raw tree like all others.
func (r *reader) checkItem(s *Server, it *Item) {
	v := it.Parse(s, &r.tree)
	complain := r.complainer(s, it)
	if v.Kind() == rawjson.Object {
		r.fixedMembers(it, v, complain)
	} else {
		complain(v, "the %s is not an object but %s", strings.ReplaceAll(string(it.Kind), "_", " "), v.Kind())
	}
	r.form(s, it, v)
}

func (r *reader) complainer(s *Server, it *Item) func(v rawjson.Value, format string, args ...any) {
	return func(v rawjson.Value, format string, args ...any) {
		if !r.roomFor(finding.Malformed) {
			return
		}
		r.catalog.Problems = append(r.catalog.Problems, finding.Problem{
			Kind: finding.Malformed, Message: fmt.Sprintf(format, args...),
			Location: it.Location(s, v, false), Input: r.doc.Number, Order: v.Offset(),
		})
	}
}

// fixedMembers checks the members whose type MCP fixes and takes the item's name from them.
func (r *reader) fixedMembers(it *Item, v rawjson.Value, complain func(rawjson.Value, string, ...any)) {
	for _, id := range identity[it.Kind] {
		if n := v.Get(id); n.Kind() == rawjson.String && n.Text() != "" {
			it.name = n.Text()
			break
		}
	}
	for _, rule := range forms[it.Kind] {
		member := v.Get(rule.name)
		switch kind := member.Kind(); {
		case kind == rule.kind, rule.kind == rawjson.Object && isEmptyArray(member):
		case kind == rawjson.Absent || kind == rawjson.Null && !rule.required:
			if rule.required {
				complain(v, "%s is missing", rule.name)
			}
		default:
			complain(member, "%s is not %s but %s", rule.name, articleFor(rule.kind), kind)
		}
	}
	if it.Kind == finding.Tool {
		r.checkSchema(v.Get("inputSchema"), "inputSchema", complain)
		r.checkSchema(v.Get("outputSchema"), "outputSchema", complain)
	}
}

// form reports defects of any text: repeated members, excessive nesting, ill-formed Unicode. v is the item, parsed into r.tree.
func (r *reader) form(s *Server, it *Item, v rawjson.Value) {
	complain := r.complainer(s, it)
	r.reportRepeated(s, it, v, complain)
	if d := r.tree.Depth(); d > r.limits.Depth {
		complain(v, "nested %d levels deep, the limit is %d", d, r.limits.Depth)
		if d > MaxDepth {
			r.addProblem(finding.Limit, it.Location(s, v, false), v.Offset(), fmt.Sprintf("strings more than %d levels deep were not read", MaxDepth))
		}
	}
	if bad := illFormed(v); bad.Exists() {
		complain(bad, "the text is not valid Unicode; ill-formed parts are read as U+FFFD")
	}
}

// identity lists the members that can name an item of each kind, best first.
var identity = map[finding.Kind][]string{
	finding.Tool:             {"name"},
	finding.Prompt:           {"name"},
	finding.Resource:         {"name", "uri"},
	finding.ResourceTemplate: {"name", "uriTemplate"},
}

type form struct {
	name     string
	kind     rawjson.Kind
	required bool
}

// forms are the members whose type the MCP schemas fix (2024-11-05 to 2026-07-28). null counts as absent for optional
// members: several SDKs write it. MCP requires inputSchema, but hand-written snapshots omit it and nothing hides by that.
var forms = map[finding.Kind][]form{
	finding.Tool: {
		{"name", rawjson.String, true}, {"title", rawjson.String, false}, {"description", rawjson.String, false},
		{"inputSchema", rawjson.Object, false}, {"outputSchema", rawjson.Object, false}, {"annotations", rawjson.Object, false},
	},
	finding.Prompt: {
		{"name", rawjson.String, true}, {"title", rawjson.String, false}, {"description", rawjson.String, false},
		{"arguments", rawjson.Array, false},
	},
	finding.Resource: {
		{"uri", rawjson.String, true}, {"name", rawjson.String, false}, {"title", rawjson.String, false},
		{"description", rawjson.String, false}, {"mimeType", rawjson.String, false}, {"annotations", rawjson.Object, false},
	},
	finding.ResourceTemplate: {
		{"uriTemplate", rawjson.String, true}, {"name", rawjson.String, false}, {"title", rawjson.String, false},
		{"description", rawjson.String, false}, {"mimeType", rawjson.String, false}, {"annotations", rawjson.Object, false},
	},
}

func (r *reader) checkSchema(v rawjson.Value, name string, complain func(rawjson.Value, string, ...any)) {
	props := v.Get("properties")
	switch props.Kind() {
	case rawjson.Absent, rawjson.Null:
	case rawjson.Object:
		for m := range props.Members() {
			// JSON Schema allows true and false as schemas (since draft 6).
			if k := m.Value.Kind(); k != rawjson.Object && k != rawjson.Bool && !isEmptyArray(m.Value) {
				complain(m.Value, "a property of %s is not a schema but %s", name, k)
			}
		}
	default:
		if isEmptyArray(props) {
			break
		}
		complain(props, "properties of %s is not an object but %s", name, props.Kind())
	}
	if req := v.Get("required"); req.Exists() && req.Kind() != rawjson.Array && req.Kind() != rawjson.Null {
		complain(req, "required of %s is not an array but %s", name, req.Kind())
	}
}

// isEmptyArray reports whether v is []: PHP servers write the empty object like this, and nothing hides in it.
func isEmptyArray(v rawjson.Value) bool {
	return v.Kind() == rawjson.Array && strings.TrimSpace(v.Raw()[1:len(v.Raw())-1]) == ""
}

// reportRepeated reports the first duplicate member at any depth, ignoring case: parsers differ in which one they take, so
// two readers see two definitions. At the top level a single member is enough if its name is one of MCP's in another case.
func (r *reader) reportRepeated(s *Server, it *Item, v rawjson.Value, complain func(rawjson.Value, string, ...any)) {
	spelled := func(m rawjson.Value, meant string) member {
		key := m.Key()
		return member{name: meant, spelled: key.Text(), key: rawjson.Span{Start: key.Offset(), End: key.Offset() + len(key.Raw())}}
	}
	if m := rawjson.FirstAmbiguous(v, holdsNames, MaxDepth); m.Exists() {
		name := m.Key().Text()
		complain(m, "member %q appears more than once; clients differ in which one they take", excerpt.Clip(name, 60))
		var group []member
		for other := range m.Parent().Members() {
			if rawjson.SameFolded(other.Key.Text(), name) && len(group) < 10 {
				group = append(group, spelled(other.Value, name))
			}
		}
		r.addAmbiguity(it.Location(s, m, true), spelled(m, name), group)
		return
	}
	for m := range v.Members() {
		name := m.Key.Text()
		if meant := itemMembers[rawjson.FoldName(name)]; meant != "" && meant != name {
			at := spelled(m.Value, meant)
			r.addAmbiguity(it.Location(s, m.Value, true), at, []member{at})
			return
		}
	}
}

// holdsNames reports whether a member's value holds the author's own names or data, which may differ in case alone.
func holdsNames(member string) bool {
	switch member {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired", "dependencies",
		"default", "const", "enum", "examples", "example", "_meta", "experimental", "extensions":
		return true
	}
	return false
}

// itemMembers maps the folded form of MCP's members of definitions to their names.
var itemMembers = func() map[string]string {
	out := map[string]string{}
	for _, kind := range forms {
		for _, f := range kind {
			out[rawjson.FoldName(f.name)] = f.name
		}
	}
	return out
}()

// illFormed returns the first string that is not valid Unicode.
func illFormed(v rawjson.Value) rawjson.Value {
	raw := v.Raw()
	if utf8.ValidString(raw) && !strings.Contains(raw, `\ud`) && !strings.Contains(raw, `\uD`) {
		return rawjson.Value{}
	}
	for s := range v.Strings() {
		if !s.Value.WellFormed() {
			return s.Value
		}
	}
	return rawjson.Value{}
}

func articleFor(k rawjson.Kind) string {
	if k == rawjson.Array || k == rawjson.Object {
		return "an " + k.String()
	}
	return "a " + k.String()
}
