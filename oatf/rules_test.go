package oatf

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRules plays testdata/rules: one archive a rule, with documents bad*.yaml that break
// it and near-miss*.yaml that almost do. The section want holds all that is said about the
// bad ones. A rule without both kinds fails.
func TestRules(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			path := filepath.Join("testdata", "rules", rule.ID+".txtar")
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad, near := 0, 0
			var got, want strings.Builder
			for _, f := range a.Files {
				switch {
				case strings.HasPrefix(f.Name, "bad"):
					bad++
					all := judge(t, string(f.Data))
					if !slices.ContainsFunc(all, func(d Diagnostic) bool { return reported(rule.ID) == d.Rule }) {
						t.Errorf("%s does not break %s", f.Name, rule.ID)
					}
					for _, d := range all {
						fmt.Fprintf(&got, "%s:%d:%d-%d: %s %s: %s: %s\n", f.Name, d.Line, d.Column, d.EndColumn, d.Severity, d.Rule, d.Path, d.Message)
					}
				case strings.HasPrefix(f.Name, "near-miss"):
					near++
					for _, d := range judge(t, string(f.Data)) {
						if d.Rule == reported(rule.ID) || d.Severity == SeverityError {
							t.Errorf("%s: %v", f.Name, d)
						}
					}
				case f.Name == "want":
					want.Write(f.Data)
				default:
					t.Errorf("unknown section %s", f.Name)
				}
			}
			if bad == 0 || near == 0 {
				t.Errorf("%d bad documents and %d near misses: want one of each at least", bad, near)
			}
			if got.String() == want.String() {
				return
			}
			if !*update {
				t.Errorf("got:\n%swant:\n%s", got.String(), want.String())
				return
			}
			a.Files = append(slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" }), txtar.File{Name: "want", Data: []byte(got.String())})
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	files, _ := filepath.Glob("testdata/rules/*.txtar")
	if len(files) != len(Rules()) {
		t.Errorf("%d archives for %d rules", len(files), len(Rules()))
	}
}

// reported returns the id under which a rule is reported: V-002 has that of its warning.
func reported(id string) string {
	if id == "V-002" {
		return "W-001"
	}
	return id
}

// judge returns all that is said about a text.
func judge(t *testing.T, text string) []Diagnostic {
	t.Helper()
	d, err := Parse(text)
	if d == nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r := Validate(d)
	return sortDiagnostics(slices.Concat(r.Errors, r.Warnings, Lint(d)))
}

// TestRulesDoc wants each rule in the table of the users' documentation.
func TestRulesDoc(t *testing.T) {
	text, err := os.ReadFile("../docs/attack-documents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules() {
		row := fmt.Sprintf("| %s | %s | %s | %s |\n", r.ID, r.Section, r.Severity, r.Summary)
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/attack-documents.md lacks the row\n%s", row)
		}
	}
}
