package attack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// load reads a document whose execution is given, indented by two.
func load(t testing.TB, execution string) *oatf.Document {
	t.Helper()
	text := "oatf: \"0.1\"\nattack:\n  name: test\n  execution:\n"
	for line := range strings.Lines(strings.Trim(execution, "\n") + "\n") {
		text += "    " + line
	}
	doc, _, err := oatf.Load(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return doc
}

func readOne(t testing.TB, execution string) *script {
	t.Helper()
	s, err := readScript(&load(t, execution).Attack.Execution.Actors[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t testing.TB, text string) rawjson.Value {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return tree.Root()
}

// What a machine is told, at seconds of a clock of its own, and the phase that it stands in
// behind that. "" for the event is the clock alone.
type told struct {
	at      int
	event   string
	content string
	want    string // the name of the phase; with a ! if the script is over
}

func TestPhases(t *testing.T) {
	const calls = `
mode: mcp_server
phases:
  - {name: a, state: {}, trigger: {event: tools/call, count: 3}}
  - {name: b}`
	const named = `
mode: mcp_server
phases:
  - {name: a, state: {}, trigger: {event: tools/call, count: 2, match: {name: add}}}
  - {name: b}`
	const sleeper = `
mode: mcp_server
phases:
  - {name: a, state: {}, trigger: {after: 10s}}
  - {name: b, trigger: {after: 5s}}
  - {name: c}`
	const both = `
mode: mcp_server
phases:
  - {name: a, state: {}, trigger: {event: tools/call, count: 2, after: 10s}}
  - {name: b, trigger: {event: tools/call}}
  - {name: c}`
	const pairs = `
mode: mcp_server
phases:
  - {name: a, state: {}, trigger: {event: tools/call, count: 2}}
  - {name: b, trigger: {event: tools/call, count: 2}}
  - {name: c, trigger: {event: tools/call, count: 1}}
  - {name: d}`
	const ends = `
mode: mcp_server
phases:
  - {name: a, state: {}, trigger: {event: ping}}`
	for _, tt := range []struct {
		name, execution string
		told            []told
	}{
		{"a count is reached by events of that name", calls, []told{{1, "tools/call", `{}`, "a"}, {1, "tools/list", `{}`, "a"}, {2, "tools/call", `{}`, "a"}, {3, "tools/call", `{}`, "b"}}},
		{"a terminal phase stays", calls, []told{{1, "tools/call", `{}`, "a"}, {1, "tools/call", `{}`, "a"}, {1, "tools/call", `{}`, "b"}, {9999, "tools/call", `{}`, "b"}}},
		{"only events that match count", named, []told{{1, "tools/call", `{"name":"sub"}`, "a"}, {1, "tools/call", `{"name":"add"}`, "a"}, {1, "tools/call", `{}`, "a"}, {1, "tools/call", `{"name":"add"}`, "b"}}},
		{"a sleeper wakes without traffic", sleeper, []told{{9, "", "", "a"}, {10, "", "", "b"}, {14, "", "", "b"}, {15, "", "", "c"}}},
		{"phases that nobody asked for end when they were due", sleeper, []told{{13, "", "", "b"}, {15, "", "", "c"}}},
		{"several phases end at once", sleeper, []told{{100, "", "", "c"}}},
		{"time comes before the event, which counts in the phase it came in", both, []told{{1, "tools/call", `{}`, "a"}, {10, "tools/call", `{}`, "c"}}},
		{"the counter begins anew in each phase", both, []told{{1, "tools/call", `{}`, "a"}, {2, "tools/call", `{}`, "b"}, {3, "tools/list", `{}`, "b"}, {3, "tools/call", `{}`, "c"}}},
		{"a count of one phase is no start for the next", pairs, []told{{1, "tools/call", `{}`, "a"}, {2, "tools/call", `{}`, "b"}, {3, "tools/call", `{}`, "b"}, {4, "tools/call", `{}`, "c"}, {5, "tools/call", `{}`, "d"}}},
		{"a last phase with a trigger ends the script and stays", ends, []told{{1, "ping", `{}`, "a!"}, {2, "ping", `{}`, "a!"}}},
		{"an event without params matches nothing", named, []told{{1, "tools/call", "", "a"}, {1, "tools/call", "", "a"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Unix(1_000_000, 0)
			m := newPhaseMachine(readOne(t, tt.execution), start)
			for i, s := range tt.told {
				now := start.Add(time.Duration(s.at) * time.Second)
				var content rawjson.Value
				if s.content != "" {
					content = parse(t, s.content)
				}
				if s.event == "" {
					m.endDuePhases(now)
				} else {
					if _, err := m.observe(t.Context(), now, s.event, content); err != nil {
						t.Fatal(err)
					}
				}
				got := m.heldPhase().Name
				if m.over {
					got += "!"
				}
				if got != s.want {
					t.Fatalf("step %d (%+v): phase %q, want %q", i, s, got, s.want)
				}
			}
		})
	}
}

func TestStatesAreReplacedWhole(t *testing.T) {
	s := readOne(t, `
mode: mcp_server
phases:
  - {name: a, state: {tools: [{name: x}], instructions: hello}, trigger: {event: ping}}
  - {name: b, trigger: {event: ping}}
  - {name: c, state: {tools: [{name: y}]}}`)
	for i, want := range []string{`{"tools":[{"name":"x"}],"instructions":"hello"}`, `{"tools":[{"name":"x"}],"instructions":"hello"}`, `{"tools":[{"name":"y"}]}`} {
		if got := s.Phases[i].State.Compact(); got != want {
			t.Errorf("phase %d: %s, want %s", i, got, want)
		}
	}
}

func TestAwaits(t *testing.T) {
	execution := func(await string) string {
		return fmt.Sprintf(`
actors:
  - name: recon
    mode: mcp_server
    phases:
      - {name: a, state: {}, extractors: [{name: token, source: request, type: json_path, selector: $.name}]}
  - name: strike
    mode: mcp_server
    phases:
      - {name: a, state: {}, x-gauntlet-await: %s}`, await)
	}
	for _, tt := range []struct{ name, await, want string }{
		{"a value that is captured", `[{actor: recon, extractors: [token], timeout: 3s}]`, ""},
		{"a value that nobody captures", `[{actor: recon, extractors: [tokne]}]`, `no extractor captures "recon.tokne"`},
		{"an actor that there is not", `[{actor: nobody, extractors: [token]}]`, `no extractor captures "nobody.token"`},
		{"no list", `{actor: recon}`, "it is a list"},
		{"nothing to wait for", `[{actor: recon}]`, "needs an actor and a list"},
		{"no duration", `[{actor: recon, extractors: [token], timeout: soon}]`, "no duration"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var scripts []*script
			var err error
			doc := load(t, execution(tt.await))
			for i := range doc.Attack.Execution.Actors {
				s, e := readScript(&doc.Attack.Execution.Actors[i])
				if err = e; e != nil {
					break
				}
				scripts = append(scripts, s)
			}
			if err == nil {
				err = checkAwaits(scripts)
			}
			if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestCaptures(t *testing.T) {
	c := newCaptureStore()
	none, changed := c.missingKeys([]string{"a.x", "b.y"})
	if len(none) != 2 {
		t.Fatalf("missing %v, want both", none)
	}
	c.setCapture("a", "x", "1")
	<-changed
	c.setCapture("a", "x", "2")
	c.setCapture("b", "y", "")
	if none, _ := c.missingKeys([]string{"a.x", "b.y"}); none != nil {
		t.Errorf("missing %v, want none: an empty value is one", none)
	}
	if got := fmt.Sprint(c.visibleTo("a")); got != "map[a.x:2 b.y: x:2]" {
		t.Errorf("of a: %s", got)
	}
	if !c.setCapture("a", "x", strings.Repeat("é", maxCapture)) || len(c.visibleTo("a")["x"]) != maxCapture {
		t.Errorf("a long value was not cut")
	}
	for i := range 2 * maxCaptured / maxCapture {
		c.setCapture("many", fmt.Sprint(i), strings.Repeat("x", maxCapture))
	}
	if c.size > maxCaptured {
		t.Errorf("%d bytes are kept, more than %d", c.size, maxCaptured)
	}
}

// Ten thousand conditions may each cost little and all of them too much.
func TestConditionsAreBounded(t *testing.T) {
	late, cancel := context.WithCancelCause(t.Context())
	cancel(errMatchTime)
	m := newPhaseMachine(readOne(t, "mode: mcp_server\nphases:\n  - {state: {}, trigger: {event: e, match: {name: t}}}"), time.Now())
	if changes, err := m.observe(late, m.begun, "e", parse(t, `{"name":"t"}`)); !errors.Is(err, errMatchTime) || changes != nil {
		t.Errorf("an event was counted behind its time: %v, with the error %v", changes, err)
	}
}

// A phase is due at its end, not only behind it; one without an end never is.
func TestIsDueBy(t *testing.T) {
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	timed := readOne(t, "mode: mcp_server\nphases:\n  - {name: a, state: {}, trigger: {after: 10s}}\n  - {name: b}")
	counted := readOne(t, "mode: mcp_server\nphases:\n  - {name: a, state: {}, trigger: {event: ping}}\n  - {name: b}")
	for _, tt := range []struct {
		script *script
		after  time.Duration
		want   bool
	}{
		{timed, 10*time.Second - 1, false}, {timed, 10 * time.Second, true}, {timed, time.Minute, true}, {counted, time.Hour, false},
	} {
		a := &Actor{script: tt.script, m: newPhaseMachine(tt.script, begun)}
		if got := a.isDueBy(begun.Add(tt.after)); got != tt.want {
			t.Errorf("%+v: due after %s: %t, want %t", tt.script.Phases[0].Trigger, tt.after, got, tt.want)
		}
	}
}

// The summary names the phases an actor went through, the one that it stands in included.
func TestSummary(t *testing.T) {
	s := readOne(t, "mode: mcp_server\nphases:\n  - {name: a, state: {}, trigger: {event: ping}}\n  - {name: b, trigger: {event: ping}}\n  - {name: c}")
	for _, tt := range []struct {
		index        int
		done         bool
		failed       string
		want         []string
		wantsThrough bool
	}{
		{0, false, "", []string{"a"}, false},
		{1, false, "", []string{"a", "b"}, false},
		{2, true, "", []string{"a", "b", "c"}, true},
		{2, true, "no answer", []string{"a", "b", "c"}, false},
	} {
		m := newPhaseMachine(s, time.Time{})
		m.index = tt.index
		r := &Run{actors: []*Actor{{script: s, m: m, done: tt.done, failed: tt.failed}}, skipped: []ActorSummary{{Name: "left", Skipped: "no binding"}}}
		got := r.summary("why", time.Second)
		if len(got.Actors) != 2 || got.Actors[1].Name != "left" || got.Ended != "why" || got.Duration != time.Second {
			t.Fatalf("summary %+v", got)
		}
		if one := got.Actors[0]; !slices.Equal(one.Phases, tt.want) || one.Through != tt.wantsThrough || one.Failed != tt.failed {
			t.Errorf("in phase %d: %+v, want phases %q, through %t", tt.index, one, tt.want, tt.wantsThrough)
		}
	}
}
