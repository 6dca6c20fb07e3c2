package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"gauntlet/finding"
)

// Parse reads a policy file. What is wrong with one entry drops that entry and is a
// Problem; what is wrong with the file as a whole drops all. So a scan under a broken
// policy shows more findings than it should, never fewer, and is incomplete.
func Parse(name, text string) (*Policy, []finding.Problem) {
	r := reader{policy: &Policy{File: name}}
	root, err := document(text)
	if err != nil {
		r.problem(finding.Failed, placed(err))
		return r.policy, r.problems
	}
	if root != nil {
		r.root(root)
	}
	return r.policy, r.problems
}

// document returns the root of the only YAML document in text, nil if there is none.
func document(text string) (root *yaml.Node, err error) {
	switch {
	case len(text) > MaxBytes:
		return nil, fmt.Errorf("the file has %d bytes; a policy has at most %d", len(text), MaxBytes)
	case !utf8.ValidString(text):
		return nil, errors.New("it is not UTF-8")
	case blank(text):
		return nil, nil
	}
	// The parser is a stranger's: a panic of it is a fault of the file, not the end of all.
	defer func() {
		if e := recover(); e != nil {
			root, err = nil, fmt.Errorf("it is not YAML: %v", e)
		}
	}()
	var doc yaml.Node
	switch err := yaml.Load([]byte(text), &doc); {
	case err != nil && strings.Contains(err.Error(), "found multiple"):
		return nil, errors.New("it is not YAML: more than one document")
	case err != nil:
		return nil, fmt.Errorf("it is not YAML: %w", err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("it is not one YAML document")
	}
	return doc.Content[0], nil
}

// blank reports whether text holds nothing but comments.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); t != "" && t[0] != '#' {
			return false
		}
	}
	return true
}

// placeForm is how the YAML parser says where it stumbled.
var placeForm = regexp.MustCompile(`go-yaml [^:]* at (?:L\d+\.C\d+-)?L(\d+)\.C(\d+): `)

// placed takes the place out of a message of the YAML parser.
func placed(err error) *fault {
	f := &fault{msg: err.Error()}
	if m := placeForm.FindStringSubmatch(f.msg); m != nil {
		f.line, _ = strconv.Atoi(m[1]) // digits; too many are line 0
		f.column, _ = strconv.Atoi(m[2])
		f.msg = strings.Replace(f.msg, m[0], "", 1)
	}
	return f
}

// reader turns YAML nodes into a Policy.
type reader struct {
	policy   *Policy
	problems []finding.Problem
}

func (r *reader) problem(kind finding.ProblemKind, f *fault) {
	r.problems = append(r.problems, finding.Problem{
		Kind: kind, Message: "suppressions: " + f.msg, Input: -1,
		Location: finding.Location{File: r.policy.File, Line: f.line, Column: f.column},
	})
}

func (r *reader) root(root *yaml.Node) {
	top, err := members(root, "version", "suppressions")
	if err != nil {
		r.problem(finding.Failed, err)
		return
	}
	if v := top["version"]; v != nil && (v.Kind != yaml.ScalarNode || v.Value != "1") {
		r.problem(finding.Failed, wrong(v, "the version of the file is not 1, the only one this program reads"))
		return
	}
	list := top["suppressions"]
	switch {
	case list == nil || null(list):
		return
	case list.Kind != yaml.SequenceNode:
		r.problem(finding.Failed, wrong(list, "suppressions is not a list"))
		return
	case len(list.Content) > MaxEntries:
		r.problem(finding.Failed, wrong(list, "%d suppressions; a policy has at most %d", len(list.Content), MaxEntries))
		return
	}
	seen := map[[2]string]int{}
	for _, n := range list.Content {
		e, err := entry(n)
		if err == nil && seen[e.key()] != 0 {
			err = wrong(n, "it repeats the suppression in line %d", seen[e.key()])
		}
		if err != nil {
			err.msg = "an entry is not used: " + err.msg
			r.problem(finding.Unread, err)
			continue
		}
		seen[e.key()] = e.Line
		r.policy.Entries = append(r.policy.Entries, *e)
	}
}

// A fault is what is wrong, and where; line 0 where no place applies.
type fault struct {
	line, column int
	msg          string
}

func wrong(n *yaml.Node, format string, args ...any) *fault {
	return &fault{n.Line, n.Column, fmt.Sprintf(format, args...)}
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// members returns the values of a mapping, all of whose keys are known and come once.
// Aliases are refused: a decision stands where it is read.
func members(n *yaml.Node, known ...string) (map[string]*yaml.Node, *fault) {
	if n.Kind != yaml.MappingNode {
		return nil, wrong(n, "it is not a mapping")
	}
	out := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || !slices.Contains(known, k.Value):
			return nil, wrong(k, "unknown key %s: want %s", strconv.Quote(finding.Clip(k.Value, 60)), strings.Join(known, ", "))
		case out[k.Value] != nil:
			return nil, wrong(k, "the key %s stands twice", k.Value)
		case v.Kind == yaml.AliasNode || v.Anchor != "" || k.Anchor != "":
			return nil, wrong(k, "anchors and aliases are not read")
		}
		out[k.Value] = v
	}
	return out, nil
}

var (
	fingerprintForm = regexp.MustCompile(`^[0-9a-f]{32}$`)
	contentForm     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// The keys of an entry, in the order in which they are written.
var keys = []string{"fingerprint", "rule", "definition", "reason", "owner", "expires", "content_hash"}

func entry(n *yaml.Node) (*Entry, *fault) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return nil, wrong(n, "anchors and aliases are not read")
	}
	ms, err := members(n, keys...)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, k := range keys {
		if ms[k] == nil {
			continue
		}
		if texts[k], err = scalar(k, ms[k]); err != nil {
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
		return nil, wrong(n, "%s", msg)
	}
	return e, nil
}

// scalar returns a string as it is written: what YAML would make a date or a number of
// stays what it is.
func scalar(key string, n *yaml.Node) (string, *fault) {
	plain := slices.Contains([]string{"!!str", "!!int", "!!float", "!!timestamp"}, n.ShortTag())
	if n.Kind != yaml.ScalarNode || !plain || n.Style&yaml.TaggedStyle != 0 {
		return "", wrong(n, "%s is not a string", key)
	}
	return n.Value, nil
}

// fault returns what an entry lacks, "" if nothing.
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
