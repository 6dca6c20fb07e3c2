package report

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// The part of JUnit XML that readers know. A name outside of it fails the test.
type (
	junitFile struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Suites   []struct {
			Name     string      `xml:"name,attr"`
			Tests    int         `xml:"tests,attr"`
			Failures int         `xml:"failures,attr"`
			Errors   int         `xml:"errors,attr"`
			Skipped  int         `xml:"skipped,attr"`
			Cases    []junitCase `xml:"testcase"`
			Other    []anything  `xml:",any"`
		} `xml:"testsuite"`
		Other []anything `xml:",any"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		File    string     `xml:"file,attr"`
		Failure []outcome  `xml:"failure"`
		Error   []outcome  `xml:"error"`
		Skipped []outcome  `xml:"skipped"`
		Out     []string   `xml:"system-out"`
		Other   []anything `xml:",any"`
	}
	outcome struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	anything struct{ XMLName xml.Name }
)

// readJUnit reads a document and checks what every document promises.
func readJUnit(t testing.TB, doc string) junitFile {
	t.Helper()
	var f junitFile
	d := xml.NewDecoder(strings.NewReader(doc))
	if err := d.Decode(&f); err != nil {
		t.Fatalf("%v in:\n%.2000s", err, doc)
	}
	if end, err := d.Token(); err == nil {
		if space, ok := end.(xml.CharData); !ok || string(space) != "\n" {
			t.Fatalf("%v stands behind the document", end)
		}
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("something stands behind the document: %v", err)
	}
	tests, failures, errs := 0, 0, 0
	others := len(f.Other)
	for _, s := range f.Suites {
		n, fails, broken, skipped := len(s.Cases), 0, 0, 0
		others += len(s.Other)
		for _, c := range s.Cases {
			fails, broken, skipped, others = fails+len(c.Failure), broken+len(c.Error), skipped+len(c.Skipped), others+len(c.Other)
			if len(c.Failure)+len(c.Error)+len(c.Skipped) > 1 {
				t.Errorf("%s %s has more than one outcome", c.Class, c.Name)
			}
			if c.Name == "" || c.Class == "" {
				t.Errorf("a test is named %q of %q", c.Name, c.Class)
			}
		}
		if s.Tests != n || s.Failures != fails || s.Errors != broken || s.Skipped != skipped {
			t.Errorf("suite %q says %d %d %d %d, want %d %d %d %d", s.Name, s.Tests, s.Failures, s.Errors, s.Skipped, n, fails, broken, skipped)
		}
		tests, failures, errs = tests+n, failures+fails, errs+broken
	}
	if f.Tests != tests || f.Failures != failures || f.Errors != errs || others > 0 {
		t.Errorf("the document says %d %d %d, want %d %d %d, and has %d unknown elements", f.Tests, f.Failures, f.Errors, tests, failures, errs, others)
	}
	return f
}

func FuzzJUnit(f *testing.F) {
	seed(f)
	f.Add("]]><x>&amp;\"'", 0)
	f.Fuzz(func(t *testing.T, s string, offset int) {
		out := render(t, "junit", stranger(s, offset), Options{})
		mustBeCalm(t, out, false)
		doc := readJUnit(t, out)
		c := doc.Suites[0].Cases[0]
		if len(c.Error) != 1 || !strings.Contains(c.Out[0], "id: f") {
			t.Errorf("the check that broke is %+v, want an error and its finding", c)
		}
	})
}

// tests maps the tests of a document to what became of them.
func tests(doc junitFile) map[string]string {
	out := map[string]string{}
	for _, s := range doc.Suites {
		for _, c := range s.Cases {
			is := "passed"
			switch {
			case len(c.Failure) > 0:
				is = "failure " + c.Failure[0].Type
			case len(c.Error) > 0:
				is = "error " + c.Error[0].Type
			case len(c.Skipped) > 0:
				is = "skipped " + c.Skipped[0].Message
			}
			if len(c.Out) > 0 {
				is += " and told"
			}
			out[s.Name+": "+c.Name] = is
		}
	}
	return out
}

func TestJUnit(t *testing.T) {
	at := func(server, file string) finding.Location { return finding.Location{Server: server, File: file} }
	r := &result.Report{
		Coverage: result.Coverage{
			Servers: []result.ServerCoverage{{Server: "one", File: "a.json"}, {Server: "two", File: "a.json"}, {Server: "two", File: "b.json"}, {}},
			Checks:  []result.CheckCoverage{{Rule: "SEC-001", Name: "a", State: "ran"}, {Rule: "SEC-002", Name: "b", State: "ran"}, {Rule: "SEC-014", Name: "c", State: "skipped"}, {Rule: "GNT-101", Name: "d", State: "ran", Of: result.OfConfigurations}, {Rule: "GNT-102", Name: "e", State: "ran", Of: result.OfConfigurations}},
		},
		Findings: []finding.Finding{
			{Rule: "SEC-001", Name: "a", Severity: finding.Info, Location: at("one", "a.json")},
			{Rule: "SEC-002", Name: "b", Severity: finding.Low, Message: "first", Location: at("one", "a.json")},
			{Rule: "SEC-002", Name: "b", Severity: finding.High, Message: "second", Location: at("one", "a.json")},
			{Rule: "GNT-101", Name: "d", Severity: finding.Medium, Location: at("", "mcp.json")},
		},
		Suppressed:   []result.Suppressed{{Finding: finding.Finding{Rule: "SEC-001", Name: "a", Severity: finding.High, Location: at("two", "b.json")}}},
		Suppressions: []result.Suppression{{State: result.Used}, {State: result.Unused, Detail: "no finding has its fingerprint", Decision: result.Decision{Rule: "SEC-003", Fingerprint: "5a", File: "p.yaml", Line: 7}}},
		Skipped:      []result.Skip{{Rule: "SEC-014", Name: "c", Needs: "a baseline"}},
		Summary:      result.Summary{Complete: true},
	}
	doc := readJUnit(t, render(t, "junit", r, Options{}))
	got := tests(doc)
	want := map[string]string{
		"one: SEC-001 a":                            "passed and told", // info fails nothing
		"one: SEC-002 b":                            "failure high",
		"two (a.json): SEC-001 a":                   "passed",
		"two (a.json): SEC-002 b":                   "passed",
		"two (b.json): SEC-001 a":                   "passed",
		"the scan: suppressed finding 1: SEC-001 a": "skipped ",
		"two (b.json): SEC-002 b":                   "passed",
		"(unnamed server): SEC-001 a":               "passed",
		"(unnamed server): SEC-002 b":               "passed",
		"mcp.json: GNT-101 d":                       "failure medium", // nobody knows what its server says
		"mcp.json: GNT-102 e":                       "passed",
		"the scan: is complete":                     "passed and told",
		"the scan: SEC-014 c":                       "skipped needs a baseline",
		"the scan: suppression in line 7 of p.yaml": "skipped unused: SEC-003 5a: no finding has its fingerprint",
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %q, want %q", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tests, want %d: %q", len(got), len(want), got)
	}
	if m := doc.Suites[0].Cases[1].Failure[0].Message; m != "2 findings, the first: first" {
		t.Errorf("the message is %q", m)
	}
	r.Problems = []finding.Problem{{Kind: finding.Limit, Message: "cut"}}
	if got := tests(readJUnit(t, render(t, "junit", r, Options{}))); got["the scan: problem 1"] != "error limit and told" || got["the scan: is complete"] != "" {
		t.Errorf("an incomplete scan has the tests %q", got)
	}
	r.Problems, r.Summary.Complete = nil, false
	if got := tests(readJUnit(t, render(t, "junit", r, Options{}))); got["the scan: is complete"] != "error unread and told" {
		t.Errorf("a scan that says it is incomplete has the tests %q", got)
	}
}

// A test is as severe as the worst of its findings, wherever that stands among them.
func TestJUnitTakesTheWorst(t *testing.T) {
	const high, low, info = finding.High, finding.Low, finding.Info
	for _, tt := range []struct {
		severities []finding.Severity
		want       string
	}{
		{[]finding.Severity{high, low, info}, "failure high"}, {[]finding.Severity{info, high, low}, "failure high"},
		{[]finding.Severity{low, info}, "failure low"}, {[]finding.Severity{info, info}, "passed and told"},
	} {
		r := &result.Report{Coverage: result.Coverage{Servers: []result.ServerCoverage{{Server: "one", File: "a.json"}}, Checks: []result.CheckCoverage{{Rule: "SEC-001", Name: "a", State: "ran"}}}}
		for _, s := range tt.severities {
			r.Findings = append(r.Findings, finding.Finding{Rule: "SEC-001", Name: "a", Severity: s, Location: finding.Location{Server: "one", File: "a.json"}})
		}
		if got := tests(readJUnit(t, render(t, "junit", r, Options{})))["one: SEC-001 a"]; got != tt.want {
			t.Errorf("%v: %q, want %q", tt.severities, got, tt.want)
		}
	}
}

func TestJUnitListsSoManyFindings(t *testing.T) {
	r := big(4 * junitListed)
	doc := readJUnit(t, render(t, "junit", r, Options{}))
	text := doc.Suites[0].Cases[0].Failure[0].Text
	if n := strings.Count(text, "critical: "); n != junitListed || !strings.Contains(text, "… and 150 more findings") {
		t.Errorf("%d findings listed, want %d and the number of the others", n, junitListed)
	}
}
