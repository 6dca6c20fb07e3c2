package proberun

import (
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/launch"
	"gauntlet/result"
)

// A replay to a server that does not answer is incomplete, and one that cannot be sent is an error.
func TestReplayWithoutAServer(t *testing.T) {
	again := func(rule finding.Rule, x []probe.Exchange) (*Result, error) {
		return Run(t.Context(), Options{Server: launch.Server{URL: "http://127.0.0.1:1/mcp"}, Replay: &Replay{
			Server: "s", Text: `{"tools":[]}`, rule: rule, recorded: &probe.Protocol{Transport: "http", Revision: "2025-11-25"}, exchanges: x,
		}})
	}
	got, err := again("SEC-018", []probe.Exchange{{ID: "P01", Effect: probe.Writes, Sent: "{}"}})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := got.Report("test", catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if code := rep.ExitCode(finding.High, false); code != result.ExitTrouble {
		t.Errorf("exit code %d; %+v", code, rep.Problems)
	}
	for _, rule := range []finding.Rule{"GNT-447", "GNT-446", "SEC-024"} {
		if _, err := again(rule, nil); err == nil {
			t.Errorf("%s: no error", rule)
		}
	}
}
