package result

import (
	"maps"
	"testing"
)

// A fleet's exit code: a crossed gate of a result that counts comes first, then whatever is missing.
func TestFleetExitCode(t *testing.T) {
	one := func(jobs ...FleetJob) Fleet { return Fleet{Targets: []FleetTarget{{Jobs: jobs}}} }
	left := one(FleetJob{State: FleetDone})
	left.Left = []FleetLeft{{Target: "x", Reason: "no lane takes it"}}
	gateAndLeft := one(FleetJob{State: FleetDone, Exit: ExitGate})
	gateAndLeft.Left = left.Left
	for _, tt := range []struct {
		name     string
		fleet    Fleet
		want     int
		complete bool
	}{
		{"all done", one(FleetJob{State: FleetDone}, FleetJob{State: FleetDone}), ExitOK, true},
		{"a gate crossed", one(FleetJob{State: FleetDone}, FleetJob{State: FleetDone, Exit: ExitGate}), ExitGate, true},
		{"a gate crossed by what was read of a part", one(FleetJob{State: FleetIncomplete, Exit: ExitGate}), ExitGate, false},
		{"only a part was read", one(FleetJob{State: FleetDone}, FleetJob{State: FleetIncomplete, Exit: ExitTrouble}), ExitTrouble, false},
		{"a job that failed", one(FleetJob{State: FleetDone}, FleetJob{State: FleetFailed}), ExitTrouble, false},
		{"a job that failed says nothing of its gate", one(FleetJob{State: FleetFailed, Exit: ExitGate}), ExitTrouble, false},
		{"a job that was not done", one(FleetJob{State: FleetNotDone, Exit: ExitGate}), ExitTrouble, false},
		{"a target without a job", left, ExitTrouble, false},
		{"a gate goes before a target without a job", gateAndLeft, ExitGate, false},
		{"no jobs", Fleet{}, ExitTrouble, false},
		{"a target without jobs beside one with", Fleet{Targets: []FleetTarget{{}, {Jobs: []FleetJob{{State: FleetDone}}}}}, ExitOK, true},
	} {
		tt.fleet.Summarize()
		if got := tt.fleet.ExitCode(); got != tt.want || tt.fleet.Summary.Complete != tt.complete {
			t.Errorf("%s: exit code %d, complete %t, want %d, %t", tt.name, got, tt.fleet.Summary.Complete, tt.want, tt.complete)
		}
	}
}

func TestFleetSummary(t *testing.T) {
	f := Fleet{Targets: []FleetTarget{
		{Jobs: []FleetJob{{State: FleetDone, Counts: map[string]int{"high": 2}}, {State: FleetFailed}, {State: "of a later version"}}},
		{Jobs: []FleetJob{{State: FleetIncomplete, Counts: map[string]int{"high": 1, "low": 4}}, {State: FleetNotDone}}},
	}}
	f.Summary.Done = 7 // counted before: counting starts anew
	f.Summarize()
	s := f.Summary
	if s.Targets != 2 || s.Jobs != 5 || s.Done != 1 || s.Incomplete != 1 || s.Failed != 1 || s.NotDone != 2 {
		t.Errorf("summary %+v", s)
	}
	if want := map[string]int{"high": 3, "low": 4}; !maps.Equal(s.Counts, want) {
		t.Errorf("counts %v, want %v", s.Counts, want)
	}
	if f.Left == nil || f.Refused == nil {
		t.Error("lists without entries are null in JSON")
	}
}
