package cli

import (
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

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/check/boundary"
	"gauntlet/finding"
	"gauntlet/internal/drive"
	"gauntlet/internal/gateway"
	"gauntlet/internal/peer"
	engine "gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/result"
	"gauntlet/scan"
	"gauntlet/suite"
	"gauntlet/trace"
)

// testRun is one run of the subcommand test.
type testRun struct {
	*app
	outputs   outputFlags
	gate      gateFlags
	traceName string
	limits    limitFlags
	message   int

	suite     *suite.Suite
	dir       string // of the suite, where its paths begin
	trace     *traceFile
	playing   map[string]*mockServer // mocks and snapshots, by name
	snapshots map[string]string      // texts of what servers said, where they are to be scanned
	problems  []finding.Problem
}

func (a *app) testCommand() *cobra.Command {
	t := &testRun{app: a, playing: map[string]*mockServer{}, snapshots: map[string]string{}}
	cmd := &cobra.Command{
		Use:   "test [flags] SUITE",
		Short: "Run a suite: several servers, what is done with them, and the boundary between them",
		Long: `test reads a suite file: servers (a command, a url, a mock or a snapshot), what is done with
them (steps, an agent, or a recorded trace), what is expected of results, and the boundary that
was declared between servers. It does that, records every message, and judges the recording:
which values crossed from one server to another (SEC-060), which capabilities were claimed and
used (SEC-061), and whether results are what was expected. With scan: true the definitions of
all servers are scanned as well.

Exit codes: 1 if an expectation does not hold or a finding crosses --fail-on; else 2 if anything
could not be done, read or judged; else 0.`,
		Example: `  gauntlet test suite.yaml
  gauntlet test --format junit --output results.xml suite.yaml
  gauntlet test --trace run.ndjson suite.yaml`,
		RunE: t.run,
	}
	cmd.Flags().SortFlags = false
	t.gate.flags(cmd)
	cmd.Flags().StringVar(&t.traceName, "trace", "", "keep the recording in this `FILE` (default it is not kept)")
	t.outputs.flags(cmd, a)
	cmd.Flags().Var(size(&t.message, wire.DefaultMessage), "max-message", "longest message taken from a server")
	t.limits.flags(cmd)
	return cmd
}

func (t *testRun) run(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, "%d suites: want one", len(args))
	}
	if t.traceName == "-" {
		return usage(cmd, "--trace: name a file: it is read again to be judged")
	}
	outs, err := t.outputs.open(args)
	if err != nil {
		return usage(cmd, "%s", err)
	}
	if err := t.read(args[0]); err != nil {
		return err
	}
	conversation, results, err := t.play(cmd.Context())
	if err != nil {
		return err
	}
	r := t.judge(conversation, results)
	written := t.write(outs, r, t.looks(t.outputs.verbose))
	t.code = r.ExitCode(t.gate.failOn, t.gate.allowPartial)
	if t.code == result.ExitOK && !written {
		t.code = result.ExitTrouble
	}
	return nil
}

// read reads the suite. With any fault in it nothing is run.
func (t *testRun) read(name string) error {
	text, err := t.readText(name, suite.MaxBytes)
	if err != nil {
		return of(name, reason(err))
	}
	s, errs := suite.Parse(name, text)
	for _, e := range errs {
		t.say("%s", suiteError(e))
	}
	if len(errs) > 0 {
		return fmt.Errorf("%s cannot be run: %s", name, plural(len(errs), "error"))
	}
	if len(s.Steps) == 0 && s.Agent == nil && s.Trace == "" {
		return fmt.Errorf("%s says nothing that is to be done: want steps, an agent or a trace", name)
	}
	t.suite, t.dir = s, filepath.Dir(name)
	return nil
}

// at is a path of the suite, seen from where we stand.
func (t *testRun) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.dir, name)
}

// play does what the suite says, and returns the recording.
func (t *testRun) play(ctx context.Context) (check.Recording, []drive.Result, error) {
	rec := check.Recording{Boundary: t.suite.Boundary()}
	file := t.at(t.suite.Trace)
	var results []drive.Result
	if t.suite.Trace == "" {
		name, remove, err := t.recording()
		if err != nil {
			return rec, nil, err
		}
		defer remove()
		file = name
		if results, err = t.live(ctx, name); err != nil {
			return rec, nil, err
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return rec, nil, fmt.Errorf("%s: %w", file, reason(err))
	}
	defer f.Close()
	got, err := trace.Read(f, trace.Limits{})
	if got == nil {
		return rec, nil, fmt.Errorf("%s: %w", file, err)
	}
	if err != nil {
		t.problem("the trace was not read to its end: " + err.Error())
	}
	rec.Trace, rec.File = got, file
	if t.suite.Trace == "" && t.traceName == "" {
		rec.File = "the recording"
	}
	return rec, results, nil
}

// recording returns the file to record in, and what to do with it in the end.
func (t *testRun) recording() (name string, remove func(), err error) {
	if t.traceName != "" {
		return t.traceName, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "gauntlet-test-")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, "run.ndjson"), func() { _ = os.RemoveAll(dir) }, nil
}

func (t *testRun) problem(message string) {
	t.problems = append(t.problems, finding.Problem{Kind: finding.Failed, Message: message, Location: finding.Location{File: t.suite.File}, Input: -1})
}

// live starts the servers and lets the steps or the agent work with them.
func (t *testRun) live(ctx context.Context, name string) ([]drive.Result, error) {
	var err error
	if t.trace, err = t.createTrace(name); err != nil {
		return nil, err
	}
	playing, stop := context.WithCancel(ctx)
	var results []drive.Result
	if err = t.prepare(playing); err == nil {
		if t.suite.Agent != nil {
			err = t.letWork(ctx)
		} else {
			results = t.steps(ctx)
		}
	}
	stop()
	for _, m := range t.playing {
		m.end()
	}
	return results, errors.Join(err, t.trace.close())
}

// prepare makes the servers that run in this process, and reads what is needed of the others.
func (t *testRun) prepare(ctx context.Context) error {
	for i := range t.suite.Servers {
		s := &t.suite.Servers[i]
		switch {
		case s.Mock != "":
			text, err := t.readText(t.at(s.Mock), math.MaxInt32)
			if err != nil {
				return of(s.Name, reason(err))
			}
			m, err := newMock(t.at(s.Mock), text, engine.Options{})
			if err != nil {
				return of(s.Name, err)
			}
			m.start(ctx)
			t.playing[s.Name] = m
		case s.Snapshot != "":
			server := &serveRun{app: t.app, limits: t.limits}
			played, err := server.open(ctx, t.at(s.Snapshot))
			if err != nil {
				return of(s.Name, err)
			}
			t.playing[s.Name] = &mockServer{Server: played}
		}
	}
	return nil
}

func (t *testRun) server(name string) *suite.Server {
	for i := range t.suite.Servers {
		if t.suite.Servers[i].Name == name {
			return &t.suite.Servers[i]
		}
	}
	return nil
}

// open connects to a server of the suite, recorded.
func (t *testRun) open(name string) (wire.Conn, error) {
	return t.connect(name, func(secrets, who []string) wire.Tap { return t.trace.between(name, secrets, who) })
}

// connect connects to a server of the suite.
func (t *testRun) connect(name string, tap func(secrets, who []string) wire.Tap) (wire.Conn, error) {
	s := t.server(name)
	if s == nil {
		return nil, fmt.Errorf("there is no server %q", name)
	}
	limits := wire.Limits{Message: t.message, Total: math.MaxInt64}
	switch {
	case t.playing[name] != nil:
		return connect(t.playing[name].Server, tap(nil, nil)), nil
	case s.URL != "":
		h, err := wire.Dial(wire.Endpoint{URL: s.URL, Header: assigned(s.Headers), Limits: limits, Agent: "gauntlet"})
		if err == nil {
			h.Tap(tap(h.Secrets(), assigned(s.Headers)))
		}
		return h, err
	}
	env := assigned(s.Env)
	return wire.Start(wire.Command{Args: t.command(s.Command), Dir: t.dir, Environ: t.host.Environ, Env: env, Limits: limits, Tap: tap(env, nil)})
}

// command is that of the suite. A path in it that is relative begins at the suite; a bare
// word is looked for in PATH. gauntlet itself need not stand there.
func (t *testRun) command(words []string) []string {
	out := slices.Clone(words)
	if own, err := os.Executable(); err == nil && out[0] == "gauntlet" {
		out[0] = own
	}
	return out
}

func assigned(pairs []suite.Pair) []string {
	var out []string
	for _, p := range pairs {
		out = append(out, p.Name+"="+p.Value)
	}
	return out
}

// steps makes the calls of the suite. One that cannot be made is a problem: what is behind it
// was not done.
func (t *testRun) steps(ctx context.Context) []drive.Result {
	out := drive.Steps(ctx, t.suite.Steps, drive.Options{Open: t.open, Version: version(), Read: t.suite.Scan, Timeout: t.patience()})
	for name, snap := range out.Snapshots {
		t.snapshots[name] = string(snap.Bytes())
	}
	if t.suite.Scan {
		t.capture(ctx)
	}
	for i := range out.Results {
		var refused *wire.AnswerError
		if err := out.Results[i].Err; err != nil && !errors.As(err, &refused) {
			s := out.Results[i].Step
			t.problem(fmt.Sprintf("%s.%s could not be called: %v", s.Server, s.Tool, err))
			t.problems[len(t.problems)-1].Location.Line = s.Line
		}
	}
	if left := len(t.suite.Steps) - len(out.Results); left > 0 {
		t.problem(plural(left, "step") + " behind it was not made")
	}
	return out.Results
}

// patience is the longest that any server may take for an answer.
func (t *testRun) patience() time.Duration {
	longest := time.Duration(0)
	for i := range t.suite.Servers {
		longest = max(longest, t.suite.Servers[i].Timeout)
	}
	return longest // 0 is the default
}

// letWork gives the agent the servers, each behind a gateway of its own that records it.
func (t *testRun) letWork(ctx context.Context) error {
	a := t.suite.Agent
	flags := agentFlags{prompt: a.Prompt, transport: "http", limit: a.Timeout, idle: -1, env: assigned(a.Env)}
	if flags.limit == 0 {
		flags.limit = 2 * time.Minute
	}
	if flags.agent = "builtin:" + a.Builtin; a.Builtin == "" {
		flags.agent = joinWords(a.Command)
	}
	if err := flags.choose(t.app); err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	var fronts sync.WaitGroup
	defer fronts.Wait()
	defer stop()
	var servers []agentServer
	for i := range t.suite.Servers {
		name := t.suite.Servers[i].Name
		gw, err := gateway.New(gateway.Options{Version: version(), Note: func(s string) { t.note("%s", s) },
			Upstreams: []gateway.Upstream{{Name: name, Open: func() (wire.Conn, error) { return t.open(name) }}}})
		if err != nil {
			return err
		}
		ln, err := new(net.ListenConfig).Listen(serving, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fronts.Go(func() { // ends with serving
			_ = gw.Server().HTTP(serving, ln) // what the agent could not reach, it says
			gw.Close()
		})
		servers = append(servers, agentServer{name: name, url: "http://" + ln.Addr().String() + engine.Path,
			stdio: func(ctx context.Context, in io.Reader, out io.Writer) error { return gw.Server().Stdio(ctx, in, out) }})
	}
	out := flags.start(ctx, servers, a.Prompt)
	t.note("%s", out.ended)
	if out.trouble != nil {
		t.problem(out.trouble.Error())
	}
	if t.suite.Scan {
		t.capture(ctx)
	}
	return nil
}

// joinWords writes a command as one line that reads back as the same words.
func joinWords(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'"'"'`)+"'")
	}
	return strings.Join(out, " ")
}

// capture reads what those servers say that no step spoke to, beside the recording.
func (t *testRun) capture(ctx context.Context) {
	for i := range t.suite.Servers {
		name := t.suite.Servers[i].Name
		if _, ok := t.snapshots[name]; ok {
			continue
		}
		conn, err := t.connect(name, func(secrets, _ []string) wire.Tap { return nil })
		if err == nil {
			var snap *peer.Snapshot
			if snap, err = peer.Capture(ctx, conn, peer.Options{Version: version()}); err == nil {
				t.snapshots[name] = string(snap.Bytes())
			}
			_ = conn.Close() // all that it said has been read
		}
		if err != nil {
			t.problem(name + " could not be scanned: " + err.Error())
		}
	}
}

// judge runs the checks and compares with what was expected.
func (t *testRun) judge(rec check.Recording, results []drive.Result) *result.Report {
	c := &catalog.Catalog{}
	opt := scan.Options{Trace: rec, Version: version(), Checks: boundary.Checks()}
	if t.suite.Scan {
		opt.Checks = nil
		for i := range t.suite.Servers {
			name := t.suite.Servers[i].Name
			if text, ok := t.snapshots[name]; ok {
				if err := c.Add(name, text, t.limits.Limits); err != nil {
					t.problem(err.Error())
				}
			}
		}
	}
	r := scan.Run(c, opt)
	if !t.suite.Scan {
		for i := range r.Skipped {
			if r.Skipped[i].Needs == scan.Unasked {
				r.Skipped[i].Needs = "scan: true in the suite"
			}
		}
	}
	r.Problems = append(r.Problems, t.problems...)
	r.Expectations = t.expectations(rec.Trace, results)
	r.Count()
	r.Summary.Complete = r.Complete()
	return r
}

// expectations compares results with what was expected of them.
func (t *testRun) expectations(tr *trace.Trace, results []drive.Result) []result.Expectation {
	var out []result.Expectation
	add := func(e *suite.Expect, name, why string) {
		out = append(out, result.Expectation{Name: name, File: t.suite.File, Line: e.Line, Held: why == "", Message: why})
	}
	byName := map[string]*drive.Result{}
	for i := range t.suite.Steps {
		s := &t.suite.Steps[i]
		name := s.As
		if name == "" {
			name = s.Server + "." + s.Tool
		}
		var got *drive.Result
		if i < len(results) {
			got = &results[i]
			byName[s.As] = got
		}
		switch {
		case s.Expect == nil:
		case got == nil:
			add(s.Expect, name, "the step was not made")
		default:
			add(s.Expect, name, drive.Check(s.Expect, got.Result, got.Err))
		}
	}
	calls := drive.Calls(tr)
	for i := range t.suite.Expect {
		e := &t.suite.Expect[i]
		if e.Step != "" {
			if got := byName[e.Step]; got != nil {
				add(e, e.Step, drive.Check(e, got.Result, got.Err))
			} else {
				add(e, e.Step, "the step was not made")
			}
			continue
		}
		add(e, e.Call, ofCalls(e, drive.Of(calls, e)))
	}
	return out
}

// ofCalls judges all calls that an expectation is about: their number, and each of them.
func ofCalls(e *suite.Expect, calls []drive.Call) string {
	if e.Count != nil && len(calls) != *e.Count {
		return fmt.Sprintf("it was called %d times, want %d", len(calls), *e.Count)
	}
	if len(calls) == 0 && e.Count == nil {
		return "it was never called"
	}
	for i, c := range calls {
		if why := drive.Check(e, c.Result, c.Err); why != "" {
			return fmt.Sprintf("call %d: %s", i+1, why)
		}
	}
	return ""
}
