// Package finding holds the types that deterministic checks report: rule, severity, location, evidence, finding,
// problem. It makes no decisions.
package finding

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A Rule is a check's permanent id, such as "SEC-001" or "MCP-S-005". Ids are never reused. A rule whose findings
// differ in weight appends a suffix for each kind, as in "SEC-060/transformed".
type Rule string

var ruleForm = lazyregexp.New(`^[A-Z]{3}(-[A-Z])?-[0-9]{3}(/[a-z]+)?$`)

// Valid reports whether r has the form of a rule id: three capitals, optionally a hyphen and a capital, a hyphen, three
// digits; optionally a slash and lower-case letters.
func (r Rule) Valid() bool { return ruleForm.MatchString(string(r)) }

// Base returns the id without the suffix after a slash.
func (r Rule) Base() Rule {
	base, _, _ := strings.Cut(string(r), "/")
	return Rule(base)
}

// Severity orders findings by potential harm. The zero value, None, is less than any; as a gate it means "never".
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

// Severities lists the names that ParseSeverity accepts, highest first.
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

// UnmarshalText accepts the names of ParseSeverity.
func (s *Severity) UnmarshalText(b []byte) (err error) {
	*s, err = ParseSeverity(string(b))
	return err
}

// ParseSeverity parses a lower-case name; the error lists the valid names.
func ParseSeverity(name string) (Severity, error) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), nil
		}
	}
	return None, fmt.Errorf("unknown severity %q: want one of %s", name, strings.Join(Severities(), ", "))
}

// A Kind is the kind of definition that a finding is about.
type Kind string

// The kinds of definition that a server lists, and the server's own words.
const (
	Tool             Kind = "tool"
	Prompt           Kind = "prompt"
	Resource         Kind = "resource"
	ResourceTemplate Kind = "resource_template"
	Server           Kind = "server"
)

// Message is the kind of a place in a recorded conversation.
const Message Kind = "message"

// A Location is a place in the input. Fields that do not apply are zero.
type Location struct {
	Server  string `json:"server"`           // server name
	Kind    Kind   `json:"kind,omitempty"`   // kind of definition
	Item    string `json:"item,omitempty"`   // name of the definition; "#3" for an unnamed fourth one of a list
	Pointer string `json:"pointer"`          // RFC 6901, from the root of the document in File, or of message Seq
	Seq     int    `json:"seq,omitempty"`    // message number in a trace
	IsKey   bool   `json:"is_key,omitempty"` // the text is the member name at the end of Pointer, not its value
	File    string `json:"file,omitempty"`   // path as given by the user; empty for a live server
	Line    int    `json:"line,omitempty"`   // 1-based
	Column  int    `json:"column,omitempty"` // 1-based, in Unicode code points
	EndLine int    `json:"end_line,omitempty"`
	// EndColumn is the column after the last character.
	EndColumn int `json:"end_column,omitempty"`
	// Origin says how a live server was reached, for display: its program, its URL, or its name in a configuration and
	// the client. It does not depend on the server's own name.
	Origin string `json:"origin,omitempty"`
	// Client is the client whose configuration or agent file File is.
	Client string `json:"client,omitempty"`
}

// Evidence quotes what a check saw. Start and End are byte offsets into the decoded string at the location in UTF-8
// (ill-formed parts decode to U+FFFD), so that string[Start:End] is Raw. Normalized is the text as the check read it:
// folded, stripped of invisible characters or decoded; empty if equal to Raw.
type Evidence struct {
	Raw        string `json:"raw"`
	Normalized string `json:"normalized,omitempty"`
	Start      int    `json:"start"`
	End        int    `json:"end"`

	// Before and After are shortened text around the span, for display.
	Before string `json:"-"`
	After  string `json:"-"`
}

// A TaxonomyRef maps a rule to an entry of a public catalogue.
type TaxonomyRef struct {
	System string `json:"system"` // "OWASP MCP Top 10", "CWE", …
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	Fit    string `json:"fit"` // "exact", "close" or "weak"
}

// A Finding is a deterministic check's finding about a server. Only findings affect the exit code's gate; a model's
// opinions have their own type.
type Finding struct {
	Rule     Rule     `json:"rule_id"`
	Name     string   `json:"name"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"` // what is wrong, in one line
	Advice   string   `json:"advice"`  // what to do, in one line
	// Confidence is "low" for a finding based on a score instead of a rule: the words resemble known attacks, for no
	// specific reason. Otherwise empty.
	Confidence string   `json:"confidence,omitempty"`
	Location   Location `json:"location"`
	Evidence   Evidence `json:"evidence"`
	// Related are further locations of the finding: other servers with the same tool name, or a changed definition in the baseline.
	Related []Location `json:"related,omitempty"`
	// Steps are the path of a value through a server's source, from the caller's parameter to Location.
	Steps []Step `json:"steps,omitempty"`
	// Also lists weaker rules that quote the same words: one cause is one finding.
	Also []Rule `json:"also,omitempty"`
	// Fingerprint identifies the finding across scans: it depends on the rule, the server's and item's names, the place
	// in the item and the evidence, not on key order, line numbers or neighbours. For a finding about several servers
	// it depends on the rule, what they share and their names, not on their order.
	Fingerprint string `json:"fingerprint"`
	// Content is the ContentHash of what was judged: the whole definition, or all that the finding is about. Any change
	// of their meaning changes it. If it is empty, the content is unknown and the finding cannot be suppressed.
	Content  string        `json:"content_hash,omitempty"`
	Taxonomy []TaxonomyRef `json:"taxonomy"`

	// Input is the document number, Order to OrderEnd the byte span of the evidence in it. They determine the order of
	// findings, lines and columns.
	Input    int `json:"-"`
	Order    int `json:"-"`
	OrderEnd int `json:"-"`
	// RelatedSpans are the spans of Related, one each.
	RelatedSpans []Span `json:"-"`
}

// A Step is a place on a value's path through source code.
type Step struct {
	File   string `json:"file"`
	Line   int    `json:"line"`             // 1-based
	Column int    `json:"column,omitempty"` // 1-based, in Unicode code points
	Text   string `json:"text"`             // what takes the value: a parameter, variable or function
}

// A Span is a byte range of a document. Documents of a baseline are numbered after those of the scan.
type Span struct{ Input, Start, End int }

// Compare sorts findings in reading order: input, position, rule, fingerprint.
func Compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Order, b.Order),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Fingerprint, b.Fingerprint))
}

// A ProblemKind says why part of the request is not fully covered.
type ProblemKind string

// The kinds of problem. Each makes a scan incomplete.
const (
	Malformed ProblemKind = "malformed" // not of the form that MCP prescribes; its strings were scanned anyway
	Unread    ProblemKind = "unread"    // present or announced, but not read
	Limit     ProblemKind = "limit"     // cut by a limit
	Failed    ProblemKind = "failed"    // an attempt failed
)

// A Problem is something that kept a scan from being complete. Every report and the exit code show it.
type Problem struct {
	Kind     ProblemKind `json:"kind"`
	Message  string      `json:"message"`
	Location Location    `json:"location"`

	Input int `json:"-"` // as in Finding; -1 without a document
	Order int `json:"-"`
}
