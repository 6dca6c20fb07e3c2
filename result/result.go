// Package result holds a Report: everything that one command found, and what it did not examine.
// Formats render it; this package prints nothing.
package result

import (
	"slices"

	"gauntlet/finding"
)

// SchemaVersion is the version of the JSON form, docs/schemas/report.schema.json. The
// first number changes when a reader of the old form would break.
const SchemaVersion = "1.0"

// A Report is the outcome of one scan. Findings are the only input of the gate. The JSON form has the members in this order.
type Report struct {
	SchemaVersion string  `json:"schema_version"`
	Tool          Tool    `json:"tool"`
	Summary       Summary `json:"summary"`
	// Gate is "stable" where findings of experimental checks do not move the exit code, ""
	// where all do.
	Gate string `json:"gate,omitempty"`
	// Attacks are the attack documents that were run or judged; nil if none was asked for.
	Attacks []AttackRun `json:"attacks,omitempty"`
	// Rates are how often each of Attacks succeeded; nil unless they were played several times.
	Rates []Rate `json:"rates,omitempty"`
	// Expectations are what a suite expects of results; nil if there was none.
	Expectations []Expectation `json:"expectations,omitempty"`
	// Vetted are the packages and servers that were looked at before they are installed; nil unless that was asked for.
	Vetted []Vetting `json:"vetted,omitempty"`
	// Probing is what came of probing a server; nil if none was probed.
	Probing  *Probing          `json:"probing,omitempty"`
	Findings []finding.Finding `json:"findings"`
	// Suppressed are the findings that a person has accepted, each with the decision.
	Suppressed []Suppressed `json:"suppressed"`
	// Suppressions are all decisions that the run was given, used or not.
	Suppressions []Suppression `json:"suppressions"`
	// Imported is what reports of other programs say; nil if none was named.
	Imported *Imported `json:"imported,omitempty"`
	// Advisory is what models say beside the verdict, one element a model; nil if none was asked. Nothing else
	// depends on it.
	Advisory []Advisory        `json:"advisory,omitempty"`
	Coverage Coverage          `json:"coverage"`
	Posture  []Signal          `json:"posture"`
	Skipped  []Skip            `json:"skipped"`
	Problems []finding.Problem `json:"problems"`
	// Clients is what configurations of MCP clients hold; nil if none was asked for.
	Clients *Clients `json:"clients,omitempty"`
	// Sandboxes are the servers that were to be started sealed off; nil if none was.
	Sandboxes []Sandbox `json:"sandboxes,omitempty"`
	// Rules describes every check that was asked for, whether or not it found anything.
	Rules []Rule `json:"rules"`
}

// Tool names the program that made the report.
type Tool struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Lexicon  string `json:"lexicon"`  // version of the word lists and patterns
	Taxonomy string `json:"taxonomy"` // version of the mapping to public catalogues
}

// A Rule describes one check to a reader who does not have the program.
type Rule struct {
	ID       finding.Rule          `json:"id"`
	Name     string                `json:"name"`
	Severity finding.Severity      `json:"severity"`
	Maturity string                `json:"maturity"` // "stable" or "experimental"
	Axis     string                `json:"axis"`     // the taxonomy axis it speaks to
	Doc      string                `json:"doc"`
	Advice   string                `json:"advice"`
	Source   string                `json:"source"` // URL of the rule's public source
	Taxonomy []finding.TaxonomyRef `json:"taxonomy"`
}

// Summary counts.
type Summary struct {
	Servers    int            `json:"servers"`
	Items      int            `json:"items"`
	Strings    int            `json:"strings"`
	Findings   int            `json:"findings"`
	BySeverity map[string]int `json:"by_severity"` // of Findings; all five severities, zeros included
	Suppressed int            `json:"suppressed"`
	Problems   int            `json:"problems"`
	// Complete is false where anything asked for was unread, failed or cut by a limit.
	Complete bool `json:"complete"`
}

// Coverage is the ledger of what was looked at.
type Coverage struct {
	Servers []ServerCoverage `json:"servers"`
	Fields  []FieldCoverage  `json:"fields"`
	Checks  []CheckCoverage  `json:"checks"`
	// Trace is what was read of a recorded conversation; nil if there was none.
	Trace *TraceCoverage `json:"trace,omitempty"`
}

// TraceCoverage says what was read of a recorded conversation.
type TraceCoverage struct {
	File     string   `json:"file"`
	Boundary string   `json:"boundary,omitempty"` // the file that declares the boundary
	Messages int      `json:"messages"`
	Unread   int      `json:"unread,omitempty"`   // lines that could not be read
	Redacted int      `json:"redacted,omitempty"` // messages of which something was taken out
	Caveats  []string `json:"caveats,omitempty"`  // what a reader should know of the trace as a whole
	Servers  []string `json:"servers"`
}

// ServerCoverage says what was read of one server.
type ServerCoverage struct {
	Server string         `json:"server"`
	File   string         `json:"file,omitempty"`
	Origin string         `json:"origin,omitempty"` // of a live server; see finding.Location
	Lists  []ListCoverage `json:"lists"`
}

// ListCoverage says what was read of one list of a server. State is "read" (an empty
// list that was answered too) or "absent": the input does not hold the list.
type ListCoverage struct {
	Kind  finding.Kind `json:"kind"`
	State string       `json:"state"`
	Items int          `json:"items"`
	// Unchanged counts those of the items that no check of single definitions looked at,
	// since they stand in the baseline as they are and that was asked for.
	Unchanged int `json:"unchanged,omitempty"`
	// Instructions tells, for the kind "server", whether the server's instructions were there.
	Instructions bool `json:"instructions,omitempty"`
}

// The states of a list.
const (
	StateRead   = "read"
	StateAbsent = "absent"
)

// FieldCoverage counts the strings read of one sort, over all servers.
type FieldCoverage struct {
	Field   string `json:"field"` // "description", "schema property name", …
	Strings int    `json:"strings"`
	Bytes   int    `json:"bytes"`
}

// CheckCoverage says what one check did. State is "ran", "skipped" or "failed".
type CheckCoverage struct {
	Rule     finding.Rule `json:"rule_id"`
	Name     string       `json:"name"`
	State    string       `json:"state"`
	Items    int          `json:"items"`    // definitions it looked at
	Findings int          `json:"findings"` // suppressed ones included
	// Withheld counts findings left out because one definition had too many.
	Withheld int    `json:"withheld,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Of is OfConfigurations for a check of clients' configurations, OfTrace for one of a
	// recorded conversation, "" for one of servers.
	Of string `json:"of,omitempty"`
}

// OfTrace says that a check looked at the messages of a trace; Items counts those.
const OfTrace = "trace"

// OfProbes says that a check looked at trials of a probe; Items counts those.
const OfProbes = "probes"

// OfPackage says that a check looked at a package before it runs; Items is 1.
const OfPackage = "package"

// OfSource says that a check looked at the handlers of tools in the source of a server; Items counts those.
const OfSource = "source"

// OfConfigurations says that a check looked at entries of configurations, whether or not
// their servers were started.
const OfConfigurations = "configurations"

// A Skip is a check that did not run, and the evidence it would have needed. A check
// that nobody asked for is skipped too, and does not make the run incomplete.
type Skip struct {
	Rule  finding.Rule `json:"rule_id"`
	Name  string       `json:"name"`
	Needs string       `json:"needs"`
}

// A Signal is one line of the posture map: something a defender wants to know, the
// MCP-DPT defence layer it belongs to, and whether a black-box client saw it. It is a
// coverage statement and never gates.
type Signal struct {
	ID     string `json:"id"`
	Layer  string `json:"layer"` // "L1 model" to "L6 registry"
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
}

// A State says what is known of a Signal.
type State string

// The states of a signal. Only Seen and NotSeen rest on evidence.
const (
	Seen       State = "seen"
	NotSeen    State = "not_seen"
	NeedsProbe State = "requires_active_probe"
	Invisible  State = "not_observable" // a black-box client can never observe it
)

// WorstRule returns the rule of the first of the severest findings, "" if none is above info.
func (r *Report) WorstRule() finding.Rule {
	rule, worst := finding.Rule(""), finding.Info
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity > worst {
			rule, worst = f.Rule, f.Severity
		}
	}
	return rule
}

// FailsAt reports whether a finding has at least this severity. None never fails.
func (r *Report) FailsAt(floor finding.Severity) bool {
	if floor == finding.None {
		return false
	}
	for i := range r.Findings {
		if r.Findings[i].Severity >= floor && r.gates(r.Findings[i].Rule) {
			return true
		}
	}
	return false
}

// Read reports whether a configuration or a trace was read, or a server answered at least one
// question: a list, empty or not, or its instructions.
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

// Undone returns what was asked for and was not read, not judged or not tried to its end, a sentence each.
// It is the one place that decides whether a report is complete: every format and exit code follows from it.
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

// The exit codes of every command.
const (
	ExitOK      = 0 // looked at everything, the gate holds
	ExitGate    = 1 // a finding at or above the gate
	ExitTrouble = 2 // something asked for was unread, failed or cut by a limit
)

// GateStable is the gate that leaves experimental checks out.
const GateStable = "stable"

// gates reports whether findings of a rule can move the exit code.
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

// Ungated counts the findings of at least a severity that the gate leaves out.
func (r *Report) Ungated(floor finding.Severity) (n int) {
	for i := range r.Findings {
		if r.Findings[i].Severity >= floor && !r.gates(r.Findings[i].Rule) {
			n++
		}
	}
	return n
}

// ExitCode applies the one rule for exit codes: a crossed gate (of imported findings, too, where they gate), an agent that complied with
// an attack, or an expectation that did not hold is 1; otherwise an attack without a verdict to rely on, or that never
// reached the agent, is 2, and so is an incomplete run unless allowPartial and at least a
// part was read; otherwise 0.
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
