package boundary

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/rawjson"
	"gauntlet/trust"
)

// claims are capabilities by path, with the name and place as sent.
type claims map[string]claim

type claim struct {
	sent   string
	offset int // of the value in the message, in bytes
}

// flattenClaims reads an object of client capabilities: null and false claim nothing, elicitation without a mode means
// forms, and extensions and experimental capabilities are distinguished only by name.
func flattenClaims(v rawjson.Value) claims {
	out := claims{}
	for m := range v.Members() {
		name := m.Key.Text()
		if !isClaimed(m.Value) {
			continue
		}
		switch name {
		case "elicitation", "extensions", "experimental":
			parts := 0
			for part := range m.Value.Members() {
				if isClaimed(part.Value) {
					parts++
					path := name + "." + part.Key.Text()
					out.addPath(path, path, part.Value)
				}
			}
			if parts == 0 && name == "elicitation" {
				out.addPath("elicitation.form", name, m.Value)
			}
		default:
			out.addNested(name, m.Value, 0)
		}
	}
	return out
}

// deepest is the number of levels of a capability that are distinguished.
const deepest = 8

func (c claims) addNested(path string, v rawjson.Value, depth int) {
	c.addPath(path, path, v)
	if depth == deepest {
		return
	}
	for m := range v.Members() {
		if isClaimed(m.Value) {
			c.addNested(path+"."+m.Key.Text(), m.Value, depth+1)
		}
	}
}

func (c claims) addPath(path, sent string, v rawjson.Value) {
	c[strings.Clone(path)] = claim{strings.Clone(sent), v.Offset()}
}

func isClaimed(v rawjson.Value) bool {
	b, isBool := v.Bool()
	return v.Kind() != rawjson.Null && (!isBool || b)
}

func (c claims) sortedPaths() []string { return slices.Sorted(maps.Keys(c)) }

// pathsBeyond returns the sorted paths that are not in set.
func (c claims) pathsBeyond(set map[string]bool) []string {
	var out []string
	for path := range c {
		if !set[path] {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

func (c claims) pathSet() map[string]bool {
	out := map[string]bool{}
	for path := range c {
		out[path] = true
	}
	return out
}

// declaredSet expands declared names: a part includes the whole that it belongs to, and a bare elicitation means forms.
func declaredSet(names []trust.Name) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		name := n.Text
		if name == "elicitation" {
			name = "elicitation.form"
		}
		out[name] = true
		if head, _, _ := strings.Cut(name, "."); head == "elicitation" || head == "extensions" || head == "experimental" {
			continue
		}
		for at, c := range name {
			if c == '.' {
				out[name[:at]] = true
			}
		}
	}
	return out
}

// isClientCapability reports whether a declared name is a client capability in any revision.
func isClientCapability(name string) bool {
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
