package oatf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"go.yaml.in/yaml/v4"

	"gauntlet/rawjson"
)

// The public conformance suite of the format, read where GAUNTLET_OATF says: the directory
// with conformance/ and scenarios/. Without it these tests skip; the project's own fixtures
// do not.
func suiteDir(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("GAUNTLET_OATF")
	if dir == "" {
		t.Skip("GAUNTLET_OATF is not set")
	}
	return filepath.Join(dir, name)
}

// A suiteCase is one case of a suite file.
type suiteCase struct {
	Name     string    `yaml:"name"`
	ID       string    `yaml:"id"`
	Input    yaml.Node `yaml:"input"`
	Expected yaml.Node `yaml:"expected"`
}

func suiteCases(t *testing.T, file string) []suiteCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(suiteDir(t, "conformance"), file))
	if err != nil {
		t.Fatal(err)
	}
	var cases []suiteCase
	if err := yaml.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s holds no case", file)
	}
	return cases
}

// exceptions are the cases that contradict themselves: id, what of them is not compared, why.
func exceptions(t *testing.T) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile("testdata/conformance-exceptions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][2]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if len(cells) != 3 {
			t.Fatalf("want three cells: %q", line)
		}
		all[cells[0]] = [2]string{cells[1], cells[2]}
	}
	return all
}

// TestConformance plays the parts of the suite that concern whole documents, and prints
// what came out by file.
func TestConformance(t *testing.T) {
	excepted := exceptions(t)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FILE\tCASES\tPASSED\tEXCEPTED")
	used := map[string]bool{}
	row := func(file string, run func(t *testing.T) (cases, except int)) {
		t.Run(file, func(t *testing.T) {
			cases, except := run(t)
			passed := cases - except
			if t.Failed() {
				passed = -1
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", file, cases, passed, except)
		})
	}
	for _, kind := range []string{"valid", "invalid"} {
		row("parse/"+kind, func(t *testing.T) (int, int) { return parseFiles(t, kind == "valid"), 0 })
	}
	for _, suite := range []struct {
		file  string
		judge func(*testing.T, suiteCase, bool)
	}{
		{"validate/suite.yaml", judgeValidate}, {"validate/warnings.yaml", judgeWarnings},
		{"normalize/suite.yaml", judgeNormalize}, {"roundtrip/suite.yaml", judgeRoundTrip},
		{"primitives/extract-protocol.yaml", judgeProtocol},
	} {
		row(suite.file, func(t *testing.T) (int, int) {
			except := 0
			cases := suiteCases(t, suite.file)
			for _, c := range cases {
				_, not := excepted[c.ID]
				if not {
					except++
					used[c.ID] = true
				}
				t.Run(c.ID, func(t *testing.T) { suite.judge(t, c, not) })
			}
			return len(cases), except
		})
	}
	if os.Getenv("GAUNTLET_OATF") == "" {
		return
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
	for id, why := range excepted {
		if !used[id] {
			t.Errorf("%s is excepted (%s) and there is no such case", id, why[1])
		}
		t.Logf("excepted: %s, its %s: %s", id, why[0], why[1])
	}
}

func parseFiles(t *testing.T, valid bool) int {
	dir := filepath.Join(suiteDir(t, "conformance"), "parse", map[bool]string{true: "valid", false: "invalid"}[valid])
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".meta.yaml") })
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(string(text))
			if valid && err != nil {
				t.Errorf("Parse: %v", err)
			}
			var refused Errors
			if !valid && !errors.As(err, &refused) {
				t.Errorf("Parse returned %v, want Errors", err)
			}
			if !valid {
				t.Log(err)
			}
		})
	}
	return len(files)
}

func judgeValidate(t *testing.T, c suiteCase, anyPath bool) {
	var want struct {
		Valid    bool
		Errors   []struct{ Rule, Path string }
		Warnings []struct{ Rule, Path string }
	}
	if err := c.Expected.Decode(&want); err != nil {
		t.Fatal(err)
	}
	d, err := Parse(c.Input.Value)
	if d == nil {
		t.Fatalf("Parse: %v", err)
	}
	r := Validate(d)
	if len(want.Errors) == 0 && r.Errors != nil {
		t.Errorf("errors in a valid document:\n%v", r.Errors)
	}
	if err != nil && len(want.Errors) == 0 {
		t.Errorf("Parse refuses a valid document: %v", err)
	}
	for _, w := range want.Errors {
		if !holds(r.Errors, w.Rule, w.Path, anyPath) {
			t.Errorf("no error %s at %s, but:\n%v", w.Rule, w.Path, r.Errors)
		}
	}
	for _, w := range want.Warnings {
		if !holds(r.Warnings, w.Rule, w.Path, anyPath) {
			t.Errorf("no warning %s at %s, but:\n%v", w.Rule, w.Path, r.Warnings)
		}
	}
	for _, e := range append(r.Errors, r.Warnings...) {
		if e.Line == 0 || e.Column == 0 || e.Section == "" || e.Message == "" {
			t.Errorf("incomplete: %+v", e)
		}
	}
}

func holds(all []Diagnostic, rule, path string, anyPath bool) bool {
	return slices.ContainsFunc(all, func(d Diagnostic) bool {
		return d.Rule == rule && (anyPath || path == "" || d.Path == path)
	})
}

// judgeWarnings wants exactly the rules that are listed.
func judgeWarnings(t *testing.T, c suiteCase, _ bool) {
	var want struct{ Errors, Warnings []struct{ Rule string } }
	if err := c.Expected.Decode(&want); err != nil {
		t.Fatal(err)
	}
	d, err := Parse(c.Input.Value)
	if err != nil {
		t.Fatal(err)
	}
	r := Validate(d)
	if r.Errors != nil {
		t.Errorf("errors: %v", r.Errors)
	}
	wanted, got := map[string]bool{}, map[string]bool{}
	for _, w := range want.Warnings {
		wanted[w.Rule] = true
	}
	for _, w := range r.Warnings {
		got[w.Rule] = true
	}
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		t.Errorf("warnings %v, want %v:\n%v", got, wanted, r.Warnings)
	}
}

// judgeNormalize compares trees whole, whatever the order of keys.
func judgeNormalize(t *testing.T, c suiteCase, _ bool) {
	d, _, err := Load(c.Input.Value)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	got, want := treeOf(t, Serialize(d)), treeOf(t, c.Expected.Value)
	for _, diff := range rawjson.Differences(want, got, 20) {
		t.Errorf("%s: got %s, want %s", diff.Pointer, diff.New.Raw(), diff.Old.Raw())
	}
}

func treeOf(t *testing.T, text string) rawjson.Value {
	t.Helper()
	src, failed := readSource(text, DefaultLimits())
	if failed != nil {
		t.Fatalf("%v\n%s", failed, text)
	}
	return src.rootValue()
}

func judgeRoundTrip(t *testing.T, c suiteCase, _ bool) {
	d, err := Parse(c.Input.Value) // some of these documents are not valid, only well-formed
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	written := Serialize(d)
	again, err := Parse(written)
	if err != nil {
		t.Fatalf("Parse(Serialize): %v\n%s", err, written)
	}
	if got := Serialize(again); got != written {
		t.Errorf("written again:\n%s\nfirst:\n%s", got, written)
	}
	if a, b := canonicalOf(Normalize(d)), canonicalOf(Normalize(again)); a != b {
		t.Errorf("the model changed:\n%s\n%s", a, b)
	}
}

// canonicalOf writes a model down so that two that mean the same are the same text.
func canonicalOf(d *Document) string { return renderedSource(d).rootValue().Canonical() }

func judgeProtocol(t *testing.T, c suiteCase, _ bool) {
	var in struct{ Mode string }
	if err := c.Input.Decode(&in); err != nil {
		t.Fatal(err)
	}
	if got := ProtocolOf(in.Mode); got != c.Expected.Value {
		t.Errorf("ProtocolOf(%q) = %q, want %q", in.Mode, got, c.Expected.Value)
	}
}
