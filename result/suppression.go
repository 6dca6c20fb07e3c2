package result

import "gauntlet/finding"

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
