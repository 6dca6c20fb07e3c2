package boundary

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// The keys of _meta by which a request says what its client can do (revision 2026-07-28,
// basic/index).
const (
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
)

// stateless is the first revision in which every request says what its client can do.
const stateless = "2026-07-28"

// claims are capabilities as paths, each with the name as it was sent and its place.
type claims map[string]claim

type claim struct {
	sent   string
	offset int // of its value in the message, in bytes
}

// flatten reads an object of client capabilities: what is null or false is not claimed,
// elicitation without a mode means forms, extensions and experimental ones are told apart by
// their names and not further.
func flatten(v rawjson.Value) claims {
	out := claims{}
	for m := range v.Members() {
		name := m.Key.Text()
		if !on(m.Value) {
			continue
		}
		switch name {
		case "elicitation":
			modes := 0
			for mode := range m.Value.Members() {
				if on(mode.Value) {
					modes++
					out.add(name+"."+mode.Key.Text(), name+"."+mode.Key.Text(), mode.Value)
				}
			}
			if modes == 0 {
				out.add("elicitation.form", name, m.Value)
			}
		case "extensions", "experimental":
			for x := range m.Value.Members() {
				if on(x.Value) {
					out.add(name+"."+x.Key.Text(), name+"."+x.Key.Text(), x.Value)
				}
			}
		default:
			out.nest(name, m.Value, 0)
		}
	}
	return out
}

// deepest is how many levels of a capability are told apart.
const deepest = 8

func (c claims) nest(path string, v rawjson.Value, depth int) {
	c.add(path, path, v)
	if depth == deepest {
		return
	}
	for m := range v.Members() {
		if on(m.Value) {
			c.nest(path+"."+m.Key.Text(), m.Value, depth+1)
		}
	}
}

func (c claims) add(path, sent string, v rawjson.Value) {
	c[strings.Clone(path)] = claim{strings.Clone(sent), v.Offset()}
}

// on reports whether a member claims anything.
func on(v rawjson.Value) bool {
	b, isBool := v.Bool()
	return v.Kind() != rawjson.Null && (!isBool || b)
}

// paths returns the paths, sorted.
func (c claims) paths() []string { return slices.Sorted(maps.Keys(c)) }

// beyond returns the paths that are not in a set, sorted.
func (c claims) beyond(set map[string]bool) []string {
	var out []string
	for path := range c {
		if !set[path] {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

func (c claims) set() map[string]bool {
	out := map[string]bool{}
	for path := range c {
		out[path] = true
	}
	return out
}

// declared makes the set that declared names stand for: a part includes the whole it
// belongs to, and a bare elicitation means forms.
func declared(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		head, _, _ := strings.Cut(name, ".")
		switch head {
		case "elicitation":
			if name == head {
				name = "elicitation.form"
			}
			out[name] = true
		case "extensions", "experimental":
			out[name] = true
		default:
			for at := strings.IndexByte(name, '.'); at >= 0; at = next(name, at) {
				out[name[:at]] = true
			}
			out[name] = true
		}
	}
	return out
}

// next returns the place of the dot behind that at at, -1 for none.
func next(name string, at int) int {
	n := strings.IndexByte(name[at+1:], '.')
	if n < 0 {
		return -1
	}
	return at + 1 + n
}

// capability reports whether a declared name can be one of a client's, in any revision.
func capability(name string) bool {
	head, rest, dotted := strings.Cut(name, ".")
	switch head {
	case "roots":
		return !dotted || rest == "listChanged"
	case "sampling":
		return !dotted || rest == "tools" || rest == "context"
	case "elicitation":
		return !dotted || rest == "form" || rest == "url"
	case "extensions", "experimental":
		return dotted && rest != ""
	case "tasks":
		return true
	}
	return false
}
