// Package suiterun runs a suite: it starts the servers, performs the suite's steps, records every message, and judges the recording
// by the declared boundary and the expectations.
package suiterun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/behaviour"
	"gauntlet/internal/engine/check/boundary"
	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/inprocess"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/gateway"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/result"
	"gauntlet/suite"
	"gauntlet/trace"
)

// Options configure suite runs.
type Options struct {
	Trace string // file for the recording; or ""
	// Recording is an earlier recording to judge instead of performing the steps; or "". Nothing is started.
	Recording string
	Dialer    launch.Dialer // for servers
	Limits    catalog.Limits
	Version   string // this program's, sent to servers
	Tool      string // recorder's name
	Note      func(format string, args ...any)
}

// A run is one suite being run.
type run struct {
	Options
	suite     *suite.Suite
	dir       string // the suite's folder, which its paths are relative to
	file      *tracefile.File
	playing   map[string]*inprocess.Server // mocks and snapshots, by name
	snapshots map[string]string            // servers' definitions, if they are to be scanned
	problems  []finding.Problem
	said      string // what the agent answered
}

// Run runs a valid suite. The error says why there is nothing to judge.
func Run(ctx context.Context, s *suite.Suite, opt Options) (*result.Report, error) {
	t := &run{Options: opt, suite: s, dir: filepath.Dir(s.File), playing: map[string]*inprocess.Server{}, snapshots: map[string]string{}}
	recording, results, err := t.playSuite(ctx)
	if err != nil {
		return nil, err
	}
	return t.judgeRecording(recording, results), nil
}

// resolvePath returns a suite's path relative to our working directory.
func (t *run) resolvePath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.dir, name)
}

func (t *run) playSuite(ctx context.Context) (check.Recording, []stepResult, error) {
	rec := check.Recording{Boundary: t.suite.Boundary()}
	file := t.Recording
	if file == "" && t.suite.Trace != "" {
		file = t.resolvePath(t.suite.Trace)
	}
	recorded := file != ""
	var results []stepResult
	if !recorded {
		name, remove, err := t.recordingFile()
		if err != nil {
			return rec, nil, err
		}
		defer remove()
		file = name
		if results, err = t.playLive(ctx, name); err != nil {
			return rec, nil, err
		}
	}
	got, err := tracefile.Read(file, nil)
	if got == nil {
		return rec, nil, fmt.Errorf("%s: %w", file, userfile.Reason(err))
	}
	if err != nil {
		t.addProblem("the trace was not read to its end: " + err.Error())
	}
	rec.Trace, rec.File = got, file
	switch {
	case recorded:
		results = recordedSteps(t.suite.Steps, callsIn(got))
	case t.Trace == "":
		rec.File = "the recording"
	}
	if t.suite.Agent != nil && !recorded && !t.wentOn(callsIn(got)) {
		t.addProblem("the agent did nothing with what it read: no result of a tool was followed by a call or an answer to its user, so that nothing crossed the boundary says nothing of it")
	}
	return rec, results, nil
}

// wentOn reports whether the agent showed that it could have carried something from one server to another: it used a tool, and after
// that another one, or told its user something. One that lists the tools, prints "401 invalid api key" and exits did neither.
func (t *run) wentOn(calls []recordedCall) bool {
	read := slices.IndexFunc(calls, func(c recordedCall) bool { return c.Err == nil })
	return read >= 0 && (read+1 < len(calls) || delivery.SaysSomething(t.said))
}

// recordingFile returns the file to record in, and its cleanup.
func (t *run) recordingFile() (name string, remove func(), err error) {
	if t.Trace != "" {
		return t.Trace, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "gauntlet-test-")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, "run.ndjson"), func() { _ = os.RemoveAll(dir) }, nil
}

func (t *run) addProblem(message string) {
	t.problems = append(t.problems, finding.Problem{Kind: finding.Failed, Message: message, Location: finding.Location{File: t.suite.File}, Input: -1})
}

// playLive starts the servers and lets the steps or the agent use them.
func (t *run) playLive(ctx context.Context, name string) ([]stepResult, error) {
	var err error
	if t.file, err = tracefile.Create(name, nil, t.Tool, func(s string) { t.Note("%s", s) }); err != nil {
		return nil, err
	}
	if t.Dialer.Logins != nil {
		t.Dialer.Logins.Hide(t.file.Hide)
	}
	playing, stop := context.WithCancel(ctx)
	var results []stepResult
	if err = t.startInProcess(playing); err == nil {
		switch {
		case t.suite.Agent != nil:
			err = t.runAgent(ctx)
		case len(t.suite.Steps) > 0:
			results = t.makeSteps(ctx)
		default: // only what the servers say is judged
			t.captureRest(ctx, t.connectRecorded)
		}
	}
	stop()
	for _, m := range t.playing {
		m.End()
	}
	return results, errors.Join(err, t.file.Close())
}

// startInProcess starts the in-process servers, and reads what the others need.
func (t *run) startInProcess(ctx context.Context) error {
	for i := range t.suite.Servers {
		s := &t.suite.Servers[i]
		switch {
		case s.Mock != "":
			text, err := userfile.ReadText(t.resolvePath(s.Mock), nil, math.MaxInt32)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, userfile.Reason(err))
			}
			m, err := inprocess.NewMock(t.resolvePath(s.Mock), text, mcpserver.Options{})
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			m.Start(ctx)
			t.playing[s.Name] = m
		case s.Snapshot != "":
			text, err := userfile.ReadText(t.resolvePath(s.Snapshot), nil, t.Limits.Bytes)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", s.Name, t.resolvePath(s.Snapshot), userfile.Reason(err))
			}
			played, notes, err := inprocess.NewSnapshot(t.resolvePath(s.Snapshot), text, "", t.Limits, mcpserver.Options{})
			for _, n := range notes {
				t.Note("%s", n)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			t.playing[s.Name] = &inprocess.Server{Server: played}
		}
	}
	return nil
}

// connectRecorded connects to a server of the suite and records it.
func (t *run) connectRecorded(name string) (wire.Conn, error) {
	return t.connectTo(name, func(_ string, secrets, credentials []string) wire.Tap {
		return t.file.Tap(name, trace.Between, secrets, credentials)
	})
}

func (t *run) connectTo(name string, tap launch.Tap) (wire.Conn, error) {
	at := slices.IndexFunc(t.suite.Servers, func(s suite.Server) bool { return s.Name == name })
	switch {
	case at < 0:
		return nil, fmt.Errorf("there is no server %q", name)
	case t.playing[name] != nil:
		return mcpserver.ConnectInMemory(t.playing[name].Server, tap(name, nil, nil)), nil
	}
	s := &t.suite.Servers[at]
	dialer := t.Dialer
	dialer.Limits.Total, dialer.SandboxName, dialer.SandboxRecord = math.MaxInt64, name, t.file.Record
	to := launch.Server{URL: s.URL, Header: assignPairs(s.Headers)}
	if s.URL == "" {
		to = launch.Server{Command: resolveCommand(s.Command), Env: assignPairs(s.Env), SetBy: "the env of its entry in the suite", Dir: t.dir}
	}
	return dialer.Connect(to, tap)
}

// resolveCommand returns the suite's command. A relative path is relative to the suite; a bare word is looked up in PATH. gauntlet
// itself need not be there, nor its name in suites of mcptest, whose format this is.
func resolveCommand(words []string) []string {
	out := slices.Clone(words)
	if own, err := os.Executable(); err == nil && (out[0] == "gauntlet" || len(out) > 1 && out[0] == "mcptest" && out[1] == "mock") {
		out[0] = own
	}
	return out
}

func assignPairs(pairs []suite.Pair) []string {
	var out []string
	for _, p := range pairs {
		out = append(out, p.Name+"="+p.Value)
	}
	return out
}

// makeSteps makes the suite's calls. One that cannot be made is a problem: the following ones are not made.
func (t *run) makeSteps(ctx context.Context) []stepResult {
	runner := stepRunner{open: t.connectRecorded, options: mcpclient.Options{Version: t.Version, Timeout: t.longestTimeout()}}
	results, lists := runner.runSteps(ctx, t.suite.Steps, t.wantsLists())
	for name, snap := range lists {
		t.snapshots[name] = string(snap.Bytes())
	}
	if t.wantsLists() {
		t.captureRest(ctx, t.connectRecorded)
	}
	for _, r := range results {
		if r.Err != nil && !isRefusal(r.Err) {
			t.addProblem(fmt.Sprintf("%s.%s could not be called: %v", r.Step.Server, r.Step.Tool, r.Err))
			t.problems[len(t.problems)-1].Location.Line = r.Step.Line
		}
	}
	switch left := len(t.suite.Steps) - len(results); {
	case left == 1:
		t.addProblem("1 step behind it was not made")
	case left > 1:
		t.addProblem(fmt.Sprintf("%d steps behind it were not made", left))
	}
	return results
}

// wantsLists reports whether all servers' lists are read: for a scan, or to find sanitizers that no step calls.
func (t *run) wantsLists() bool {
	s := t.suite
	return s.Scan || s.Security.Trust != nil && len(s.Security.Trust.Sanitizers) > 0
}

// recordedSteps finds the steps' results among a recording's calls, in order. Steps after a missing one were not made.
func recordedSteps(steps []suite.Step, calls []recordedCall) []stepResult {
	var out []stepResult
	for i := range steps {
		s := &steps[i]
		at := slices.IndexFunc(calls, func(c recordedCall) bool { return c.Server == s.Server && c.Tool == s.Tool })
		if at < 0 {
			break
		}
		out = append(out, stepResult{Step: s, Result: calls[at].Result, Err: calls[at].Err})
		calls = calls[at+1:]
	}
	return out
}

// longestTimeout returns the longest answer timeout of any server.
func (t *run) longestTimeout() (longest time.Duration) { // 0 means the default
	for i := range t.suite.Servers {
		longest = max(longest, t.suite.Servers[i].Timeout)
	}
	return longest
}

// runAgent runs the agent with the servers, each behind its own recording gateway.
func (t *run) runAgent(ctx context.Context) error {
	a := t.suite.Agent
	opt := testagent.Options{Agent: "builtin:" + a.Builtin, Transport: "http", Limit: cmp.Or(a.Timeout, 2*time.Minute), Idle: -1, Environ: t.Dialer.Environ, Env: assignPairs(a.Env), Version: t.Version}
	if a.Builtin == "" {
		opt.Agent = quoteWords(a.Command)
	}
	tested, err := testagent.New(opt)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	serving, stop := context.WithCancel(ctx)
	var fronts sync.WaitGroup
	defer fronts.Wait()
	defer stop()
	var servers []testagent.Server
	for i := range t.suite.Servers {
		name := t.suite.Servers[i].Name
		gw, err := gateway.New(gateway.Options{Version: t.Version, Note: func(s string) { t.Note("%s", s) },
			Upstreams: []gateway.Upstream{{Name: name, Open: func() (wire.Conn, error) { return t.connectRecorded(name) }}}})
		if err != nil {
			return err
		}
		ln, err := new(net.ListenConfig).Listen(serving, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fronts.Go(func() { // ends with serving
			_ = gw.Server().HTTP(serving, ln) // the agent reports what it could not reach
			gw.Close()
		})
		servers = append(servers, testagent.Server{Name: name, URL: "http://" + ln.Addr().String() + mcpserver.Path,
			Stdio: func(ctx context.Context, in io.Reader, out io.Writer) error { return gw.Server().Stdio(ctx, in, out) }})
	}
	out := tested.Start(ctx, servers, testagent.Task{Prompt: a.Prompt})
	t.Note("%s", out.Ended)
	if err := out.Failure(); err != nil {
		t.addProblem(err.Error())
	}
	t.said = out.Answer
	if t.suite.Scan { // not in the recording, which is the agent's
		t.captureRest(ctx, func(name string) (wire.Conn, error) {
			return t.connectTo(name, func(string, []string, []string) wire.Tap { return nil })
		})
	}
	return nil
}

// quoteWords returns a command as one line that splits into the same words.
func quoteWords(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'"'"'`)+"'")
	}
	return strings.Join(out, " ")
}

// captureRest reads the servers whose lists no step has read.
func (t *run) captureRest(ctx context.Context, open func(string) (wire.Conn, error)) {
	for i := range t.suite.Servers {
		name := t.suite.Servers[i].Name
		if _, ok := t.snapshots[name]; ok {
			continue
		}
		conn, err := open(name)
		if err == nil {
			var snap *mcpclient.Snapshot
			if snap, err = mcpclient.Capture(ctx, conn, mcpclient.Options{Version: t.Version}); err == nil {
				t.snapshots[name] = string(snap.Bytes())
			}
			_ = conn.Close() // everything it said has been read
		}
		if err != nil {
			t.addProblem(name + " could not be scanned: " + err.Error())
		}
	}
}

func (t *run) judgeRecording(rec check.Recording, results []stepResult) *result.Report {
	c := &catalog.Catalog{}
	opt := scanner.Options{Trace: rec, Version: t.Version, Checks: boundary.Checks(), Unasked: "scan: true in the suite"}
	if slices.ContainsFunc(rec.Messages, func(m trace.Message) bool { return m.IsProtocol(sandbox.TraceProtocol) }) {
		opt.Checks = slices.Concat(opt.Checks, behaviour.Checks())
	}
	if t.suite.Scan {
		opt.Checks = nil
		for i := range t.suite.Servers {
			name := t.suite.Servers[i].Name
			if text, ok := t.snapshots[name]; ok {
				if err := c.Add(name, text, t.Limits); err != nil {
					t.addProblem(err.Error())
				}
			}
		}
	}
	r := scanner.Run(c, opt)
	if c := r.Coverage.Trace; c != nil && len(callsIn(rec.Trace)) == 0 {
		c.Caveats = append(c.Caveats, "no tool was called in it, so that nothing could pass between servers")
	}
	r.Problems = append(r.Problems, t.problems...)
	r.Expectations = t.judgeExpectations(rec.Trace, results)
	r.Count()
	return r
}

func (t *run) judgeExpectations(tr *trace.Trace, results []stepResult) []result.Expectation {
	var out []result.Expectation
	add := func(e *suite.Expect, name, why string) {
		out = append(out, result.Expectation{Name: name, File: t.suite.File, Line: e.Line, Held: why == "", Message: why})
	}
	byName := map[string]*stepResult{}
	for i := range t.suite.Steps {
		s := &t.suite.Steps[i]
		name := cmp.Or(s.As, s.Server+"."+s.Tool)
		var got *stepResult
		if i < len(results) {
			got = &results[i]
			byName[s.As] = got
		}
		switch {
		case s.Expect == nil:
		case got == nil:
			add(s.Expect, name, "the step was not made")
		default:
			add(s.Expect, name, checkExpectations(s.Expect, got.Result, got.Err))
		}
	}
	calls := callsIn(tr)
	for i := range t.suite.Expect {
		e := &t.suite.Expect[i]
		if e.Step != "" {
			if got := byName[e.Step]; got != nil {
				add(e, e.Step, checkExpectations(e, got.Result, got.Err))
			} else {
				add(e, e.Step, "the step was not made")
			}
			continue
		}
		add(e, e.Call, judgeCalls(e, ofSteps(calls, e)))
	}
	return out
}

// judgeCalls checks the number of an expectation's calls, and each of them.
func judgeCalls(e *suite.Expect, calls []recordedCall) string {
	if e.Count != nil && len(calls) != *e.Count {
		return fmt.Sprintf("it was called %d times, want %d", len(calls), *e.Count)
	}
	if len(calls) == 0 && e.Count == nil {
		return "it was never called"
	}
	for i, c := range calls {
		if why := checkExpectations(e, c.Result, c.Err); why != "" {
			return fmt.Sprintf("call %d: %s", i+1, why)
		}
	}
	return ""
}
