package result

import (
	"slices"
	"strings"

	"gauntlet/finding"
)

// Imported holds other programs' reports about the same servers. All its texts are untrusted.
type Imported struct {
	Files    []ImportedFile    `json:"files"`
	Findings []ImportedFinding `json:"findings"`
	// Gates says that these findings affect the exit code (--gate-imported).
	Gates bool `json:"gates"`
}

// An ImportedFile is a report that was read.
type ImportedFile struct {
	File     string `json:"file"`
	Format   string `json:"format"`   // "sarif" or "gauntlet"
	Findings int    `json:"findings"` // number imported
	// Left counts results that were not imported: passes, accepted ones, and malformed ones.
	Left int `json:"left"`
	// Runs counts the probe trials and attacks that findings were compared with.
	Runs int `json:"runs,omitempty"`
}

// An ImportedFinding is a finding of another program, or of an earlier run of this one.
type ImportedFinding struct {
	File      string           `json:"file"` // its report
	Tool      string           `json:"tool"` // its program
	Rule      string           `json:"rule"`
	Severity  finding.Severity `json:"severity"`
	Message   string           `json:"message"`
	Location  finding.Location `json:"location"`
	Parameter string           `json:"parameter,omitempty"`
	State     ImportedState    `json:"state"`
	// Agrees are the fingerprints of this run's equivalent findings.
	Agrees []string `json:"agrees,omitempty"`
	// Run is Confirmed or Refuted if a run tried exactly this, otherwise "".
	Run RunState `json:"run,omitempty"`
	By  string   `json:"by,omitempty"` // that run
}

// An ImportedState says whether this run found the same.
type ImportedState string

// The states.
const (
	Agreed      ImportedState = "agreed"
	ForeignOnly ImportedState = "foreign_only"
)

// A RunState says what a run showed about a finding.
type RunState string

// The run states. A finding is Refuted only for the values or the agent that were tried.
const (
	Confirmed RunState = "confirmed"
	Refuted   RunState = "refuted"
)

// Count returns the number of findings in state s, and of findings, in any state, with the run state run.
func (i *Imported) Count(s ImportedState, run RunState) (states, runs int) {
	for k := range i.Findings {
		if i.Findings[k].State == s {
			states++
		}
		if i.Findings[k].Run == run {
			runs++
		}
	}
	return states, runs
}

// FailsImported reports whether imported findings gate and one has at least the severity floor.
func (r *Report) FailsImported(floor finding.Severity) bool {
	return r.Imported != nil && r.Imported.Gates && floor != finding.None &&
		slices.ContainsFunc(r.Imported.Findings, func(f ImportedFinding) bool { return f.Severity >= floor })
}

// ofClauses are the rules that quote clauses or the verb of a name, by decreasing weight. Two of them that quote the
// same words have the same cause.
var ofClauses = []finding.Rule{"SEC-003", "SEC-002", "SEC-001", "SEC-006", "SEC-004", "SEC-007", "MCP-S-004", "SEC-009"}

// nearby is how many findings back MergeCauses looks for the same cause.
const nearby = 32

// MergeCauses merges findings that quote overlapping words of one text: the strongest rule's finding stays and lists
// the others in Also. Suppressed findings are not merged, so that accepting one rule's finding does not hide another's.
// The gate is unaffected, since the severest stays.
func (r *Report) MergeCauses() {
	kept := r.Findings[:0]
	for _, f := range r.Findings {
		// Findings are in order of location, so an overlapping one is near the end.
		i := len(kept) - 1
		for ; i >= 0 && len(kept)-i <= nearby && !sameCause(&kept[i], &f); i-- {
		}
		if i < 0 || len(kept)-i > nearby {
			kept = append(kept, f)
			continue
		}
		kept[i] = merged(kept[i], f)
	}
	clear(r.Findings[len(kept):])
	r.Findings = kept
	slices.SortStableFunc(r.Findings, finding.Compare)
	r.mergeRepeats()
}

// mergeRepeats merges findings about a sentence that several definitions of a server repeat: the first stays and lists
// the other locations, as for 171 tools of one server that end with the same line.
func (r *Report) mergeRepeats() {
	type sentence struct {
		rule                  finding.Rule
		severity              finding.Severity
		server, message, text string
		input                 int
	}
	first := map[sentence]int{} // index in kept
	kept := r.Findings[:0]
	for _, f := range r.Findings {
		key := sentence{f.Rule, f.Severity, f.Location.Server, f.Message, f.Evidence.Raw, f.Input}
		i, seen := first[key]
		if !seen || !slices.Contains(ofClauses, f.Rule) || f.Related != nil || !strings.Contains(f.Evidence.Raw, " ") {
			first[key] = len(kept)
			kept = append(kept, f)
			continue
		}
		kept[i].Related = append(kept[i].Related, f.Location)
		kept[i].RelatedSpans = append(kept[i].RelatedSpans, finding.Span{Input: f.Input, Start: f.Order, End: f.OrderEnd})
	}
	clear(r.Findings[len(kept):])
	r.Findings = kept
}

func sameCause(a, b *finding.Finding) bool {
	return slices.Contains(ofClauses, a.Rule) && slices.Contains(ofClauses, b.Rule) && a.Input == b.Input &&
		a.Location.Pointer == b.Location.Pointer && a.Location.Server == b.Location.Server && a.Location.Seq == b.Location.Seq &&
		a.Order < b.OrderEnd && b.Order < a.OrderEnd
}

// merged returns the stronger of two findings, with the other in its Also.
func merged(a, b finding.Finding) finding.Finding {
	if b.Severity > a.Severity || b.Severity == a.Severity && slices.Index(ofClauses, b.Rule) < slices.Index(ofClauses, a.Rule) {
		a, b = b, a
	}
	a.Also = slices.Clone(a.Also)
	for _, id := range append([]finding.Rule{b.Rule}, b.Also...) {
		if id != a.Rule && !slices.Contains(a.Also, id) {
			a.Also = append(a.Also, id)
		}
	}
	slices.Sort(a.Also)
	return a
}

// Clients holds the entries of MCP client configurations and what happened to them. It contains no secrets.
type Clients struct {
	Files   []ClientFile  `json:"files"`
	Entries []ClientEntry `json:"entries"`
	Agents  []Agent       `json:"agents"`
}

// A ClientFile is a configuration file. State is "read", or "unread" if nothing of it could be read; unreadable parts
// are among the report's problems.
type ClientFile struct {
	Client  string `json:"client"` // "cursor", …; "mcp.json" if the client is unknown
	File    string `json:"file"`
	Project string `json:"project,omitempty"` // folder that it applies to
	State   string `json:"state"`
	Entries int    `json:"entries"`
	// Kind is the purpose of a file for an agent: "instructions", "skill", "skill file", "command", "sub-agent",
	// "script" or "program"; "" for a configuration.
	Kind string `json:"kind,omitempty"`
}

// StateUnread is the state of an unreadable file, and of a list that was not looked for.
const StateUnread = "unread"

// A ClientEntry is a server in a configuration.
type ClientEntry struct {
	Client    string     `json:"client"`
	Name      string     `json:"name"`
	File      string     `json:"file"`
	Line      int        `json:"line,omitempty"`   // 1-based
	Column    int        `json:"column,omitempty"` // 1-based, in Unicode code points
	Project   string     `json:"project,omitempty"`
	Transport string     `json:"transport"` // "stdio", "http", "sse" or "unknown"
	Starts    string     `json:"starts"`    // command or address, secrets masked
	State     EntryState `json:"state"`
	Reason    string     `json:"reason,omitempty"` // why it was not scanned
	// Servers are the names that the server reported; several entries may share a server, which was launched once.
	Servers []string `json:"servers"`
	Tools   []string `json:"tools"` // names of its tools
}

// An EntryState says what happened to an entry.
type EntryState string

// The states of an entry.
const (
	Scanned     EntryState = "scanned"
	NotLaunched EntryState = "not_launched" // without consent, or partly unknown
	LaunchFail  EntryState = "failed"       // launched or connected to, but nothing was read
	SwitchedOff EntryState = "disabled"     // by its configuration
)

// An Agent is a client in one folder: it sees the tools of all its servers together.
type Agent struct {
	Client  string `json:"client"`
	Project string `json:"project,omitempty"` // "" outside of all known projects
	Entries []int  `json:"entries"`           // indexes into Clients.Entries, without disabled entries
	Tools   int    `json:"tools"`             // of scanned servers
	Reads   []int  `json:"reads,omitempty"`   // indexes into Clients.Files of other files that it reads or runs
}
