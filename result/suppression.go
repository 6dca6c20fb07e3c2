package result

import "gauntlet/finding"

// A Decision is a person's, to accept a finding. It holds for one content of what the
// finding is about.
type Decision struct {
	Fingerprint string       `json:"fingerprint"`
	Rule        finding.Rule `json:"rule_id"`
	Content     string       `json:"content_hash"` // finding.Finding.Content at the time of the decision
	// Definition says for a reader what the finding is about; nothing depends on it.
	Definition string `json:"definition,omitempty"`
	Reason     string `json:"reason"`
	Owner      string `json:"owner,omitempty"`
	Expires    string `json:"expires,omitempty"` // YYYY-MM-DD, the last day on which it holds, in UTC
	File       string `json:"file"`              // that holds the decision
	Line       int    `json:"line"`              // in it, from 1
}

// A Suppression is a Decision and what became of it in this run.
type Suppression struct {
	Decision
	State SuppressionState `json:"state"`
	// Detail says in words why it is not used; empty where it is.
	Detail string `json:"detail,omitempty"`
}

// A SuppressionState says what became of a decision.
type SuppressionState string

// The states. Only Used keeps a finding from the gate.
const (
	Used     SuppressionState = "used"
	Unused   SuppressionState = "unused"   // no finding has its fingerprint
	Expired  SuppressionState = "expired"  // its date has passed
	Changed  SuppressionState = "changed"  // the finding is there, over a definition that has changed
	Unjudged SuppressionState = "unjudged" // its check did not run, so nobody knows
)

// A Suppressed finding is one that a Decision covers. It does not gate.
type Suppressed struct {
	Finding  finding.Finding `json:"finding"`
	Decision Decision        `json:"decision"`
}

// Count brings the counts of the summary that follow from the lists up to date.
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
