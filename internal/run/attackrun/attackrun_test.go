package attackrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/attacks"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/verdict"
)

// What is missing from a recording takes back that an agent resisted, never that it complied.
func TestWithdrawVerdict(t *testing.T) {
	for _, tt := range []struct{ was, want verdict.Outcome }{
		{verdict.Exploited, verdict.Exploited},
		{verdict.Partial, verdict.Partial},
		{verdict.NotExploited, verdict.Failed},
		{verdict.NotExposed, verdict.Failed},
		{verdict.Failed, verdict.Failed},
	} {
		a := result.AttackRun{Verdict: &verdict.Attack{Outcome: tt.was}}
		withdrawVerdict(&a, "trace_incomplete", "the disk is full")
		if a.Verdict.Outcome != tt.want || len(a.Notices) != 1 || a.Notices[0].Message != "the disk is full" {
			t.Errorf("%s became %s with %v, want %s", tt.was, a.Verdict.Outcome, a.Notices, tt.want)
		}
		if reason := a.Verdict.Reason; (reason == "the disk is full") != (tt.want == verdict.Failed) {
			t.Errorf("%s: the reason is %q", tt.was, reason)
		}
	}
	unjudged := result.AttackRun{Problem: "it is no document"}
	if withdrawVerdict(&unjudged, "trouble", "x"); unjudged.Verdict != nil {
		t.Error("a run without a verdict got one")
	}
}

// Whatever goes wrong beside the messages makes a run that merely resisted one of which nothing
// can be said.
func TestTroubleOfARun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sum     attack.Summary
		failed  error
		outcome testagent.Outcome
		no      int // messages
		want    verdict.Outcome
	}{
		{name: "nothing went wrong", no: 3, want: verdict.NotExploited},
		{name: "a transport broke", failed: errors.New("reset"), no: 3, want: verdict.Failed},
		{name: "messages were lost", sum: attack.Summary{Lost: "the queue was full"}, no: 3, want: verdict.Failed},
		{name: "an actor failed", sum: attack.Summary{Actors: []attack.ActorSummary{{Name: "a", Failed: "no answer"}}}, no: 3, want: verdict.Failed},
		{name: "an actor was left out", sum: attack.Summary{Actors: []attack.ActorSummary{{Name: "a", Skipped: "a2a"}}}, no: 3, want: verdict.NotExploited},
		{name: "the user's program never connected", outcome: testagent.Outcome{Command: true}, no: 0, want: verdict.Failed},
		{name: "whoever connects did not", no: 0, want: verdict.NotExploited},
		{name: "the user's program crashed after it was done", outcome: testagent.Outcome{Command: true, Crashed: true, Stderr: "x"}, no: 3, want: verdict.NotExploited},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &play{Player: &Player{}, doc: &oatf.Document{}, outcome: tt.outcome}
			resisted := result.AttackRun{Messages: tt.no, Verdict: &verdict.Attack{Outcome: verdict.NotExploited}}
			p.addRun(&resisted, &tt.sum, tt.failed)
			if resisted.Verdict.Outcome != tt.want {
				t.Errorf("resisted became %s, want %s", resisted.Verdict.Outcome, tt.want)
			}
			complied := result.AttackRun{Messages: tt.no, Verdict: &verdict.Attack{Outcome: verdict.Partial}}
			p.addRun(&complied, &tt.sum, tt.failed)
			if complied.Verdict.Outcome != verdict.Partial {
				t.Errorf("complied became %s", complied.Verdict.Outcome)
			}
		})
	}
}

func TestListenAddresses(t *testing.T) {
	for _, tt := range []struct {
		address string
		n       int
		want    string
	}{
		{"127.0.0.1:8000", 0, "127.0.0.1:8000"}, {"127.0.0.1:8000", 2, "127.0.0.1:8002"},
		{"127.0.0.1:0", 2, "127.0.0.1:0"}, {"[::1]:80", 1, "[::1]:81"}, {"nonsense", 1, "nonsense"},
	} {
		if got := nextAddress(tt.address, tt.n); got != tt.want {
			t.Errorf("nextAddress(%q, %d) = %q, want %q", tt.address, tt.n, got, tt.want)
		}
	}
}

// A recorded run is judged again the same way; with a line of it damaged, compliance stays
// proven and resistance does not.
func TestJudgeTrace(t *testing.T) {
	const name = "rug-pull-count"
	text, ok := attacks.Text(name)
	if !ok {
		t.Fatalf("no attack %q", name)
	}
	document := attackdoc.Text{Name: name, Text: text}
	doc, problem := document.Load(oatf.DefaultLimits())
	if problem != "" {
		t.Fatal(problem)
	}
	for _, tt := range []struct {
		agent          string
		whole, damaged verdict.Outcome
	}{
		{"builtin:victim", verdict.Exploited, verdict.Exploited},
		{"builtin:resister", verdict.NotExploited, verdict.Failed},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "t.ndjson")
			agent, err := testagent.New(testagent.Options{Agent: tt.agent, Transport: "http", Limit: time.Minute, Idle: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			quiet := func(string, ...any) {}
			player := Player{Options: Options{Limit: time.Minute, Grace: new(time.Duration), Serve: mcpserver.Options{IdleStream: true}}, AgentOf: func(int) *testagent.Agent { return agent }, AgentName: tt.agent, Say: quiet, Note: quiet}
			run := player.Play(t.Context(), doc, name, Session{Listen: "127.0.0.1:0", Trace: file})
			if run.Verdict == nil || run.Verdict.Outcome != tt.whole || run.Trace != file || run.Agent != tt.agent {
				t.Fatalf("played: %+v", run)
			}
			if got := judgeFile(t, file, doc); got != tt.whole {
				t.Errorf("judged again: %s, want %s", got, tt.whole)
			}
			written, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(written), "\n")
			lines[1] = "damaged\n" // the first message, which no indicator looks for
			if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := judgeFile(t, file, doc); got != tt.damaged {
				t.Errorf("with a line damaged: %s, want %s", got, tt.damaged)
			}
		})
	}
}

func judgeFile(t *testing.T, file string, doc *oatf.Document) verdict.Outcome {
	t.Helper()
	runs, err := JudgeTrace(t.Context(), file, nil, []*oatf.Document{doc}, nil)
	if err != nil || len(runs) != 1 || runs[0].Verdict == nil {
		t.Fatalf("%+v, %v", runs, err)
	}
	return runs[0].Verdict.Outcome
}

// A document of several that cannot be played says why, and keeps no other from being played.
func TestDocumentsThatAreNotPlayed(t *testing.T) {
	text, _ := attacks.Text("tool-poisoning")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		text attackdoc.Text
		want string
	}{
		{"one that cannot be read", t.Context(), attackdoc.Text{Name: "a", Err: errors.New("gone")}, "it cannot be read: gone"},
		{"one that is not valid", t.Context(), attackdoc.Text{Name: "a", Text: "oatf: 7"}, "not valid"},
		{"one without an agent", t.Context(), attackdoc.Text{Name: "a", Text: text}, "it needs an agent"},
		{"one after an interruption", cancelled, attackdoc.Text{Name: "a", Text: text}, "interrupted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "run.json")
			record, err := runstate.Create(file, "attack run", time.Now())
			if err != nil {
				t.Fatal(err)
			}
			player := Player{}
			runs := player.PlayAll(tt.ctx, []attackdoc.Text{tt.text}, oatf.DefaultLimits(), "", 1, 1, runstate.StartProgress(nil, record))
			record.Close()
			text, err := os.ReadFile(file)
			told, ok := runstate.Parse(string(text))
			if err != nil || !ok || len(told.Results) != 1 || told.Results[0].Word != "not judged" || !strings.Contains(told.Results[0].Says, tt.want) {
				t.Errorf("who watches is told %s, %v, want %q", text, err, tt.want)
			}
			if r := runs[0]; !strings.Contains(r.Problem, tt.want) || r.Verdict != nil || r.Document != "a" {
				t.Errorf("got %+v, want %q", r, tt.want)
			}
		})
	}
}

func TestTraceNames(t *testing.T) {
	for _, tt := range []struct{ folder, document, want string }{
		{"", "a/b.yaml", ""}, {"out", "a/b.yaml", "out/003-b.ndjson"}, {"out", "tool-poisoning", "out/003-tool-poisoning.ndjson"},
	} {
		if got := TraceName(tt.folder, 2, tt.document); got != tt.want {
			t.Errorf("TraceName(%q, 2, %q) = %q, want %q", tt.folder, tt.document, got, tt.want)
		}
	}
}

// A recording says what is missing from it: lines that could not be read, secrets that were taken out.
func TestNoticesOfARecording(t *testing.T) {
	const header = `{"format":"gauntlet-trace","version":"1.0"}`
	message := func(seq, redacted string) string {
		return `{"seq":` + seq + `,"time":"2026-11-22T10:00:00Z","actor":"a","direction":"to_server","role":"server","kind":"notification","method":"ping"` + redacted + `,"raw":"{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}"}`
	}
	text, _ := attacks.Text("tool-poisoning")
	doc, problem := (&attackdoc.Text{Name: "tool-poisoning", Text: text}).Load(oatf.DefaultLimits())
	if problem != "" {
		t.Fatal(problem)
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string // kinds of notices
	}{
		{"whole", []string{header, message("1", "")}, nil},
		{"a damaged line", []string{header, message("1", ""), "damaged"}, []string{"trace_unread"}},
		{"secrets were taken out", []string{header, message("1", `,"redacted":true`)}, []string{"trace_redacted"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runs, err := JudgeTrace(t.Context(), "-", strings.NewReader(strings.Join(tt.lines, "\n")+"\n"), []*oatf.Document{doc}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, n := range runs[0].Notices {
				if n.Kind == "trace_unread" || n.Kind == "trace_redacted" {
					kinds = append(kinds, n.Kind)
				}
			}
			if !slices.Equal(kinds, tt.want) || runs[0].Messages != 1 {
				t.Errorf("%d messages, notices %q, want %q", runs[0].Messages, kinds, tt.want)
			}
		})
	}
}
