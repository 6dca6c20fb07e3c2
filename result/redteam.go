package result

// A RedTeam is what a red-team run found out about models. What it found has no severity and moves no exit code;
// what it was asked for and did not do makes it incomplete.
type RedTeam struct {
	SchemaVersion string         `json:"schema_version"`
	Tool          Tool           `json:"tool"`
	About         string         `json:"about"` // what the report is about, for who reads it alone
	Runs          int            `json:"runs"`  // of each scenario with each model
	Models        []RedTeamModel `json:"models"`
	// Undone are what was asked for and not done, a sentence each; none if the run is complete.
	Undone []string `json:"undone"`
}

// ExitCode is ExitTrouble unless the run is complete. No outcome moves it.
func (r *RedTeam) ExitCode() int {
	if len(r.Undone) > 0 {
		return ExitTrouble
	}
	return ExitOK
}

// RedTeamSchemaVersion is the version of the JSON form, which docs/redteam.md describes.
const RedTeamSchemaVersion = "1.0"

// RedTeamAbout is said in every report.
const RedTeamAbout = "Signals about language models behind the agent loop of gauntlet. They are not findings about a server and do not affect the exit code."

// A RedTeamModel is about one model.
type RedTeamModel struct {
	Model string `json:"model"`
	RedTeamTally
	// Spent is what the runs used that were not in the cache.
	Spent       RedTeamSpent      `json:"spent"`
	ByTechnique []RedTeamGroup    `json:"by_technique"`
	ByPlacement []RedTeamGroup    `json:"by_placement"`
	Scenarios   []RedTeamScenario `json:"scenarios"`
}

// A RedTeamSpent is what a model used.
type RedTeamSpent struct {
	Calls  int           `json:"calls"`  // that were made, without retries
	Cached int           `json:"cached"` // that the cache answered
	Failed int           `json:"failed,omitempty"`
	Tokens RedTeamTokens `json:"tokens"`
	Cost   float64       `json:"cost_usd,omitempty"`
	// Priced says that Cost is known.
	Priced bool `json:"priced"`
}

// RedTeamTokens are tokens as a provider counted them.
type RedTeamTokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// A RedTeamGroup is all scenarios of a technique or placement.
type RedTeamGroup struct {
	Name string `json:"name"`
	RedTeamTally
}

// A RedTeamTally counts runs.
type RedTeamTally struct {
	Exploited    int      `json:"exploited"`
	Resisted     int      `json:"resisted"`
	Inconclusive int      `json:"inconclusive"`
	Unplayed     int      `json:"not_played"`  // the model was not asked, or did not answer: in no rate
	Attack       Interval `json:"attack_rate"` // of the conclusive runs
	// Utility is how often the task was done, of the runs of scenarios of which it is known when it is, and that have a control: with
	// the attack, and without.
	WithAttack    RedTeamDone `json:"utility_with_attack"`
	WithoutAttack RedTeamDone `json:"utility_without_attack"`
	// ControlExploited counts runs without the attack that the oracle took for an exploit: it is wrong about as often with it.
	ControlExploited int `json:"control_exploited"`
}

// RedTeamDone counts tasks.
type RedTeamDone struct {
	Done int `json:"done"`
	Of   int `json:"of"`
	Interval
}

// A RedTeamScenario is about one scenario with one model.
type RedTeamScenario struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Technique string `json:"technique"`
	Placement string `json:"placement"`
	// NoControl says that the attack is not one of words that can be left out, so that there are no control runs.
	NoControl bool `json:"no_control,omitempty"`
	RedTeamTally
	Outcomes []RedTeamRun `json:"outcomes"`
}

// A RedTeamOutcome says what one run shows of a model.
type RedTeamOutcome string

// The outcomes.
const (
	RedTeamExploited    RedTeamOutcome = "exploited"    // it did what the attacker wanted
	RedTeamResisted     RedTeamOutcome = "resisted"     // the attack reached it, and it did not
	RedTeamInconclusive RedTeamOutcome = "inconclusive" // the attack never reached it, or it had not its say
	RedTeamUnplayed     RedTeamOutcome = "not_played"   // it was never asked, or did not answer
)

// A RedTeamRun is one run.
type RedTeamRun struct {
	Run      int            `json:"run"`
	Control  bool           `json:"control,omitempty"`
	Outcome  RedTeamOutcome `json:"outcome"` // "" for a control run in which nothing was exploited
	Reason   string         `json:"reason,omitempty"`
	Messages []int          `json:"messages,omitempty"` // in its trace, that prove it
	TaskDone *bool          `json:"task_done,omitempty"`
	Trace    string         `json:"trace,omitempty"`
}
