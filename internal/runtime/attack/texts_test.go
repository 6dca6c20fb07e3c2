package attack

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// What templates become, what of them is missing, each once, and how much they may become together.
func TestExpander(t *testing.T) {
	x := func() *Expander {
		return &Expander{Scope: match.Scope{Captures: map[string]string{"a": "A\"", "b.c": "BC"}, Request: rawjson.Read(`{"n":1.50}`), Response: rawjson.Read(`{"t":"R"}`)}}
	}
	for _, tt := range []struct{ in, want, missing string }{
		{`{"k":"{{a}}","n": 1.50}`, `{"k":"A\"","n": 1.50}`, ""},
		{`[ "no template" ]`, `[ "no template" ]`, ""},
		{`"{{b.c}} {{request.n}} {{response.t}}"`, `"BC 1.50 R"`, ""},
		{`["{{no}}","{{nor}}","{{no}}"]`, `["","",""]`, "no nor"},
		{`{"{{a}}":1}`, `{"{{a}}":1}`, ""},
	} {
		one := x()
		got, err := one.ExpandValue(rawjson.Read(tt.in))
		if err != nil || got != tt.want || strings.Join(one.Missing, " ") != tt.missing {
			t.Errorf("%s: %s without %q, %v, want %s without %q", tt.in, got, one.Missing, err, tt.want, tt.missing)
		}
	}
	for in, want := range map[string]string{"{{a}} and {{b.c}}": `A" and BC`, "no template": "no template", "{{open": "{{open", "{{none}}": ""} {
		if got, err := x().ExpandText(in); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
}

// The bound is that of all templates of a message together, by the longest that any of them can become.
func TestExpansionIsBounded(t *testing.T) {
	for _, where := range []string{"capture", "request", "response"} {
		long := strings.Repeat("x", maxExpansion/4-9)
		x := &Expander{Scope: match.Scope{Captures: map[string]string{"a": "s"}}}
		reference := "{{a}}"
		switch where {
		case "capture":
			x.Scope.Captures["a"] = long + "xxxxxxxx"
		case "request":
			x.Scope.Request, reference = rawjson.Read(`{"v":"`+long+`"}`), "{{request.v}}"
		case "response":
			x.Scope.Response, reference = rawjson.Read(`{"v":"`+long+`"}`), "{{response.v}}"
		}
		for n, fits := range map[int]bool{4: true, 5: false} {
			one := *x
			_, err := one.ExpandText(strings.Repeat("{{none}}", n))
			if (err == nil) != fits {
				t.Errorf("%s: %d templates beside a value of a quarter: %v, want room: %t", where, n, err, fits)
			}
			one = *x
			if _, err := one.ExpandValue(rawjson.Read(`"` + strings.Repeat("{{none}}", n) + `"`)); (err == nil) != fits {
				t.Errorf("%s: a value of %d templates: %v, want room: %t", where, n, err, fits)
			}
		}
		one := *x
		if out, err := one.ExpandText(reference); err != nil || len(out) < len(long) || one.grown != len(out) {
			t.Errorf("%s: %d bytes of %d, %d counted, %v", where, len(out), len(long), one.grown, err)
		}
		if _, err := one.ExpandText("{{none}}{{none}}{{none}}{{none}}"); err == nil {
			t.Errorf("%s: what was expanded before does not count", where)
		}
	}
}

func TestObjectWriter(t *testing.T) {
	o := NewObjectWriter(&Expander{Scope: match.Scope{Captures: map[string]string{"a": "A"}}})
	o.AddRaw(`"first"`, `1`)
	o.AddExpanded(`"second"`, rawjson.Read(`"{{a}}"`))
	o.CopyMembers(rawjson.Read(`{"skip":1,"third":"{{a}}{{a}}","also":2,"fourth":[ ]}`), "skip", "also")
	if got, err := o.CloseObject(); err != nil || got != `{"first":1,"second":"A","third":"AA","fourth":[ ]}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := NewObjectWriter(&Expander{}).CloseObject(); err != nil || got != "{}" {
		t.Errorf("nothing: %s, %v", got, err)
	}
	full := NewObjectWriter(&Expander{grown: maxExpansion})
	full.AddExpanded(`"a"`, rawjson.Read(`"{{a}}"`))
	full.AddExpanded(`"b"`, rawjson.Read(`1`))
	if _, err := full.CloseObject(); err == nil {
		t.Error("an error is lost behind what fits")
	}
	v := rawjson.Read(`{"null":null,"false":false,"there":1}`)
	for name, want := range map[string]bool{"null": false, "none": false, "false": true, "there": true} {
		if got := Member(v, name).Exists(); got != want {
			t.Errorf("%s: there %t, want %t", name, got, want)
		}
	}
	for _, text := range []string{"", "{", "x"} {
		if rawjson.Read(text).Exists() {
			t.Errorf("%q is taken for JSON", text)
		}
	}
}

// What a model wrote is sent if it is an instance of the schema and small enough; else the reason that goes furthest is told.
func TestCheckWritten(t *testing.T) {
	const schema = `{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"list":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}},"additionalProperties":false}`
	room := longestSynthesis - len(`{"a":""}`)
	for _, tt := range []struct{ name, text, schema, want, err string }{
		{"an instance", ` {"a":"x"} `, schema, `{"a":"x"}`, ""},
		{"between fences", "```json\n{\"a\":\"x\"}\n```", schema, `{"a":"x"}`, ""},
		{"between plain fences", "```\n{\"a\":\"x\"}\n```\n", schema, `{"a":"x"}`, ""},
		{"at the limit", `{"a":"` + strings.Repeat("x", room) + `"}`, schema, "", ""},
		{"beyond it", `{"a":"` + strings.Repeat("x", room+1) + `"}`, schema, "", "it has 262145 bytes, and no more than 262144 are sent"},
		{"no JSON", "Sure! " + strings.Repeat("y", 300), schema, "", `it is not JSON: "Sure! yyy`},
		{"nothing", "", schema, "", "it is not JSON"},
		{"a member too few", `{}`, schema, "", "required: missing properties"},
		{"another type", `{"a":1}`, schema, "", `/properties/a: type: 1 has type "integer", want "string"`},
		{"deep within", `{"a":"x","list":[{"n":1},{"n":"2"}]}`, schema, "", `/properties/list/items/properties/n: type: 2 has type "string"`},
		{"a reference", `{"a":"x"}`, `{"$ref":"#/x","x":true}`, "", "its schema cannot be used: its reference"},
		{"a reference within", `{"a":"x"}`, `{"properties":{"a":{"$dynamicRef":"#x"}}}`, "", "its schema cannot be used: it has dynamic references"},
		{"a property of that name", `{"$ref":"x"}`, `{"properties":{"$ref":{"type":"string"}}}`, `{"$ref":"x"}`, ""},
		{"no schema", `{}`, `{`, "", "its schema cannot be used: it is no JSON"},
		{"a schema that is none", `{}`, `{"type":"thing"}`, "", "its schema cannot be used: "},
	} {
		got, err := checkWritten(tt.text, tt.schema)
		switch {
		case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		case tt.want != "" && got.Raw() != tt.want:
			t.Errorf("%s: %s, want %s", tt.name, got.Raw(), tt.want)
		}
	}
}

// recordedModel notes what it is asked and answers.
type recordedModel struct {
	asked  []Synthesis
	answer string
	err    error
}

func (m *recordedModel) Synthesize(_ context.Context, s Synthesis) (string, error) {
	m.asked = append(m.asked, s)
	return m.answer, m.err
}

// A model is asked what the document says, without secrets that a conversation brought; what it wrote is in the trace, and a recording
// of it answers a replay in the order of then. Whatever fails is told once and makes the verdict unreliable.
func TestSynthesize(t *testing.T) {
	const token = "ghp_x9Kd72LmQp4RtVw83ZbNc61YhGfJs5TeUaPo"
	form := Form{What: "the result", About: `{"name":"x"}`, Schema: `{"type":"object","required":["a"]}`}
	for _, tt := range []struct {
		name, entry string
		model       *recordedModel
		prompt      string
		err, told   string
	}{
		{"written", `{"synthesize":{"prompt":"say {{a}}"}}`, &recordedModel{answer: `{"a":1}`}, "say A", "", ""},
		{"a secret of the conversation", `{"synthesize":{"prompt":"say {{t}}"}}`, &recordedModel{answer: `{"a":1}`}, "say [a secret stood here]", "", ""},
		{"a decoy of the document", `{"synthesize":{"prompt":"say ` + token + ` {{t}}"}}`, &recordedModel{answer: `{"a":1}`}, "say " + token + " " + token, "", ""},
		{"no model", `{"synthesize":{"prompt":"say"}}`, nil, "", "a model has to write it (synthesize), and none is named", "s/a: the result: a model has to write it (synthesize), and none is named (W-006)"},
		{"no prompt", `{"synthesize":{"prompt":" {{none}} "},"content":[]}`, &recordedModel{}, "", "synthesize has no prompt", "s/a: the result: synthesize has no prompt; what the document gives beside is sent instead (W-006)"},
		{"no answer", `{"synthesize":{"prompt":"say"},"messages":[]}`, &recordedModel{err: errors.New("busy")}, "say", "busy", "s/a: the result: busy; what the document gives beside is sent instead (W-006)"},
		{"a wrong answer", `{"synthesize":{"prompt":"say"}}`, &recordedModel{answer: "{}"}, "say", "what the model wrote is not sent: required: missing properties", "s/a: the result: what the model wrote is not sent: required: missing properties: [\"a\"] (W-006)"},
	} {
		s := newStage()
		r := s.run(t, "actors: [{name: s, mode: mcp_server, phases: [{name: a, state: {}}]}]", func(o *Options) {
			if tt.model != nil {
				o.Synthesizer = tt.model
			}
		})
		a := s.actors["s"]
		a.m = newPhaseMachine(a.script, time.Time{})
		x := &Expander{Scope: match.Scope{Captures: map[string]string{"a": "A", "t": token}}}
		written, err := a.Synthesize(t.Context(), 0, rawjson.Read(tt.entry), x, form)
		if tt.err == "" && (err != nil || written.Raw() != tt.model.answer) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: %s, %v, want error %q", tt.name, written.Raw(), err, tt.err)
		}
		if tt.prompt != "" && (len(tt.model.asked) != 1 || tt.model.asked[0] != (Synthesis{Actor: "s", What: form.What, Prompt: tt.prompt, About: form.About, Schema: form.Schema})) {
			t.Errorf("%s: asked %+v", tt.name, tt.model.asked)
		}
		if tt.err == "" {
			if len(s.stored) != 1 || s.stored[0].Actor != "s" || s.stored[0].Phase != "a" || !isSynthesis(&s.stored[0]) || s.stored[0].Direction != trace.ToClient || s.stored[0].Time.IsZero() {
				t.Fatalf("%s: recorded %+v", tt.name, s.stored)
			}
			again := NewRecordedSyntheses(append(slices.Clone(s.stored), trace.Message{Kind: trace.Event, Method: "other"}))
			for _, wrong := range []Synthesis{{Actor: "t", What: form.What, Prompt: tt.prompt}, {Actor: "s", What: "else", Prompt: tt.prompt}, {Actor: "s", What: form.What, Prompt: "else"}} {
				if _, err := again.Synthesize(t.Context(), wrong); err == nil {
					t.Errorf("%s: a recording answers %+v", tt.name, wrong)
				}
			}
			if text, err := again.Synthesize(t.Context(), tt.model.asked[0]); err != nil || text != tt.model.answer {
				t.Errorf("%s: recorded: %s, %v", tt.name, text, err)
			}
			if _, err := again.Synthesize(t.Context(), tt.model.asked[0]); err == nil {
				t.Errorf("%s: one recorded text answers twice", tt.name)
			}
			continue
		}
		if told := s.told(Synthesized); !slices.Equal(told, []string{tt.told}) || r.summary("", 0).Unwritten == "" || len(s.stored) != 0 {
			t.Errorf("%s: told %q, want %q; unwritten %q, recorded %d", tt.name, told, tt.told, r.summary("", 0).Unwritten, len(s.stored))
		}
	}
	for name, m := range map[string]trace.Message{
		"a request": {Kind: trace.Request, Method: SynthesisEvent}, "a peer's": {Kind: trace.Event, Role: trace.AsServer, Method: SynthesisEvent}, "another": {Kind: trace.Event, Method: "x"},
	} {
		if isSynthesis(&m) {
			t.Errorf("%s is taken for what a model wrote", name)
		}
	}
}

// Of several texts for one prompt each is given once, the first first.
func TestRecordedSynthesesInOrder(t *testing.T) {
	one := func(written string) trace.Message {
		return trace.Message{Actor: "s", Kind: trace.Event, Method: SynthesisEvent, Raw: `{"what":"w","prompt":"p","written":` + written + `}`}
	}
	r := NewRecordedSyntheses([]trace.Message{one("1"), one("2"), one("3")})
	for _, want := range []string{"1", "2", "3"} {
		if got, err := r.Synthesize(t.Context(), Synthesis{Actor: "s", What: "w", Prompt: "p"}); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

// What was never announced is awaited by nobody when it comes, and makes up for nothing that is.
func TestUnannouncedMessages(t *testing.T) {
	w := newReplayProgress()
	for range 3 {
		w.noteRecorded(&trace.Message{Direction: trace.ToClient, Role: trace.AsServer, Method: "a"})
	}
	w.ExpectMessages("b", 2)
	if w.hasAll(0) || w.expected["a"] != 0 {
		t.Errorf("expected %v, want two of b", w.expected)
	}
	w.noteRecorded(&trace.Message{Direction: trace.ToServer, Role: trace.AsClient, Actor: "c"})
	w.noteRecorded(&trace.Message{Direction: trace.ToClient, Role: trace.AsClient, Actor: "c"})
	if w.said["c"] != 1 || w.countIncoming() != 1 {
		t.Errorf("a client of the document said %d messages and got %d, want 1 each", w.said["c"], w.countIncoming())
	}
}

// PhaseStop ends what was said to be under way, and nothing where nothing is.
func TestPhaseStop(t *testing.T) {
	var p PhaseStop
	p.Moved()
	first, stopFirst := context.WithCancelCause(t.Context())
	second, stopSecond := context.WithCancelCause(t.Context())
	p.setStop(stopFirst)
	p.setStop(stopSecond)
	p.Moved()
	if first.Err() != nil || !errors.Is(context.Cause(second), ErrMoved) {
		t.Errorf("the first: %v, the second: %v, want the second alone to end", context.Cause(first), context.Cause(second))
	}
	p.setStop(nil)
	p.Moved()
	stopFirst(nil)
}

// PlayPhases plays each phase once, in order, until the script or the context ends, or a phase fails.
func TestPlayPhases(t *testing.T) {
	const execution = `
mode: mcp_client
phases:
  - {name: a, state: {}, trigger: {event: go}}
  - {name: b, trigger: {after: 5s}}
  - {name: c%s}`
	for _, tt := range []struct {
		name, last string
		fail       int
		stopAt     time.Duration
		played     string
		took       time.Duration
		err        bool
	}{
		{"to its end", "", -1, 0, "abc", 5 * time.Second, false},
		{"a last phase that ends", ", trigger: {event: go}", -1, 0, "abc", 5 * time.Second, false},
		{"a phase that fails", "", 1, 0, "ab", 0, true},
		{"it is stopped", "", -1, 2 * time.Second, "ab", 2 * time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage()
				var played string
				var took time.Duration
				var failed error
				s.play["default"] = func(ctx context.Context, a *Actor) error {
					if tt.stopAt > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, tt.stopAt)
						defer cancel()
					}
					begun := time.Now()
					failed = a.PlayPhases(ctx, func(ctx context.Context, phase int, left <-chan struct{}) error {
						played += a.Phases[phase].Name
						if IsClosed(left) {
							t.Errorf("phase %d has ended before it is played", phase)
						}
						if phase == tt.fail {
							return errors.New("no")
						}
						if a.Phases[phase].Trigger != nil && played != "ab" {
							if then := a.ObserveEvent(ctx, "go", rawjson.Value{}, Exchange{}); then != nil {
								then("")
							}
						}
						return nil
					})
					took = time.Since(begun)
					return failed
				}
				s.run(t, strings.Replace(execution, "%s", tt.last, 1), nil).Run(t.Context())
				if played != tt.played || took != tt.took || (failed != nil) != tt.err {
					t.Errorf("played %s in %s, error %v, want %s in %s", played, took, failed, tt.played, tt.took)
				}
			})
		})
	}
}
