package attackdoc

import (
	"errors"
	"testing"

	"gauntlet/oatf"
	"gauntlet/result"
)

// The exit code of a document goes by the worst: unreadable, then invalid; warnings change nothing.
func TestExitCodeOfADocument(t *testing.T) {
	one := []oatf.Diagnostic{{}}
	for _, tt := range []struct {
		name string
		on   Diagnosis
		want int
	}{
		{"nothing to say", Diagnosis{}, result.ExitOK},
		{"a warning", Diagnosis{Warnings: one}, result.ExitOK},
		{"an error", Diagnosis{Errors: one}, result.ExitGate},
		{"two errors", Diagnosis{Errors: append(one, one...)}, result.ExitGate},
		{"unreadable", Diagnosis{Text: Text{Err: errors.New("x")}}, result.ExitTrouble},
		{"unreadable, with an error", Diagnosis{Text: Text{Err: errors.New("x")}, Errors: one}, result.ExitTrouble},
	} {
		if got := tt.on.ExitCode(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	all := []Diagnosis{{}, {Warnings: one}, {Errors: append(one, one...), Warnings: one}, {Text: Text{Err: errors.New("x")}}}
	if got, want := tallyDiagnoses(all), (tally{Documents: 4, Valid: 2, Invalid: 1, Unreadable: 1, Errors: 2, Warnings: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Lint adds to the format's own warnings and to nothing else, and nothing is said of a text that could not be read.
func TestValidateWithAndWithoutLint(t *testing.T) {
	const valid = "oatf: \"0.1\"\nattack:\n  execution:\n    mode: mcp_server\n    phases:\n" +
		"      - {name: a, state: {tools: []}, trigger: {event: tools/call, match: {arguments.n: {gt: 5, lte: 5}}}}\n      - {name: b}\n"
	for _, tt := range []struct {
		name, text string
		err        error
		errs       int // with lint or without
	}{
		{"valid", valid, nil, 0},
		{"no document", "oatf: [", nil, 1},
		{"unreadable", valid, errors.New("x"), 0},
	} {
		d := Text{Name: "d.yaml", Text: tt.text, Err: tt.err}
		plain, linted := d.Validate(oatf.DefaultLimits(), false), d.Validate(oatf.DefaultLimits(), true)
		if len(plain.Errors) != tt.errs || len(linted.Errors) != tt.errs {
			t.Errorf("%s: errors %v, and with lint %v", tt.name, plain.Errors, linted.Errors)
		}
		if more := len(linted.Warnings) - len(plain.Warnings); (more > 0) != (tt.name == "valid") {
			t.Errorf("%s: lint adds %d warnings", tt.name, more)
		}
	}
}
