package vet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/result"
)

// Each depth includes those before it, none of them all.
func TestDepths(t *testing.T) {
	for _, tt := range []struct {
		depth Depth
		want  string // of definitions, source, behaviour
	}{{"", "true true true"}, {Definitions, "true false false"}, {Source, "true true false"}, {Behaviour, "true true true"}} {
		if got := fmt.Sprint(tt.depth.wants(Definitions), tt.depth.wants(Source), tt.depth.wants(Behaviour)); got != tt.want {
			t.Errorf("%q wants %s, want %s", tt.depth, got, tt.want)
		}
	}
	for _, name := range Depths() {
		if d, err := ParseDepth(name); string(d) != name || err != nil {
			t.Errorf("%s: %s, %v", name, d, err)
		}
	}
	if _, err := ParseDepth("deep"); err == nil {
		t.Error("deep is a depth")
	}
}

// Variables that somebody set are left alone, and there is a bound to those that are made up.
func TestAddPlaceholders(t *testing.T) {
	v := vetting{server: &launch.Server{Env: []string{"API_KEY=own"}}}
	if v.addPlaceholders([]string{"API_KEY"}) || v.addPlaceholders(nil) || len(v.what.Placeholders) > 0 {
		t.Errorf("added %q", v.what.Placeholders)
	}
	if !v.addPlaceholders([]string{"API_KEY", "API", "PORT", "API"}) || !slices.Equal(v.what.Placeholders, []string{"API", "PORT"}) || len(v.server.Env) != 3 || v.server.Env[0] != "API_KEY=own" || !strings.HasPrefix(v.server.Env[1], "API=") || v.server.Env[2] != "PORT=8443" {
		t.Errorf("placeholders %q, variables %q", v.what.Placeholders, v.server.Env)
	}
	for i := range maxPlaceholders {
		v.addPlaceholders([]string{fmt.Sprint("V", i)})
	}
	if n := len(v.what.Placeholders); n != maxPlaceholders || v.addPlaceholders([]string{"ONE_MORE"}) {
		t.Errorf("%d placeholders, want %d", n, maxPlaceholders)
	}
}

// A server gets what its last words miss: variables first, then an argument, once, unless the user gave it arguments.
func TestSupply(t *testing.T) {
	for _, tt := range []struct {
		name, failure string
		notes         []target.Note
		args          []string
		installed     bool
		want          bool
		placeholders  string
	}{
		{"a variable", "Error: API_KEY environment variable is required", nil, nil, true, true, "API_KEY"},
		{"a variable in a note", "it ended", []target.Note{{Text: "API_KEY environment variable is required"}}, nil, true, true, "API_KEY"},
		{"an argument", "Usage: server DIRECTORY", nil, nil, true, true, argumentPlaceholder},
		{"an argument by another word", "missing argument", nil, nil, true, true, argumentPlaceholder},
		{"the user gave arguments", "Usage: server DIRECTORY", nil, []string{"/data"}, true, false, ""},
		{"a server that was not installed", "Usage: server DIRECTORY", nil, nil, false, false, ""},
		{"nothing that helps", "segmentation fault", nil, nil, true, false, ""},
	} {
		v := vetting{server: &launch.Server{Command: []string{"server"}}, target: &Target{Args: tt.args}}
		if tt.installed {
			v.start = &fetch.Start{}
		}
		if got := v.supply(tt.failure, tt.notes); got != tt.want || strings.Join(v.what.Placeholders, " ") != tt.placeholders {
			t.Errorf("%s: %v, placeholders %q, want %v, %q", tt.name, got, v.what.Placeholders, tt.want, tt.placeholders)
		}
		if argument := tt.placeholders == argumentPlaceholder; argument != (len(v.server.Command) == 2) {
			t.Errorf("%s: the command is %q", tt.name, v.server.Command)
		}
		if tt.want && v.supply(tt.failure, tt.notes) {
			t.Errorf("%s: there is something new the second time: %q", tt.name, v.what.Placeholders)
		}
	}
}

// The verdict names the severest findings first, three of them, and counts the rest.
func TestFindingReasons(t *testing.T) {
	var fs []finding.Finding
	for i, s := range []finding.Severity{finding.Medium, finding.High, finding.Low, finding.Medium, finding.Critical} {
		fs = append(fs, finding.Finding{Severity: s, Name: "n", Message: fmt.Sprint(i)})
	}
	fs[1].Location.Item = "tool"
	some := atLeast(fs, finding.Medium)
	if got := findingReasons(some); !slices.Equal(got, []string{"critical, n: 4", "high, n (tool): 1", "medium, n: 0", "1 more"}) {
		t.Errorf("reasons %q", got)
	}
	if got := findingReasons(some[:3]); len(got) != 3 {
		t.Errorf("of three: %q", got)
	}
	if got := atLeast(fs, finding.High); len(got) != 2 || got[1].Severity != finding.High {
		t.Errorf("of high severity: %v", got)
	}
}

// What was looked at is listed; the deepest level that was done is how far a vetting came.
func TestLookedAt(t *testing.T) {
	step := func(d Depth, state string) result.VettingStep {
		return result.VettingStep{Name: string(d), State: state}
	}
	for _, tt := range []struct {
		steps           []result.VettingStep
		fetched         bool
		looked, reached string
	}{
		{nil, false, "", ""},
		{nil, true, "package", ""},
		{[]result.VettingStep{step(Definitions, result.StepDone)}, false, "definitions", "definitions"},
		{[]result.VettingStep{step(Definitions, result.StepDone), step(Behaviour, result.StepDone)}, false, "definitions and behaviour", "behaviour"},
		{[]result.VettingStep{step(Definitions, result.StepDone), step(Source, result.StepDone), step(Behaviour, result.StepFailed)}, true, "definitions, source and package", "source"},
		{[]result.VettingStep{step(Source, result.StepNotDone)}, true, "package", ""},
	} {
		v := vetting{}
		if v.what.Steps = tt.steps; tt.fetched {
			v.fetched = &fetch.Fetched{}
		}
		if v.lookedAt() != tt.looked || v.reached() != tt.reached {
			t.Errorf("%v: looked at %q as far as %q, want %q, %q", tt.steps, v.lookedAt(), v.reached(), tt.looked, tt.reached)
		}
	}
	if got := firstReasons([]string{"0", "1", "2", "3"}); !slices.Equal(got, []string{"0", "1", "2", "1 more"}) {
		t.Errorf("reasons %q", got)
	}
}

// Lines of checks are taken from where they ran, and added up where they ran in both.
func TestJoin(t *testing.T) {
	check := func(rule finding.Rule, state string, n int) result.CheckCoverage {
		return result.CheckCoverage{Rule: rule, State: state, Items: n, Findings: 2 * n, Withheld: 3 * n}
	}
	one := &result.Report{Findings: []finding.Finding{{Input: 0}, {Input: 2}}, Summary: result.Summary{Servers: 1, Items: 2, Strings: 3}, Skipped: []result.Skip{{Rule: "A"}, {Rule: "B"}}}
	one.Coverage.Checks = []result.CheckCoverage{check("A", "skipped", 0), check("B", "skipped", 0), check("C", "ran", 1), check("D", "ran", 1)}
	one.Coverage.Fields = []result.FieldCoverage{{Field: "name", Strings: 1, Bytes: 10}}
	two := &result.Report{Findings: []finding.Finding{{Input: 0}}, Summary: result.Summary{Servers: 10, Items: 20, Strings: 30}, Probing: &result.Probing{}}
	two.Coverage.Checks = []result.CheckCoverage{check("A", "ran", 5), check("B", "skipped", 0), check("C", "ran", 7), check("D", "skipped", 9)}
	two.Coverage.Fields = []result.FieldCoverage{{Field: "name", Strings: 2, Bytes: 20}, {Field: "title", Strings: 1, Bytes: 5}}
	join(one, two)
	if len(one.Findings) != 3 || one.Findings[2].Input != 3 {
		t.Errorf("inputs of findings %+v", one.Findings)
	}
	if s := one.Summary; s.Servers != 11 || s.Items != 22 || s.Strings != 33 {
		t.Errorf("summary %+v", s)
	}
	if f := one.Coverage.Fields; len(f) != 2 || f[0].Strings != 3 || f[0].Bytes != 30 || f[1].Strings != 1 {
		t.Errorf("fields %+v", f)
	}
	if got := one.Skipped; len(got) != 1 || got[0].Rule != "B" || one.Probing != two.Probing {
		t.Errorf("skipped %v, probing %v", got, one.Probing)
	}
	for i, want := range []string{"ran", "skipped", "ran 8 16 24", "ran 1 2 3"} {
		c := one.Coverage.Checks[i]
		if got := fmt.Sprintf("%s %d %d %d", c.State, c.Items, c.Findings, c.Withheld); !strings.HasPrefix(got, want) {
			t.Errorf("check %s: %s, want %s", c.Rule, got, want)
		}
	}
	mine := &result.Probing{}
	three := &result.Report{Probing: mine}
	two.Findings[0].Input = 0
	if join(three, two); three.Probing != mine || three.Findings[0].Input != 0 {
		t.Errorf("probing %v, input %d", three.Probing, three.Findings[0].Input)
	}
}

// A list of changes names so many and counts the rest, once each, sorted.
func TestSayLists(t *testing.T) {
	var many []string
	for i := range maxNamed + 2 {
		many = append(many, fmt.Sprintf("d%02d", i))
	}
	for _, tt := range []struct {
		was, now []string
		want     string
	}{
		{nil, nil, ""},
		{[]string{"a"}, []string{"a"}, ""},
		{[]string{"a"}, []string{"b"}, "x added: b|x removed: a"},
		{nil, []string{"c", "a", "c"}, "x added: a, c"},
		{nil, many[:maxNamed], "x added: " + strings.Join(many[:maxNamed], ", ")},
		{many, nil, "x removed: " + strings.Join(many[:maxNamed], ", ") + " and 2 more"},
	} {
		var said []string
		sayLists(func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }, "x", tt.was, tt.now)
		if got := strings.Join(said, "|"); got != tt.want {
			t.Errorf("%q to %q: %q, want %q", tt.was, tt.now, got, tt.want)
		}
	}
	got := scriptTexts([]result.InstallScript{{Package: "a", Event: "install", Command: "x"}, {Own: true, Package: "b", Event: "prepare", Command: "y"}})
	if !slices.Equal(got, []string{"a install x", "prepare y"}) {
		t.Errorf("scripts %q", got)
	}
}

// The command of a report is without the folder of the cache, but a directory of the user is shown as it is.
func TestShownCommand(t *testing.T) {
	for _, tt := range []struct{ kind, url, want string }{{"npm", "", "node a/index.js"}, {"directory", "", "node /cache/x/a/index.js"}, {"npm", "https://x", ""}} {
		v := vetting{server: &launch.Server{Command: []string{"node", "/cache/x/a/index.js"}, URL: tt.url}, start: &fetch.Start{Dir: "/cache/x"}, target: &Target{Spec: fetch.Spec{Kind: fetch.Kind(tt.kind)}}}
		if got := strings.Join(v.shownCommand(), " "); got != tt.want || v.server.Command[1] != "/cache/x/a/index.js" {
			t.Errorf("%s %s: %q, want %q", tt.kind, tt.url, got, tt.want)
		}
	}
	v := vetting{server: &launch.Server{Command: []string{"node"}}, target: &Target{}}
	if got := v.shownCommand(); !slices.Equal(got, []string{"node"}) {
		t.Errorf("without a start: %q", got)
	}
}

func TestDefinitionsText(t *testing.T) {
	c, err := catalog.Parse("x", `{"server":{"name":"s"},"tools":[{"name":"a"},{"name":"b"}]}`, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	v := vetting{server: &launch.Server{}}
	v.read.catalog = *c
	v.what.Placeholders = []string{"A", "B"} // the server itself is a definition, too
	notes := []target.Note{{Text: "a note"}, {Text: "its own words", Quote: true}}
	if got, want := v.definitionsText(notes), "started in a sandbox; 3 definitions; it did not start without A, B, which got values without a meaning; a note"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	v.server.URL, v.what.Placeholders = "https://x", nil
	if got, want := v.definitionsText(nil), "3 definitions"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only absolute paths that are there are shown to a sealed server.
func TestNamedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("here", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs("here")
	if err != nil {
		t.Fatal(err)
	}
	if got := namedFiles([]string{"here", abs, abs + "-not", "--flag"}); !slices.Equal(got, []string{abs}) {
		t.Errorf("%q, want %q", got, abs)
	}
}

func TestPlannedTrials(t *testing.T) {
	if n := plannedTrials(&result.Probing{Trials: []result.ProbeTrial{{Planned: true}, {}, {Planned: true}}}); n != 2 {
		t.Errorf("%d, want 2", n)
	}
}
