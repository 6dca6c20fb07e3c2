package scanrun

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/result"
)

// The bands of CVSS include their lower ends, and what is no score of it leaves the level to decide.
func TestSeverityBands(t *testing.T) {
	for score, want := range map[string]finding.Severity{
		"10": finding.Critical, "9.0": finding.Critical, "8.9": finding.High, "7": finding.High, "6.9": finding.Medium, "4": finding.Medium,
		"3.9": finding.Low, "0.1": finding.Low, "0": finding.Info, "-1": finding.Info, "10.1": finding.Info, "high": finding.Info,
	} {
		var r sarifResult
		if !decode([]byte(`{"level":"none","properties":{"security-severity":"`+score+`"}}`), &r) {
			t.Fatal(score)
		}
		if got := r.severity(&sarifRule{}); got != want {
			t.Errorf("%s: %s, want %s", score, got, want)
		}
	}
}

// A result that passed, is accepted or is gone says nothing; a decision that is only under review accepts nothing.
func TestFails(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, `{"kind":"fail"}`: true, `{"kind":"review"}`: true, `{"kind":"open"}`: true,
		`{"kind":"pass"}`: false, `{"kind":"notApplicable"}`: false, `{"kind":"informational"}`: false,
		`{"baselineState":"new"}`: true, `{"baselineState":"unchanged"}`: true, `{"baselineState":"absent"}`: false,
		`{"suppressions":[]}`: true, `{"suppressions":[{}]}`: false, `{"suppressions":[{"status":"accepted"}]}`: false,
		`{"suppressions":[{"status":"underReview"}]}`: true, `{"suppressions":[{"status":"rejected"},{"status":"accepted"}]}`: false, `{"suppressions":[{"status":"rejected"}]}`: true,
	} {
		var r sarifResult
		if !decode([]byte(text), &r) {
			t.Fatal(text)
		}
		if got := r.fails(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestFilePath(t *testing.T) {
	for uri, want := range map[string]string{
		"": "", "src/a.py": "src/a.py", "file:///src/./a.py": "/src/a.py", "src/a%20b.py": "src/a b.py", `src\lib\a.py`: "src/lib/a.py",
		"https://example.org/a.py": "https:/example.org/a.py", "./a.py": "a.py", "%zz": "%zz",
	} {
		if got := filePath(uri); got != want {
			t.Errorf("%q: %q, want %q", uri, got, want)
		}
	}
}

// The rule is that of the id; the number counts where there is no id, and only within the driver's rules.
func TestRuleOf(t *testing.T) {
	driver := []sarifRule{{ID: "a", Name: "first"}, {ID: "b", Name: "second"}}
	rules := map[string]*sarifRule{"a": &driver[0], "b": &driver[1], "x": {ID: "x", Name: "of an extension"}}
	for text, want := range map[string]string{
		`{"ruleId":"b"}`: "second", `{"rule":{"id":"x"}}`: "of an extension", `{"ruleId":"a","rule":{"id":"x"}}`: "first", `{"ruleId":"a","ruleIndex":1}`: "first",
		`{"ruleIndex":0}`: "first", `{"ruleIndex":1}`: "second", `{"ruleIndex":2}`: "", `{"ruleIndex":-1}`: "", `{"ruleId":"gone","ruleIndex":1}`: "", `{}`: "",
	} {
		var r sarifResult
		if !decode([]byte(text), &r) {
			t.Fatal(text)
		}
		if got := r.ruleOf(rules, driver); got.Name != want || want == "" && got.ID != r.RuleID {
			t.Errorf("%s: %+v, want %q", text, got, want)
		}
	}
}

// claimsOf are the claims of one SARIF result.
func claimOf(t *testing.T, text string) claim {
	t.Helper()
	f, err := parseImported("r.sarif", "\ufeff"+`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"other"}},"results":[`+text+`]}]}`)
	if err != nil || len(f.claims) != 1 {
		t.Fatalf("%s: %v, %+v", text, err, f)
	}
	return f.claims[0]
}

// A claim names definitions by every way that programs use, and takes its ties from rule, result and taxa.
func TestClaim(t *testing.T) {
	for text, want := range map[string]string{
		`{"properties":{"tool":"add"}}`:      "[{add }]",
		`{"properties":{"toolName":"add"}}`:  "[{add }]",
		`{"properties":{"tool_name":"add"}}`: "[{add }]",
		`{"locations":[{"logicalLocations":[{"name":"add"},{"fullyQualifiedName":"srv/sub"},{"name":"x","fullyQualifiedName":"srv/y"},{}]}]}`: "[{add } {sub srv/sub} {x srv/y}]",
	} {
		if c := claimOf(t, text); fmt.Sprint(c.names) != want {
			t.Errorf("%s names %v, want %s", text, c.names, want)
		}
	}
	for _, text := range []string{`{"ruleId":"x","properties":{"tags":["external/cwe/cwe-078"]}}`, `{"ruleId":"x","taxa":[{"id":"CWE-78"}]}`, `{"ruleId":"x","properties":{"cwe":"CWE-78"}}`, `{"ruleId":"shell-injection"}`} {
		if c := claimOf(t, text); !c.subject.related(subjectOf(nil, []string{"CWE-77"})) || c.subject.related(subjectOf(nil, []string{"CWE-22"})) {
			t.Errorf("%s is about %+v", text, c.subject)
		}
	}
	c := claimOf(t, `{"message":{"text":"`+strings.Repeat("m", maxText+1)+`"},"ruleId":"`+strings.Repeat("r", maxName+1)+`","locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.py"},"region":{"startLine":-3,"endLine":4}}}]}`)
	if len(c.Message) > maxText+len("…") || len(c.Rule) > maxName+len("…") || c.Location.Line != 0 || c.Location.EndLine != 4 || c.File != "r.sarif" || c.Tool != "other" {
		t.Errorf("%d bytes of message, %d of the rule, lines %d to %d, from %q by %q", len(c.Message), len(c.Rule), c.Location.Line, c.Location.EndLine, c.File, c.Tool)
	}
	if c := claimOf(t, `{"ruleId":" "}`); c.Rule != " " || c.Severity != finding.Medium {
		t.Errorf("%+v", c)
	}
}

func TestParameterOfAPointer(t *testing.T) {
	for pointer, want := range map[string]string{
		"/tools/0/inputSchema/properties/path": "path true", "/tools/0/inputSchema/properties/path/description": "path true",
		"/tools/0/inputSchema/properties/a~1b~0c": "a/b~c true", "/tools/0/description": " false", "": " false",
	} {
		name, ok := cutProperties(pointer)
		if got := fmt.Sprint(name, " ", ok); got != want {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
	}
}

// Two places of one file overlap where they share a line.
func TestOverlap(t *testing.T) {
	at := func(line, end int) *finding.Location { return &finding.Location{Line: line, EndLine: end} }
	for _, tt := range []struct {
		a, b *finding.Location
		want bool
	}{
		{at(3, 0), at(3, 0), true}, {at(3, 0), at(4, 0), false}, {at(3, 5), at(5, 0), true}, {at(3, 5), at(6, 9), false}, {at(3, 5), at(1, 3), true},
		{at(3, 5), at(1, 2), false}, {at(1, 9), at(4, 5), true}, {at(5, 2), at(5, 5), true},
	} {
		if overlap(tt.a, tt.b) != tt.want || overlap(tt.b, tt.a) != tt.want {
			t.Errorf("%d to %d and %d to %d: want %v both ways", tt.a.Line, tt.a.EndLine, tt.b.Line, tt.b.EndLine, tt.want)
		}
	}
}

// A file of a report is the one of the same path, the one below the root, or the longest that ends an absolute path.
func TestFileHere(t *testing.T) {
	r := &result.Report{}
	for _, name := range []string{"src/a.py", "a.py", "b/c.py", "c.py"} {
		r.Findings = append(r.Findings, finding.Finding{Location: finding.Location{File: name, Line: 1}})
	}
	r.Findings = append(r.Findings, finding.Finding{Location: finding.Location{File: "noline.py"}}, finding.Finding{Location: finding.Location{File: "snapshot.json", Line: 1, Pointer: "/tools/0"}})
	r.Suppressed = []result.Suppressed{{Finding: finding.Finding{Location: finding.Location{File: `win\d.py`, Line: 1}}}}
	for _, tt := range []struct{ root, file, want string }{
		{"", "a.py", "a.py"}, {"src", "a.py", "a.py"}, {"b", "c.py", "c.py"}, {"src", "d/../a.py", "src/a.py"}, {"src", "d/a.py", ""},
		{"", "/home/ada/b/c.py", "b/c.py"}, {"", "/home/ada/c.py", "c.py"}, {"", "/home/ada/xc.py", ""}, {"", "home/b/c.py", ""},
		{"", "noline.py", ""}, {"", "snapshot.json", ""}, {"", "win/d.py", "win/d.py"}, {"b/", "gone.py", ""},
	} {
		k := newReconciler(r, &catalog.Catalog{}, tt.root, nil)
		for range 2 { // the second time from memory
			if got := k.fileHere(tt.file); got != tt.want {
				t.Errorf("%q from %q: %q, want %q", tt.file, tt.root, got, tt.want)
			}
		}
	}
	k := newReconciler(&result.Report{Findings: []finding.Finding{{Location: finding.Location{File: "src/e.py", Line: 1}}}}, &catalog.Catalog{}, "./src/", nil)
	if got := k.fileHere("e.py"); got != "src/e.py" {
		t.Errorf("below the root: %q", got)
	}
}

// No claim is tied to more than so many findings, and one that names a parameter only to findings in that parameter or in none.
func TestAgree(t *testing.T) {
	of := func(print, pointer string) finding.Finding {
		return finding.Finding{Name: "command injection", Fingerprint: print, Location: finding.Location{Server: "a", Kind: finding.Tool, Item: "run", Pointer: pointer}}
	}
	r := &result.Report{Findings: []finding.Finding{of("cmd", "/t/inputSchema/properties/cmd"), of("dir", "/t/inputSchema/properties/dir"), of("whole", "/t/description")}}
	k := newReconciler(r, &catalog.Catalog{}, "", nil)
	claimed := func(parameter, print string) *claim {
		c := &claim{subject: subjectOf([]string{"shell injection"}, nil), fingerprint: print}
		c.Location, c.Parameter = finding.Location{Server: "a", Kind: finding.Tool, Item: "run"}, parameter
		return c
	}
	for parameter, want := range map[string]string{"": "[cmd dir whole]", "cmd": "[cmd whole]", "other": "[whole]"} {
		c := claimed(parameter, "")
		same := k.agree(c)
		if fmt.Sprint(c.Agrees) != want || len(same) != len(c.Agrees) || c.State != result.Agreed {
			t.Errorf("parameter %q agrees with %v, want %s", parameter, c.Agrees, want)
		}
	}
	other := claimed("", "")
	other.subject = subjectOf([]string{"path traversal"}, nil)
	if k.agree(other); other.State != result.ForeignOnly || other.Agrees != nil {
		t.Errorf("another subject: %+v", other.ImportedFinding)
	}
	other.fingerprint = "dir"
	if k.agree(other); fmt.Sprint(other.Agrees) != "[dir]" {
		t.Errorf("of the same fingerprint: %v", other.Agrees)
	}
	for i := range maxTies {
		r.Findings = append(r.Findings, of(fmt.Sprint(i), "/t/description"))
	}
	many := claimed("", "")
	if newReconciler(r, &catalog.Catalog{}, "", nil).agree(many); len(many.Agrees) != maxTies {
		t.Errorf("%d ties, want %d", len(many.Agrees), maxTies)
	}
}

// A trial confirms by proof; it refutes only a claim of one kind about one parameter, whose every trial was delivered and resisted.
func TestTried(t *testing.T) {
	trial := func(server, tool, parameter, class string, outcome result.ProbeOutcome, delivered int) *result.Probing {
		return &result.Probing{Server: server, Trials: []result.ProbeTrial{{Tool: tool, Parameter: parameter, Class: class, Outcome: outcome, Delivered: delivered}}}
	}
	const shell, path = "command injection", "path traversal"
	resisted := trial("a", "run", "cmd", shell, result.ResistedIt, 1)
	proved := trial("a", "run", "cmd", shell, result.Proved, 1)
	one := place{"a", finding.Tool, "run"}
	for _, tt := range []struct {
		name      string
		parameter string
		subject   []string
		at        place
		runs      []*result.Probing
		want      result.RunState
	}{
		{"proved", "cmd", []string{shell}, one, []*result.Probing{proved}, result.Confirmed},
		{"proved, without a parameter", "", []string{shell}, one, []*result.Probing{proved}, result.Confirmed},
		{"proved after one that resisted", "cmd", []string{shell}, one, []*result.Probing{resisted, proved}, result.Confirmed},
		{"resisted", "cmd", []string{shell}, one, []*result.Probing{resisted}, result.Refuted},
		{"resisted, without a parameter", "", []string{shell}, one, []*result.Probing{resisted}, ""},
		{"resisted, of two kinds", "cmd", []string{shell, path}, one, []*result.Probing{resisted}, ""},
		{"not delivered", "cmd", []string{shell}, one, []*result.Probing{trial("a", "run", "cmd", shell, result.ResistedIt, 0)}, ""},
		{"one resisted, one not delivered", "cmd", []string{shell}, one, []*result.Probing{resisted, trial("a", "run", "cmd", shell, result.NotDelivered, 0)}, ""},
		{"by design", "cmd", []string{shell}, one, []*result.Probing{trial("a", "run", "cmd", shell, result.ByDesign, 1)}, ""},
		{"another parameter", "dir", []string{shell}, one, []*result.Probing{proved}, ""},
		{"another tool", "cmd", []string{shell}, one, []*result.Probing{trial("a", "add", "cmd", shell, result.Proved, 1)}, ""},
		{"another server", "cmd", []string{shell}, one, []*result.Probing{trial("b", "run", "cmd", shell, result.Proved, 1)}, ""},
		{"a server that is not named", "cmd", []string{shell}, place{"", finding.Tool, "run"}, []*result.Probing{trial("b", "run", "cmd", shell, result.Proved, 1)}, result.Confirmed},
		{"another class", "cmd", []string{shell}, one, []*result.Probing{trial("a", "run", "cmd", path, result.Proved, 1)}, ""},
		{"no tool", "cmd", []string{shell}, place{"a", finding.Prompt, "run"}, []*result.Probing{proved}, ""},
		{"no kind", "cmd", nil, one, []*result.Probing{proved}, ""},
		{"nothing was tried", "cmd", []string{shell}, one, nil, ""},
	} {
		c := &claim{subject: subjectOf(tt.subject, nil)}
		c.Parameter = tt.parameter
		k := &reconciler{probing: tt.runs}
		if got, by := k.tried(c, tt.at); got != tt.want || (by == "") != (tt.want == "") {
			t.Errorf("%s: %q by %q, want %q", tt.name, got, by, tt.want)
		}
	}
}
