package result

// FleetSchemaVersion is the version of the JSON form of a Fleet, docs/schemas/fleet.schema.json.
const FleetSchemaVersion = "1.0"

// A Fleet is the report on all jobs of a fleet plan, by target and lane.
type Fleet struct {
	SchemaVersion string        `json:"schema_version"`
	Tool          Tool          `json:"tool"`
	Name          string        `json:"fleet"`
	Plan          string        `json:"plan"` // SHA-256, in hex
	Round         string        `json:"round,omitempty"`
	Summary       FleetSummary  `json:"summary"`
	Targets       []FleetTarget `json:"targets"`
	// Left are targets of the plan without a job.
	Left []FleetLeft `json:"left"`
	// Refused are messages that workers rejected because they were not signed by the plan's key or were not jobs.
	Refused []string `json:"refused"`
}

// FleetSummary counts jobs by state, and all findings and outcomes.
type FleetSummary struct {
	Targets    int            `json:"targets"`
	Jobs       int            `json:"jobs"`
	Done       int            `json:"done"`
	Incomplete int            `json:"incomplete"`
	Failed     int            `json:"failed"`
	NotDone    int            `json:"not_done"`
	Counts     map[string]int `json:"counts"`
	// Complete is true only if every job has a complete result and every target has a job.
	Complete bool `json:"complete"`
}

// A FleetTarget is a target with its jobs in plan order.
type FleetTarget struct {
	Name string     `json:"name"`
	Kind string     `json:"kind"`
	Jobs []FleetJob `json:"jobs"`
	// Page is the address of the target's page relative to the fleet's; "" for none.
	Page string `json:"page,omitempty"`
}

// A FleetJob is the result of a target in one lane.
type FleetJob struct {
	ID       string         `json:"id"`
	Lane     string         `json:"lane"`
	Document string         `json:"document,omitempty"`
	State    FleetState     `json:"state"`
	Reason   string         `json:"reason,omitempty"` // why it is not done, or what was not read
	Exit     int            `json:"exit"`             // gauntlet's exit code, if there is a result
	Counts   map[string]int `json:"counts,omitempty"`
	Attempts int            `json:"attempts,omitempty"`
	Worker   string         `json:"worker,omitempty"`
	// Milliseconds is the duration of the last attempt.
	Milliseconds int64 `json:"duration_ms,omitempty"`
}

// A FleetLeft is a target without a job, and the reason.
type FleetLeft struct {
	Target string `json:"target"`
	Reason string `json:"reason"`
}

// A FleetState is the progress of a job.
type FleetState string

// The states of a job.
const (
	FleetDone       FleetState = "done"
	FleetIncomplete FleetState = "incomplete" // it has a result, but part of the request was unread
	FleetFailed     FleetState = "failed"     // after its last attempt
	FleetNotDone    FleetState = "not_done"
)

// Summarize recomputes the summary.
func (f *Fleet) Summarize() {
	s := FleetSummary{Targets: len(f.Targets), Counts: map[string]int{}}
	for i := range f.Targets {
		for j := range f.Targets[i].Jobs {
			one := &f.Targets[i].Jobs[j]
			s.Jobs++
			switch one.State {
			case FleetDone:
				s.Done++
			case FleetIncomplete:
				s.Incomplete++
			case FleetFailed:
				s.Failed++
			default:
				s.NotDone++
			}
			for name, n := range one.Counts {
				s.Counts[name] += n
			}
		}
	}
	if f.Targets == nil {
		f.Targets = []FleetTarget{}
	}
	if f.Left == nil {
		f.Left = []FleetLeft{}
	}
	if f.Refused == nil {
		f.Refused = []string{}
	}
	s.Complete = s.Done == s.Jobs && len(f.Left) == 0 && s.Jobs > 0
	f.Summary = s
}

// ExitCode returns ExitGate if a job crossed its lane's gate, otherwise ExitTrouble unless the fleet is complete.
func (f *Fleet) ExitCode() int {
	for i := range f.Targets {
		for j := range f.Targets[i].Jobs {
			if one := &f.Targets[i].Jobs[j]; one.Exit == ExitGate && (one.State == FleetDone || one.State == FleetIncomplete) {
				return ExitGate
			}
		}
	}
	if !f.Summary.Complete {
		return ExitTrouble
	}
	return ExitOK
}
