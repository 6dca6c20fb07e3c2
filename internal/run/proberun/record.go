package proberun

import (
	"errors"
	"time"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/trace"
)

// recordEvidence records the results of a run, so that a trace can be judged again without the server.
func (r *run) recordEvidence() {
	if r.Record == nil {
		return
	}
	event := func(method, raw string) {
		r.Record(trace.Message{Time: time.Now(), Server: r.out.Place, Protocol: probe.RecordProtocol, Direction: trace.ToClient, Kind: trace.Event, Method: method, Raw: raw})
	}
	e := &r.out.Evidence
	for i := range e.Trials {
		event(probe.TrialEvent, e.Trials[i].Encode())
	}
	e.Ground = groundName(r.out.Sealed)
	event(probe.EvidenceEvent, e.Encode(r.out.Text))
}

// errNoRun is returned by FromTrace for a trace without a complete run.
var errNoRun = errors.New("the trace holds no complete run of probe: record one with --record")

// ReadRecording reads the recording of a run.
func ReadRecording(file string) (*Result, error) {
	t, err := tracefile.Read(file, nil)
	if err != nil {
		return nil, userfile.Reason(err)
	}
	return FromTrace(t)
}

// FromTrace returns the result of a recorded run. The sandbox's observations are in the trace too and are judged again.
func FromTrace(t *trace.Trace) (*Result, error) {
	out := &Result{}
	var trials []probe.Trial
	whole := false
	for i := range t.Messages {
		m := &t.Messages[i]
		if m.IsProtocol(sandbox.TraceProtocol) {
			out.recorded = t
		}
		if !m.IsProtocol(probe.RecordProtocol) {
			continue
		}
		var err error
		switch m.Method {
		case probe.TrialEvent:
			var one probe.Trial
			one, err = probe.ParseTrial(m.Raw)
			trials = append(trials, one)
		case probe.EvidenceEvent:
			whole, out.Place = true, m.Server
			out.Evidence, out.Text, err = probe.ParseEvidence(m.Raw)
		}
		if err != nil {
			return nil, err
		}
	}
	if !whole {
		return nil, errNoRun
	}
	out.Evidence.Trials = trials
	out.Sealed = out.Evidence.Ground == groundName(true)
	return out, nil
}

func groundName(sealed bool) string {
	if sealed {
		return "sandbox"
	}
	return "this machine"
}

// observed returns a trace of the sandbox's observations, or nil.
func (r *Result) observed() *trace.Trace {
	if r.recorded != nil {
		return r.recorded
	}
	if r.Sealed && r.watched != nil {
		return r.watched.trace()
	}
	return nil
}
