package report

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// junitListed is the number of findings that one failure lists; the rest is counted.
const junitListed = 50

var _ = formats.register("junit", "for CI servers: JUnit XML, a suite per server and a test per check", writeJUnit)

// writeJUnit writes a suite per server with a test per check that ran. A check with findings above info fails once for all of them, since
// readers of JUnit show only the first failure of a test. The last suite is about the scan itself: a check that did not run is skipped,
// each problem is an error, and without either there is a passing test. An incomplete scan therefore never reads as all tests passed.
//
// The format is the one that GitLab and Jenkins read. It has no times: the same report gives the same bytes.
func writeJUnit(w *bufio.Writer, r *result.Report, _ Options) error {
	x := &junit{w: w}
	suites := junitSuites(r)
	for _, s := range []junitSuite{{name: "attacks", tests: attackTests(r.Attacks)}, {name: "expectations", tests: expectationTests(r.Expectations)}, {name: "the scan", tests: aboutScan(r)}} {
		if s.tests != nil {
			suites = append(suites, s)
		}
	}
	var all junitCounts
	for i := range suites {
		suites[i].counts = tally(suites[i].listTests(r))
		all.addCounts(suites[i].counts)
	}
	x.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=%s tests=\"%d\" failures=\"%d\" errors=\"%d\">\n",
		attribute(r.Tool.Name), all.tests, all.failures, all.errors)
	for i := range suites {
		x.suite(suites[i].name, suites[i].counts, suites[i].listTests(r))
	}
	x.printf("</testsuites>\n")
	return nil // the writer keeps its first error for Flush
}

// A junitSuite is one server in one file, or one entry of a configuration, and its findings.
type junitSuite struct {
	name, server, file string
	of                 string // the checks that read it; see result.CheckCoverage
	origin             string // of a live server
	found, accepted    []int  // indexes in the report
	counts             junitCounts
	tests              []junitTest // of what is no server; nil for those of its checks
}

// junitSuites lists the servers that were read, the trace, and further configuration entries that findings name, which
// may never have been started.
func junitSuites(r *result.Report) []junitSuite {
	type key struct{ server, file, origin string }
	var out []junitSuite
	at, named := map[key]int{}, map[string]int{}
	suite := func(server, file, origin string) *junitSuite {
		k := key{server, file, origin}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, junitSuite{name: server, server: server, file: file, origin: origin, of: result.OfConfigurations})
			named[server]++
		}
		return &out[i]
	}
	for _, s := range r.Coverage.Servers {
		suite(s.Server, s.File, s.Origin).of = ""
	}
	recorded := map[finding.Rule]bool{}
	if t := r.Coverage.Trace; t != nil {
		for _, c := range r.Coverage.Checks {
			recorded[c.Rule] = c.Of == result.OfTrace
		}
		suite("", t.File, "").of = result.OfTrace
	}
	of := func(f *finding.Finding) *junitSuite {
		if recorded[f.Rule] { // a trace is one suite, whichever servers its findings name
			return suite("", r.Coverage.Trace.File, "")
		}
		return suite(f.Location.Server, f.Location.File, f.Location.Origin)
	}
	for i := range r.Findings {
		s := of(&r.Findings[i])
		s.found = append(s.found, i)
	}
	for i := range r.Suppressed {
		s := of(&r.Suppressed[i].Finding)
		s.accepted = append(s.accepted, i)
	}
	for i := range out {
		switch s := &out[i]; {
		case s.server == "" && s.file == "":
			s.name = "(unnamed server)"
		case s.server == "":
			s.name = s.file
		case named[s.server] > 1: // readers merge tests of the same name
			s.name = s.server + " (" + cmp.Or(s.file, s.origin) + ")"
		}
	}
	return out
}

// A junitTest is one test; one that is neither failure, error nor skipped passed.
type junitTest struct {
	class, name, file string
	outcome           string // "", "failure", "error" or "skipped"
	kind, message     string
	body, out         string
}

// listTests returns one test per check that read the suite's server or failed on it, in order.
func (s *junitSuite) listTests(r *result.Report) []junitTest {
	if s.tests != nil {
		return s.tests
	}
	var out []junitTest
	at := map[finding.Rule]int{}
	found, accepted := map[finding.Rule][]int{}, map[finding.Rule][]int{}
	test := func(rule finding.Rule, name string) {
		if _, ok := at[rule]; !ok {
			at[rule] = len(out)
			out = append(out, junitTest{class: s.name, name: string(rule) + " " + name, file: s.file})
		}
	}
	for _, c := range r.Coverage.Checks {
		if c.Of != s.of {
			continue
		}
		if c.State != "skipped" {
			test(c.Rule, c.Name)
		}
		if c.State == "failed" {
			t := &out[at[c.Rule]]
			t.outcome, t.kind, t.message = "error", "failed", c.Reason
		}
	}
	for _, i := range s.found {
		f := &r.Findings[i]
		test(f.Rule, f.Name)
		found[f.Rule] = append(found[f.Rule], i)
	}
	for _, i := range s.accepted {
		f := &r.Suppressed[i].Finding
		test(f.Rule, f.Name)
		accepted[f.Rule] = append(accepted[f.Rule], i)
	}
	for rule, i := range at {
		out[i].classifyTest(r, found[rule], accepted[rule])
	}
	return out
}

// classifyTest adds what a check found. Findings of severity info are listed and fail nothing.
func (t *junitTest) classifyTest(r *result.Report, found, accepted []int) {
	var told []string
	worst := finding.None
	for n, i := range found {
		f := &r.Findings[i]
		worst = max(worst, f.Severity)
		if n < junitListed {
			told = append(told, junitFinding(f))
		}
	}
	if n := len(found) - junitListed; n > 0 {
		told = append(told, "… and "+countNoun(n, "more finding"))
	}
	text := strings.Join(told, "\n\n")
	if worst > finding.Info && t.outcome == "" {
		t.outcome, t.kind, t.body = "failure", worst.String(), text
		t.message = r.Findings[found[0]].Message
		if len(found) > 1 {
			t.message = countNoun(len(found), "finding") + ", the first: " + t.message
		}
	} else {
		t.out = text
	}
	for n, i := range accepted {
		if n == junitListed {
			t.out = strings.TrimSpace(t.out + "\n\n… and " + groupDigits(len(accepted)-n) + " more suppressed")
			break
		}
		s := &r.Suppressed[i]
		t.out = strings.TrimSpace(t.out + "\n\nsuppressed: " + Visible(decision(&s.Decision)) + "\n" + junitFinding(&s.Finding))
	}
}

// junitFinding writes a finding in a few lines, each of them Visible.
func junitFinding(f *finding.Finding) string {
	lines := []string{strings.ToUpper(f.Severity.String()) + ": " + Visible(f.Message), "in: " + Visible(definitionAt(&f.Location))}
	if f.Evidence.Raw != "" {
		lines = append(lines, "evidence: "+clipText(Visible(f.Evidence.Raw), 300))
	}
	if f.Advice != "" {
		lines = append(lines, "do: "+Visible(f.Advice))
	}
	return strings.Join(append(lines, "id: "+Visible(f.Fingerprint)), "\n")
}

func aboutScan(r *result.Report) []junitTest {
	var out []junitTest
	add := func(t junitTest) {
		t.class = "the scan"
		out = append(out, t)
	}
	skip := func(name, file, message string) {
		add(junitTest{name: name, file: file, outcome: "skipped", message: message})
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		add(junitTest{name: fmt.Sprintf("problem %d", i+1), file: p.Location.File, outcome: "error", kind: string(p.Kind), message: p.Message, body: Visible(definitionAt(&p.Location))})
	}
	switch {
	case complete(r):
		add(junitTest{name: "is complete"})
	case len(r.Problems) == 0:
		add(junitTest{name: "is complete", outcome: "error", kind: "unread", message: "the scan is incomplete"})
	}
	// One of the two cases above, or a problem, added a first test.
	out[0].out = fmt.Sprintf("read: %s, %s, %s", countNoun(r.Summary.Servers, "server"), countNoun(r.Summary.Items, "definition"), countNoun(r.Summary.Strings, "string"))
	for _, s := range r.Skipped {
		skip(string(s.Rule)+" "+s.Name, "", "needs "+s.Needs)
	}
	if n := unscanned(r); n > 0 {
		skip("scans what equals the baseline", "", countNoun(n, "definition")+" not scanned again")
	}
	if c := r.Clients; c != nil {
		for i := range c.Entries {
			if e := &c.Entries[i]; e.State == result.NotLaunched || e.State == result.SwitchedOff {
				skip(fmt.Sprintf("server %s of %s, line %d", e.Name, e.Client, e.Line), e.File, entryOutcome(e))
			}
		}
	}
	for i := range r.Suppressions {
		if d := &r.Suppressions[i]; d.State != result.Used {
			skip("suppression in line "+groupDigits(d.Line)+" of "+d.File, d.File, string(d.State)+": "+unusedText(d))
		}
	}
	return out
}

// junitCounts are the attributes of a suite.
type junitCounts struct{ tests, failures, errors, skipped int }

func (c *junitCounts) addCounts(d junitCounts) {
	c.tests, c.failures, c.errors, c.skipped = c.tests+d.tests, c.failures+d.failures, c.errors+d.errors, c.skipped+d.skipped
}

func tally(tests []junitTest) junitCounts {
	c := junitCounts{tests: len(tests)}
	for i := range tests {
		switch tests[i].outcome {
		case "failure":
			c.failures++
		case "error":
			c.errors++
		case "skipped":
			c.skipped++
		}
	}
	return c
}
