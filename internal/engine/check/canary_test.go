package check_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

const canary = "canary7f3a"

// A node is JSON under construction: *text, node list, members, or anything that
// encoding/json writes. Members keep their order.
type (
	text    struct{ s string }
	list    []any
	member  struct{ key, value any } // key is a string that stays or a *text
	members []member
)

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case *text:
		write(b, v.s)
	case list:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, e)
		}
		b.WriteByte(']')
	case members:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, m.key)
			b.WriteByte(':')
			write(b, m.value)
		}
		b.WriteByte('}')
	default:
		out, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(out)
	}
}

// grower makes random definitions and remembers every string in them.
type grower struct {
	*rand.Rand
	texts []*text
	names int
}

func (g *grower) text() any {
	t := &text{[]string{"", "a", "ü \"\\/~ \n", "Searches the index.", "😀", "x/y~z", strings.Repeat("long ", 50)}[g.IntN(7)]}
	g.texts = append(g.texts, t)
	return t
}

// name is a member name that nobody else gives; unique, so that pointers lead somewhere.
func (g *grower) name() any {
	g.names++
	t := &text{fmt.Sprintf([]string{"n%d", "x-%d", "a/b~%d", "ä %d", "%d"}[g.IntN(5)], g.names)}
	g.texts = append(g.texts, t)
	return t
}

func (g *grower) some(depth int) any {
	switch n := g.IntN(9); {
	case n < 3 || depth > 4:
		return g.text()
	case n == 3:
		return g.IntN(100)
	case n == 4:
		return nil
	case n == 5:
		return true
	case n == 6:
		l := list{}
		for range g.IntN(4) {
			l = append(l, g.some(depth+1))
		}
		return l
	}
	ms := members{}
	for range g.IntN(4) {
		ms = append(ms, member{g.name(), g.some(depth + 1)})
	}
	return ms
}

// or is v, or once in a while something of another shape altogether.
func (g *grower) or(v func() any) any {
	if g.IntN(12) == 0 {
		return g.some(2)
	}
	return v()
}

// object picks about four of the members by name, and adds unknown ones.
func (g *grower) object(all map[string]func() any, order []string) any {
	ms := members{}
	for _, name := range order {
		if g.IntN(len(order)) < 4 {
			ms = append(ms, member{name, g.or(all[name])})
		}
	}
	if g.IntN(3) == 0 {
		ms = append(ms, member{g.name(), g.some(0)})
	}
	g.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	return ms
}

func (g *grower) many(v func() any) func() any {
	return func() any {
		l := list{}
		for range g.IntN(3) {
			l = append(l, v())
		}
		return l
	}
}

func (g *grower) named(v func() any) func() any {
	return func() any {
		ms := members{}
		for range g.IntN(3) {
			ms = append(ms, member{g.name(), v()})
		}
		return ms
	}
}

func (g *grower) schema(depth int) func() any {
	return func() any {
		if depth > 2 {
			return g.text()
		}
		sub := g.schema(depth + 1)
		some := func() any { return g.some(1) }
		return g.object(map[string]func() any{
			"type": g.text, "title": g.text, "description": g.text, "$comment": g.text, "pattern": g.text, "format": g.text, "$ref": g.text, "$id": g.text,
			"properties": g.named(sub), "$defs": g.named(sub), "definitions": g.named(sub), "patternProperties": g.named(sub), "dependentRequired": g.named(g.many(g.text)),
			"anyOf": g.many(sub), "oneOf": g.many(sub), "allOf": g.many(sub), "not": sub, "if": sub, "items": sub, "prefixItems": g.many(sub), "additionalProperties": sub,
			"enum": g.many(some), "const": some, "default": some, "examples": g.many(some), "required": g.many(g.text),
		}, []string{"type", "title", "description", "$comment", "pattern", "format", "$ref", "$id", "properties", "$defs", "definitions", "patternProperties",
			"dependentRequired", "anyOf", "oneOf", "allOf", "not", "if", "items", "prefixItems", "additionalProperties", "enum", "const", "default", "examples", "required"})
	}
}

func (g *grower) item() any {
	some := func() any { return g.some(0) }
	return g.object(map[string]func() any{
		"name": g.text, "title": g.text, "description": g.text, "uri": g.text, "uriTemplate": g.text, "mimeType": g.text,
		"inputSchema": g.schema(0), "outputSchema": g.schema(0), "annotations": some, "_meta": some, "execution": some,
		"icons":     g.many(func() any { return members{{"src", g.text()}, {"mimeType", g.text()}, {g.name(), g.text()}} }),
		"arguments": g.many(func() any { return members{{"name", g.text()}, {"description", g.text()}, {"required", true}} }),
	}, []string{"name", "title", "description", "uri", "uriTemplate", "mimeType", "inputSchema", "outputSchema", "annotations", "_meta", "execution", "icons", "arguments"})
}

func (g *grower) snapshot() any {
	item := func() any { return g.or(g.item) }
	doc := members{
		{"tools", g.or(g.many(item))}, {"prompts", g.many(item)()}, {"resources", g.many(item)()},
		{"resourceTemplates", g.many(item)()},
		{"instructions", g.text()},
		{"server", members{{"name", g.text()}, {"title", g.text()}, {"description", g.text()}, {"version", g.text()},
			{"serverInfo", members{{"name", g.text()}, {"description", g.text()}}}}},
	}
	return doc
}

// sees reports every field that holds the canary.
var sees = &check.Check{
	ID: "TST-001", Name: "canary", Severity: finding.Info, Maturity: check.Experimental, Axis: "a", Needs: check.Definitions, Doc: "d", Advice: "a", Taxonomy: "MCP03:2025 weak, ASI01 weak, CWE-200 weak, L4 close, L1 weak", Source: "https://example.com/rule",
	RunItem: func(it *check.Item) {
		for i := range it.Fields {
			f := &it.Fields[i]
			if at := strings.Index(f.Text.Raw, canary); at >= 0 {
				it.Report(check.Report{Field: f, Start: at, End: at + len(canary), Message: "seen"})
			}
		}
	},
}

// leads reports whether the pointer leads to the canary: to a string that is it, or to a
// member that is named so.
func leads(doc any, pointer string, isKey bool) bool {
	v, last := doc, ""
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		last = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[last]
			if !ok {
				return false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(last)
			if err != nil || i < 0 || i >= len(at) {
				return false
			}
			v = at[i]
		default:
			return false
		}
	}
	return isKey && last == canary || !isKey && v == canary
}

// TestCanary plants a word in each string of random definitions in turn. Whatever the
// shape around it, a check must be shown it, at a place that is right.
func TestCanary(t *testing.T) {
	rounds := 10
	if os.Getenv("GAUNTLET_HEAVY") != "" {
		rounds = 60
	}
	planted := 0
	for seed := range rounds {
		g := &grower{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
		doc := g.snapshot()
		for _, site := range g.texts {
			before := site.s
			site.s = canary
			var b strings.Builder
			write(&b, doc)
			site.s = before
			planted++
			c, err := catalog.Parse("x.json", b.String(), catalog.Limits{})
			if err != nil {
				t.Fatalf("seed %d: %v in %s", seed, err, b.String())
			}
			var whole any
			if err := json.Unmarshal([]byte(b.String()), &whole); err != nil {
				t.Fatal(err)
			}
			found := check.Run(c, []*check.Check{sees}, check.Options{}).Findings
			if len(found) == 0 {
				t.Fatalf("seed %d: the canary is not seen in\n%s", seed, b.String())
			}
			for _, f := range found {
				if !leads(whole, f.Location.Pointer, f.Location.IsKey) || f.Evidence.Raw != canary {
					t.Fatalf("seed %d: %q read at %s (name: %v) of\n%s", seed, f.Evidence.Raw, f.Location.Pointer, f.Location.IsKey, b.String())
				}
			}
		}
	}
	t.Logf("%d canaries", planted)
}
