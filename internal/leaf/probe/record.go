package probe

import (
	"encoding/json"
	"fmt"
)

// RecordProtocol is the protocol name of probing's own trace events: TrialEvent for each trial and EvidenceEvent for everything
// else.
const (
	RecordProtocol = "probe"
	TrialEvent     = "trial"
	EvidenceEvent  = "evidence"
)

// A TrialRecord is a trial with its outcome in plain fields, as records and reports have it.
type TrialRecord struct {
	*Trial
	Outcome   string `json:"outcome"`
	Proof     *Proof `json:"proof,omitempty"`
	Delivered int    `json:"delivered,omitempty"`
	Answered  int    `json:"answered,omitempty"`
	Why       string `json:"why,omitempty"`
}

// Outcomes in records and reports.
const (
	provedRecord       = "proved"
	resistedRecord     = "resisted"
	byDesignRecord     = "by_design"
	inconclusiveRecord = "inconclusive"
	notDeliveredRecord = "not_delivered"
)

// Record returns a trial in plain fields.
func (t *Trial) Record() TrialRecord {
	r := TrialRecord{Trial: t}
	switch o := t.Outcome.(type) {
	case Proved:
		r.Outcome, r.Proof = provedRecord, &o.Proof
	case Resisted:
		r.Outcome, r.Delivered, r.Answered = resistedRecord, o.delivered, o.answered
	case ByDesign:
		r.Outcome, r.Why = byDesignRecord, o.What
	case Inconclusive:
		r.Outcome, r.Why = inconclusiveRecord, o.Why
	case NotDelivered:
		r.Outcome, r.Why = notDeliveredRecord, o.Why
	}
	return r
}

// Encode returns a trial as JSON for ParseTrial.
func (t *Trial) Encode() string {
	text, _ := json.Marshal(t.Record()) // strings and numbers always encode
	return string(text)
}

// ParseTrial parses a recorded trial. Nothing is proved without a proof, and nothing resisted without delivery.
func ParseTrial(raw string) (Trial, error) {
	t := Trial{}
	r := TrialRecord{Trial: &t}
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		return Trial{}, err
	}
	switch {
	case r.Outcome == provedRecord && r.Proof != nil:
		t.Outcome = Proved{*r.Proof}
	case r.Outcome == resistedRecord && r.Delivered > 0:
		t.Outcome = Resist(r.Delivered, r.Answered, "")
	case r.Outcome == byDesignRecord:
		t.Outcome = ByDesign{r.Why}
	case r.Outcome == inconclusiveRecord:
		t.Outcome = Inconclusive{r.Why}
	case r.Outcome == notDeliveredRecord:
		t.Outcome = NotDelivered{r.Why}
	default:
		return Trial{}, fmt.Errorf("the outcome %q of a trial says nothing", r.Outcome)
	}
	return t, nil
}

// An evidenceRecord is the evidence without its trials, and the server's snapshot.
type evidenceRecord struct {
	*Evidence
	Snapshot string `json:"snapshot,omitempty"`
}

// Encode returns everything but the trials as JSON. snapshot is the server's snapshot.
func (e *Evidence) Encode(snapshot string) string {
	text, _ := json.Marshal(evidenceRecord{e, snapshot}) // as for a trial
	return string(text)
}

// ParseEvidence parses what Encode returned.
func ParseEvidence(raw string) (Evidence, string, error) {
	r := evidenceRecord{Evidence: new(Evidence)}
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		return Evidence{}, "", err
	}
	return *r.Evidence, r.Snapshot, nil
}
