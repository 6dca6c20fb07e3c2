package verdict

import (
	"encoding/json"
	"time"
)

// InFormat returns the outcome in the format's terms (§9.2). The format lacks [NotExposed], which becomes an error:
// nothing reliable can be said about an agent that the attack did not reach.
func (o Outcome) InFormat() Outcome {
	if o == NotExposed {
		return Failed
	}
	return o
}

// attackJSON is the form of §9.3 with our additions in an extension.
type attackJSON struct {
	ID         string      `json:"attack_id,omitempty"`
	Result     Outcome     `json:"result"`
	Indicators []Indicator `json:"indicator_verdicts"`
	Summary    Summary     `json:"evaluation_summary"`
	Time       time.Time   `json:"timestamp,omitzero"`
	Source     string      `json:"source,omitempty"`
	Own        attackOwn   `json:"x-gauntlet"`
}

type attackOwn struct {
	Outcome  Outcome   `json:"outcome"`
	Reason   string    `json:"reason,omitempty"`
	MaxTier  string    `json:"max_tier,omitempty"`
	Exposure *Exposure `json:"exposure,omitempty"`
}

// MarshalJSON writes the verdict in the format's form (§9.3), with our additions in x-gauntlet.
func (a Attack) MarshalJSON() ([]byte, error) {
	return json.Marshal(attackJSON{
		a.ID, a.Outcome.InFormat(), a.Indicators, a.Summary, a.Time, a.Source,
		attackOwn{a.Outcome, a.Reason, a.MaxTier, a.Exposure},
	})
}

// UnmarshalJSON reads the output of MarshalJSON and verdicts of other tools.
func (a *Attack) UnmarshalJSON(text []byte) error {
	var in attackJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if in.Own.Outcome == "" {
		in.Own.Outcome = in.Result
	}
	*a = Attack{
		ID: in.ID, Outcome: in.Own.Outcome, Reason: in.Own.Reason, Indicators: in.Indicators, Summary: in.Summary,
		MaxTier: in.Own.MaxTier, Exposure: in.Own.Exposure, Time: in.Time, Source: in.Source,
	}
	return nil
}

type indicatorJSON struct {
	ID       string       `json:"indicator_id"`
	Result   Result       `json:"result"`
	Time     time.Time    `json:"timestamp,omitzero"`
	Evidence string       `json:"evidence,omitempty"`
	Source   string       `json:"source,omitempty"`
	Own      indicatorOwn `json:"x-gauntlet"`
}

type indicatorOwn struct {
	Kind         string `json:"error_kind,omitempty"`
	Message      int    `json:"message,omitempty"`
	Examined     int    `json:"messages_examined"`
	Failed       int    `json:"messages_failed,omitempty"`
	Unobservable bool   `json:"unobservable,omitempty"`
	Tier         string `json:"tier,omitempty"`
}

// MarshalJSON writes the verdict in the format's form (§9.3), with our additions in x-gauntlet.
func (i Indicator) MarshalJSON() ([]byte, error) {
	return json.Marshal(indicatorJSON{
		i.ID, i.Result, i.Time, i.Evidence, i.Source,
		indicatorOwn{i.Kind, i.Message, i.Examined, i.Failed, i.Unobservable, i.Tier},
	})
}

// UnmarshalJSON reads the output of MarshalJSON and verdicts of other tools.
func (i *Indicator) UnmarshalJSON(text []byte) error {
	var in indicatorJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*i = Indicator{
		ID: in.ID, Result: in.Result, Evidence: in.Evidence, Time: in.Time, Source: in.Source,
		Kind: in.Own.Kind, Message: in.Own.Message, Examined: in.Own.Examined, Failed: in.Own.Failed,
		Unobservable: in.Own.Unobservable, Tier: in.Own.Tier,
	}
	return nil
}
