package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

const (
	junitListed = 50  // findings that one failure lists; the rest is counted
	junitWide   = 500 // columns of a text
)

var _ = formats.register("junit", "for CI servers: JUnit XML, a suite per server and a test per check", writeJUnit)

// writeJUnit writes a suite per server with a test per check that ran. A check with findings above info fails once for all of them, since
// readers of JUnit show only the first failure of a test. The last suite is about the scan itself: a check that did not run is skipped,
// each problem is an error, and without either there is a passing test. An incomplete scan therefore never reads as all tests passed.
//
// The format is the one that GitLab and Jenkins read. It has no times: the same report gives the same bytes.
func writeJUnit(w *bufio.Writer, r *result.Report, _ Options) error {
	x := &junit{w: w}
	suites := append(junitSuites(r), sectionSuites(r)...)
	var all junitCounts
	for i := range suites {
		c := &suites[i].counts
		for _, t := range suites[i].tests {
			c.tests, all.tests = c.tests+1, all.tests+1
			switch t.outcome {
			case "failure":
				c.failures, all.failures = c.failures+1, all.failures+1
			case "error":
				c.errors, all.errors = c.errors+1, all.errors+1
			case "skipped":
				c.skipped++
			}
		}
	}
	x.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=%s tests=\"%d\" failures=\"%d\" errors=\"%d\">\n",
		attribute(r.Tool.Name), all.tests, all.failures, all.errors)
	for i := range suites {
		x.suite(&suites[i])
	}
	x.printf("</testsuites>\n")
	return nil // the writer keeps its first error for Flush
}

// junitCounts are the attributes of a suite.
type junitCounts struct{ tests, failures, errors, skipped int }

// A junitSuite is one server in one file, or one entry of a configuration, or a section.
type junitSuite struct {
	name   string
	counts junitCounts
	tests  []junitTest
}

// A junitTest is one test; one that is neither failure, error nor skipped passed.
type junitTest struct {
	name, file    string
	outcome       string // "", "failure", "error" or "skipped"
	kind, message string
	body, out     string
	found         []*finding.Finding // by a check
}

// junitSuites lists the servers that were read, the trace, and further configuration entries that findings name, which
// may never have been started. Each has a test per check that read it, or has findings of it, in order.
func junitSuites(r *result.Report) (out []junitSuite) {
	type key struct{ server, file, origin string }
	at, named := map[key]int{}, map[string]int{}
	var keys []key
	add := func(suite int, rule finding.Rule, name string) *junitTest {
		s := &out[suite]
		title := string(rule) + " " + name
		i := slices.IndexFunc(s.tests, func(t junitTest) bool { return t.name == title })
		if i < 0 {
			i, s.tests = len(s.tests), append(s.tests, junitTest{name: title, file: keys[suite].file})
		}
		return &s.tests[i]
	}
	suiteOf := func(k key, of string) int {
		i, ok := at[k]
		if ok {
			return i
		}
		i, at[k], keys, out = len(out), len(out), append(keys, k), append(out, junitSuite{})
		named[k.server]++
		for _, c := range r.Coverage.Checks {
			if c.Of != of || c.State == "skipped" {
				continue
			}
			if t := add(i, c.Rule, c.Name); c.State == "failed" {
				t.outcome, t.kind, t.message = "error", "failed", c.Reason
			}
		}
		return i
	}
	for _, s := range r.Coverage.Servers {
		suiteOf(key{s.Server, s.File, s.Origin}, "")
	}
	recorded := map[finding.Rule]bool{}
	var trace key
	if t := r.Coverage.Trace; t != nil {
		for _, c := range r.Coverage.Checks {
			recorded[c.Rule] = c.Of == result.OfTrace
		}
		trace.file = t.File
		suiteOf(trace, result.OfTrace)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		k := key{f.Location.Server, f.Location.File, f.Location.Origin}
		if recorded[f.Rule] { // a trace is one suite, whichever servers its findings name
			k = trace
		}
		t := add(suiteOf(k, result.OfConfigurations), f.Rule, f.Name)
		t.found = append(t.found, f)
	}
	for i, k := range keys {
		switch out[i].name = k.server; {
		case k.server == "":
			out[i].name = cmp.Or(k.file, "(unnamed server)")
		case named[k.server] > 1: // readers merge tests of the same name
			out[i].name += " (" + cmp.Or(k.file, k.origin) + ")"
		}
		for n := range out[i].tests {
			out[i].tests[n].tellFound()
		}
	}
	return out
}

// tellFound says what a check found. Findings of severity info are listed and fail nothing.
func (t *junitTest) tellFound() {
	var told []string
	worst := finding.None
	for n, f := range t.found {
		worst = max(worst, f.Severity)
		if n < junitListed {
			one := findingRow(f)
			told = append(told, one.lines())
		}
	}
	if n := len(t.found) - junitListed; n > 0 {
		told = append(told, "… and "+countNoun(n, "more finding"))
	}
	text := strings.Join(told, "\n\n")
	if worst <= finding.Info || t.outcome != "" {
		t.out = text
		return
	}
	t.outcome, t.kind, t.message, t.body = "failure", worst.String(), t.found[0].Message, text
	if len(t.found) > 1 {
		t.message = countNoun(len(t.found), "finding") + ", the first: " + t.message
	}
}

// lines returns a row in a few lines, each of them Visible.
func (r *row) lines() string {
	fields := []field{{Label: r.Badge, Text: r.Text}, {Label: "in", Text: r.Where}, {Label: "evidence", Text: r.Evidence.Raw}}
	var out []string
	for _, f := range append(fields, r.Fields...) {
		if f.Text != "" {
			out = append(out, Visible(f.Label+": ")+clipText(Visible(f.Text), junitWide))
		}
	}
	return strings.Join(out, "\n")
}

// sectionSuites makes tests of the rows of sections that say what they are as a test: attacks, expectations, and what was
// not done.
func sectionSuites(r *result.Report) (out []junitSuite) {
	scan := junitSuite{name: "the scan", tests: []junitTest{{name: "is complete"}}}
	switch {
	case len(r.Problems) > 0:
		scan.tests = nil
	case !complete(r):
		scan.tests[0].outcome, scan.tests[0].kind, scan.tests[0].message = "error", "unread", "the scan is incomplete"
	}
	known := *r
	known.Attacks = withoutSemantic(r.Attacks)
	for _, s := range sectionsOf(&known) {
		suite := junitSuite{name: s.ID}
		for i := range s.n {
			one := s.row(i)
			if one.Test == nil {
				continue
			}
			t := *one.Test
			if s.ID == "problems" { // readers merge tests of the same name
				t.name = fmt.Sprintf("problem %d", i+1)
			}
			t.message, t.body = cmp.Or(t.message, one.Text), one.lines()
			if t.outcome == "" {
				t.message, t.body, t.out = "", "", t.body
			}
			suite.tests = append(suite.tests, t)
		}
		switch {
		case s.ID == "problems":
			scan.tests = append(suite.tests, scan.tests...)
		case s.Aligned == nil && s.ID != "expectations":
			scan.tests = append(scan.tests, suite.tests...)
		case suite.tests != nil:
			out = append(out, suite)
		}
	}
	if n := unscanned(r); n > 0 {
		scan.tests = append(scan.tests, junitTest{name: "scans what equals the baseline", outcome: "skipped", message: countNoun(n, "definition") + " not scanned again"})
	}
	scan.tests[0].out = fmt.Sprintf("read: %s, %s, %s", countNoun(r.Summary.Servers, "server"), countNoun(r.Summary.Items, "definition"), countNoun(r.Summary.Strings, "string"))
	return append(out, scan)
}

type junit struct{ w *bufio.Writer }

func (x *junit) printf(format string, args ...any) { _, _ = fmt.Fprintf(x.w, format, args...) }

func (x *junit) suite(s *junitSuite) {
	c := &s.counts
	x.printf("  <testsuite name=%s tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", attribute(s.name), c.tests, c.failures, c.errors, c.skipped)
	for i := range s.tests {
		x.test(s.name, &s.tests[i])
	}
	x.printf("  </testsuite>\n")
}

func (x *junit) test(class string, t *junitTest) {
	x.printf("    <testcase classname=%s name=%s", attribute(class), attribute(t.name))
	if t.file != "" {
		x.printf(" file=%s", attribute(t.file))
	}
	if t.outcome == "" && t.out == "" {
		x.printf("/>\n")
		return
	}
	x.printf(">\n")
	if t.outcome != "" {
		x.printf("      <%s", t.outcome)
		if t.kind != "" {
			x.printf(" type=%s", attribute(t.kind))
		}
		x.printf(" message=%s>%s</%s>\n", attribute(t.message), xmlText.Replace(t.body), t.outcome)
	}
	if t.out != "" {
		x.printf("      <system-out>%s</system-out>\n", xmlText.Replace(t.out))
	}
	x.printf("    </testcase>\n")
}

// xmlText escapes text whose lines are Visible: characters that XML forbids are already gone.
var xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func attribute(s string) string { return `"` + xmlText.Replace(Visible(s)) + `"` }
