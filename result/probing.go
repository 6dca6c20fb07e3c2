package result

// Probing is what came of probing one server: calls of its tools with values that only a weakness
// turns into something that can be observed.
type Probing struct {
	Server string `json:"server"`
	Ground string `json:"ground"` // where the server ran: "sandbox" or "this machine"
	// Supplied are the variables and options that the server said it misses, and that it was given
	// made-up values for.
	Supplied []string `json:"supplied,omitempty"`
	// Protections are those of the sandbox; none without one.
	Protections []Protection `json:"protections,omitempty"`
	Calls       int          `json:"calls"` // requests sent
	Trials      []ProbeTrial `json:"trials"`
	// NotApplicable are the classes for which no tool has a parameter.
	NotApplicable []string `json:"not_applicable"`
	// Cut says what ended the run early; "" for nothing.
	Cut string `json:"cut,omitempty"`
}

// A Protection is one layer of a sandbox.
type Protection struct {
	Name   string `json:"name"`
	Held   bool   `json:"held"`
	Detail string `json:"detail,omitempty"`
}

// A ProbeTrial is one class of weakness tried on one parameter.
type ProbeTrial struct {
	Tool      string       `json:"tool"`
	Parameter string       `json:"parameter"`
	Class     string       `json:"class"`
	Basis     string       `json:"basis"`   // why it was tried
	Planned   bool         `json:"planned"` // labels and role ask for it; others count only where they prove something
	Outcome   ProbeOutcome `json:"outcome"`
	Delivered int          `json:"delivered,omitempty"` // payloads that reached the tool's code, where it resisted
	Answered  int          `json:"answered,omitempty"`
	Reason    string       `json:"reason,omitempty"` // why nothing was delivered, or what the tool is for
	// Finding is the fingerprint of the finding that says what was proved.
	Finding string `json:"finding,omitempty"`
}

// A ProbeOutcome is how a trial ended.
type ProbeOutcome string

// The outcomes.
const (
	Proved       ProbeOutcome = "proved"
	ResistedIt   ProbeOutcome = "resisted"
	ByDesign     ProbeOutcome = "by_design"
	NotDelivered ProbeOutcome = "not_delivered"
)

// Count returns how many trials ended so; of planned ones alone unless all is set.
func (p *Probing) Count(o ProbeOutcome, all bool) (n int) {
	for i := range p.Trials {
		if t := &p.Trials[i]; t.Outcome == o && (all || t.Planned) {
			n++
		}
	}
	return n
}
