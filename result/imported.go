package result

import (
	"slices"

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
