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

// Encode returns a trial as JSON for ParseTrial.
func (t *Trial) Encode() string {
	text, _ := json.Marshal(t) // strings and numbers always encode
	return string(text)
}

// ParseTrial parses a recorded trial. Nothing is proved without a proof, and nothing resisted without delivery.
func ParseTrial(raw string) (t Trial, err error) {
	if err := json.Unmarshal([]byte(raw), &t); err != nil {
		return Trial{}, err
	}
	switch o := t.Outcome; {
	case o.Ending == Proved && o.Proof != nil:
		t.Outcome = Prove(o.Proof)
	case o.Ending == Resisted && o.Delivered > 0:
		t.Outcome = Resist(o.Delivered, o.Answered, "")
	case o.Ending == ByDesign, o.Ending == Inconclusive, o.Ending == NotDelivered:
		t.Outcome = o.Ending.Because(o.Why)
	default:
		return Trial{}, fmt.Errorf("the outcome %q of a trial says nothing", o.Ending)
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
