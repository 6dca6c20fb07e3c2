package report

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gauntlet/result"
)

// A fleet with one job of each state, with texts that a server chose.
func someFleet() *result.Fleet {
	id := strings.Repeat("0", 32)
	f := &result.Fleet{
		SchemaVersion: result.FleetSchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: "1"}, Name: "corpus", Plan: strings.Repeat("a", 64),
		Targets: []result.FleetTarget{
			{Name: "quiet.json", Kind: "file", Jobs: []result.FleetJob{{ID: id, Lane: "scan", State: result.FleetDone}}, Page: "pages/quiet.html"},
			{Name: "<b>\x1b[31mloud", Kind: "url", Jobs: []result.FleetJob{
				{ID: id, Lane: "scan", State: result.FleetDone, Exit: 1, Counts: map[string]int{"high": 2, "info": 1}},
				{ID: id, Lane: "attack", Document: "tool-poisoning", State: result.FleetFailed, Reason: "its time was over", Attempts: 4},
			}},
			{Name: "half", Kind: "url", Jobs: []result.FleetJob{{ID: id, Lane: "scan", State: result.FleetIncomplete, Exit: 2, Reason: "the server sent\r\n::error::<script>"}}},
			{Name: "waiting", Kind: "command", Jobs: []result.FleetJob{{ID: id, Lane: "scan", State: result.FleetNotDone, Reason: "it needs a sandbox"}}},
		},
		Left: []result.FleetLeft{{Target: "x.json", Reason: "no such file"}},
	}
	f.Summarize()
	return f
}

func fleetText(t *testing.T, format string, f *result.Fleet) string {
	t.Helper()
	one, err := FleetFormats().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := one.Write(&b, f, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFleetText(t *testing.T) {
	want := "Fleet corpus: 2 of 5 jobs done, 1 incomplete, 1 failed, 1 not done, 1 target without a job: the report is incomplete\n" +
		"4 targets: 2 high, 1 info\nPlan " + strings.Repeat("a", 64) + `
Targets
  4 targets, the worst first.
  Target               Kind     attack                                    scan
  <b><U+001B>[31mloud  url      tool-poisoning failed: its time was over  2 high, 1 info
  half                 url                                                nothing found, incomplete: the server sent<U+000D><U+000A>::error::<script>
  waiting              command                                            not done: it needs a sandbox
  quiet.json           file                                               nothing found

What was not looked at
  attack <b><U+001B>[31mloud tool-poisoning: its time was over
  scan half: the server sent<U+000D><U+000A>::error::<script>
  scan waiting: it needs a sandbox
  x.json: no such file

`
	if got := fleetText(t, "pretty", someFleet()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFleetHTML(t *testing.T) {
	page := fleetText(t, "html", someFleet())
	for _, want := range []string{"the report is incomplete", `<a href="pages/quiet.html">`, "its time was over", "&lt;script&gt;", "x.json: no such file", "<td>url</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	for _, never := range []string{"<b>", "\x1b", "<script>::", "::error::<script>"} {
		if strings.Contains(page, never) {
			t.Errorf("the page holds %q as it was sent", never)
		}
	}
	if loud, quiet := strings.Index(page, "loud</th>"), strings.Index(page, "quiet.json</a>"); loud < 0 || quiet < loud {
		t.Errorf("the worst target stands at %d, a quiet one at %d", loud, quiet)
	}
}

func TestFleetJSON(t *testing.T) {
	text, err := os.ReadFile("../docs/schemas/fleet.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := compile(text)
	if err != nil {
		t.Fatal(err)
	}
	written := fleetText(t, "json", someFleet())
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	var back result.Fleet
	if err := json.Unmarshal([]byte(written), &back); err != nil || back.Summary.Complete || back.ExitCode() != result.ExitGate {
		t.Errorf("read back: %+v, %v", back.Summary, err)
	}
}

// A fleet is complete only where every job is done and every target had one.
func TestFleetComplete(t *testing.T) {
	done := func() *result.Fleet {
		return &result.Fleet{Targets: []result.FleetTarget{{Name: "a", Jobs: []result.FleetJob{{State: result.FleetDone}}}}}
	}
	for _, tt := range []struct {
		name   string
		change func(*result.Fleet)
		want   int
	}{
		{"all done", func(*result.Fleet) {}, result.ExitOK},
		{"nothing at all", func(f *result.Fleet) { f.Targets = nil }, result.ExitTrouble},
		{"one failed", func(f *result.Fleet) { f.Targets[0].Jobs[0].State = result.FleetFailed }, result.ExitTrouble},
		{"a target left", func(f *result.Fleet) { f.Left = []result.FleetLeft{{}} }, result.ExitTrouble},
		{"over the gate", func(f *result.Fleet) { f.Targets[0].Jobs[0].Exit = result.ExitGate }, result.ExitGate},
		{"the code of a failed job says nothing", func(f *result.Fleet) {
			f.Targets[0].Jobs[0].State, f.Targets[0].Jobs[0].Exit = result.FleetFailed, result.ExitGate
		}, result.ExitTrouble},
	} {
		f := done()
		tt.change(f)
		f.Summarize()
		if got := f.ExitCode(); got != tt.want || f.Summary.Complete != (tt.want == result.ExitOK || tt.want == result.ExitGate) {
			t.Errorf("%s: exit code %d, complete %t; want %d", tt.name, got, f.Summary.Complete, tt.want)
		}
	}
}
