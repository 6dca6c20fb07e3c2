package suite_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"gauntlet/suite"
	"gauntlet/trust"
)

func read(t *testing.T, file string) *suite.Suite {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	s, errs := suite.Parse(file, string(text))
	if len(errs) > 0 {
		t.Fatalf("%s: %v", file, errs)
	}
	return s
}

// The example of the public page is read as it stands there.
func TestSeed(t *testing.T) {
	s := read(t, "seed.yaml")
	if len(s.Servers) != 2 || s.Servers[1].Name != "database" || s.Servers[1].Line != 5 || s.Servers[0].Command[3] != "./servers/fetcher.yml" {
		t.Errorf("servers %+v", s.Servers)
	}
	b := s.Boundary()
	want := trust.Boundary{
		File:       "seed.yaml",
		Flows:      []trust.Flow{{From: trust.Name{Text: "fetcher", Line: 11, Column: 15}, To: trust.Name{Text: "database", Line: 12, Column: 13}}},
		Sanitizers: []trust.Name{{Text: "sanitize_text", Line: 14, Column: 9}},
		Negotiation: &trust.Negotiation{Target: trust.Name{Text: "2026-07-28", Line: 16, Column: 13}, Declared: true,
			Negotiated: []trust.Name{{Text: "tools", Line: 17, Column: 18}}},
	}
	if !reflect.DeepEqual(b, want) {
		t.Errorf("boundary %+v, want %+v", b, want)
	}
}

func TestFull(t *testing.T) {
	s := read(t, "full.yaml")
	if got := s.Servers[1]; got.Name != "data.base" || got.Timeout != 30*time.Second || fmt.Sprint(got.Env) != "[{TOKEN abc} {PORT 80}]" {
		t.Errorf("server %+v", got)
	}
	if got := s.Steps[0]; got.Server != "fetcher" || got.Tool != "fetch_page" || got.As != "page" || got.Line != 26 ||
		got.Arguments != `{"url":"https://a.example/","depth":16,"deep":{"list":[1,"two",null,true,"2026-07-28"]}}` {
		t.Errorf("step %+v", got)
	}
	if e := s.Steps[0].Expect; *e.Error || e.At != "/content/0/text" || e.Equals != `"hello"` || e.Matches != "^h.*o$" || e.Lacks[0] != "error" {
		t.Errorf("expect %+v", e)
	}
	if got := s.Steps[1]; got.Server != "data.base" || got.Tool != "run.query" {
		t.Errorf("step %+v", got)
	}
	if e := s.Expect; *e[0].Count != 1 || e[0].Call != "data.base.run.query" || e[1].Step != "page" || e[1].Equals != `{"content":[]}` || !s.Scan {
		t.Errorf("expect %+v", e)
	}
	b := s.Boundary()
	if b.Limits != (trust.Limits{MinLength: 16, CommonPart: 48, Producers: 5, Findings: 100}) || !b.Negotiation.Declared || len(b.Negotiation.Negotiated) != 0 {
		t.Errorf("boundary %+v", b)
	}
}

// wrongs are files that are refused, by what is said of them and where.
var wrongs = []struct{ name, text, want string }{
	{"empty", "# nothing\n", "1:1: the file is empty"},
	{"no YAML", "a: [", "not YAML"},
	{"two documents", "scan: true\n---\nscan: true\n", "more than one document"},
	{"a list", "- a\n", "1:1: it is not a mapping"},
	{"an unknown key", "scan: true\nsecurty: {}\n", `2:1: unknown key "securty": want version, servers, security`},
	{"an unknown key far inside", "security:\n  trust_boundary:\n    alowed_flows: []\n", `3:5: unknown key "alowed_flows"`},
	{"a key twice", "scan: true\nscan: true\n", "2:1: the key scan stands twice"},
	{"another version", "version: 2\n", "1:10: the version"},
	{"a server of no kind", "servers:\n  a: {}\n", "2:3: the server a has 0 of command"},
	{"a server of two kinds", "servers:\n  a: {url: \"http://x\", mock: m}\n", "2:3: the server a has 2 of command"},
	{"a server twice", "servers:\n  a: {mock: m}\n  a: {mock: m}\n", "3:3: the server \"a\" stands twice"},
	{"a command that is no list", "servers:\n  a: {command: npx foo}\n", "2:16: command is not a list"},
	{"a URL of another scheme", "servers:\n  a: {url: file:///x}\n", "2:12: url begins with neither"},
	{"a flow without an end", "security: {trust_boundary: {allowed_flows: [{from: a}]}}\n", "1:45: a flow has no to"},
	{"a sanitizer twice", "security: {trust_boundary: {required_sanitizers: [a, a]}}\n", `"a" stands twice`},
	{"sanitizers that are no list", "security: {trust_boundary: {required_sanitizers: a}}\n", "is not a list"},
	{"a limit too low", "security: {trust_boundary: {limits: {min_length: 0}}}\n", "min_length is no whole number from 4 to 1000000"},
	{"a limit that is no number", "security: {trust_boundary: {limits: {min_length: 1_0}}}\n", "min_length is no whole number"},
	{"no revision", "security: {capability_negotiation: {target: latest}}\n", `1:45: target: "latest" is no revision`},
	{"anchors", "servers: &x {}\n", "anchors and aliases are not read"},
	{"steps and an agent", "steps: []\nagent: {builtin: victim}\n", "2:8: agent: a suite has one of steps, agent and trace"},
	{"a step without a call", "steps: [{as: x}]\n", "a step has no call"},
	{"a step that calls nobody", "servers: {a: {mock: m}}\nsteps: [{call: b.c}]\n", `2:16: call: "b.c" is not server.tool`},
	{"two steps of a name", "servers: {a: {mock: m}}\nsteps: [{call: a.c, as: x}, {call: a.c, as: x}]\n", `two steps are called "x"`},
	{"an expectation of no step", "expect: [{step: x}]\n", `no step is called "x"`},
	{"an expectation of nothing", "expect: [{count: 1}]\n", "an expectation has 0 of call, step"},
	{"a broken expression", "servers: {a: {mock: m}}\nsteps: [{call: a.c, expect: {matches: \"(\"}}]\n", "matches: error parsing regexp"},
	{"no pointer", "servers: {a: {mock: m}}\nsteps: [{call: a.c, expect: {at: x, equals: 1}}]\n", "is no JSON Pointer"},
	{"arguments with a template that lacks quotes", "servers: {a: {mock: m}}\nsteps: [{call: a.c, arguments: {x: {{page}}}}]\n", "needs quotes around it"},
	{"no duration", "servers: {a: {mock: m, timeout: soon}}\n", "is not a duration above zero"},
}

func TestWrongFilesAreRefusedWithTheirPlace(t *testing.T) {
	for _, tt := range wrongs {
		t.Run(tt.name, func(t *testing.T) {
			_, errs := suite.Parse("s.yaml", tt.text)
			var all []string
			for _, e := range errs {
				all = append(all, fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg))
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// One fault does not hide the next.
func TestAllFaultsAreReported(t *testing.T) {
	_, errs := suite.Parse("s.yaml", "servers:\n  a: {}\nsecurity:\n  trust_boundary:\n    x: 1\n  capability_negotiation:\n    target: y\n")
	if len(errs) != 3 || errs[0].Line != 2 || errs[1].Line != 5 || errs[2].Line != 7 {
		t.Errorf("%v", errs)
	}
}

func FuzzParse(f *testing.F) {
	for _, tt := range wrongs {
		f.Add(tt.text)
	}
	for _, file := range []string{"seed.yaml", "full.yaml"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, errs := suite.Parse("s.yaml", text)
		lines := 1 // as YAML counts them
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
			lines += strings.Count(text, end)
		}
		for _, e := range errs {
			if e.Msg == "" || e.Line > lines+1 {
				t.Errorf("%q: %+v", text, e)
			}
		}
		if len(errs) > 0 {
			return
		}
		names := map[string]bool{}
		for _, server := range s.Servers {
			if server.Name == "" || names[server.Name] {
				t.Errorf("%q: server %q", text, server.Name)
			}
			names[server.Name] = true
		}
		for _, step := range s.Steps {
			if !names[step.Server] || step.Tool == "" {
				t.Errorf("%q: a step calls %q of %q", text, step.Tool, step.Server)
			}
		}
	})
}

func TestErrorSaysWhere(t *testing.T) {
	for want, e := range map[string]suite.Error{
		"s.yaml:3:7: no such server": {File: "s.yaml", Line: 3, Column: 7, Msg: "no such server"},
		"s.yaml: no such server":     {File: "s.yaml", Column: 7, Msg: "no such server"},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}
