// Package policy holds decisions about findings: suppressions, each bound to the content that was judged, with a reason
// and optionally an expiry date.
//
// The file is YAML, conventionally .gauntlet.yaml. Nothing is suppressed silently: Apply moves findings to a separate
// list and records the state of every decision.
package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/yamltext"
	"gauntlet/result"
)

// Limits of a policy file. A file beyond them is rejected, not truncated.
const (
	MaxBytes   = 2 << 20
	MaxEntries = 5_000
	MaxText    = 2_000 // bytes per reason, owner or definition
)

// A Policy is the content of a file.
type Policy struct {
	File    string // path as given by the user
	Entries []Entry
}

// An Entry is a decision.
type Entry struct {
	Fingerprint string
	Rule        finding.Rule
	Content     string // see finding.Finding.Content
	Definition  string // for readers; nothing depends on it
	Reason      string
	Owner       string
	Expires     Date // the last valid day, in UTC; "" for no end

	Line int // from 1
	// column is the column of its first key, last the line of its last value.
	column, last int
}

// key is unique in a file. A fingerprint may have several contents: two servers with the same name, scanned in turn.
func (e *Entry) key() [2]string { return [2]string{e.Fingerprint, e.Content} }

// Apply moves the findings that a decision covers from r.Findings to r.Suppressed, records the state of every decision in r.Suppressions
// and updates the counts. A decision covers a finding with the same fingerprint, rule and content hash up to its expiry date.
func (p *Policy) Apply(r *result.Report, today Date) {
	out := make([]result.Suppression, len(p.Entries))
	byPrint := map[string][]int{} // entries valid today
	for i := range p.Entries {
		e := &p.Entries[i]
		out[i].Decision = e.decision(p.File)
		if e.Expires != "" && today > e.Expires {
			out[i].State, out[i].Detail = result.Expired, "it held until "+string(e.Expires)
			continue
		}
		out[i].State, out[i].Detail = unmet(r, e)
		byPrint[e.Fingerprint] = append(byPrint[e.Fingerprint], i)
	}
	kept := make([]finding.Finding, 0, len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		if n := matchSuppressions(f, byPrint[f.Fingerprint], out); n >= 0 {
			r.Suppressed = append(r.Suppressed, result.Suppressed{Finding: *f, Decision: out[n].Decision})
		} else {
			kept = append(kept, *f)
		}
	}
	r.Findings = kept
	r.Suppressions = append(r.Suppressions, out...)
	r.Count()
}

// matchSuppressions returns the candidate that covers f, -1 if none does. Candidates that differ only in content are marked as changed.
func matchSuppressions(f *finding.Finding, candidates []int, all []result.Suppression) int {
	for _, n := range candidates {
		s := &all[n]
		switch {
		case s.Rule != f.Rule:
			s.Detail = fmt.Sprintf("the finding of this fingerprint is of %s", f.Rule)
		case s.Content == f.Content:
			s.State, s.Detail = result.Used, ""
			return n
		case s.State != result.Used:
			s.State, s.Detail = result.Changed, "the definition has changed since the decision"
		}
	}
	return -1
}

// unmet is the state of a decision without a finding.
func unmet(r *result.Report, e *Entry) (result.SuppressionState, string) {
	for i := range r.Coverage.Checks {
		if c := &r.Coverage.Checks[i]; c.Rule == e.Rule && c.State == "ran" {
			return result.Unused, "no finding has its fingerprint"
		}
	}
	return result.Unjudged, fmt.Sprintf("%s did not run", e.Rule)
}

func (e *Entry) decision(file string) result.Decision {
	return result.Decision{
		Fingerprint: e.Fingerprint, Rule: e.Rule, Content: e.Content, Definition: e.Definition,
		Reason: e.Reason, Owner: e.Owner, Expires: string(e.Expires), File: file, Line: e.Line,
	}
}

// minPrefix is the shortest usable fingerprint prefix: 32 bits.
const minPrefix = 8

// Accept adds decision e, which has Fingerprint, Reason, Owner and Expires, to the text of a policy file for every
// finding of the report with that fingerprint. A prefix of eight or more digits is enough if it is unique in the report.
// Decisions about content that no longer exists are replaced. It returns the new text and describes what was accepted.
func Accept(file, text string, e Entry, r *result.Report) (accepted string, what []string, err error) {
	found := slices.Clone(r.Findings)
	for i := range r.Suppressed {
		found = append(found, r.Suppressed[i].Finding)
	}
	if e.Fingerprint, err = wholeFingerprint(found, e.Fingerprint); err != nil {
		return "", nil, err
	}
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Fingerprint != e.Fingerprint })
	if len(found) == 0 {
		return "", nil, notFound(e.Fingerprint)
	}
	var contents []string
	for i := range found {
		if found[i].Content == "" {
			return "", nil, fmt.Errorf("%s: the report does not say what was judged (content_hash), so no decision can be bound to it", e.Fingerprint)
		}
		contents = append(contents, found[i].Content)
	}
	e.Reason, e.Owner = strings.ToValidUTF8(e.Reason, "\uFFFD"), strings.ToValidUTF8(e.Owner, "\uFFFD")
	for i := range found {
		e.Rule, e.Content, e.Definition = found[i].Rule, found[i].Content, strings.ToValidUTF8(subject(&found[i].Location), "\uFFFD")
		var stale []int
		old, _ := Parse(file, text) // Add reports what is wrong with it
		for _, o := range old.Entries {
			if o.Fingerprint == e.Fingerprint && !slices.Contains(contents, o.Content) {
				stale = append(stale, o.Line)
			}
		}
		if text, err = Add(text, e, stale...); err != nil {
			return "", nil, fmt.Errorf("%s: %w", file, err)
		}
		what = append(what, fmt.Sprintf("%s in %s", e.Rule, e.Definition))
	}
	return text, what, nil
}

func notFound(print string) error {
	if len(print) < minPrefix {
		return fmt.Errorf("%s: want a fingerprint, or its first %d digits or more, as the report shows it", print, minPrefix)
	}
	return fmt.Errorf("%s: the report has no finding with this fingerprint", print)
}

// wholeFingerprint returns the only fingerprint among findings with prefix print.
func wholeFingerprint(findings []finding.Finding, print string) (string, error) {
	if len(print) < minPrefix {
		return print, nil
	}
	whole := print
	for i := range findings {
		full := findings[i].Fingerprint
		switch {
		case !strings.HasPrefix(full, print):
		case whole != print && whole != full:
			return "", fmt.Errorf("%s: several findings of the report begin with it: %s and %s among them", print, whole, full)
		default:
			whole = full
		}
	}
	return whole, nil
}

// subject names what a finding is about, for reviewers.
func subject(l *finding.Location) string {
	var parts []string
	if l.Item != "" {
		kind := strings.ReplaceAll(strings.TrimPrefix(string(l.Kind), string(finding.Server)), "_", " ")
		parts = append(parts, strings.TrimSpace(kind+" "+excerpt.Clip(l.Item, 200)))
	}
	if l.Server != "" || parts == nil {
		parts = append(parts, "server "+excerpt.Clip(l.Server, 200))
	}
	return strings.Join(parts, ", ")
}

// A Date is a day as YYYY-MM-DD, comparable as a string; the zero Date is none.
type Date string

// ParseDate parses a day of the Gregorian calendar.
func ParseDate(s string) (Date, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", fmt.Errorf("%q is not a date: want one such as 2027-01-31", s)
	}
	return Date(s), nil
}

// DateOf returns the day of t in UTC, so that a decision expires everywhere at the same moment.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Parse reads a policy file. An invalid entry is dropped with a Problem, an invalid file entirely. A scan with a broken
// policy therefore shows too many findings, never too few, and is incomplete.
func Parse(name, text string) (*Policy, []finding.Problem) {
	r := reader{policy: &Policy{File: name}}
	root, err := yamltext.Document(text, "a policy", MaxBytes)
	if err != nil {
		r.addEntryProblem(finding.Failed, yamltext.Placed(err))
		return r.policy, r.problems
	}
	if root != nil {
		r.root(root)
	}
	return r.policy, r.problems
}

// reader converts YAML nodes to a Policy.
type reader struct {
	policy   *Policy
	problems []finding.Problem
}

func (r *reader) addEntryProblem(kind finding.ProblemKind, f *yamltext.Fault) {
	r.problems = append(r.problems, finding.Problem{
		Kind: kind, Message: "suppressions: " + f.Msg, Input: -1,
		Location: finding.Location{File: r.policy.File, Line: f.Line, Column: f.Column},
	})
}

func (r *reader) root(root *yaml.Node) {
	top, err := yamltext.Members(root, "version", "suppressions")
	if err != nil {
		r.addEntryProblem(finding.Failed, err)
		return
	}
	if v := top["version"]; v != nil && (v.Kind != yaml.ScalarNode || v.Value != "1") {
		r.addEntryProblem(finding.Failed, yamltext.Wrong(v, "the version of the file is not 1, the only one this program reads"))
		return
	}
	list := top["suppressions"]
	switch {
	case list == nil || yamltext.Null(list):
		return
	case list.Kind != yaml.SequenceNode:
		r.addEntryProblem(finding.Failed, yamltext.Wrong(list, "suppressions is not a list"))
		return
	case len(list.Content) > MaxEntries:
		r.addEntryProblem(finding.Failed, yamltext.Wrong(list, "%d suppressions; a policy has at most %d", len(list.Content), MaxEntries))
		return
	}
	seen := map[[2]string]int{}
	for _, n := range list.Content {
		e, err := entry(n)
		if err == nil && seen[e.key()] != 0 {
			err = yamltext.Wrong(n, "it repeats the suppression in line %d", seen[e.key()])
		}
		if err != nil {
			err.Msg = "an entry is not used: " + err.Msg
			r.addEntryProblem(finding.Unread, err)
			continue
		}
		seen[e.key()] = e.Line
		r.policy.Entries = append(r.policy.Entries, *e)
	}
}

var (
	fingerprintForm = lazyregexp.New(`^[0-9a-f]{32}$`)
	contentForm     = lazyregexp.New(`^[0-9a-f]{64}$`)
)

// The keys of an entry in the order written.
var keys = []string{"fingerprint", "rule", "definition", "reason", "owner", "expires", "content_hash"}

func entry(n *yaml.Node) (*Entry, *yamltext.Fault) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return nil, yamltext.Wrong(n, "anchors and aliases are not read")
	}
	ms, err := yamltext.Members(n, keys...)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, k := range keys {
		if ms[k] == nil {
			continue
		}
		if texts[k], err = yamltext.Scalar(k, ms[k]); err != nil {
			return nil, err
		}
	}
	e := &Entry{
		Fingerprint: texts["fingerprint"], Rule: finding.Rule(texts["rule"]), Content: texts["content_hash"], Definition: texts["definition"],
		Reason: texts["reason"], Owner: texts["owner"], Expires: Date(texts["expires"]),
		Line: n.Line, column: n.Column, last: n.Line,
	}
	for _, v := range n.Content {
		e.last = max(e.last, v.Line)
	}
	if msg := e.fault(); msg != "" {
		return nil, yamltext.Wrong(n, "%s", msg)
	}
	return e, nil
}

// fault says what is missing from an entry, "" if nothing.
func (e *Entry) fault() string {
	switch {
	case !fingerprintForm.MatchString(e.Fingerprint):
		return "fingerprint is not 32 hexadecimal digits"
	case !e.Rule.Valid():
		return "rule is not the id of a check"
	case !contentForm.MatchString(e.Content):
		return "content_hash is not 64 hexadecimal digits; gauntlet suppress writes it"
	case strings.TrimSpace(e.Reason) == "":
		return "there is no reason"
	case len(e.Reason) > MaxText || len(e.Owner) > MaxText || len(e.Definition) > MaxText:
		return fmt.Sprintf("reason, owner or definition is longer than %d bytes", MaxText)
	}
	if e.Expires != "" {
		if _, err := ParseDate(string(e.Expires)); err != nil {
			return "expires: " + err.Error()
		}
	}
	return ""
}
