package policy

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"gauntlet/finding"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/yamltext"
)

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
