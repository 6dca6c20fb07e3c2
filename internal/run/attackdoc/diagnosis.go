package attackdoc

import (
	"errors"

	"gauntlet/oatf"
	"gauntlet/result"
)

// A Diagnosis is the result of checking one document.
type Diagnosis struct {
	Text
	Errors   []oatf.Diagnostic
	Warnings []oatf.Diagnostic
}

// Validate checks the document against the format's rules and, with lint, for what is legal but probably unintended.
func (t *Text) Validate(limits oatf.Limits, lint bool) Diagnosis {
	on := Diagnosis{Text: *t}
	if t.Err != nil {
		return on
	}
	d, err := limits.Parse(t.Text)
	if d == nil {
		var errs oatf.Errors
		errors.As(err, &errs)
		on.Errors = errs
		return on
	}
	r := oatf.Validate(d)
	on.Errors, on.Warnings = r.Errors, r.Warnings
	if lint {
		on.Warnings = append(on.Warnings, oatf.Lint(d)...)
	}
	return on
}

// ExitCode is 2 for an unreadable document, 1 for an invalid one, else 0.
func (on *Diagnosis) ExitCode() int {
	switch {
	case on.Err != nil:
		return result.ExitTrouble
	case len(on.Errors) > 0:
		return result.ExitGate
	}
	return result.ExitOK
}
