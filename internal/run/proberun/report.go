package proberun

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/behaviour"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/result"
	"gauntlet/trace"
)

// Report judges what a run observed. version is this program's.
func (r *Result) Report(version string, limits catalog.Limits) (*result.Report, error) {
	c := new(catalog.Catalog)
	limits.Bytes = max(len(r.Evidence.Snapshot), 1)
	if err := c.Add("", r.Evidence.Snapshot, limits); err != nil {
		return nil, err
	}
	c.Documents[0].Origin = r.Place
	r.Evidence.Ground = groundName(r.Sealed)
	opt := scanner.Options{Checks: probing.Checks(), Probes: &r.Evidence, Version: version, Unasked: "gauntlet scan"}
	if seen := r.observed(); seen != nil {
		opt.Checks = slices.Concat(opt.Checks, behaviour.Checks())
		opt.Trace = check.Recording{Trace: seen, Live: true}
	}
	rep := scanner.Run(c, opt)
	rep.Findings = slices.DeleteFunc(rep.Findings, func(f finding.Finding) bool { return isChoice(f) || r.only != "" && f.Rule != r.only })
	for _, p := range r.Protections.Protections {
		rep.Probing.Protections = append(rep.Probing.Protections, result.Protection{Name: p.Name, Held: p.Held, Detail: p.Detail})
	}
	for _, g := range r.Gaps {
		rep.Problems = append(rep.Problems, finding.Problem{Kind: finding.Unread, Message: g.Method + ": " + g.Message, Location: finding.Location{Server: r.Evidence.Server}, Input: -1})
	}
	rep.Count()
	if len(r.Secrets) > 0 {
		redaction.New(r.Secrets).Report(rep)
	}
	return rep, nil
}

// isChoice reports whether a finding says that two calls of a tool went to two domains. Probes try every value that chooses what a
// tool does, such as where it searches, so this means nothing here.
func isChoice(f finding.Finding) bool { return f.Rule == "GNT-502" && len(f.Related) == 0 }

// recordEvidence records the results of a run, so that a trace can be judged again without the server.
func (r *run) recordEvidence() {
	event := func(method string, v any) {
		raw, _ := json.Marshal(v) // strings and numbers always encode
		r.Trace.Record(trace.Message{Time: time.Now(), Server: r.out.Place, Protocol: probe.RecordProtocol, Direction: trace.ToClient, Kind: trace.Event, Method: method, Raw: string(raw)})
	}
	e := &r.out.Evidence
	for i := range e.Trials {
		event(probe.TrialEvent, &e.Trials[i])
	}
	e.Ground = groundName(r.out.Sealed)
	event(probe.EvidenceEvent, e)
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
			err = json.Unmarshal([]byte(m.Raw), &out.Evidence)
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
		return r.watched.Trace()
	}
	return nil
}

// tellFindings reports what is proved so far. The final report judges again.
func (r *run) tellFindings() {
	if r.Found == nil {
		return
	}
	so := *r.out
	so.watched, so.recorded = nil, nil // the sandbox's observations are judged at the end
	so.Evidence.Trials = slices.Clone(so.Evidence.Trials)
	if r.opened != nil {
		so.Secrets = r.opened.SecretsByNow()
	}
	if r.OtherToken != "" {
		so.Secrets = append(slices.Clip(so.Secrets), "other-bearer="+r.OtherToken)
	}
	for _, t := range r.targets {
		if t.proof != nil {
			so.Evidence.Trials = append(so.Evidence.Trials, t.trial())
		}
	}
	if early, err := so.Report(r.Version, r.Limits); err == nil {
		r.Found(early.Findings)
	}
}

// trial returns how a trial ended, or its current state.
func (t *target) trial() probe.Trial {
	return probe.Trial{Tool: t.tool.Name, Parameter: t.Parameter.Path, Class: t.Class, Basis: t.Basis, Planned: t.Planned, Outcome: t.outcome()}
}

// A watch keeps what is needed to tell where the content of calls went: the calls, without their answers' texts, and the sandbox's
// events, in order.
type watch struct {
	launch.Kept
	recorder *trace.Recorder
}

// mostWatched bounds the messages kept: beyond it only those that concern a canary or a limit.
const mostWatched = 100_000

func (w *watch) keep(m *trace.Message) error {
	event := m.IsProtocol(sandbox.TraceProtocol)
	if !event && m.Method != mcp.ToolsCall {
		return nil
	}
	kept := *m
	if kept.HTTP = nil; m.Kind.Answer() {
		kept.Raw = ""
	}
	w.Add(kept, event && (kept.Method == string(sandbox.Limit) || strings.Contains(kept.Raw, `"canaries":`)))
	return nil
}

// watchServer observes everything the server does, in addition to other recorders.
func (r *run) watchServer() {
	w := &watch{Kept: launch.Kept{Most: mostWatched}}
	w.recorder = trace.NewRecorder(w.keep, trace.RecorderOptions{})
	r.out.watched = w
	r.Dialer.SandboxRecord = func(m trace.Message) {
		r.Trace.Record(m)
		_, _ = w.recorder.Record(m) // keep accepts everything
	}
}

// tap observes a connection, and records it.
func (r *run) tap(place string, secrets, credentials []string) wire.Tap {
	recorded := r.Trace.Tap(place, trace.AsClient, secrets, credentials)
	tape := wire.NewTape(r.out.watched.recorder, trace.Message{Server: place, Role: trace.AsClient})
	return func(p wire.Passage) {
		if recorded != nil {
			recorded(p)
		}
		tape.Record(p)
	}
}
