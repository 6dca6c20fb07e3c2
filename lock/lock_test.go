package lock

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/integrity"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const date = "2026-11-21"

func parse(t testing.TB, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse("in.json", text, catalog.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

func entries(c *catalog.Catalog) []Server {
	var out []Server
	for _, s := range c.Servers {
		out = append(out, FromServer(s, Target{}, date))
	}
	return out
}

func locked(t testing.TB, text string) string {
	t.Helper()
	f := File{Servers: entries(parse(t, text))}
	return string(f.Bytes())
}

func mustRead(t testing.TB, text string) *Read {
	t.Helper()
	r, err := Parse("lock.json", text, catalog.Limits{})
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return r
}

const calc = `{"server":{"name":"calc","version":"1.0"},"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
"instructions":"Adds.","tools":[
{"name":"mul","inputSchema":{"required":["a"],"type":"object"},"x":1.50},
{"name":"add","description":"Adds \u200b\"two\" <numbers>.\n"},
{"name":"add","description":"Another."}],"prompts":[]}`

func TestFileForm(t *testing.T) {
	f := File{Servers: entries(parse(t, calc))}
	f.Servers[0].Target = Target{Command: "node"}
	got := string(f.Bytes())
	const golden = "testdata/calc.lock.json"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the lockfile of %s is\n%swant that of %s", calc, got, golden)
	}
	if r := mustRead(t, got); len(r.Catalog.Problems) != 0 || !bytes.Equal(r.Bytes(), []byte(got)) {
		t.Errorf("read and written again it is\n%s%v", r.Bytes(), r.Catalog.Problems)
	}
}

func TestOrderAndSpellingDoNotMatter(t *testing.T) {
	a := locked(t, `{"servers":[{"name":"b","tools":[{"name":"y"},{"name":"x","n":1.0}]},{"name":"a","tools":[]}]}`)
	b := locked(t, `{"servers":[{"tools":[],"name":"a"},{"tools":[{"n":1,"name":"\u0078"},{"name":"y"}],"name":"b"}]}`)
	if a != b {
		t.Errorf("one content, two lockfiles:\n%s\n%s", a, b)
	}
}

func TestHandEditsAreSeen(t *testing.T) {
	whole := locked(t, calc)
	for _, tt := range []struct{ name, old, new, problem string }{
		{"a description", "Another.", "Another one.", "hash is not that of the definition"},
		{"the instructions", `"Adds."`, `"Adds!"`, "hash is not that of the definition"},
		{"a hash", mustRead(t, whole).Servers[0].Lists[0].Items[0].Hash, hashText("x"), "hash is not that of the definition"},
		{"the date", date, "2026-11-22", "hash of the server"},
		{"the protocol revision", "2025-11-25", "2025-06-18", "hash of the server"},
		{"an empty list taken out", `"prompts": []`, `"resources": []`, "hash of the server"},
		{"another layout", "\n  ", "\n", ""},
		{"another spelling", `"Adds."`, `"\u0041dds."`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edited := strings.ReplaceAll(whole, tt.old, tt.new)
			if edited == whole {
				t.Fatalf("%q is not there", tt.old)
			}
			got := mustRead(t, edited).Catalog.Problems
			switch {
			case tt.problem == "" && len(got) != 0:
				t.Errorf("problems %v, want none", got)
			case tt.problem != "" && (len(got) == 0 || !strings.Contains(got[0].Message, tt.problem)):
				t.Errorf("problems %v, want %q", got, tt.problem)
			}
		})
	}
	t.Run("a tool taken out", func(t *testing.T) {
		tools := mustRead(t, whole)
		tools.Servers[0].Lists[0].Items = tools.Servers[0].Lists[0].Items[:2]
		w := &writer{}
		w.writeServer(&tools.Servers[0], mustRead(t, whole).Servers[0].digest())
		got := mustRead(t, `{"lockfileVersion":1,"servers":[`+string(w.b)+`]}`).Catalog.Problems
		if len(got) != 1 || !strings.Contains(got[0].Message, `hash of the server "calc"`) {
			t.Errorf("problems %v, want one about the server", got)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	const server = `{"name":"a","date":"d","hash":"h"}`
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", `{`, "not JSON"},
		{"another version", `{"lockfileVersion":2,"servers":[` + server + `]}`, "lockfileVersion is 2"},
		{"a version that repeats", `{"lockfileVersion":1,"lockfileVersion":1,"servers":[]}`, "twice"},
		{"no servers", `{"lockfileVersion":1}`, "servers is missing"},
		{"servers as an object", `{"lockfileVersion":1,"servers":{}}`, "servers is not a list"},
		{"a server that is none", `{"lockfileVersion":1,"servers":[1]}`, "a server is not an object"},
		{"a server without a hash", `{"lockfileVersion":1,"servers":[{"name":"a"}]}`, "no name or no hash"},
		{"one name twice", `{"lockfileVersion":1,"servers":[` + server + `,` + server + `]}`, `two servers are called "a"`},
		{"an unknown member", `{"lockfileVersion":1,"servers":[{"nmae":"a"}]}`, `unknown member "nmae"`},
		{"a definition without a hash", `{"lockfileVersion":1,"servers":[{"name":"a","hash":"h","tools":[{"definition":{}}]}]}`, "not both a hash and a definition"},
		{"a bare definition", `{"lockfileVersion":1,"servers":[{"name":"a","hash":"h","tools":[{"name":"x"}]}]}`, `unknown member "name"`},
		{"tools as an object", `{"lockfileVersion":1,"servers":[{"name":"a","hash":"h","tools":{"hash":"h","definition":{}}}]}`, "tools is not a list"},
		{"a definition that is null", `{"lockfileVersion":1,"servers":[{"name":"a","hash":"h","instructions":{"hash":"h","definition":null}}]}`, "could not be read as a whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("l.json", tt.text, catalog.Limits{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%s): error %v, want %q", tt.text, err, tt.want)
			}
		})
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		`{"lockfileVersion":1}`: true, "\ufeff {\"servers\":[],\"lockfileVersion\":9}": true,
		`{"servers":[{"lockfileVersion":1}]}`: false, `[]`: false, ``: false, `{`: false,
	} {
		if got := Is(text); got != want {
			t.Errorf("Is(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestURLTargetHoldsNoSecret(t *testing.T) {
	for given, want := range map[string]string{
		"https://user:s3cr3t@example.com:8443/mcp?key=s3cr3t#s3cr3t": "https://example.com:8443/mcp",
		"https://example.com/mcp":                                    "https://example.com/mcp",
		"https://example.com/mcp?":                                   "https://example.com/mcp",
		"https://example.com/mcp#a%2Fb":                              "https://example.com/mcp",
		"https://user@example.com/":                                  "https://example.com/",
		"http://[::1":                                                "",
	} {
		if got := URLTarget(given); got.URL != want || got.Command != "" {
			t.Errorf("%s: target %+v, want %s", given, got, want)
		}
	}
}

const calcLater = `{"server":{"name":"calc","version":"2.0"},"capabilities":{"tools":{}},
"tools":[
{"name":"add","description":"Adds and sends."},
{"name":"mul","inputSchema":{"type":"object","required":["a"]},"x":1.5},
{"name":"div"}],"resources":[]}`

func TestChanges(t *testing.T) {
	f := &mustRead(t, locked(t, calc)).File
	var got []string
	for _, c := range f.Changes(append(entries(parse(t, calcLater)), Server{Name: "new"})) {
		got = append(got, string(c.State)+" "+c.Address.String())
	}
	want := []string{"changed calc/server", "removed calc/instructions", "changed calc/tool/add", "added calc/tool/div",
		"removed calc/prompts", "added calc/resources", "added new"}
	if !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
	if got := f.Changes(entries(parse(t, calc))); got != nil {
		t.Errorf("changes %v from the same", got)
	}
}

// Who approves a name approves what it became, and no namesake that was added.
func TestNamesakesAreChangesOfTheirOwn(t *testing.T) {
	const was, later = `{"name":"s","tools":[{"name":"read","description":"Reads."},{"name":"other"}]}`, `{"name":"s","tools":[{"name":"read","description":"Reads a file."},{"name":"read","description":"Sends all away."},{"name":"read\u200b"},{"name":"other"},{"name":"twice","x":1},{"name":"twice","x":2}]}`
	now := entries(parse(t, later))
	f := &mustRead(t, locked(t, was)).File
	changes := f.Changes(now)
	if len(changes) != 5 {
		t.Fatalf("changes %v, want read, its namesake, the one that looks alike, and each of two new ones", changes)
	}
	found, _, err := f.Find("s/tool/read", now, changes)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %v, %v", found, err)
	}
	f.Approve(now, []Address{found[0].Address}, "2026-12-01")
	if text := string(f.Bytes()); !strings.Contains(text, "Reads a file.") || strings.Contains(text, "Sends all away.") || strings.Contains(text, "Reads.\"") || strings.Contains(text, "twice") {
		t.Errorf("approved:\n%s", text)
	}
	if left := f.Changes(now); len(left) != 4 || slices.ContainsFunc(left, func(c Change) bool { return !slices.Contains(changes, c) }) {
		t.Errorf("left: %v of %v", left, changes)
	}
	if found, _, _ := f.Find("s/tool/twice", now, f.Changes(now)); found != nil {
		t.Errorf("an address of two added tools stands for %v", found)
	}
}

// Approving one after the other, in any order, is approving all.
func TestApproveKnowsNoOrder(t *testing.T) {
	approveInAnyOrder(t, calc, calcLater)
	approveInAnyOrder(t, `{"name":"calc","tools":[{"name":"a"},{"name":"b","x":1},{"name":"b","x":2}]}`,
		`{"name":"calc","tools":[{"name":"a","x":1},{"name":"a","x":2},{"name":"a","x":3},{"name":"b","x":3},{"name":"b","x":2},{"name":"b","x":4},{"name":"b","x":5},{"name":"c","x":2},{"name":"c","x":1}]}`)
}

func approveInAnyOrder(t *testing.T, was, later string) {
	t.Helper()
	now := entries(parse(t, later))
	whole := &mustRead(t, locked(t, was)).File
	whole.Approve(now, []Address{{Server: "calc"}}, "2026-12-01")
	if left := whole.Changes(now); left != nil {
		t.Fatalf("all approved, and %v is left", left)
	}
	for range 50 {
		f := &mustRead(t, locked(t, was)).File
		changes := f.Changes(now)
		rand.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		for i, c := range changes {
			f.Approve(now, []Address{c.Address}, "2026-12-01")
			if left := f.Changes(now); len(left) != len(changes)-i-1 {
				t.Fatalf("after approving %v: %v is left", changes[:i+1], left)
			}
		}
		if got, want := f.Bytes(), whole.Bytes(); !bytes.Equal(got, want) {
			t.Fatalf("approved as %v:\n%s\nat once:\n%s", changes, got, want)
		}
	}
}

func TestSnapshotSaysWhatIsLocked(t *testing.T) {
	f := &mustRead(t, locked(t, calc)).File
	if left := f.Changes(entries(parse(t, f.Snapshot()))); left != nil {
		t.Errorf("the snapshot of a lockfile differs from it: %v\n%s", left, f.Snapshot())
	}
}

func TestApproveNothingKeepsTheDate(t *testing.T) {
	f := &mustRead(t, locked(t, calc)).File
	before := f.Bytes()
	f.Approve(entries(parse(t, calc)), []Address{{Server: "calc"}}, "2027-01-01")
	if got := f.Bytes(); !bytes.Equal(got, before) {
		t.Errorf("nothing changed, and the lockfile did:\n%s", got)
	}
}

func TestFind(t *testing.T) {
	f := &mustRead(t, locked(t, `{"servers":[{"name":"@x/a","tools":[{"name":"t/u"},{"name":"v"}]},{"name":"b","tools":[]},{"name":"b/tool/c","tools":[]}]}`)).File
	now := entries(parse(t, `{"servers":[{"name":"@x/a","tools":[{"name":"t/u","x":1},{"name":"v"},{"name":"w"}]},{"name":"b","tools":[{"name":"c"}]},{"name":"b/tool/c","instructions":"x","tools":[]}]}`))
	changes := f.Changes(now)
	for _, tt := range []struct {
		typed string
		found int
		known bool
	}{
		{"@x/a", 2, true}, {"@x/a/tool/t/u", 1, true}, {"@x/a/tool/v", 0, true}, {"@x/a/tool/x", 0, false},
		{"@x/a/prompt/v", 0, false}, {"b", 1, true}, {"", 0, false}, {"@x", 0, false},
		{"@x/a/target", 0, true}, {"@x/a-target", 0, false}, {"@x/a/tools", 0, true}, {"@x/atools", 0, false},
	} {
		got, known, err := f.Find(tt.typed, now, changes)
		if len(got) != tt.found || known != tt.known || err != nil {
			t.Errorf("Find(%q) = %v, %v, %v, want %d changes, %v", tt.typed, got, known, err, tt.found, tt.known)
		}
	}
	if got, _, err := f.Find("b/tool/c", now, changes); err == nil {
		t.Errorf("an address of two things stands for %v", got)
	}
}

// TestCorpus holds the promise of a lockfile: as a baseline it is what it was made from.
func TestCorpus(t *testing.T) {
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
		c := parse(t, string(text))
		f := File{Servers: entries(c)}
		r := mustRead(t, string(f.Bytes()))
		for _, p := range r.Catalog.Problems {
			// Those of the definitions themselves, and of what was not captured.
			if strings.Contains(p.Message, "hash") {
				t.Errorf("%s: %s", file, p.Message)
			}
		}
		if changes := r.Changes(entries(c)); changes != nil {
			t.Errorf("%s: changes %v", file, changes)
		}
		if !bytes.Equal(r.Bytes(), f.Bytes()) {
			t.Errorf("%s: read and written again, the lockfile is another", file)
		}
		res := check.Run(c, integrity.Checks(), check.Options{Baseline: r.Catalog})
		for _, f := range res.Findings {
			if f.Rule != "SEC-016" {
				t.Errorf("%s: %s %s", file, f.Rule, f.Message)
			}
		}
	}
}

// FuzzParse: whatever is read is written in one form, and a lockfile without problems is
// that form but for its layout.
func FuzzParse(f *testing.F) {
	f.Add(locked(f, calc))
	f.Add(locked(f, calcLater))
	f.Add(strings.ReplaceAll(locked(f, calc), "Another", "x"))
	f.Add(`{"lockfileVersion":1,"servers":[{"name":"a","hash":"h","tools":[{"hash":"h","definition":[[]]}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse("l.json", text, catalog.Limits{})
		if err != nil {
			return
		}
		if !Is(text) {
			t.Errorf("read, and Is does not call it a lockfile")
		}
		anew := r.Bytes()
		again := mustRead(t, string(anew))
		for _, p := range again.Catalog.Problems {
			if strings.Contains(p.Message, "hash") {
				t.Errorf("written anew it has the problem %s:\n%s", p.Message, anew)
			}
		}
		if !bytes.Equal(again.Bytes(), anew) {
			t.Errorf("no fixed point:\n%s\n%s", anew, again.Bytes())
		}
		if left := again.Changes(r.Servers); left != nil {
			t.Errorf("written and read it has changes: %v", left)
		}
		for i, s := range r.Catalog.Servers {
			for it := range s.Items() {
				if it.Kind != finding.Server && !slices.ContainsFunc(r.Servers[i].Lists[:], func(l List) bool {
					return slices.ContainsFunc(l.Items, func(e Item) bool { return e.Name == it.Name() })
				}) {
					t.Errorf("%s is in the catalog alone", it.Label())
				}
			}
		}
	})
}

// Where a server is and what it speaks are compared only where both sides say so: a snapshot does not.
func TestTargetAndRevisionWhereKnown(t *testing.T) {
	npx, uvx := Target{Command: "npx"}, Target{Command: "uvx"}
	for _, tt := range []struct {
		name          string
		was, is       Target
		wasRev, isRev string
		want          string // what changed
	}{
		{"the same", npx, npx, "2025-06-18", "2025-06-18", ""},
		{"another target", npx, uvx, "", "", "target"},
		{"a target that was not known", Target{}, npx, "", "", ""},
		{"a target that is not known now", npx, Target{}, "", "", ""},
		{"another revision", npx, npx, "2025-06-18", "2025-11-25", "protocolVersion"},
		{"a revision that was not known", npx, npx, "", "2025-11-25", ""},
		{"a revision that is not known now", npx, npx, "2025-06-18", "", ""},
	} {
		f := &File{Servers: []Server{{Name: "a", Target: tt.was, Revision: tt.wasRev}}}
		got := ""
		for _, c := range f.Changes([]Server{{Name: "a", Target: tt.is, Revision: tt.isRev}}) {
			got += c.Address.What
		}
		if got != tt.want {
			t.Errorf("%s: changed %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Damage to one server does not hide that another one was edited.
func TestEveryEditedServerIsSeen(t *testing.T) {
	whole := locked(t, `{"servers":[{"name":"a","tools":[{"name":"t","description":"First."}]},{"name":"b","tools":[],"protocolVersion":"2025-11-25"}]}`)
	edited := strings.ReplaceAll(strings.ReplaceAll(whole, "First.", "Changed."), "2025-11-25", "2025-06-18")
	got := mustRead(t, edited).Damage
	if len(got) != 2 || !strings.Contains(got[0].Message, "definition beside it") || !strings.Contains(got[1].Message, `hash of the server "b"`) {
		t.Errorf("damage %v, want one of the definition in a and one of the server b", got)
	}
}
