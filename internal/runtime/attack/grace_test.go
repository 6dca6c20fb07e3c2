package attack

import (
	"testing"
	"time"

	"gauntlet/oatf"
	"gauntlet/trace"
)

// The user's grace goes before the document's, and that before ours, which alone is patient.
func TestReadGrace(t *testing.T) {
	none, minute := time.Duration(0), time.Minute
	for _, tt := range []struct {
		name          string
		given         *time.Duration
		document      string
		grace, settle time.Duration
		patient       bool
	}{
		{"nobody says", nil, "", 0, DefaultGrace, true},
		{"the document says", nil, "30s", 30 * time.Second, 30 * time.Second, false},
		{"the user says", &minute, "30s", time.Minute, time.Minute, false},
		{"the user says none", &none, "30s", 0, 0, false},
	} {
		r := &Run{doc: &oatf.Document{Attack: oatf.Attack{GracePeriod: tt.document}}}
		r.opt.Grace = tt.given
		if err := r.readGrace(); err != nil || r.grace != tt.grace || r.settle != tt.settle || r.patient != tt.patient {
			t.Errorf("%s: grace %s, settle %s, patient %v, %v", tt.name, r.grace, r.settle, r.patient, err)
		}
	}
	r := &Run{doc: &oatf.Document{Attack: oatf.Attack{GracePeriod: "soon"}}}
	if err := r.readGrace(); err == nil {
		t.Error("a grace that is no duration is taken")
	}
}

// What a replay waits for is counted up and down, and nil counts nothing.
func TestReplayProgress(t *testing.T) {
	w := newReplayProgress()
	w.ExpectMessages("a", 2)
	w.ExpectMessages("a", -1)
	w.ExpectMessages("b", -3)
	w.ExpectEntry()
	w.ExpectEntry()
	w.FinishEntry()
	if w.expected["a"] != 1 || w.expected["b"] != 0 || w.entries != 1 {
		t.Errorf("expected %v, entries %d", w.expected, w.entries)
	}
	var none *ReplayProgress
	none.ExpectMessages("a", 1)
	none.ExpectEntry()
	none.FinishEntry()
	if !none.await(func() bool { return false }) {
		t.Error("nil waits")
	}
}

// The next message of a replay goes out when the agent's last one is in the trace, everything that was announced has been
// said and every phase that was to begin has begun; until then it waits.
func TestAwaitMessages(t *testing.T) {
	incoming := &trace.Message{Direction: trace.ToServer, Role: trace.AsServer}
	announced := &trace.Message{Direction: trace.ToClient, Role: trace.AsServer, Method: "a"}
	for _, tt := range []struct {
		name string
		do   []func(*ReplayProgress) // all but the last leave it waiting
	}{
		{"a message of the agent", []func(*ReplayProgress){func(w *ReplayProgress) { w.noteRecorded(incoming) }}},
		{"what was announced", []func(*ReplayProgress){
			func(w *ReplayProgress) { w.ExpectMessages("a", 2); w.noteRecorded(incoming) },
			func(w *ReplayProgress) { w.noteRecorded(announced) },
			func(w *ReplayProgress) { w.noteRecorded(announced) },
		}},
		{"a phase that begins", []func(*ReplayProgress){
			func(w *ReplayProgress) { w.ExpectEntry(); w.noteRecorded(incoming) },
			func(w *ReplayProgress) { w.FinishEntry() },
		}},
	} {
		w := newReplayProgress()
		for i, do := range tt.do {
			if w.hasAll(1) {
				t.Errorf("%s: nothing is awaited before step %d", tt.name, i+1)
			}
			do(w)
		}
		if !w.hasAll(1) {
			t.Errorf("%s: more is awaited", tt.name)
		}
		if w.hasAll(2) {
			t.Errorf("%s: one message counts as two", tt.name)
		}
	}
}
