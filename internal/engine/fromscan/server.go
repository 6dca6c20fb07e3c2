package fromscan

import (
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// mostTools limits the bytes of definitions per document, the tool in question first, then the server's others in
// order. A document must stay below its reading limit.
const mostTools = 256 << 10

// findItem returns the server and definition of a location, nil if the catalog lacks it. A finding on a live server has
// no file: its snapshot is identified by the server's name.
func findItem(c *catalog.Catalog, l *finding.Location) (*catalog.Server, *catalog.Item) {
	for _, s := range c.Servers {
		if s.Name != l.Server || l.File != "" && s.Document.Name != l.File {
			continue
		}
		for it := range s.Items() {
			p := it.Pointer(s)
			if it.Kind == l.Kind && (l.Pointer == p || strings.HasPrefix(l.Pointer, p+"/")) {
				return s, it
			}
		}
	}
	return nil, nil
}

// A stage is the state of an adversarial server that imitates a scanned one.
type stage struct {
	server *catalog.Server
	said   map[string]string // results of tools, as text; others answer done
}

// done is the result of a tool without a part in the attack.
const done = "Done."

// addActor adds the server's actor, with the given definitions first.
func (s *stage) addActor(name string, first ...*catalog.Item) (oatf.Actor, bool) {
	var tools []string
	size := 0
	add := func(it *catalog.Item) bool {
		var tree rawjson.Tree
		v := it.Parse(s.server, &tree)
		if v.Kind() != rawjson.Object || v.Get("responses").Exists() || v.Get("name").Kind() != rawjson.String {
			return false // the format could not distinguish it from its own member
		}
		if size += len(v.Raw()); len(tools) >= len(first) && size > mostTools {
			return true
		}
		answer, ok := s.said[it.Name()]
		if !ok {
			answer = done
		}
		def := verbatim(v)
		tools = append(tools, strings.TrimSuffix(strings.TrimSpace(def), "}")+`,"responses":[{"content":{"content":[{"type":"text","text":`+rawjson.Quote(answer)+`}]}}]}`)
		return true
	}
	whole := true
	placed := map[*catalog.Item]bool{}
	for _, it := range first {
		if it.Kind == finding.Tool && !placed[it] {
			whole = add(it) && whole
			placed[it] = true
		}
	}
	list := s.server.Tools()
	for i := range list {
		if it := &list[i]; !placed[it] {
			add(it)
		}
	}
	state := `{"server_info":{"name":` + rawjson.Quote(escaped(s.server.Name)) + `,"version":"1.0.0"},` + s.instructions() + `"tools":[` + strings.Join(tools, ",") + `]}`
	return oatf.Actor{Name: name, Mode: "mcp_server", Phases: []oatf.Phase{{Name: "play", State: jsonValue(state)}}}, whole
}

func escaped(s string) string { return strings.ReplaceAll(s, "{{", `\{{`) }

// instructions returns the state's member with the server's instructions, "" if it has none.
func (s *stage) instructions() string {
	for i := range s.server.Self {
		if it := &s.server.Self[i]; it.Label() == "instructions" {
			var tree rawjson.Tree
			if v := it.Parse(s.server, &tree); v.Kind() == rawjson.String {
				return `"instructions":` + rawjson.Quote(escaped(v.Text())) + `,`
			}
		}
	}
	return ""
}

func stringsOf(s *catalog.Server, it *catalog.Item) []string {
	var tree rawjson.Tree
	var out []string
	for t := range it.Parse(s, &tree).Strings() {
		out = append(out, t.Value.Text())
	}
	return out
}

func jsonList(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = rawjson.Quote(s)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// jsonValue parses JSON written by this package.
func jsonValue(s string) rawjson.Value {
	tree := new(rawjson.Tree)
	if err := tree.Parse(s, 0); err != nil {
		panic("confirm: wrote JSON that cannot be read: " + err.Error()) // our own fault
	}
	return tree.Root()
}

// verbatim returns a definition as text without templates: what the server wrote between braces must reach the agent unchanged.
func verbatim(v rawjson.Value) string {
	out, _ := v.Rewrite(func(text string) (string, bool) { return escaped(text), strings.Contains(text, "{{") })
	return out
}

var notInFileNames = lazyregexp.New(`[^a-z0-9]+`)

// fileName turns untrusted text into a part of a file name.
func fileName(s string) string {
	name := strings.Trim(notInFileNames.ReplaceAllString(strings.ToLower(s), "-"), "-")
	return strings.TrimRight(name[:min(len(name), 40)], "-")
}
