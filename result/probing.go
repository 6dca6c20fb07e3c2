package result

// Probing is the result of probing a server: calls of its tools with values that have an observable effect only if there is a weakness.
type Probing struct {
	Server string `json:"server"`
	Ground string `json:"ground"` // where the server ran: "sandbox" or "this machine"
	// Supplied are variables and options that the server reported missing and that were given made-up values.
	Supplied []string `json:"supplied,omitempty"`
	// Notes say what was not tried, or shows nothing, though nothing went wrong.
	Notes []string `json:"notes,omitempty"`
	// Protections are the sandbox's; none without a sandbox.
	Protections []Protection `json:"protections,omitempty"`
	Calls       int          `json:"calls"`          // requests sent
	Most        int          `json:"most,omitempty"` // requests that the budget permitted; 0 if unknown
	Trials      []ProbeTrial `json:"trials"`
	// NotApplicable are the classes for which no tool has a parameter.
	NotApplicable []string `json:"not_applicable"`
	// Cut says what ended the run early, "" for nothing.
	Cut string `json:"cut,omitempty"`
}

// A Protection is a layer of a sandbox.
type Protection struct {
	Name   string `json:"name"`
	Held   bool   `json:"held"`
	Detail string `json:"detail,omitempty"`
}

// A ProbeTrial tests one parameter for one class of weakness.
type ProbeTrial struct {
	Tool      string       `json:"tool"`
	Parameter string       `json:"parameter"`
	Class     string       `json:"class"`
	Basis     string       `json:"basis"`   // why it was tried
	Planned   bool         `json:"planned"` // requested by labels and role; others count only if they prove something
	Outcome   ProbeOutcome `json:"outcome"`
	Delivered int          `json:"delivered,omitempty"` // payloads that reached the tool's code, if it resisted
	Answered  int          `json:"answered,omitempty"`
	Reason    string       `json:"reason,omitempty"` // why nothing was delivered or told, or the purpose of the tool
	// Finding is the fingerprint of the finding about the proven weakness.
	Finding string `json:"finding,omitempty"`
}

// A ProbeOutcome is the result of a trial.
type ProbeOutcome string

// The outcomes.
const (
	Proved       ProbeOutcome = "proved"
	ResistedIt   ProbeOutcome = "resisted"
	ByDesign     ProbeOutcome = "by_design"
	NotDelivered ProbeOutcome = "not_delivered"
	// InconclusiveTrial says that every value ended in the same error, so that nothing tells whether the tool's code was reached.
	InconclusiveTrial ProbeOutcome = "inconclusive"
)

// Count returns the number of trials with outcome o, only of planned ones unless all is set.
func (p *Probing) Count(o ProbeOutcome, all bool) (n int) {
	for i := range p.Trials {
		if t := &p.Trials[i]; t.Outcome == o && (all || t.Planned) {
			n++
		}
	}
	return n
}

// A Sandbox says which protections were active for a server and what it was observed doing. None of this is a finding by itself.
type Sandbox struct {
	Server string `json:"server"`
	// Missing is why the server ran without a sandbox, "" if it had one.
	Missing     string       `json:"missing,omitempty"`
	Protections []Protection `json:"protections"`
	Notes       []string     `json:"notes,omitempty"`
	Events      int          `json:"events"` // recorded in total
	// The lists hold at most 100 entries each.
	Contacts       []Contact `json:"contacts"`
	Programs       []string  `json:"programs,omitempty"`        // started programs
	CanariesOpened []string  `json:"canaries_opened,omitempty"` // files
	FilesChanged   []string  `json:"files_changed,omitempty"`   // created, changed or deleted
}

// A Contact is a host that the server contacted. How is "lookup", "request", "mail", "data", or "connection" if nothing was sent.
type Contact struct {
	Host    string `json:"host"`
	How     string `json:"how"`
	Times   int    `json:"times"`
	Allowed bool   `json:"allowed,omitempty"` // allowed by the user, and let through
}
