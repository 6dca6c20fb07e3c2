package scanrun

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const servers = `{"servers":[
 {"name":"a","tools":[{"name":"read_file","inputSchema":{"type":"object"}},{"name":"run","inputSchema":{"type":"object"}},{"name":"stat","inputSchema":{"type":"object"}},{"name":"twin","inputSchema":{"type":"object"}}]},
 {"name":"b","tools":[{"name":"twin","inputSchema":{"type":"object"}}]}]}`

// ours is a run with a finding in a definition of each twin, in read_file and in a source.
func ours(t testing.TB) (*result.Report, *catalog.Catalog) {
	t.Helper()
	c, err := catalog.Parse("servers.json", servers, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	poisoned := []finding.TaxonomyRef{{ID: "MCP03:2025", Fit: "exact"}, {ID: "CWE-78", Fit: "weak"}}
	at := func(server, tool string) finding.Location {
		return finding.Location{Server: server, Kind: finding.Tool, Item: tool, Pointer: "/x", File: "servers.json", Line: 1}
	}
	return &result.Report{Findings: []finding.Finding{
		{Rule: "SEC-001", Name: "instructions-in-description", Location: at("a", "read_file"), Fingerprint: "f-read", Taxonomy: poisoned},
		{Rule: "SEC-001", Name: "instructions-in-description", Location: at("a", "twin"), Fingerprint: "f-twin-a", Taxonomy: poisoned},
		{Rule: "SEC-001", Name: "instructions-in-description", Location: at("b", "twin"), Fingerprint: "f-twin-b", Taxonomy: poisoned},
		{Rule: "GNT-301", Name: "x", Location: finding.Location{File: "src/lib/shell.py", Line: 10}, Fingerprint: "f-source", Taxonomy: []finding.TaxonomyRef{{ID: "CWE-77", Fit: "close"}}},
	}}, c
}

func parseFile(t testing.TB, name string) *importedFile {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseImported(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What a foreign report agrees with, and what only looks like it.
func TestReconcileGolden(t *testing.T) {
	r, c := ours(t)
	reconcile(r, c, "src", []*importedFile{parseFile(t, "other.sarif"), parseFile(t, "probe.json")})
	var b strings.Builder
	for _, f := range r.Imported.Files {
		fmt.Fprintf(&b, "%s: %s, %d findings, %d left, %d runs\n", f.File, f.Format, f.Findings, f.Left, f.Runs)
	}
	for _, f := range r.Imported.Findings {
		fmt.Fprintf(&b, "%s\n  %s %s of %s in %q %q %q %s:%d\n  %s %s; %s %s\n", f.Message, f.Severity, f.Rule, f.Tool, f.Location.Server, f.Location.Item, f.Parameter, f.Location.File, f.Location.Line, f.State, f.Agrees, f.Run, f.By)
	}
	if *update {
		if err := os.WriteFile("testdata/golden.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("testdata/golden.txt differs; run with -update and read the diff. Got:\n%s", b.String())
	}
}

// An attack that was made from a finding of ours confirms or refutes what agrees with that finding. A scripted one
// shows nothing about an agent.
func TestAttacksConfirmAndRefute(t *testing.T) {
	run := func(o verdict.Outcome, scripted bool) result.AttackRun {
		return result.AttackRun{ID: "A", Agent: "bob", Findings: []string{"f-read"}, Scripted: scripted, Verdict: &verdict.Attack{Outcome: o}}
	}
	for _, tt := range []struct {
		name string
		runs []result.AttackRun
		want result.RunState
	}{
		{"complied", []result.AttackRun{run(verdict.Exploited, false)}, result.Confirmed},
		{"resisted", []result.AttackRun{run(verdict.NotExploited, false)}, result.Refuted},
		{"once is enough", []result.AttackRun{run(verdict.NotExploited, false), run(verdict.Exploited, false), run(verdict.NotExploited, false)}, result.Confirmed},
		{"scripted", []result.AttackRun{run(verdict.Exploited, true)}, ""},
		{"none", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// As a recorded report has it, and as one in the same run.
			text, err := json.Marshal(map[string]any{"schema_version": "1.0", "tool": map[string]string{"name": "gauntlet"}, "findings": []int{}, "attacks": tt.runs})
			if err != nil {
				t.Fatal(err)
			}
			recorded, err := parseImported("attacks.json", string(text))
			if err != nil {
				t.Fatal(err)
			}
			other := func() *importedFile { return parseFile(t, "other.sarif") }
			r, c := ours(t)
			reconcile(r, c, "", []*importedFile{other(), recorded})
			if got := r.Imported.Findings[0]; got.Run != tt.want {
				t.Errorf("recorded: %q by %q, want %q", got.Run, got.By, tt.want)
			}
			r, c = ours(t)
			r.Attacks = tt.runs
			reconcile(r, c, "", []*importedFile{other()})
			if got := r.Imported.Findings[0]; got.Run != tt.want {
				t.Errorf("same run: %q by %q, want %q", got.Run, got.By, tt.want)
			}
		})
	}
}

// The findings of an earlier run of this program agree with the same ones.
func TestOwnReport(t *testing.T) {
	r, c := ours(t)
	text, err := json.Marshal(map[string]any{"schema_version": "1.0", "tool": map[string]string{"name": "gauntlet"}, "findings": []any{
		map[string]any{"rule_id": "SEC-001", "name": "n", "severity": "high", "fingerprint": "f-read", "location": r.Findings[0].Location},
		map[string]any{"rule_id": "SEC-001", "name": "n", "severity": "grave"},
		map[string]any{"rule_id": "SEC-001", "name": "n", "severity": "low", "fingerprint": "gone", "location": map[string]any{"kind": "\x1b[2J", "item": "read_file", "line": -4}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseImported("old.json", string(text))
	if err != nil {
		t.Fatal(err)
	}
	reconcile(r, c, "", []*importedFile{f})
	if got := r.Imported.Findings; len(got) != 2 || f.Source.Left != 1 || got[0].State != result.Agreed || got[0].Severity != finding.High || got[1].State != result.ForeignOnly || got[1].Location.Kind != "" || got[1].Location.Line != 0 {
		t.Errorf("%d left, %+v", f.Source.Left, got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", "results: []", "not JSON"},
		{"a list", "[]", "neither SARIF"},
		{"another version", `{"version":"1.0.0","runs":[]}`, "neither SARIF"},
		{"another program's", `{"schema_version":"1.0","tool":{"name":"x"},"findings":[]}`, "neither SARIF"},
		{"too deep", `{"version":"2.1.0","runs":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parseImported("x", tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want one with %q", err, tt.want)
			}
		})
	}
}

// A report says in its own words that it is not complete; results that are there count all the same.
func TestIncompleteImport(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":"2.1.0","runs":[{"results":[],"invocations":[{"executionSuccessful":false}]}]}`:                                   "executionSuccessful is false",
		`{"version":"2.1.0","runs":[{"results":null}]}`:                                                                               "it has no results",
		`{"version":"2.1.0","runs":[{"results":[],"invocations":[{"executionSuccessful":true}]}]}`:                                    "",
		`{"version":"2.1.0","runs":[{"results":[]}]}`:                                                                                 "",
		`{"schema_version":"1","tool":{"name":"gauntlet"},"findings":[],"problems":[{"kind":"unread","message":"the list was cut"}]}`: "the list was cut",
		`{"schema_version":"1","tool":{"name":"gauntlet"},"findings":[],"problems":[]}`:                                               "",
	} {
		f, err := parseImported("a.json", text)
		if err != nil || f.Undone != want {
			t.Errorf("%s: %q, %v, want %q", text, f.Undone, err, want)
		}
	}
}

func TestParseCutsAtTheLimit(t *testing.T) {
	text := `{"version":"2.1.0","runs":[{"results":[` + strings.Repeat(`{"ruleId":"x"},`, maxImported) + `{"ruleId":"y"}]}]}`
	f, err := parseImported("x", text)
	if err != nil || !f.Cut || f.Source.Findings != maxImported {
		t.Errorf("%v, cut %v, %d findings", err, f.Cut, f.Source.Findings)
	}
}

func TestSeverity(t *testing.T) {
	for _, tt := range []struct {
		result, rule string
		want         finding.Severity
	}{
		{`{}`, `{}`, finding.Medium},
		{`{"level":"error"}`, `{}`, finding.High},
		{`{"level":"note"}`, `{"defaultConfiguration":{"level":"error"}}`, finding.Low},
		{`{}`, `{"defaultConfiguration":{"level":"none"}}`, finding.Info},
		{`{"level":"note"}`, `{"properties":{"security-severity":"9.8"}}`, finding.Critical},
		{`{"properties":{"security-severity":5}}`, `{"properties":{"security-severity":"9.8"}}`, finding.Medium},
		{`{"level":"error"}`, `{"properties":{"security-severity":"NaN"}}`, finding.High},
		{`{"level":"error"}`, `{"properties":{"security-severity":"99"}}`, finding.High},
	} {
		var r sarifResult
		var rule sarifRule
		if !decode([]byte(tt.result), &r) || !decode([]byte(tt.rule), &rule) {
			t.Fatal(tt)
		}
		if got := r.severity(&rule); got != tt.want {
			t.Errorf("%s with %s: %s, want %s", tt.result, tt.rule, got, tt.want)
		}
	}
}

func TestRelated(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b subject
		want bool
	}{
		{"neighbours of the CWE", subjectOf(nil, []string{"CWE-78"}), subjectOf(nil, []string{"CWE-077"}), true},
		{"a name and an entry", subjectOf([]string{"py/path-injection"}, nil), subjectOf(nil, []string{"external/cwe/cwe-022"}), true},
		{"the forgery of another side", subjectOf([]string{"cross-site-request-forgery"}, nil), subjectOf([]string{"ssrf"}, nil), false},
		{"a longer number", subjectOf(nil, []string{"CWE-789"}), subjectOf(nil, []string{"CWE-78"}), false},
		{"a wide entry beside narrow ones", subjectOf(nil, []string{"MCP05", "CWE-78"}), subjectOf(nil, []string{"MCP05", "CWE-22"}), false},
		{"a wide entry alone", subjectOf(nil, []string{"MCP05:2025"}), subjectOf(nil, []string{"MCP05", "CWE-22"}), true},
		{"nothing", subject{}, subject{}, false},
	} {
		if got := tt.a.related(tt.b); got != tt.want || tt.b.related(tt.a) != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Whatever a report holds: no panic, and every finding has a rule, a tool's name and bounded, well-formed text.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"other.sarif", "probe.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(`{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"id":7}]}},"results":[{"ruleIndex":-1,"message":{"text":"\ud800"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"%zz"},"region":{"startLine":-9}}}]}]}]}`)
	f.Add(`{"schema_version":"1.0","tool":{"name":"gauntlet"},"findings":[{"severity":"high","location":{"pointer":"/inputSchema/properties/~"}}],"attacks":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parseImported("f", text)
		if err != nil {
			return
		}
		r, c := ours(t)
		reconcile(r, c, "src", []*importedFile{file})
		if len(r.Imported.Findings) != file.Source.Findings {
			t.Fatalf("%d findings, %d counted", len(r.Imported.Findings), file.Source.Findings)
		}
		for _, one := range r.Imported.Findings {
			if one.Tool == "" || one.Rule == "" || one.State == "" || one.Severity < finding.Info || one.Severity > finding.Critical || one.Location.Line < 0 || one.Location.EndLine < 0 {
				t.Fatalf("%+v", one)
			}
			for _, s := range []string{one.Tool, one.Rule, one.Message, one.Parameter, one.By, one.Location.Server, one.Location.Item, one.Location.File} {
				if len(s) > maxText+len("…") || !utf8.ValidString(s) {
					t.Fatalf("%d bytes: %q", len(s), s)
				}
			}
		}
	})
}
