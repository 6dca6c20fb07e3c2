// Package finding holds the types in which deterministic checks report: rule, severity, location,
// evidence, finding, problem. It makes no decisions.
package finding

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// A Rule is a check's permanent id, such as "SEC-001" or "MCP-S-005". Ids are never reused.
// A rule that says several things of different weight has an id for each behind its own, as
// in "SEC-060/transformed".
type Rule string

var ruleForm = regexp.MustCompile(`^[A-Z]{3}(-[A-Z])?-[0-9]{3}(/[a-z]+)?$`)

// Valid reports whether r has the form of a rule id: three capitals, perhaps a hyphen and
// another capital, a hyphen, three digits; perhaps a slash and small letters.
func (r Rule) Valid() bool { return ruleForm.MatchString(string(r)) }

// Base returns the id without what stands behind a slash.
func (r Rule) Base() Rule {
	base, _, _ := strings.Cut(string(r), "/")
	return Rule(base)
}

// Severity orders findings by the harm they stand for. The zero value, None, is the
// severity of nothing; as a gate it means "never".
type Severity uint8

// The severities, ascending.
const (
	None Severity = iota
	Info
	Low
	Medium
	High
	Critical
)

var severityNames = [...]string{"none", "info", "low", "medium", "high", "critical"}

// Severities lists the names that ParseSeverity takes, highest first.
func Severities() []string { return []string{"critical", "high", "medium", "low", "info", "none"} }

// String returns the lower-case name.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name as ParseSeverity does.
func (s *Severity) UnmarshalText(b []byte) (err error) {
	*s, err = ParseSeverity(string(b))
	return err
}

// ParseSeverity reads a lower-case name; the error lists the names there are.
func ParseSeverity(name string) (Severity, error) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), nil
		}
	}
	return None, fmt.Errorf("unknown severity %q: want one of %s", name, strings.Join(Severities(), ", "))
}

// A Kind is the kind of definition in which something was found.
type Kind string

// The kinds of definition a server lists, and the server's own words about itself.
const (
	Tool             Kind = "tool"
	Prompt           Kind = "prompt"
	Resource         Kind = "resource"
	ResourceTemplate Kind = "resource_template"
	Server           Kind = "server"
)

// Message is the kind of a place in a recorded conversation.
const Message Kind = "message"

// A Location says where in the input something is. Fields that do not apply are zero.
type Location struct {
	Server  string `json:"server"`           // the server's name
	Kind    Kind   `json:"kind,omitempty"`   // what sort of definition
	Item    string `json:"item,omitempty"`   // its name; "#3" for the fourth of a list if it has none
	Pointer string `json:"pointer"`          // RFC 6901, from the root of the document in File, or of the message Seq
	Seq     int    `json:"seq,omitempty"`    // of a place in a trace: the number of the message
	IsKey   bool   `json:"is_key,omitempty"` // the text is the member name that Pointer ends in, not its value
	File    string `json:"file,omitempty"`   // path as the user gave it; empty for a live server
	Line    int    `json:"line,omitempty"`   // 1-based
	Column  int    `json:"column,omitempty"` // 1-based, in Unicode code points
	EndLine int    `json:"end_line,omitempty"`
	// EndColumn is the column behind the last character.
	EndColumn int `json:"end_column,omitempty"`
	// Origin is how a live server was reached, for a reader's eyes: its program, its URL, or
	// its name in a configuration and the client. A server's own name says nothing about it.
	Origin string `json:"origin,omitempty"`
	// Client is the client whose configuration or file for agents File is.
	Client string `json:"client,omitempty"`
}

// Evidence quotes what a check saw. Start and End are byte offsets into the UTF-8 form
// of the decoded string at the location (ill-formed parts decode to U+FFFD), so that
// string[Start:End] is Raw. Normalized is the text that the check read there: folded,
// stripped of invisible characters or decoded; it is empty where it equals Raw.
type Evidence struct {
	Raw        string `json:"raw"`
	Normalized string `json:"normalized,omitempty"`
	Start      int    `json:"start"`
	End        int    `json:"end"`

	// Before and After are the text around the span, shortened, for a reader's eyes.
	Before string `json:"-"`
	After  string `json:"-"`
}

// A TaxonomyRef ties a rule to an entry of a public catalogue.
type TaxonomyRef struct {
	System string `json:"system"` // "OWASP MCP Top 10", "CWE", …
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	Fit    string `json:"fit"` // "exact", "close" or "weak"
}

// A Finding is what a deterministic check reports about a server. Only findings affect the exit
// code's gate; opinions of a model have a type of their own.
type Finding struct {
	Rule     Rule     `json:"rule_id"`
	Name     string   `json:"name"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"` // one line: what is wrong
	Advice   string   `json:"advice"`  // one line: what to do
	// Confidence is "low" where a score and no rule speaks: the words resemble known attacks, and no reason is known. Empty for
	// all other findings.
	Confidence string   `json:"confidence,omitempty"`
	Location   Location `json:"location"`
	Evidence   Evidence `json:"evidence"`
	// Related are the other places that the finding is about: the other servers of one
	// tool name, or what a changed definition was in the baseline.
	Related []Location `json:"related,omitempty"`
	// Steps are the path of a value through a server's source, from the caller's parameter to the
	// Location.
	Steps []Step `json:"steps,omitempty"`
	// Also are the other rules that quote the same words: one cause is one finding, of the
	// strongest rule.
	Also []Rule `json:"also,omitempty"`
	// Fingerprint identifies the finding across scans: it depends on the rule, the
	// server's and the item's names, the place inside the item and the evidence, not on
	// key order, line numbers or neighbours. That of a finding about several servers
	// depends on the rule, what they share and their names, not on their order.
	Fingerprint string `json:"fingerprint"`
	// Content is the ContentHash of what was judged: the whole definition, or all of those that the
	// finding is about. It changes with any change of meaning in them, evidence or not. Empty where
	// it is unknown: such a finding cannot be suppressed.
	Content  string        `json:"content_hash,omitempty"`
	Taxonomy []TaxonomyRef `json:"taxonomy"`

	// Input is the number of the document and Order to OrderEnd the byte span of the
	// evidence in it. They sort findings as a reader meets them and give lines and columns.
	Input    int `json:"-"`
	Order    int `json:"-"`
	OrderEnd int `json:"-"`
	// RelatedSpans are the places of Related in their documents, one each.
	RelatedSpans []Span `json:"-"`
}

// A Step is one place on the way of a value through a source.
type Step struct {
	File   string `json:"file"`
	Line   int    `json:"line"`             // 1-based
	Column int    `json:"column,omitempty"` // 1-based, in Unicode code points
	Text   string `json:"text"`             // what takes the value there: a parameter, a variable, a function
}

// A Span is a part of a document, from Start to End in bytes. The documents of a baseline
// are numbered behind those of the scan.
type Span struct{ Input, Start, End int }

// Compare sorts findings in reading order: input, position, rule, fingerprint.
func Compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Order, b.Order),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Fingerprint, b.Fingerprint))
}

// A ProblemKind says why a part of what was asked for is not fully covered.
type ProblemKind string

// The kinds of problem. Each of them makes a scan incomplete.
const (
	Malformed ProblemKind = "malformed" // not of the form MCP prescribes; its strings were scanned all the same
	Unread    ProblemKind = "unread"    // there, or said to be there, and not read
	Limit     ProblemKind = "limit"     // cut by a limit
	Failed    ProblemKind = "failed"    // an attempt that ended in an error
)

// A Problem is something that kept a scan from being complete. Every report and the exit code show
// it.
type Problem struct {
	Kind     ProblemKind `json:"kind"`
	Message  string      `json:"message"`
	Location Location    `json:"location"`

	Input int `json:"-"` // see Finding; -1 for a problem of no document
	Order int `json:"-"`
}
