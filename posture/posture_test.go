package posture

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/rawjson"
	"gauntlet/result"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func parse(t testing.TB, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse("in.json", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func find(t *testing.T, signals []result.Signal, id string) result.Signal {
	t.Helper()
	for _, s := range signals {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("there is no signal %q", id)
	return result.Signal{}
}

// tools wraps the members of tools into a snapshot.
func tools(members ...string) string {
	for i, m := range members {
		members[i] = fmt.Sprintf(`{"name":"t%d",%s}`, i, m)
	}
	return `{"tools":[` + strings.Join(members, ",") + `]}`
}

func TestSignals(t *testing.T) {
	const (
		seen    = result.Seen
		notSeen = result.NotSeen
		probe   = result.NeedsProbe
	)
	for _, tt := range []struct {
		name, in, id string
		state        result.State
		detail       string
	}{
		{"one of two annotated", tools(`"annotations":{"readOnlyHint":false}`, `"description":"d"`), "annotations", seen, "1 of 2 tools"},
		{"a title is no hint", tools(`"annotations":{"title":"T"}`), "annotations", notSeen, "0 of 1 tool"},
		{"a hint that is a string says nothing", tools(`"annotations":{"readOnlyHint":"true"}`), "read-only-hint", notSeen, "0 of 1 tool"},
		{"annotations that are no object", tools(`"annotations":[true]`), "annotations", notSeen, "0 of 1 tool"},
		{"false is a statement", tools(`"annotations":{"destructiveHint":false}`), "destructive-hint", seen, "1 of 1 tool"},
		{"open world", tools(`"annotations":{"openWorldHint":true}`), "open-world-hint", seen, "1 of 1 tool"},
		{"the last of a repeated member counts", tools(`"annotations":{"readOnlyHint":true},"annotations":{}`), "annotations", notSeen, "0 of 1 tool"},
		{"an escaped member name is the same name", tools(`"annot\u0061tions":{"readOnlyHint":true}`), "annotations", seen, "1 of 1 tool"},
		{"no tool, other items", `{"prompts":[{"name":"p"}]}`, "annotations", probe, "no tool was read, so there is nothing to judge by"},
		{"an empty list of tools", `{"tools":[]}`, "annotations", probe, "no tool was read, so there is nothing to judge by"},
		{"a tool that is no object is a tool", `{"tools":[42]}`, "annotations", notSeen, "0 of 1 tool"},

		{"output schema", tools(`"outputSchema":{}`, `"outputSchema":null`), "output-schemas", seen, "1 of 2 tools"},
		{"closed schema", tools(`"inputSchema":{"additionalProperties":false}`, `"inputSchema":{"additionalProperties":true}`), "closed-schemas", seen, "1 of 2 tools"},
		{"additionalProperties as a schema is open", tools(`"inputSchema":{"additionalProperties":{}}`), "closed-schemas", notSeen, "0 of 1 tool"},
		{"a nested closed object is not a closed schema", tools(`"inputSchema":{"properties":{"a":{"additionalProperties":false}}}`), "closed-schemas", notSeen, "0 of 1 tool"},
		{"bounds on strings", tools(`"inputSchema":{"properties":{"a":{"type":"string","maxLength":9},"b":{"enum":["x"],"type":"string"},"c":{"type":"string","pattern":"^a"},"d":{"type":"string"},"e":{"type":"integer","enum":[1]}}}`), "bounded-strings", seen, "3 of 4 string parameters"},
		{"unbound strings", tools(`"inputSchema":{"properties":{"a":{"type":"string","minLength":1}}}`), "bounded-strings", notSeen, "0 of 1 string parameter"},
		{"nothing to bound", tools(`"inputSchema":{"properties":{"a":true}}`), "bounded-strings", notSeen, "1 tool without a string parameter"},
		{"no tool to bound", `{"tools":[]}`, "bounded-strings", probe, "no string parameter was read, so there is nothing to judge by"},

		{"top-level version", tools(`"version":"1.2"`), "tool-version", seen, "1 of 1 tool"},
		{"version as a number", tools(`"version":3`), "tool-version", seen, "1 of 1 tool"},
		{"empty version", tools(`"version":""`), "tool-version", notSeen, "0 of 1 tool"},
		{"_meta version", tools(`"_meta":{"version":"1"}`), "tool-version", seen, "1 of 1 tool"},
		{"_meta version with a prefix", tools(`"_meta":{"com.example/version":"1"}`), "tool-version", seen, "1 of 1 tool"},
		{"_meta schemaVersion is of something else", tools(`"_meta":{"com.example/schemaVersion":"1"}`), "tool-version", notSeen, "0 of 1 tool"},
		{"both stamps on one tool count once", tools(`"version":"1","_meta":{"version":"1"}`), "tool-version", seen, "1 of 1 tool"},

		{"squatted prefix", tools(`"_meta":{"com.mcp.tools/x":1}`), "reserved-meta", seen, `1 of 1 definition, for instance "com.mcp.tools/x"`},
		{"squatted prefix on a prompt", `{"prompts":[{"name":"p","_meta":{"io.modelcontextprotocol/verified":true}}]}`, "reserved-meta", seen, `1 of 1 definition, for instance "io.modelcontextprotocol/verified"`},
		{"a key of the specification", tools(`"_meta":{"io.modelcontextprotocol/related-task":{}}`), "reserved-meta", notSeen, "0 of 1 definition"},
		{"mcp as the third label is free", tools(`"_meta":{"com.example.mcp/x":1,"com.mongodb/x":1,"mcp":1}`), "reserved-meta", notSeen, "0 of 1 definition"},
		{"hostile key is quoted", tools(`"_meta":{"a.mcp/\u001b[2J\u202e":1}`), "reserved-meta", seen, `1 of 1 definition, for instance "a.mcp/\x1b[2J\u202e"`},
		{"no definition", `{"instructions":"Use with care."}`, "reserved-meta", probe, "no definition was read, so there is nothing to judge by"},

		{"identity", `{"server":{"name":"s","version":"1"},"tools":[]}`, "server-identity", seen, "1 of 1 server"},
		{"identity inside the server object", `{"server":{"serverInfo":{"name":"s","version":"1"}},"tools":[]}`, "server-version", seen, "1 of 1 server that describes itself"},
		{"two identities of one server count once", `{"server":{"name":"s"},"serverInfo":{"name":"s"},"tools":[]}`, "server-identity", seen, "1 of 1 server"},
		{"a list alone proves no namelessness", `{"tools":[]}`, "server-identity", probe, "0 of 1 server in this input; the live server may say more"},
		{"name without version", `{"server":{"name":"s"},"tools":[]}`, "server-version", notSeen, "0 of 1 server that describes itself"},
		{"no name, so no version to miss", `{"tools":[]}`, "server-version", probe, "no server that describes itself was read, so there is nothing to judge by"},
		{"instructions", `{"instructions":"Use with care."}`, "instructions", seen, "1 of 1 server that describes itself"},
		{"an identity without instructions", `{"server":{"name":"s"},"instructions":null,"tools":[]}`, "instructions", notSeen, "0 of 1 server that describes itself"},
		{"blank instructions are none", `{"server":{"name":"s"},"instructions":" "}`, "instructions", notSeen, "0 of 1 server that describes itself"},
		{"no capabilities in the input", `{"server":{"name":"s"},"tools":[]}`, "capabilities", probe, "0 of 1 server in this input; the live server may say more"},
		{"capabilities", `{"server":{"capabilities":{"tools":{}}},"tools":[]}`, "capabilities", seen, "1 of 1 server"},
		{"capabilities without listChanged", `{"server":{"capabilities":{"tools":{"listChanged":false}}},"tools":[]}`, "list-changed", notSeen, "0 of 1 server whose capabilities are known"},
		{"listChanged of prompts", `{"server":{"capabilities":{"tools":{},"prompts":{"listChanged":true}}},"tools":[]}`, "list-changed", seen, "1 of 1 server whose capabilities are known"},
		{"listChanged of unknown capabilities", `{"tools":[]}`, "list-changed", probe, "no server whose capabilities are known was read, so there is nothing to judge by"},
		{"two servers, one known", `{"servers":[{"server":{"name":"a","capabilities":{"tools":{"listChanged":true}}},"tools":[]},{"tools":[]}]}`, "list-changed", seen, "1 of 1 server whose capabilities are known"},

		{"transport", tools(`"description":"d"`), "origin-check", probe, "needs HTTP requests with a foreign Origin and the right Host"},
		{"firewall", tools(`"description":"d"`), "waf", result.Invisible, "a firewall that lets a request pass cannot be told from none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := find(t, Map(parse(t, tt.in)), tt.id)
			if got.State != tt.state || got.Detail != tt.detail {
				t.Errorf("%s of %s = %s, %q; want %s, %q", tt.id, tt.in, got.State, got.Detail, tt.state, tt.detail)
			}
		})
	}
}

const golden = "testdata/map.golden"

func TestWholeMap(t *testing.T) {
	in, err := os.ReadFile("testdata/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range Map(parse(t, string(in))) {
		fmt.Fprintf(&b, "%-19s  %-21s  %-19s  %s: %s\n", s.Layer, s.State, s.ID, s.Name, s.Detail)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestEverySignalAlwaysAppears(t *testing.T) {
	var none Collector
	full := Map(parse(t, `{"server":{"name":"s"},"tools":[{"name":"t"}]}`))
	for i, s := range none.Signals() {
		if s.ID != full[i].ID || s.Layer != full[i].Layer || s.Name != full[i].Name {
			t.Errorf("line %d is %s without input and %s with", i, s.ID, full[i].ID)
		}
		if s.State == result.Seen || s.State == result.NotSeen {
			t.Errorf("%s is %s though nothing was read", s.ID, s.State)
		}
	}
}

func TestSignalsAreWellFormed(t *testing.T) {
	ids, layer, perLayer := map[string]bool{}, "", map[string]int{}
	for _, s := range new(Collector).Signals() {
		if ids[s.ID] || s.ID == "" || s.Name == "" || s.Detail == "" || s.State == "" {
			t.Errorf("%+v: an id used twice or an empty field", s)
		}
		if s.Layer < layer {
			t.Errorf("%s of %s stands behind %s", s.ID, s.Layer, layer)
		}
		ids[s.ID], layer = true, s.Layer
		perLayer[s.Layer]++
	}
	if len(perLayer) != 6 {
		t.Errorf("layers %v, want all six", perLayer)
	}
}

// However the items are shared out and merged, the map is the same.
func TestMergeEqualsOneWalk(t *testing.T) {
	in, err := os.ReadFile("testdata/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	c := parse(t, string(in))
	want := Map(c)
	for shares := 1; shares <= 4; shares++ {
		parts := make([]Collector, shares)
		n := 0
		var tree rawjson.Tree
		for _, s := range c.Servers {
			parts[shares-1].AddServer(s)
			for it := range s.Items() {
				parts[n%shares].Add(s, it, it.Parse(s, &tree))
				n++
			}
		}
		var forward, backward Collector
		for i := range parts {
			forward.Merge(&parts[i])
			backward.Merge(&parts[shares-1-i])
		}
		for name, got := range map[string][]result.Signal{"forward": forward.Signals(), "backward": backward.Signals()} {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d shares merged %s:\n%v\nwant\n%v", shares, name, got, want)
			}
		}
	}
}

func TestMergeLeavesTheOtherAlone(t *testing.T) {
	c := parse(t, `{"servers":[{"tools":[{"name":"a"}]},{"tools":[{"name":"b"}]}]}`)
	var a, b, sum Collector
	var tree rawjson.Tree
	for i, part := range []*Collector{&a, &b} {
		s := c.Servers[i]
		part.Add(s, &s.Tools()[0], s.Tools()[0].Parse(s, &tree))
	}
	sum.Merge(&a)
	sum.Merge(&b)
	if len(a.servers) != 1 || len(sum.servers) != 2 {
		t.Errorf("a counts %d servers, the sum %d; want 1 and 2", len(a.servers), len(sum.servers))
	}
}

// The promise: the map costs a few milliseconds for 10,000 tools.
func BenchmarkMap(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := parse(b, manyTools(n))
			b.ReportAllocs()
			for b.Loop() {
				Map(c)
			}
		})
	}
}

// BenchmarkAdd is what a walk that parses anyway pays for the map.
func BenchmarkAdd(b *testing.B) {
	c := parse(b, manyTools(1))
	s := c.Servers[0]
	it := &s.Tools()[0]
	var tree rawjson.Tree
	v := it.Parse(s, &tree)
	var collector Collector
	b.ReportAllocs()
	for b.Loop() {
		collector.Add(s, it, v)
	}
}

func manyTools(n int) string {
	const tool = `{"name":"tool_%d","description":"Reads a file below the project's root and returns its text.",` +
		`"inputSchema":{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string","maxLength":4096,` +
		`"description":"Path below the root"},"encoding":{"type":"string","enum":["utf-8","latin-1"]},"limit":{"type":"integer"}},` +
		`"required":["path"]},"annotations":{"readOnlyHint":true,"openWorldHint":false},"_meta":{"com.example/version":"1.0"}}`
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, tool, i)
	}
	b.WriteString("]}")
	return b.String()
}
