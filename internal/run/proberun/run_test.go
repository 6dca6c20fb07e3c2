package proberun

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// probeSelf probes this test binary as a server of a kind, without a sandbox.
func probeSelf(t *testing.T, kind string, change func(*Options)) *Result {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the servers run sh, du and ssh")
	}
	before := goleak.IgnoreCurrent() // a server of the SDK leaves sessions behind
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Server: launch.Server{Command: []string{binary}, Env: []string{serverKind + "=" + kind}, Dir: t.TempDir()},
		Dialer: launch.Dialer{Environ: append(os.Environ(), "HOME="+t.TempDir()), Sandbox: sandbox.Off}, AllowCalls: true, Budget: Budget{Time: 5 * time.Minute}, Call: time.Minute,
	}
	if change != nil {
		change(&o)
	}
	got, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// outcomes are the outcomes of planned trials, and of others that proved something, by tool,
// parameter and class.
func outcomes(e *probe.Evidence) map[string]probe.Outcome {
	out := map[string]probe.Outcome{}
	for _, t := range e.Trials {
		if t.Planned || t.Proof != nil {
			out[t.Tool+"."+t.Parameter+" "+string(t.Class)] = t.Outcome
		}
	}
	return out
}

// Every fault is proved by what only it can do.
func TestCarelessServer(t *testing.T) {
	var told [][]finding.Finding
	all := probeSelf(t, "careless", func(o *Options) { o.Found = func(found []finding.Finding) { told = append(told, found) } })
	got := outcomes(&all.Evidence)
	mustTellEarly(t, all, told)
	for name, kind := range map[string]probe.Kind{
		"read_file.path path traversal":                         probe.Content,
		"read_file.path symlink escape":                         probe.Content,
		"resource template file:///{+path}.path path traversal": probe.Content,
		"prompt review.file_path path traversal":                probe.Content,
		"fetch_page.url server-side request forgery":            probe.Content,
		"disk_usage.path command injection":                     probe.File,
		"remote_uptime.hostAlias argument injection":            probe.Program,
	} {
		p, ok := got[name], got[name].Proof != nil
		if !ok || p.Proof.Kind != kind || p.Proof.Observed == "" || p.Proof.Arguments == "" {
			t.Errorf("%s: %#v, want it proved by %s; all: %q", name, got[name], kind, slices.Sorted(maps.Keys(got)))
		}
	}
}

// mustTellEarly fails unless proofs were told one after the other, and all of them in the end as the report has them.
func mustTellEarly(t *testing.T, all *Result, told [][]finding.Finding) {
	t.Helper()
	if len(told) < 3 || len(told[0]) == 0 || len(told[0]) >= len(told[len(told)-1]) {
		t.Fatalf("told %d times", len(told))
	}
	r, err := all.Report("1", catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range r.Findings {
		known[f.Fingerprint] = true
	}
	last := told[len(told)-1]
	if len(last) != len(r.Findings) {
		t.Errorf("told %d findings, and the report has %d", len(last), len(r.Findings))
	}
	for _, f := range last {
		if !known[f.Fingerprint] {
			t.Errorf("told, and not in the report: %s %s", f.Rule, f.Message)
		}
	}
}

// A server without the faults resists: nothing is proved, and each claim counts what was delivered.
func TestCarefulServer(t *testing.T) {
	res := probeSelf(t, "careful", nil)
	for name, o := range outcomes(&res.Evidence) {
		switch o.Ending {
		case probe.Proved:
			t.Errorf("%s: proved: %s", name, o.Proof.Observed)
		case probe.Resisted:
			if o.Delivered == 0 {
				t.Errorf("%s: resisted nothing", name)
			}
		}
	}
	for _, name := range []string{"read_file.path path traversal", "disk_usage.path command injection", "remote_uptime.hostAlias argument injection", "resource template file:///{+path}.path path traversal", "prompt review.file_path path traversal"} {
		if outcomes(&res.Evidence)[name].Ending != probe.Resisted {
			t.Errorf("%s: %#v, want resisted", name, outcomes(&res.Evidence)[name])
		}
	}
	// What every value is refused for says nothing about the payload, and gates.
	o := outcomes(&res.Evidence)["read_account_file.path path traversal"]
	if o.Ending != probe.NotDelivered || !strings.Contains(o.Why, "log in first") {
		t.Errorf("a tool that wants a login: %#v, want not delivered", o)
	}
	rep, err := res.Report("test", catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if code := rep.ExitCode(finding.High, false); code != result.ExitTrouble {
		t.Errorf("exit code %d, want %d for what was not delivered; problems %+v", code, result.ExitTrouble, rep.Problems)
	}
}

// One trial alone can be tried again by the fingerprint of its finding.
func TestOnlyOneTrial(t *testing.T) {
	res := probeSelf(t, "careless", func(o *Options) {
		o.Fingerprint = probing.Fingerprint("probed", &probe.Trial{Tool: "disk_usage", Class: probe.CommandInjection, Parameter: "path"})
	})
	if len(res.Evidence.Trials) != 1 {
		t.Fatalf("%d trials, want 1", len(res.Evidence.Trials))
	}
	rep, err := res.Report("test", catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) != 1 || rep.Findings[0].Rule != "GNT-401" || rep.Probing.Trials[0].Finding != rep.Findings[0].Fingerprint {
		t.Errorf("findings %+v, trials %+v", rep.Findings, rep.Probing.Trials)
	}
	if code := rep.ExitCode(finding.High, false); code != result.ExitGate {
		t.Errorf("exit code %d, want %d", code, result.ExitGate)
	}
}

// Without a sandbox and without leave, a tool that does not say that it changes nothing is not
// called.
func TestNothingIsCalledWithoutLeave(t *testing.T) {
	res := probeSelf(t, "careless", func(o *Options) { o.AllowCalls = false })
	for _, one := range res.Evidence.Trials { // reading a resource or a prompt changes nothing
		if !strings.HasPrefix(one.Tool, "resource") && !strings.HasPrefix(one.Tool, "prompt ") {
			t.Errorf("%s was called", one.Tool)
		}
	}
}

// What is tried is counted in calls, so that a slow machine tries no less; a run that made the most of them says so.
func TestBudgetIsCountedInCalls(t *testing.T) {
	whole := probeSelf(t, "careful", nil)
	if whole.Evidence.Cut != "" || whole.Evidence.Calls < 40 {
		t.Fatalf("%d calls, %q", whole.Evidence.Calls, whole.Evidence.Cut)
	}
	cut := probeSelf(t, "careful", func(o *Options) { o.Budget.Calls = 40 })
	if e := cut.Evidence; !strings.Contains(e.Cut, "--budget allows more") || e.Calls < 40 || e.Calls > 50 {
		t.Errorf("%d calls, %q, want about 40 and what allows more", e.Calls, e.Cut)
	}
}

// A trial of which no payload was answered shows nothing, whatever became of the server.
func TestUnansweredTrialsResistNothing(t *testing.T) {
	works := &tool{works: true}
	for _, tt := range []struct {
		name string
		of   target
		want string
	}{
		{"it ended at every call", target{tried: 2, delivered: 2, why: "the server ended"}, "the server ended"},
		{"it ended at the second call", target{tool: works, tried: 2, delivered: 2, answered: 1, why: "the server ended"}, ""},
		{"nothing was tried", target{}, "the run ended before it was tried"},
	} {
		got := tt.of.outcome()
		if got.Why != tt.want {
			t.Errorf("%s: not delivered since %q, want %q", tt.name, got.Why, tt.want)
		}
	}
}

// A tool that says one thing to everything shows nothing of what it did with a payload.
func TestOneResultForAllIsNotConclusive(t *testing.T) {
	down := Answer{Came: true, Text: "temporarily unavailable"}
	for _, tt := range []struct {
		name    string
		answers []Answer
		want    string
	}{
		{"one result for all", []Answer{down, down, {}, down}, probe.SameResult},
		{"an error among results", []Answer{down, {Came: true, Failed: true, Text: "denied"}, down}, ""},
		{"results with numbers of their own", []Answer{{Came: true, Text: "unavailable (request 8f3a)"}, {Came: true, Text: "unavailable (request 77c1)"}}, probe.SameResult},
		{"results that differ", []Answer{down, {Came: true, Text: "found one"}, down}, ""},
		{"errors alone, which differ", []Answer{{Came: true, Failed: true, Text: "denied a"}, {Came: true, Failed: true, Text: "denied b"}}, ""},
	} {
		of := target{tool: new(tool), tried: 3, delivered: 3, answered: 3}
		for _, a := range tt.answers {
			of.tool.noteAnswer(a)
		}
		if got := of.outcome(); (got.Ending == probe.Inconclusive) != (tt.want != "") || tt.want != "" && got.Why != tt.want {
			t.Errorf("%s: inconclusive since %q, want %q", tt.name, got.Why, tt.want)
		}
	}
}

// A run is incomplete when something was refused, not when its calls are used up.
func TestMeterNotesWhatItRefused(t *testing.T) {
	m := Budget{Calls: 40}.begin()
	m.used = 40
	if m.cut != "" {
		t.Errorf("nothing was refused, but %q", m.cut)
	}
	m.used = 3
	m.within(10, func() {
		for !m.spent() {
			m.used++
		}
	})
	if m.used != 7 || !strings.Contains(m.cut, "a budget of 40 calls") {
		t.Errorf("%d calls, %q: want a tenth of 40, and what was refused", m.used, m.cut)
	}
	late := Budget{Time: time.Nanosecond}.begin()
	time.Sleep(time.Microsecond)
	if !late.spent() || !strings.Contains(late.cut, "a budget of 1ns") {
		t.Errorf("the backstop is silent: %q", late.cut)
	}
	for _, tt := range []struct {
		text  string
		calls int
		time  time.Duration
	}{{"300", 300, 0}, {"80s", 0, 80 * time.Second}, {"0", 0, 0}, {"-5s", 0, 0}, {"1000001", 0, 0}, {"many", 0, 0}} {
		if b, err := (Budget{}).Parse(tt.text); b.Calls != tt.calls || b.Time != tt.time || (err == nil) != (b != Budget{}) {
			t.Errorf("%s: %+v, %v", tt.text, b, err)
		}
	}
}
