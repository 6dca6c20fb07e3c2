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

// problemSection lists all problems: what was not read must not be summarized away.
func problemSection(problems []finding.Problem, remark string) section {
	s := section{ID: "problems", Title: "Problems", Lines: true, InHead: true, Noun: "problem"}
	if len(problems) > 0 {
		s.Remark = remark
	}
	return withRows(s, problems, func(p *finding.Problem) row {
		test := junitTest{name: "problem", file: p.Location.File, outcome: "error", kind: string(p.Kind)}
		return row{Badge: string(p.Kind), Text: p.Message, Where: problemPlace(&p.Location, "  ", true), Test: &test}
	})
}

// problemPlace joins what is known of the place of a problem; exact adds the pointer.
func problemPlace(l *finding.Location, by string, exact bool) string {
	at := []string{l.Server, l.Origin, "", inFile(l)}
	if l.Item != "" {
		at[2] = itemTitle(l)
	}
	if exact {
		at[3] = describeLocation(l, true)
	}
	return strings.Join(slices.DeleteFunc(at, func(s string) bool { return s == "" }), by)
}

// problemText describes a problem and its location in one line. The result is not Visible yet.
func problemText(p *finding.Problem) string {
	return strings.TrimPrefix(problemPlace(&p.Location, ", ", false)+": ", ": ") + string(p.Kind) + ": " + p.Message
}

// problemBrief shows the first problems, one line per cause even if many files share it. Unread input is never omitted silently.
func problemBrief(ps []finding.Problem) []field {
	type cause struct {
		kind            finding.ProblemKind
		message, server string
	}
	counts := map[cause]int{}
	var causes []int // the first problem of each
	of := func(f *finding.Problem) cause {
		return cause{f.Kind, f.Message, f.Location.Server + f.Location.Origin + f.Location.Item}
	}
	for i := range ps {
		k := of(&ps[i])
		if counts[k]++; counts[k] == 1 {
			causes = append(causes, i)
		}
	}
	return firstOf("Unread", " problems", len(causes), func(i int) string {
		f := &ps[causes[i]]
		text := problemText(f)
		if n := counts[of(f)] - 1; n > 0 {
			text += fmt.Sprintf(" (and the same %s)", countNoun(n, "more time"))
		}
		return text
	})
}

// checkSection lists the checks. Those whose result is as complete as their findings suggest ask for nothing.
func checkSection(r *result.Report) section {
	s := section{ID: "checks", Title: "Checks", Lines: true, Heads: []string{"", "Check"}, Noun: "check"}
	if parts := cutShortChecks(r.Coverage.Checks); parts != nil {
		s.Short = []field{{Label: "Cut short", Text: strings.Join(parts, "; ")}}
	}
	s.quiet = func(i int) bool { return cutShort(&r.Coverage.Checks[i]) == "" }
	return withRows(s, r.Coverage.Checks, func(c *result.CheckCoverage) row {
		one := row{Badge: c.State, Title: string(c.Rule) + "  " + c.Name, Text: cutShort(c)}
		if one.Text == "" {
			one.Text = c.Reason
		}
		one.add("looked at", groupDigits(c.Items))
		one.add("findings", groupDigits(c.Findings))
		return one
	})
}

// cutShort says why the result of a check is less complete than its findings suggest, "" if it is not.
func cutShort(c *result.CheckCoverage) string {
	switch {
	case c.State == "failed":
		return "failed: " + c.Reason
	case c.Withheld > 0:
		return "left out " + countNoun(c.Withheld, "more finding")
	}
	return ""
}

// skippedSection lists the checks that did not run and what each needs.
func skippedSection(r *result.Report) section {
	s := section{ID: "skipped", Title: "Skipped checks", Lines: true, InHead: true, Noun: "skipped check", Brief: "Skipped"}
	if len(r.Skipped) > 0 {
		needs, by := skippedNeeds(r.Skipped)
		for i, n := range needs {
			needs[i] = fmt.Sprintf("%s (%d)", n, len(by[n]))
		}
		need := ", which need "
		if len(r.Skipped) == 1 {
			need = ", which needs "
		}
		s.Remark = countNoun(len(r.Skipped), "check") + need + strings.Join(needs, ", ")
	}
	return withRows(s, r.Skipped, func(s *result.Skip) row {
		return row{Badge: string(s.Rule), Title: s.Name, Text: "needs " + s.Needs, Test: &junitTest{name: string(s.Rule) + " " + s.Name, outcome: "skipped"}}
	})
}

// skippedNeeds returns what skipped checks need, in order of first occurrence, and the checks that need it.
func skippedNeeds(skips []result.Skip) (needs []string, by map[string][]string) {
	by = map[string][]string{}
	for _, s := range skips {
		if by[s.Needs] == nil {
			needs = append(needs, s.Needs)
		}
		by[s.Needs] = append(by[s.Needs], string(s.Rule))
	}
	return needs, by
}

// cutShortChecks names the checks whose result is less complete than their findings suggest.
func cutShortChecks(checks []result.CheckCoverage) (out []string) {
	for i := range checks {
		if text := cutShort(&checks[i]); text != "" {
			out = append(out, fmt.Sprintf("%s %s", checks[i].Rule, text))
		}
	}
	return out
}

// serversAsked reports whether there is a server whose posture can be described.
func serversAsked(r *result.Report) bool {
	return (r.Clients == nil && r.Coverage.Trace == nil || r.Summary.Servers > 0) && !attacksOnly(r)
}

// serverSection has a row per scanned server and per unscanned entry of a configuration, the worst findings first. A
// server that is alone has none.
func serverSection(r *result.Report) section {
	type key struct{ server, file string }
	index := map[key]int{}
	type scanned struct {
		row
		found severityTally
	}
	var servers []scanned
	for i := range r.Coverage.Servers {
		s := &r.Coverage.Servers[i]
		k := key{s.Server, cmp.Or(s.File, s.Origin)}
		if _, twice := index[k]; !twice {
			index[k] = len(servers)
		}
		items := 0
		for _, l := range s.Lists {
			if l.Kind != finding.Server {
				items += l.Items
			}
		}
		one := row{Title: cmp.Or(s.Server, "(unnamed)"), Where: k.file}
		one.add("items", groupDigits(items))
		servers = append(servers, scanned{row: one})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if at, ok := index[key{f.Location.Server, cmp.Or(f.Location.File, f.Location.Origin)}]; ok {
			servers[at].found[min(f.Severity, finding.Critical)]++
		}
	}
	slices.SortStableFunc(servers, func(a, b scanned) int { return slices.Compare(b.found.worstFirst(), a.found.worstFirst()) })
	var sorted []row
	for _, s := range servers {
		marks := s.found.counts()
		for _, mark := range marks {
			mark.Label = "findings"
			s.Fields = append(s.Fields, mark)
		}
		if marks == nil {
			s.add("findings", "no findings")
		}
		sorted = append(sorted, s.row)
	}
	if r.Clients != nil {
		for i := range r.Clients.Entries {
			if e := &r.Clients.Entries[i]; e.State != result.Scanned {
				one := row{Title: entryName(e), Where: e.File}
				one.add("items", "-")
				one.add("findings", entryOutcome(e))
				sorted = append(sorted, one)
			}
		}
	}
	if len(sorted) < 2 {
		sorted = nil
	}
	s := section{ID: "servers", Title: "Servers", Lines: true, PageOnly: true, Brief: "Servers", Heads: []string{"", "Server", "Items", "Findings", "Where"}, Aligned: &aligned{}}
	return listRows(s, sorted)
}

// worstFirst returns the numbers, the severest first: one severer finding outweighs any number of milder ones.
func (by severityTally) worstFirst() []int {
	out := slices.Clone(by[:])
	slices.Reverse(out)
	return out
}

// stateWords are the states of the posture map in words.
var stateWords = map[result.State]string{
	result.Seen:       "seen",
	result.NotSeen:    "not seen",
	result.NeedsProbe: "requires an active probe",
	result.Invisible:  "not observable",
}

// stateMarks make the states of the posture map easy to find. None says that a state is good or bad.
var stateMarks = map[result.State]string{result.Seen: "● ", result.NotSeen: "○ ", result.NeedsProbe: "? "}

// postureSection is the coverage map. It only says what was examined.
func postureSection(r *result.Report) section {
	s := section{ID: "posture", Title: "Posture map", Lines: true, Heads: []string{"", "Defence"}, Counted: true, Brief: "Posture", Noun: "defence"}
	if len(r.Posture) == 0 || !serversAsked(r) {
		return s
	}
	by := map[result.State]int{}
	for _, signal := range r.Posture {
		by[signal.State]++
	}
	s.Remark = fmt.Sprintf("of %s %d seen, %d not seen, %d to be probed, %d not visible to a client", countNoun(len(r.Posture), "defence"),
		by[result.Seen], by[result.NotSeen], by[result.NeedsProbe], by[result.Invisible])
	return withRows(s, r.Posture, func(p *result.Signal) row {
		return row{Group: p.Layer, Badge: cmp.Or(stateMarks[p.State], "· ") + cmp.Or(stateWords[p.State], string(p.State)), Title: p.Name, Text: p.Detail}
	})
}
