package diff

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gauntlet/catalog"
)

func parse(t testing.TB, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse("in.json", text, catalog.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

// lines tells a diff in a line an item.
func lines(d *Diff) []string {
	out := []string{}
	for _, s := range d.Servers {
		if s.State != Changed || s.Was != "" {
			out = append(out, s.Name+" server "+string(s.State)+" was "+s.Was)
		}
		for _, it := range s.Items {
			var parts []string
			for _, p := range it.Parts {
				parts = append(parts, p.Member+" "+string(p.State))
			}
			out = append(out, strings.TrimSpace(s.Name+" "+string(it.Kind)+" "+it.Name+" "+string(it.State)+": "+strings.Join(parts, ", ")))
		}
	}
	return out
}

func TestCatalogs(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           []string
		changed        bool
	}{
		{"the same, written otherwise", `{"tools":[{"name":"a","n":1.0,"description":"x"}]}`, `{"tools":[{"description":"\u0078","n":1,"name":"a"}]}`, []string{}, false},
		{"in another order", `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"b"},{"name":"a"}]}`, []string{}, false},
		{"a tool came", `{"tools":[]}`, `{"tools":[{"name":"a","description":"x"}]}`, []string{"in tool a added: description added"}, false},
		{"a tool went", `{"tools":[{"name":"a"}]}`, `{"tools":[]}`, []string{"in tool a removed:"}, true},
		{"a tool has another name", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"b"}]}`, []string{"in tool a removed:", "in tool b added:"}, true},
		{"members came, changed and went", `{"tools":[{"name":"a","title":"t","x":1}]}`, `{"tools":[{"name":"a","title":"u","y":1}]}`, []string{"in tool a changed: title changed, y added, x removed"}, true},
		{"a member that repeats", `{"tools":[{"name":"a","description":"x"}]}`, `{"tools":[{"name":"a","description":"x","description":"y"}]}`, []string{"in tool a changed: description added"}, true},
		{"a prompt and a tool of one name", `{"tools":[{"name":"a"}],"prompts":[{"name":"a"}]}`, `{"tools":[{"name":"a"}],"prompts":[{"name":"a","title":"t"}]}`, []string{"in prompt a changed: title added"}, true},
		{"one of two of a name", `{"tools":[{"name":"a","x":1},{"name":"a","x":2}]}`, `{"tools":[{"name":"a","x":3},{"name":"a","x":1}]}`, []string{"in tool a changed: x changed"}, true},
		{"two of a name change places", `{"tools":[{"name":"a","x":1},{"name":"a","x":2}]}`, `{"tools":[{"name":"a","x":2},{"name":"a","x":1}]}`, []string{"in tool a changed: order of the definitions of this name changed"}, true},
		{"a second of a name came", `{"tools":[{"name":"a","x":1}]}`, `{"tools":[{"name":"a","x":2},{"name":"a","x":1}]}`, []string{"in tool a added: x added"}, false},
		{"an item that is no object", `{"tools":[5]}`, `{"tools":[6]}`, []string{"in tool  changed:  changed"}, true},
		{"instructions came", `{"server":{"name":"s"},"tools":[]}`, `{"server":{"name":"s"},"instructions":"x","tools":[]}`, []string{"s server  changed: instructions added"}, true},
		{"instructions where a bare list was", `{"tools":[]}`, `{"instructions":"x","tools":[]}`, []string{"in server  added: instructions added"}, false},
		{"another version", `{"server":{"name":"s","version":"1"},"tools":[]}`, `{"server":{"name":"s","version":"2"},"tools":[]}`, []string{"s server  changed: server changed"}, true},
		{"another revision", `{"protocolVersion":"2024-11-05","server":{"name":"s"},"tools":[]}`, `{"protocolVersion":"2025-11-25","server":{"name":"s"},"tools":[]}`, []string{"s server  changed: protocolVersion changed"}, true},
		{"no revision", `{"protocolVersion":"2024-11-05","server":{"name":"s"},"tools":[]}`, `{"server":{"name":"s"},"tools":[]}`, []string{}, false},
		{"another name", `{"server":{"name":"s"},"tools":[]}`, `{"server":{"name":"t"},"tools":[]}`, []string{"t server changed was s", "t server  changed: server changed"}, true},
		{"a server came", `{"servers":[{"name":"a","tools":[]}]}`, `{"servers":[{"name":"a","tools":[]},{"name":"b","tools":[{"name":"x"}]}]}`, []string{"b server added was", "b server  added:", "b tool x added:"}, false},
		{"a server went", `{"servers":[{"name":"a","tools":[]},{"name":"b","tools":[]}]}`, `{"servers":[{"name":"a","tools":[]},{"name":"c","tools":[]}]}`, []string{"b server removed was", "b server  removed:", "c server added was", "c server  added:"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Catalogs(parse(t, tt.old), parse(t, tt.new))
			got := lines(d)
			for i := range got {
				got[i] = strings.TrimSpace(got[i])
			}
			if !reflect.DeepEqual(got, tt.want) || d.Changed() != tt.changed {
				t.Errorf("%s → %s: %q, changed %v, want %q, %v", tt.old, tt.new, got, d.Changed(), tt.want, tt.changed)
			}
		})
	}
}

func TestProblemsMakeItIncomplete(t *testing.T) {
	d := Catalogs(parse(t, `{"tools":[],"nextCursor":"x"}`), parse(t, `{"tools":[]}`))
	if d.Summary.Complete || len(d.Problems) != 1 || !strings.HasPrefix(d.Problems[0].Message, "old: the list goes on") {
		t.Errorf("problems %v, complete %v", d.Problems, d.Summary.Complete)
	}
}

// A diff does not depend on the order in which things came.
func TestOrderDoesNotMatter(t *testing.T) {
	old := []string{`{"name":"a","x":1}`, `{"name":"b"}`, `{"name":"c","description":"one"}`, `{"name":"d"}`}
	new := []string{`{"name":"a","x":2}`, `{"name":"c","description":"two"}`, `{"name":"d"}`, `{"name":"e"}`}
	snapshot := func(tools []string) *catalog.Catalog { return parse(t, `{"tools":[`+strings.Join(tools, ",")+`]}`) }
	want := Catalogs(snapshot(old), snapshot(new))
	for range 20 {
		rand.Shuffle(len(old), func(i, j int) { old[i], old[j] = old[j], old[i] })
		rand.Shuffle(len(new), func(i, j int) { new[i], new[j] = new[j], new[i] })
		if got := Catalogs(snapshot(old), snapshot(new)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v and %v: %q, want %q", old, new, lines(got), lines(want))
		}
	}
}

func TestCorpusHasNoDifferenceToItself(t *testing.T) {
	corpus := os.Getenv("GAUNTLET_CORPUS")
	if corpus == "" {
		t.Skip("GAUNTLET_CORPUS names no corpus")
	}
	files, err := filepath.Glob(filepath.Join(corpus, "snapshots", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := Catalogs(parse(t, string(text)), parse(t, string(text))); len(d.Servers) > 0 {
			t.Errorf("%s: %q", file, lines(d))
		}
	}
}

// FuzzCatalogs: nothing differs from itself; the way back has as many changes; what is
// written is JSON; and the edits of every text are both texts.
func FuzzCatalogs(f *testing.F) {
	f.Add(`{"tools":[{"name":"a","description":"one two"}]}`, `{"tools":[{"name":"a","description":"one three"},{"name":"b"}]}`)
	f.Add(`{"instructions":"x","tools":[{"name":"a","inputSchema":{"type":"object"}}]}`, `{"tools":{"name":"a"},"prompts":[[],1,{"name":"p","name":"q"}]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		old, err := catalog.Parse("a", a, catalog.Limits{})
		if err != nil {
			t.Skip()
		}
		if d := Catalogs(old, old); len(d.Servers) > 0 || d.Changed() {
			t.Errorf("%s differs from itself: %q", a, lines(d))
		}
		new, err := catalog.Parse("b", b, catalog.Limits{})
		if err != nil {
			t.Skip()
		}
		d, back := Catalogs(old, new), Catalogs(new, old)
		if d.Summary.Added != back.Summary.Removed || d.Summary.Same != back.Summary.Same {
			if len(old.Servers[0].Self) > 0 && len(new.Servers[0].Self) > 0 { // else words came that were never removed
				t.Errorf("%s → %s: %+v, back %+v", a, b, d.Summary, back.Summary)
			}
		}
		if _, err := json.Marshal(d); err != nil {
			t.Errorf("%v", err)
		}
	})
}
