package cli

import (
	"io"
	"path/filepath"
	"testing"

	"gauntlet/finding"
	"gauntlet/report"
	"gauntlet/result"
)

// The exit code of every command that reports: what was found goes before what was not read, and
// a report that could not be written is never a success. result.ExitCode has the rule itself.
func TestExitCodes(t *testing.T) {
	found := []finding.Finding{{Severity: finding.High}}
	gap := []finding.Problem{{Kind: finding.Unread}}
	read := result.Coverage{Servers: []result.ServerCoverage{{Lists: []result.ListCoverage{{Kind: finding.Tool, State: result.StateRead}}}}}
	missed := []result.Expectation{{Held: false}}
	for _, tt := range []struct {
		name    string
		report  result.Report
		gate    gateFlags
		written bool
		want    int
	}{
		{"nothing found", result.Report{}, gateFlags{failOn: finding.High}, true, result.ExitOK},
		{"nothing found, not written", result.Report{}, gateFlags{failOn: finding.High}, false, result.ExitTrouble},
		{"found", result.Report{Findings: found}, gateFlags{failOn: finding.High}, true, result.ExitGate},
		{"found, not written", result.Report{Findings: found}, gateFlags{failOn: finding.High}, false, result.ExitTrouble},
		{"found and a gap", result.Report{Findings: found, Problems: gap}, gateFlags{failOn: finding.High, allowPartial: true}, true, result.ExitGate},
		{"found below the gate, and a gap", result.Report{Findings: found, Problems: gap}, gateFlags{failOn: finding.Critical}, true, result.ExitTrouble},
		{"a gap that may be", result.Report{Problems: gap, Coverage: read}, gateFlags{failOn: finding.High, allowPartial: true}, true, result.ExitOK},
		{"a gap that may be, not written", result.Report{Problems: gap, Coverage: read}, gateFlags{failOn: finding.High, allowPartial: true}, false, result.ExitTrouble},
		{"a gap that may not be", result.Report{Problems: gap, Coverage: read}, gateFlags{failOn: finding.High}, true, result.ExitTrouble},
		{"an expectation missed with the gate off", result.Report{Expectations: missed}, gateFlags{failOn: finding.None, allowPartial: true}, true, result.ExitGate},
		{"an expectation missed and a gap", result.Report{Expectations: missed, Problems: gap}, gateFlags{failOn: finding.None}, true, result.ExitGate},
	} {
		a := &app{host: Host{Stdout: io.Discard, Stderr: io.Discard}}
		out := output{Format: report.Formats()[0], File: "-"}
		if !tt.written {
			out.File = filepath.Join(t.TempDir(), "missing", "report")
		}
		a.writeReports(&outputFlags{gate: tt.gate}, outputs{out}, &tt.report, "", noMore)
		if a.code != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, a.code, tt.want)
		}
	}
}
