package result

import "gauntlet/finding"

// Imported is what other programs' reports say about the same servers. All of its texts are
// untrusted.
type Imported struct {
	Files    []ImportedFile    `json:"files"`
	Findings []ImportedFinding `json:"findings"`
	// Gates says that these findings move the exit code, as --gate-imported asks.
	Gates bool `json:"gates"`
}

// An ImportedFile is one report that was read.
type ImportedFile struct {
	File     string `json:"file"`
	Format   string `json:"format"`   // "sarif" or "gauntlet"
	Findings int    `json:"findings"` // taken from it
	// Left counts results that were not taken: no failures, accepted ones, and those of a wrong form.
	Left int `json:"left"`
	// Runs counts trials of probes and attacks that findings were compared with.
	Runs int `json:"runs,omitempty"`
}

// An ImportedFinding is one finding of another program, or of an earlier run of this one.
type ImportedFinding struct {
	File      string           `json:"file"` // the report that it stands in
	Tool      string           `json:"tool"` // the program that found it
	Rule      string           `json:"rule"`
	Severity  finding.Severity `json:"severity"`
	Message   string           `json:"message"`
	Location  finding.Location `json:"location"`
	Parameter string           `json:"parameter,omitempty"`
	State     ImportedState    `json:"state"`
	// Agrees are the fingerprints of the findings of this run that say the same.
	Agrees []string `json:"agrees,omitempty"`
	// Run is Confirmed or Refuted where a run tried exactly this, else "".
	Run RunState `json:"run,omitempty"`
	By  string   `json:"by,omitempty"` // what run that was
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

// What runs show. A finding is Refuted for the values or the agent that were tried, and for no others.
const (
	Confirmed RunState = "confirmed"
	Refuted   RunState = "refuted"
)

// Count returns how many findings are in a state, and how many of all were confirmed or refuted so.
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

// FailsImported reports whether an imported finding has at least a severity and imported findings gate.
func (r *Report) FailsImported(floor finding.Severity) bool {
	if r.Imported == nil || !r.Imported.Gates || floor == finding.None {
		return false
	}
	for i := range r.Imported.Findings {
		if r.Imported.Findings[i].Severity >= floor {
			return true
		}
	}
	return false
}
