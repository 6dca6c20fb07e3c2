package check_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

func parse(t *testing.T, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse("x.json", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// says reports every place where a word stands.
func says(id finding.Rule, word string) *check.Check {
	k := *sees
	k.ID, k.RunItem = id, func(it *check.Item) {
		for i := range it.Fields {
			f := &it.Fields[i]
			for at := 0; ; {
				n := strings.Index(f.Text.Raw[at:], word)
				if n < 0 {
					break
				}
				it.Report(check.Report{Field: f, Start: at + n, End: at + n + len(word), Message: word})
				at += n + len(word)
			}
		}
	}
	return &k
}

func panics(id finding.Rule, on string) *check.Check {
	k := *sees
	k.ID, k.RunItem = id, func(it *check.Item) {
		if it.Name() == on {
			panic("cannot judge")
		}
	}
	return &k
}

func TestRunIsDeterministic(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `,{"name":"t%d","description":"evil and evil %d","title":"evil"}`, i, i%7)
	}
	c := parse(t, `{"tools":[`+b.String()[1:]+`]}`)
	checks := []*check.Check{says("TST-002", "evil"), panics("TST-003", "t500"), says("TST-001", "and")}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first *check.Result
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		got := check.Run(c, checks, check.Options{})
		if first == nil {
			first = got
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("with GOMAXPROCS %d the result differs", n)
		}
	}
	if len(first.Findings) != 4000 || first.Items != 1000 || first.Strings != 3000 {
		t.Errorf("%d findings, %d items, %d strings; want 4000, 1000, 3000", len(first.Findings), first.Items, first.Strings)
	}
}

func TestRunSurvivesPanic(t *testing.T) {
	c := parse(t, `{"tools":[{"name":"a","title":"evil"},{"name":"b","title":"evil"}]}`)
	r := check.Run(c, []*check.Check{panics("TST-001", "a"), says("TST-002", "evil")}, check.Options{})
	if len(r.Problems) != 1 || r.Problems[0].Kind != finding.Failed || r.Problems[0].Location.Pointer != "/tools/0" {
		t.Errorf("problems %+v, want one failure at /tools/0", r.Problems)
	}
	if len(r.Findings) != 2 {
		t.Errorf("%d findings of the other check, want 2", len(r.Findings))
	}
	if r.Checks[0].State != "failed" || r.Checks[1].State != "ran" {
		t.Errorf("ledger %+v, want failed and ran", r.Checks)
	}
}

func TestRunCapsPerItem(t *testing.T) {
	c := parse(t, `{"tools":[{"name":"a","title":"`+strings.Repeat("evil ", 30)+`"},{"name":"b","title":"evil"}]}`)
	for _, tt := range []struct{ cap, findings, withheld int }{{0, 21, 10}, {5, 6, 25}, {100, 31, 0}} {
		r := check.Run(c, []*check.Check{says("TST-001", "evil")}, check.Options{PerItem: tt.cap})
		if got := r.Checks[0]; len(r.Findings) != tt.findings || got.Findings != tt.findings || got.Withheld != tt.withheld || got.Items != 2 {
			t.Errorf("cap %d: %d findings, ledger %+v; want %d and %d withheld", tt.cap, len(r.Findings), got, tt.findings, tt.withheld)
		}
	}
}

// What a server adds to its capabilities, and a text that no list holds, may reach a model and is read; switches and dates are not.
func TestTextsOutsideOfLists(t *testing.T) {
	for text, want := range map[string]int{
		`{"capabilities":{"experimental":{"x":{"note":"evil"}}},"tools":[]}`:         1,
		`{"capabilities":{"extensions":{"a/b":{"note":"evil"}}},"tools":[]}`:         1,
		`{"capabilities":{"tools":{"evil":true},"evil":{"note":"evil"}},"tools":[]}`: 0,
		`{"guidelines":"always do what is evil for the user","tools":[]}`:            1,
		`{"capturedAt":"evil","version":"1.0 evil","tools":[]}`:                      0,
		`{"stdout_noise":["a line that is evil and long enough"],"tools":[]}`:        0,
	} {
		if r := check.Run(parse(t, text), []*check.Check{says("TST-001", "evil")}, check.Options{}); len(r.Findings) != want {
			t.Errorf("%s: %d findings, want %d", text, len(r.Findings), want)
		}
	}
}

// Of one string a bounded part is read, and what was not is told.
func TestALongStringIsABoundedPart(t *testing.T) {
	for _, tt := range []struct {
		name     string
		fill     int // bytes between two words that are looked for
		findings int
		problems int
	}{
		{"as long as is read", 1<<20 - 2*len("evil"), 2, 0},
		{"one byte longer", 1<<20 - 2*len("evil") + 1, 1, 1},
		{"much longer", 5 << 20, 1, 1},
	} {
		r := check.Run(parse(t, `{"tools":[{"name":"a","description":"evil`+strings.Repeat("x", tt.fill)+`evil"}]}`), []*check.Check{says("TST-001", "evil")}, check.Options{})
		if len(r.Findings) != tt.findings || len(r.Problems) != tt.problems || tt.problems > 0 && (r.Problems[0].Kind != finding.Limit || r.Problems[0].Location.Pointer != "/tools/0/description") {
			t.Errorf("%s: %d findings, problems %v", tt.name, len(r.Findings), r.Problems)
		}
	}
}

func TestRunSkipsWithoutDefinitions(t *testing.T) {
	r := check.Run(parse(t, `{"tools":[]}`), []*check.Check{sees}, check.Options{})
	if len(r.Skipped) != 1 || r.Skipped[0].Needs != "a definition" || r.Checks[0].State != "skipped" || r.Checks[0].Reason == "" {
		t.Errorf("skipped %+v, ledger %+v", r.Skipped, r.Checks)
	}
}

func fingerprints(t *testing.T, text string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, f := range check.Run(parse(t, text), []*check.Check{says("TST-001", "evil")}, check.Options{}).Findings {
		if out[f.Fingerprint] {
			t.Errorf("fingerprint %s twice in %s", f.Fingerprint, text)
		}
		out[f.Fingerprint] = true
	}
	return out
}

func TestFingerprints(t *testing.T) {
	const before = `{"name":"s","tools":[{"name":"a","title":"evil","description":"evil evil","enum":["evil","x"]},{"description":"evil"}]}`
	want := fingerprints(t, before)
	if len(want) != 5 {
		t.Fatalf("%d fingerprints, want 5", len(want))
	}
	for _, tt := range []struct{ name, text string }{
		{"key order", `{"tools":[{"enum":["evil","x"],"description":"evil evil","title":"evil","name":"a"},{"description":"evil"}],"name":"s"}`},
		{"moved lines", "\n\n" + strings.ReplaceAll(before, ",", ",\n  ")},
		{"new neighbours", `{"name":"s","tools":[{"name":"new"},{"name":"a","title":"evil","description":"evil evil","enum":["new","evil","x"]},{"name":"other"},{"description":"evil"}]}`},
		{"an escape", strings.ReplaceAll(before, `"title":"evil"`, `"title":"\u0065vil"`)},
	} {
		if got := fingerprints(t, tt.text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: fingerprints %v, want %v", tt.name, got, want)
		}
	}
	for name, text := range map[string]string{
		"another tool":   strings.ReplaceAll(before, `"name":"a"`, `"name":"b"`),
		"another server": strings.ReplaceAll(before, `"name":"s"`, `"name":"z"`),
	} {
		if got := fingerprints(t, text); reflect.DeepEqual(got, want) {
			t.Errorf("%s: the fingerprints are the same", name)
		}
	}
}

func TestServerWrappedByCapture(t *testing.T) {
	r := check.Run(parse(t, `{"server":{"method":"evil","serverInfo":{"name":"s","description":"evil"}},"capabilities":{"x":"evil"},"tools":[]}`),
		[]*check.Check{says("TST-001", "evil")}, check.Options{})
	if len(r.Findings) != 1 || r.Findings[0].Location.Pointer != "/server/serverInfo/description" {
		t.Errorf("findings %+v, want one at /server/serverInfo/description", r.Findings)
	}
}

// whole is a check that judges everything at once.
func whole(id finding.Rule, needs check.Evidence, run func(*check.Pass)) *check.Check {
	k := *sees
	k.ID, k.Needs, k.RunItem, k.Run = id, needs, nil, run
	return &k
}

func TestRunSkipsWithoutEvidence(t *testing.T) {
	one, two := parse(t, `{"tools":[{"name":"a"}]}`), parse(t, `{"servers":[{"tools":[{"name":"a"}]},{"tools":[]}]}`)
	ran := map[finding.Rule]int{}
	count := func(p *check.Pass) { ran["TST-001"]++ }
	for _, tt := range []struct {
		name  string
		c     *catalog.Catalog
		opt   check.Options
		needs check.Evidence
		want  string // what is needed; "" if it runs
	}{
		{"one server", one, check.Options{}, check.Servers, "more than one server"},
		{"two servers", two, check.Options{}, check.Servers, ""},
		{"no baseline", two, check.Options{}, check.Baseline, "a baseline"},
		{"an empty baseline", two, check.Options{Baseline: &catalog.Catalog{}}, check.Baseline, "a baseline"},
		{"a baseline", one, check.Options{Baseline: two}, check.Baseline, ""},
		{"both", one, check.Options{}, check.Baseline | check.Servers | check.Definitions, "more than one server and a baseline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clear(ran)
			r := check.Run(tt.c, []*check.Check{whole("TST-001", tt.needs, count)}, tt.opt)
			switch {
			case len(r.Problems) > 0:
				t.Errorf("problems %+v: a check without evidence makes no scan incomplete", r.Problems)
			case tt.want == "" && (ran["TST-001"] != 1 || r.Checks[0].State != "ran"):
				t.Errorf("ran %d times, ledger %+v", ran["TST-001"], r.Checks)
			case tt.want != "" && (ran["TST-001"] != 0 || len(r.Skipped) != 1 || r.Skipped[0].Needs != tt.want || r.Checks[0].Reason != "needs "+tt.want):
				t.Errorf("skipped %+v, ledger %+v, want %q", r.Skipped, r.Checks, tt.want)
			}
		})
	}
}

func TestPass(t *testing.T) {
	c := parse(t, `{"servers":[{"name":"s","tools":[{"name":"caf\u00e9 a"}]},{"tools":[{"name":"b"}]}]}`)
	baseline := parse(t, `{"tools":[{"name":"old"}]}`)
	run := func(p *check.Pass) {
		if p.Baseline != nil {
			t.Error("a check sees a baseline that it does not need")
		}
		p.Looked(2)
		var tree rawjson.Tree
		s, was := c.Servers[0], baseline.Servers[0]
		name := s.Tools()[0].Parse(s, &tree).Get("name")
		at := p.At(s, &s.Tools()[0], name)
		p.Report(check.Relation{At: at, Start: 6, End: 7, Message: "m", Identity: []string{"x"},
			Related: []check.Place{p.At(c.Servers[1], nil, rawjson.Value{}), p.At(was, &was.Tools()[0], rawjson.Value{})}})
		panic("cannot go on")
	}
	r := check.Run(c, []*check.Check{whole("TST-002", check.Servers, run), says("TST-001", "b")}, check.Options{Baseline: baseline})
	if len(r.Findings) != 2 || len(r.Problems) != 1 || r.Problems[0].Kind != finding.Failed {
		t.Fatalf("findings %+v, problems %+v", r.Findings, r.Problems)
	}
	f := r.Findings[0]
	want := finding.Evidence{Raw: "a", Start: 6, End: 7, Before: "café "}
	if f.Evidence != want || f.Location.Pointer != "/servers/0/tools/0/name" || len(f.Fingerprint) != 32 {
		t.Errorf("finding %+v", f)
	}
	if len(f.Related) != 2 || f.Related[0].Pointer != "/servers/1" || f.Related[1].Pointer != "/tools/0" || f.RelatedSpans[1].Input != 1 {
		t.Errorf("related %+v, spans %+v", f.Related, f.RelatedSpans)
	}
	if got := r.Checks[1]; got.State != "failed" || got.Items != 2 || got.Findings != 1 {
		t.Errorf("ledger %+v", got)
	}
}

func TestValidateWantsOneFunction(t *testing.T) {
	both := whole("TST-001", check.Servers, func(*check.Pass) {})
	both.RunItem = func(*check.Item) {}
	for _, k := range []*check.Check{both, whole("TST-001", check.Servers, nil)} {
		if err := check.Validate([]*check.Check{k}); err == nil || !strings.Contains(err.Error(), "exactly one of RunItem and Run") {
			t.Errorf("Validate = %v", err)
		}
	}
}
