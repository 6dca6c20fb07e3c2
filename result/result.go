// Package result holds a Report: everything that a command found, and what it did not examine. Other packages render it.
package result

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
)

// SchemaVersion is the version of the JSON form, docs/schemas/report.schema.json. The major version changes if readers
// of the old form would break.
const SchemaVersion = "1.0"

// A Report is the outcome of a scan. Only Findings affect the gate. The JSON form has the members in this order.
type Report struct {
	SchemaVersion string  `json:"schema_version"`
	Tool          Tool    `json:"tool"`
	Summary       Summary `json:"summary"`
	// Gate is "stable" if findings of experimental checks do not affect the exit code, "" if all do.
	Gate string `json:"gate,omitempty"`
	// Attacks are the attack documents that were run or judged; nil if none was requested.
	Attacks []AttackRun `json:"attacks,omitempty"`
	// Rates are success rates of Attacks; nil unless they were repeated.
	Rates []Rate `json:"rates,omitempty"`
	// Expectations are a suite's expectations; nil without a suite.
	Expectations []Expectation `json:"expectations,omitempty"`
	// Vetted are the packages and servers examined before installation; nil unless requested.
	Vetted []Vetting `json:"vetted,omitempty"`
	// Probing is the result of probing a server; nil if none was probed.
	Probing  *Probing          `json:"probing,omitempty"`
	Findings []finding.Finding `json:"findings"`
	// Suppressed are the accepted findings, each with its decision.
	Suppressed []Suppressed `json:"suppressed"`
	// Suppressions are all decisions that the run was given, used or not.
	Suppressions []Suppression `json:"suppressions"`
	// Imported holds reports of other programs; nil if none was given.
	Imported *Imported `json:"imported,omitempty"`
	// Advisory holds the opinions of models, one element per model; nil if none was asked. Nothing else depends on it.
	Advisory []Advisory        `json:"advisory,omitempty"`
	Coverage Coverage          `json:"coverage"`
	Posture  []Signal          `json:"posture"`
	Skipped  []Skip            `json:"skipped"`
	Problems []finding.Problem `json:"problems"`
	// Clients holds the entries of MCP client configurations; nil if none was requested.
	Clients *Clients `json:"clients,omitempty"`
	// Sandboxes are the servers to be started in a sandbox; nil if there was none.
	Sandboxes []Sandbox `json:"sandboxes,omitempty"`
	// Rules describes every requested check, whether or not it found anything.
	Rules []Rule `json:"rules"`
}

// Tool names the program that wrote the report.
type Tool struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Lexicon  string `json:"lexicon"`  // version of word lists and patterns
	Taxonomy string `json:"taxonomy"` // version of the mapping to public catalogues
}

// A Rule describes a check for readers without the program.
type Rule struct {
	ID       finding.Rule          `json:"id"`
	Name     string                `json:"name"`
	Severity finding.Severity      `json:"severity"`
	Maturity string                `json:"maturity"` // "stable" or "experimental"
	Axis     string                `json:"axis"`     // taxonomy axis
	Doc      string                `json:"doc"`
	Advice   string                `json:"advice"`
	Source   string                `json:"source"` // URL of the rule's public source
	Taxonomy []finding.TaxonomyRef `json:"taxonomy"`
}

// Summary holds the counts of a report.
type Summary struct {
	Servers    int            `json:"servers"`
	Items      int            `json:"items"`
	Strings    int            `json:"strings"`
	Findings   int            `json:"findings"`
	BySeverity map[string]int `json:"by_severity"` // of Findings; all five severities, including zeros
	Suppressed int            `json:"suppressed"`
	Problems   int            `json:"problems"`
	// Complete is false if anything requested was unread, failed or cut by a limit.
	Complete bool `json:"complete"`
}

// Coverage records what was examined.
type Coverage struct {
	Servers []ServerCoverage `json:"servers"`
	Fields  []FieldCoverage  `json:"fields"`
	Checks  []CheckCoverage  `json:"checks"`
	// Trace covers a recorded conversation; nil if there was none.
	Trace *TraceCoverage `json:"trace,omitempty"`
}

// TraceCoverage says what was read of a recorded conversation.
type TraceCoverage struct {
	File     string   `json:"file"`
	Boundary string   `json:"boundary,omitempty"` // file that declares the boundary
	Messages int      `json:"messages"`
	Unread   int      `json:"unread,omitempty"`   // unreadable lines
	Redacted int      `json:"redacted,omitempty"` // messages with something removed
	Caveats  []string `json:"caveats,omitempty"`  // about the trace as a whole
	Servers  []string `json:"servers"`
}

// ServerCoverage says what was read of a server.
type ServerCoverage struct {
	Server string         `json:"server"`
	File   string         `json:"file,omitempty"`
	Origin string         `json:"origin,omitempty"` // of a live server; see finding.Location
	Lists  []ListCoverage `json:"lists"`
}

// ListCoverage says what was read of a list of a server. State is "read" (also if the answer was empty), "absent": the
// input does not contain the list, or "unread": it was not looked for.
type ListCoverage struct {
	Kind  finding.Kind `json:"kind"`
	State string       `json:"state"`
	Items int          `json:"items"`
	// Unchanged counts the items skipped by checks of single definitions because they equal the baseline, if that was requested.
	Unchanged int `json:"unchanged,omitempty"`
	// Instructions says, for kind "server", whether the server's instructions were present.
	Instructions bool `json:"instructions,omitempty"`
}

// The states of a list.
const (
	StateRead   = "read"
	StateAbsent = "absent"
)

// FieldCoverage counts the strings of one kind that were read, over all servers.
type FieldCoverage struct {
	Field   string `json:"field"` // "description", "schema property name", …
	Strings int    `json:"strings"`
	Bytes   int    `json:"bytes"`
}

// CheckCoverage says what a check did. State is "ran", "skipped" or "failed".
type CheckCoverage struct {
	Rule     finding.Rule `json:"rule_id"`
	Name     string       `json:"name"`
	State    string       `json:"state"`
	Items    int          `json:"items"`    // definitions examined
	Findings int          `json:"findings"` // including suppressed ones
	// Withheld counts findings omitted because one definition had too many.
	Withheld int    `json:"withheld,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Of is OfConfigurations for a check of client configurations, OfTrace for one of a recording, "" for one of servers.
	Of string `json:"of,omitempty"`
}

// OfTrace marks a check of messages of a trace, which Items counts.
const OfTrace = "trace"

// OfProbes marks a check of probe trials, which Items counts.
const OfProbes = "probes"

// OfPackage marks a check of a package before it runs; Items is 1.
const OfPackage = "package"

// OfSource marks a check of tool handlers in a server's source, which Items counts.
const OfSource = "source"

// OfConfigurations marks a check of configuration entries, whether or not their servers were started.
const OfConfigurations = "configurations"

// A Skip is a check that did not run, and the evidence it needs. A check that nobody requested is skipped, too, and
// does not make the run incomplete.
type Skip struct {
	Rule  finding.Rule `json:"rule_id"`
	Name  string       `json:"name"`
	Needs string       `json:"needs"`
}

// A Signal is a line of the posture map: a fact that defenders want to know, its MCP-DPT defence layer, and whether a
// black-box client saw it. It is a coverage statement and never gates.
type Signal struct {
	ID     string `json:"id"`
	Layer  string `json:"layer"` // "L1 model" to "L6 registry"
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
}

// A State says what is known of a Signal.
type State string

// The states of a signal. Only Seen and NotSeen are based on evidence.
const (
	Seen       State = "seen"
	NotSeen    State = "not_seen"
	NeedsProbe State = "requires_active_probe"
	Invisible  State = "not_observable" // never visible to a black-box client
)

// WorstRule returns the rule of the first finding of the highest severity, "" if none is above info.
func (r *Report) WorstRule() finding.Rule {
	rule, worst := finding.Rule(""), finding.Info
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity > worst {
			rule, worst = f.Rule, f.Severity
		}
	}
	return rule
}

// FailsAt reports whether a finding has at least severity floor. None never fails.
func (r *Report) FailsAt(floor finding.Severity) bool {
	return floor != finding.None && slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Severity >= floor && r.gates(f.Rule) })
}

// Read reports whether a configuration or trace was read, or a server answered at least one request: a list, empty or
// not, or its instructions.
func (r *Report) Read() bool {
	if r.Coverage.Trace != nil && r.Coverage.Trace.Messages > 0 {
		return true
	}
	if r.Clients != nil && slices.ContainsFunc(r.Clients.Files, func(f ClientFile) bool { return f.State == StateRead }) {
		return true
	}
	for _, s := range r.Coverage.Servers {
		for _, l := range s.Lists {
			if l.State == StateRead && l.Kind != finding.Server || l.Kind == finding.Server && l.Instructions {
				return true
			}
		}
	}
	return false
}

// Undone lists, as sentences, what was requested but not read, not judged or not tried to its end. It alone decides
// whether a report is complete: all formats and exit codes follow it.
func (r *Report) Undone() []string {
	var out []string
	for i := range r.Problems {
		out = append(out, r.Problems[i].Message)
	}
	for i := range r.Attacks {
		if a := &r.Attacks[i]; !a.Exploited() && !a.Resisted() {
			out = append(out, a.undone())
		}
	}
	if p := r.Probing; p != nil && p.Cut != "" && !slices.Contains(out, p.Cut) {
		out = append(out, p.Cut)
	}
	for i := range r.Vetted {
		for _, s := range r.Vetted[i].Steps {
			if text := s.Name + ": " + s.Detail; (s.State == StepFailed || s.State == StepNotDone) && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// Complete reports whether everything requested was read and judged.
func (r *Report) Complete() bool { return len(r.Undone()) == 0 }

// The exit codes of all commands.
const (
	ExitOK      = 0 // everything examined, the gate holds
	ExitGate    = 1 // a finding at or above the gate
	ExitTrouble = 2 // something requested was unread, failed or cut by a limit
)

// GateStable is the gate without experimental checks.
const GateStable = "stable"

// gates reports whether a rule's findings can affect the exit code.
func (r *Report) gates(id finding.Rule) bool {
	if r.Gate != GateStable {
		return true
	}
	for i := range r.Rules {
		if r.Rules[i].ID == id {
			return r.Rules[i].Maturity == GateStable
		}
	}
	return true
}

// Ungated counts findings of at least severity floor that the gate ignores.
func (r *Report) Ungated(floor finding.Severity) (n int) {
	for i := range r.Findings {
		if r.Findings[i].Severity >= floor && !r.gates(r.Findings[i].Rule) {
			n++
		}
	}
	return n
}

// ExitCode returns 1 for a crossed gate (also by imported findings, if they gate), an agent that complied with an
// attack, or a failed expectation; otherwise 2 for an attack that has no reliable verdict or never reached the agent,
// and for an incomplete run unless allowPartial is set and something was read; otherwise 0.
func (r *Report) ExitCode(floor finding.Severity, allowPartial bool) int {
	attacks := exitCode(r.Attacks)
	switch {
	case r.FailsAt(floor), r.FailsImported(floor), attacks == ExitGate, r.Failed() > 0:
		return ExitGate
	case attacks == ExitTrouble:
		return ExitTrouble
	case !r.Complete() && !(allowPartial && r.Read()):
		return ExitTrouble
	}
	return ExitOK
}

// ExitReason explains the result of ExitCode for the same arguments.
func (r *Report) ExitReason(floor finding.Severity, allowPartial bool) string {
	attacks := exitCode(r.Attacks)
	switch {
	case r.FailsAt(floor):
		return "a finding has severity " + orHigher(floor)
	case r.FailsImported(floor):
		return "an imported finding has severity " + orHigher(floor)
	case attacks == ExitGate:
		return targets(r.Attacks, (*AttackRun).Exploited) + " complied with an attack"
	case r.Failed() > 0:
		return "an expectation does not hold"
	case attacks == ExitTrouble:
		return "an attack has no verdict or never reached " + targets(r.Attacks, (*AttackRun).unsettled)
	case !r.Complete() && !allowPartial:
		return r.incompleteReason()
	case !r.Complete() && !r.Read():
		return "nothing was read"
	case !r.Complete():
		return "--allow-partial accepts that a part was not read"
	case len(r.Attacks) > 0:
		return strings.Replace(targets(r.Attacks, (*AttackRun).Resisted), " or ", " and ", 1) + " resisted every attack"
	case r.Ungated(floor) > 0:
		return "the only findings of severity " + orHigher(floor) + " are of experimental checks, which --gate stable leaves out"
	case floor == finding.None:
		return "no finding fails the run with --fail-on none"
	}
	return "no finding has severity " + orHigher(floor)
}

func targets(runs []AttackRun, counts func(*AttackRun) bool) string {
	agent, server := false, false
	for i := range runs {
		if counts(&runs[i]) {
			onServer := runs[i].onServer()
			agent, server = agent || !onServer, server || onServer
		}
	}
	switch {
	case agent && server:
		return "the agent or the server"
	case server:
		return "the server"
	}
	return "the agent"
}

// incompleteReason says what is missing: input, or only something that was to be done, such as calls beyond a budget.
func (r *Report) incompleteReason() string {
	unread := func(p finding.Problem) bool { return p.Kind != finding.Limit }
	undone := r.Undone()
	if slices.ContainsFunc(r.Problems, unread) || len(undone) == 0 {
		return "part of the input was not read"
	}
	text := "not everything was done: " + strings.TrimSuffix(undone[0], ".")
	if more := len(undone) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

func orHigher(floor finding.Severity) string {
	if floor == finding.Critical {
		return floor.String()
	}
	return floor.String() + " or higher"
}

// A Decision is a person's decision to accept a finding. It applies to one content of what the finding is about.
type Decision struct {
	Fingerprint string       `json:"fingerprint"`
	Rule        finding.Rule `json:"rule_id"`
	Content     string       `json:"content_hash"` // finding.Finding.Content when decided
	// Definition describes the subject for readers; nothing depends on it.
	Definition string `json:"definition,omitempty"`
	Reason     string `json:"reason"`
	Owner      string `json:"owner,omitempty"`
	Expires    string `json:"expires,omitempty"` // YYYY-MM-DD, the last valid day, in UTC
	File       string `json:"file"`              // file with the decision
	Line       int    `json:"line"`              // line in it, from 1
}

// A Suppression is a Decision and its state in this run.
type Suppression struct {
	Decision
	State SuppressionState `json:"state"`
	// Detail explains why it is not used, "" if it is.
	Detail string `json:"detail,omitempty"`
}

// A SuppressionState is the state of a decision.
type SuppressionState string

// The states. Only Used exempts a finding from the gate.
const (
	Used     SuppressionState = "used"
	Unused   SuppressionState = "unused"   // no finding has its fingerprint
	Expired  SuppressionState = "expired"  // past its date
	Changed  SuppressionState = "changed"  // the finding exists, but its definition has changed
	Unjudged SuppressionState = "unjudged" // its check did not run
)

// A Suppressed finding is covered by a Decision. It does not gate.
type Suppressed struct {
	Finding  finding.Finding `json:"finding"`
	Decision Decision        `json:"decision"`
}

// Count updates the summary's counts from the lists.
func (r *Report) Count() {
	s := &r.Summary
	s.Findings, s.Suppressed, s.Problems, s.Complete = len(r.Findings), len(r.Suppressed), len(r.Problems), r.Complete()
	s.BySeverity = make(map[string]int, finding.Critical)
	for sev := finding.Info; sev <= finding.Critical; sev++ {
		s.BySeverity[sev.String()] = 0
	}
	for i := range r.Findings {
		s.BySeverity[r.Findings[i].Severity.String()]++
	}
}
