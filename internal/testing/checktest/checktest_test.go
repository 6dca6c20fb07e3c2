package checktest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

// recorder is a T that keeps the complaints.
type recorder struct{ errors []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// fake fires on every "evil" in a value, at its place.
func fake(id finding.Rule) *check.Check {
	return &check.Check{
		ID: id, Name: "fake", Severity: finding.Low, Maturity: check.Experimental, Axis: "a",
		Needs: check.Definitions, Doc: "d", Advice: "a", Taxonomy: "MCP03:2025 weak, ASI01 weak, CWE-200 weak, L4 close, L1 weak", Source: "https://example.com/rule",
		RunItem: func(it *check.Item) {
			for i := range it.Fields {
				f := &it.Fields[i]
				if at := strings.Index(f.Text.Raw, "evil"); at >= 0 {
					it.Report(check.Report{Field: f, Start: at, End: at + 4, Message: "says evil"})
				}
			}
		},
	}
}

func with(k *check.Check, change func(*check.Check)) *check.Check {
	change(k)
	return k
}

const (
	bad  = "-- bad.json --\n{\"tools\":[{\"name\":\"a\",\"description\":\"é evil\",\"evil\\/~x\":{\"z\":1,\"b\":\"evil\"}}]}\n"
	miss = "-- near-miss.json --\n{\"tools\":[{\"name\":\"a\",\"description\":\"good\"}]}\n"
	want = "-- want --\n" +
		"bad.json /tools/0/description: low: says evil: \"evil\"\n" +
		"bad.json /tools/0/evil~1~0x (name): low: says evil: \"evil\"\n" +
		"bad.json /tools/0/evil~1~0x/b: low: says evil: \"evil\"\n"
)

func goldens(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	one := []*check.Check{fake("SEC-001")}
	calls := 0
	for _, tt := range []struct {
		name   string
		files  map[string]string
		checks []*check.Check
		want   string // part of the only complaint; "" for none
	}{
		{"all is well", map[string]string{"SEC-001.txtar": bad + miss + want}, one, ""},
		{"no golden", nil, one, "check SEC-001 has no golden"},
		{"orphan", map[string]string{"SEC-001.txtar": bad + miss + want, "SEC-009.txtar": ""}, one, "orphan golden"},
		{"no bad section", map[string]string{"SEC-001.txtar": miss + want}, one, "no section bad.json"},
		{"no near miss", map[string]string{"SEC-001.txtar": bad + want}, one, "no section near-miss.json"},
		{"unknown section", map[string]string{"SEC-001.txtar": bad + miss + want + "-- good.json --\n"}, one, "unknown section good.json"},
		{"a section twice", map[string]string{"SEC-001.txtar": bad + bad + miss + want}, one, "two sections bad.json"},
		{"silent bad snapshot", map[string]string{"SEC-001.txtar": bad + miss + want + strings.Replace(miss, "near-miss", "bad-2", 1)}, one, "silent on bad-2.json"},
		{"firing near miss", map[string]string{"SEC-001.txtar": bad + strings.Replace(miss, "good", "evil", 1) + want}, one, "fires on a near miss"},
		{"second near miss fires", map[string]string{"SEC-001.txtar": bad + miss + want + strings.Replace(bad, "bad", "near-miss-2", 1)}, one, "fires on a near miss"},
		{"want differs", map[string]string{"SEC-001.txtar": bad + miss + strings.Replace(want, "says", "said", 1)}, one, "findings differ"},
		{"near miss is not JSON", map[string]string{"SEC-001.txtar": bad + "-- near-miss.json --\nnope\n" + want}, one, "not JSON"},
		{"duplicate id", map[string]string{"SEC-001.txtar": bad + miss + want}, []*check.Check{one[0], fake("SEC-001")}, "used twice"},
		{"no Doc", nil, []*check.Check{with(fake("SEC-001"), func(k *check.Check) { k.Doc = "" })}, "Doc is missing"},
		{"no Advice", nil, []*check.Check{with(fake("SEC-001"), func(k *check.Check) { k.Advice = "" })}, "Advice is missing"},
		{"no Source", nil, []*check.Check{with(fake("SEC-001"), func(k *check.Check) { k.Source = "" })}, "Source is missing"},
		{"a check that panics", map[string]string{"SEC-001.txtar": strings.Replace(bad+miss, "evil", "", 3) + want}, []*check.Check{with(fake("SEC-001"), func(k *check.Check) {
			k.RunItem = func(it *check.Item) { panic("oops") }
		})}, "oops"},
		{"a finding that comes and goes", map[string]string{"SEC-001.txtar": bad + miss + want}, []*check.Check{with(fake("SEC-001"), func(k *check.Check) {
			run := k.RunItem
			k.RunItem = func(it *check.Item) {
				if calls++; calls > 3 { // the near miss, the bad snapshot twice, then its variants
					it.Report(check.Report{Message: "whim"})
				}
				run(it)
			}
		})}, "fingerprints change when the file is re-indented"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r recorder
			Run(&r, goldens(t, tt.files), tt.checks)
			all := strings.Join(r.errors, "\n")
			if tt.want == "" && all != "" || !strings.Contains(all, tt.want) {
				t.Errorf("complaints: %q, want %q", all, tt.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	one := []*check.Check{fake("SEC-001")}
	t.Run("writes want and shows it", func(t *testing.T) {
		dir := goldens(t, map[string]string{"SEC-001.txtar": "Why.\n" + bad + miss})
		var r recorder
		Update(&r, dir, one)
		if len(r.errors) != 1 || !strings.Contains(r.errors[0], "+ bad.json /tools/0/description: low: says evil") {
			t.Errorf("complaints: %q, want one that shows the new lines", r.errors)
		}
		got, err := os.ReadFile(filepath.Join(dir, "SEC-001.txtar"))
		if err != nil || string(got) != "Why.\n"+bad+miss+want {
			t.Errorf("rewritten to %q, %v", got, err)
		}
		r.errors = nil
		Update(&r, dir, one)
		Run(&r, dir, one)
		if len(r.errors) != 0 {
			t.Errorf("after the update: %q", r.errors)
		}
	})
	t.Run("want does not become empty", func(t *testing.T) {
		dir := goldens(t, map[string]string{"SEC-001.txtar": strings.ReplaceAll(bad, "evil", "good") + miss + want})
		var r recorder
		Update(&r, dir, one)
		got, err := os.ReadFile(filepath.Join(dir, "SEC-001.txtar"))
		if err != nil || !strings.HasSuffix(string(got), want) || !strings.Contains(strings.Join(r.errors, "\n"), "want would become empty") {
			t.Errorf("file %q, %v, complaints %q", got, err, r.errors)
		}
	})
}

func TestQuoted(t *testing.T) {
	const doc = `{"a/b":{"~":["x","\u00e9 evil\ud800!"]},"d":"first","d":"second"}`
	for _, tt := range []struct {
		name string
		f    finding.Finding
		ok   bool
	}{
		{"escapes and bytes", at("/a~1b/~0/1", false, "evil", 3), true},
		{"a lone surrogate has three bytes", at("/a~1b/~0/1", false, "!", 10), true},
		{"one byte off", at("/a~1b/~0/1", false, "evil", 2), false},
		{"beyond the end", at("/a~1b/~0/0", false, "xy", 0), false},
		{"a name", at("/a~1b/~0", true, "~", 0), true},
		{"a name taken for a value", at("/a~1b/~0", false, "~", 0), false},
		{"repeated names: the first", at("/d", false, "first", 0), true},
		{"repeated names: the second", at("/d", false, "second", 0), true},
		{"nowhere", at("/a", false, "", 0), false},
		{"a leading zero is no index", at("/a~1b/~0/01", false, "", 0), false},
		{"an object quotes nothing", at("/a~1b", false, "", 0), true},
		{"the document", at("", false, "", 0), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := quotesEvidence(doc, tt.f); (err == nil) != tt.ok {
				t.Errorf("quoted(%q, %q) = %v, want ok %v", tt.f.Location.Pointer, tt.f.Evidence.Raw, err, tt.ok)
			}
		})
	}
}

func at(pointer string, isKey bool, raw string, start int) finding.Finding {
	return finding.Finding{
		Location: finding.Location{Pointer: pointer, IsKey: isKey},
		Evidence: finding.Evidence{Raw: raw, Start: start, End: start + len(raw)},
	}
}

func TestWithNeighbours(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"a snapshot", `{"tools":[1]}`, `{"tools":[N,1]}`},
		{"a response", `{"result":{"tools":[]}}`, `{"result":{"tools":[N]}}`},
		{"the first of several servers", `{"servers":[{"tools":[1]},{"tools":[2]}]}`, `{"servers":[{"tools":[N,1]},{"tools":[2]}]}`},
		{"no list of tools", `{"tools":null,"prompts":[1]}`, `{"tools":null,"prompts":[1]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := parseDocument(tt.doc)
			if err != nil {
				t.Fatal(err)
			}
			list := writeDocument(toolsNamed(neighbours), writing{})
			want := strings.ReplaceAll(tt.want, "N", list[1:len(list)-1])
			if got := writeDocument(withNeighbours(doc), writing{}); got != want {
				t.Errorf("withNeighbours(%s) = %s, want %s", tt.doc, got, want)
			}
		})
	}
}
