package probe

import (
	"encoding/json"
	"fmt"
)

// RecordProtocol is the protocol name of probing's own trace events: TrialEvent for each Trial and EvidenceEvent for the Evidence, as
// JSON.
const (
	RecordProtocol = "probe"
	TrialEvent     = "trial"
	EvidenceEvent  = "evidence"
)

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
