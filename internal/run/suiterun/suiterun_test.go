package suiterun

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/agent"
	"gauntlet/result"
	"gauntlet/suite"
	"gauntlet/trace"
)

func TestJudgeCalls(t *testing.T) {
	good := recordedCall{Result: `{"content":[{"type":"text","text":"sunny"}]}`}
	bad := recordedCall{Result: `{"content":[{"type":"text","text":"rain"}]}`}
	number := func(n int) *int { return &n }
	for _, tt := range []struct {
		name  string
		e     suite.Expect
		calls []recordedCall
		want  string // "" where it holds
	}{
		{"every call fits", suite.Expect{Contains: []string{"sunny"}}, []recordedCall{good, good}, ""},
		{"the last call does not fit", suite.Expect{Contains: []string{"sunny"}}, []recordedCall{good, bad}, "call 2: "},
		{"it was never called", suite.Expect{}, nil, "it was never called"},
		{"no call was wanted and none was made", suite.Expect{Count: number(0)}, nil, ""},
		{"no call was wanted and one was made", suite.Expect{Count: number(0)}, []recordedCall{good}, "it was called 1 times, want 0"},
		{"too few", suite.Expect{Count: number(2)}, []recordedCall{good}, "it was called 1 times, want 2"},
		{"as many as wanted, one of which does not fit", suite.Expect{Count: number(2), Contains: []string{"sunny"}}, []recordedCall{bad, good}, "call 1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := judgeCalls(&tt.e, tt.calls)
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What was expected of a step that was not made does not hold, wherever it was expected.
func TestExpectationsOfSteps(t *testing.T) {
	sunny := &suite.Expect{Contains: []string{"sunny"}}
	steps := []suite.Step{{Server: "w", Tool: "now", As: "first", Expect: sunny}, {Server: "w", Tool: "now", As: "second", Expect: sunny}, {Server: "w", Tool: "now"}}
	made := func(texts ...string) (out []stepResult) {
		for i, text := range texts {
			r := stepResult{Step: &steps[i], Result: `{"content":[{"type":"text","text":"` + text + `"}]}`}
			if text == "" {
				r = stepResult{Step: &steps[i], Err: errors.New("gone")}
			}
			out = append(out, r)
		}
		return out
	}
	for _, tt := range []struct {
		name    string
		results []stepResult
		held    []bool // of the two steps, then of what is expected of "second" beside
	}{
		{"all as expected", made("sunny", "sunny", "sunny"), []bool{true, true, true}},
		{"the second differs", made("sunny", "rain", "sunny"), []bool{true, false, false}},
		{"the second failed", made("sunny", ""), []bool{true, false, false}},
		{"the second was not made", made("sunny"), []bool{true, false, false}},
		{"none was made", nil, []bool{false, false, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &run{suite: &suite.Suite{Steps: steps, Expect: []suite.Expect{{Step: "second", Contains: []string{"sunny"}}}}}
			var held []bool
			for _, e := range r.judgeExpectations(&trace.Trace{}, tt.results) {
				held = append(held, e.Held)
				if e.Held != (e.Message == "") {
					t.Errorf("%s: held %v, message %q", e.Name, e.Held, e.Message)
				}
			}
			if !slices.Equal(held, tt.held) {
				t.Errorf("held %v, want %v", held, tt.held)
			}
		})
	}
}

const mock = `- name: now
  description: Tells the weather.
  result: sunny
`

// A suite is played, recorded and judged; what could not be done is a problem and not a pass.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		code       int
		want       string // in a problem or an expectation
	}{
		{"as expected", "servers:\n  w: {mock: w.yml}\nsteps:\n  - {call: w.now, expect: {contains: [sunny]}}\n", result.ExitOK, ""},
		{"not as expected", "servers:\n  w: {mock: w.yml}\nsteps:\n  - {call: w.now, expect: {contains: [rain]}}\n", result.ExitGate, "rain"},
		{"a server that cannot be started", "servers:\n  w: {command: [./nowhere]}\nsteps:\n  - {call: w.now}\n  - {call: w.now}\n", result.ExitTrouble, "1 step behind it was not made"},
		{"a server that cannot be scanned", "servers:\n  w: {mock: w.yml}\n  x: {command: [./nowhere]}\nscan: true\nsteps:\n  - {call: w.now}\n", result.ExitTrouble, "x could not be scanned"},
		{"an agent that never connects", "servers:\n  w: {mock: w.yml}\nagent: {command: ['true'], prompt: hello}\nexpect:\n  - {call: w.now, count: 1}\n", result.ExitGate, "it was called 0 times"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "w.yml"), []byte(mock), 0o600); err != nil {
				t.Fatal(err)
			}
			s, errs := suite.Parse(filepath.Join(dir, "suite.yaml"), tt.text)
			if len(errs) > 0 {
				t.Fatalf("the suite: %v", errs)
			}
			r, err := Run(t.Context(), s, Options{Dialer: launch.Dialer{Environ: os.Environ()}, Note: t.Logf})
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			for _, p := range r.Problems {
				said.WriteString(p.Message + "\n")
			}
			for _, e := range r.Expectations {
				said.WriteString(e.Message + "\n")
			}
			if code := r.ExitCode(finding.High, false); code != tt.code || !strings.Contains(said.String(), tt.want) {
				t.Errorf("exit code %d, want %d; said %q, want %q", code, tt.code, said.String(), tt.want)
			}
		})
	}
}

// The words of an agent's command come through as they are.
func TestQuoteWords(t *testing.T) {
	words := []string{"python3", "it's", "a b", "", `"x"`, "{prompt}"}
	got, err := agent.Words(quoteWords(words))
	if err != nil || !slices.Equal(got, words) {
		t.Errorf("got %q, %v, want %q", got, err, words)
	}
}

// A sanitizer that a server of the suite serves is known, though no step speaks to that server.
func TestUnspokenSanitizerIsKnown(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"w.yml": mock, "c.yml": "- {name: sanitize_text, result: clean}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, sanitizer string
		want            int // findings of GNT-301
	}{{"served", "sanitize_text", 0}, {"served, with its server", "c.sanitize_text", 0}, {"served by nobody", "sanitise_text", 1}} {
		s, errs := suite.Parse(filepath.Join(dir, "suite.yaml"), "servers: {w: {mock: w.yml}, c: {mock: c.yml}}\nsecurity: {trust_boundary: {required_sanitizers: ["+tt.sanitizer+"]}}\nsteps: [{call: w.now}]\n")
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		r, err := Run(t.Context(), s, Options{Dialer: launch.Dialer{Environ: os.Environ()}, Note: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range r.Findings {
			if f.Rule == "GNT-301" {
				n++
			}
		}
		if n != tt.want {
			t.Errorf("%s: %d findings, want %d", tt.name, n, tt.want)
		}
	}
}

// Steps are found among the calls of a recording in their order.
func TestRecordedSteps(t *testing.T) {
	step := func(tool string) suite.Step { return suite.Step{Server: "s", Tool: tool} }
	call := func(tool, result string) recordedCall {
		return recordedCall{Server: "s", Tool: tool, Result: result}
	}
	for _, tt := range []struct {
		name  string
		steps []suite.Step
		calls []recordedCall
		want  []string
	}{
		{"as made", []suite.Step{step("a"), step("b")}, []recordedCall{call("a", "1"), call("b", "2")}, []string{"1", "2"}},
		{"one tool twice", []suite.Step{step("a"), step("a")}, []recordedCall{call("a", "1"), call("a", "2")}, []string{"1", "2"}},
		{"with calls between", []suite.Step{step("a"), step("b")}, []recordedCall{call("x", "0"), call("a", "1"), call("x", "0"), call("b", "2")}, []string{"1", "2"}},
		{"cut off", []suite.Step{step("a"), step("b")}, []recordedCall{call("a", "1")}, []string{"1"}},
		{"in another order", []suite.Step{step("a"), step("b")}, []recordedCall{call("b", "2"), call("a", "1")}, []string{"1"}},
		{"of another server", []suite.Step{step("a")}, []recordedCall{{Server: "other", Tool: "a", Result: "1"}}, nil},
	} {
		var got []string
		for _, r := range recordedSteps(tt.steps, tt.calls) {
			got = append(got, r.Result)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A boundary that nobody could have crossed was not held by the agent.
func TestAgentWentOn(t *testing.T) {
	read, failed := recordedCall{Result: `{"content":[]}`}, recordedCall{Err: errUnanswered}
	for _, tt := range []struct {
		name  string
		calls []recordedCall
		said  string
		want  bool
	}{
		{"listed the tools and said why it cannot work", nil, "401 invalid api key", false},
		{"read something and fell silent", []recordedCall{read}, "\n", false},
		{"read something and failed", []recordedCall{read}, "Error: 429 Too Many Requests", false},
		{"read something and answered", []recordedCall{read}, "The demo moved to Friday.", true},
		{"carried on with another tool", []recordedCall{read, read}, "", true},
		{"no call was answered", []recordedCall{failed, failed}, "Done.", false},
	} {
		if got := (&run{said: tt.said}).wentOn(tt.calls); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
