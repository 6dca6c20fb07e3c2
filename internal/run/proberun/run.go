// Package proberun probes one server: it plans what to try from its tools' parameters (plan.go), starts it where what it does can be
// seen, calls its tools and sends the messages of the table of protocol probes (http.go, stdio.go), decides by the answers
// whether a payload reached a tool's code and worked (answer.go), and records what was observed.
package proberun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// The defaults of Options.
const (
	DefaultCalls  = 5_000            // so that what is tried does not depend on how fast a machine is
	DefaultBudget = 10 * time.Minute // nothing honest reaches it
	DefaultCall   = 6 * time.Second
	DefaultStall  = 4 * time.Second
)

// Options say what to probe and how.
type Options struct {
	Server launch.Server
	Dialer launch.Dialer // with the level of its sandbox
	// At is where a server that is started in a sandbox will listen; "" to find out whether it does.
	At      string
	Version string     // ours, which the server is told
	Tap     launch.Tap // records the conversation; nil for nothing
	// Record is given what stands in a trace beside messages: how each trial ended, and what else
	// came of the run; nil for nobody.
	Record func(trace.Message)

	Floor capability.Confidence // from which on labels count; default capability.Medium
	// AllowCalls lets tools be called outside of a sandbox that are not read-only, and Destructive
	// also those that may destroy.
	AllowCalls, Destructive bool
	Classes                 []probe.Class // nil for all
	// Only restricts the run to some trials; nil for all.
	Only func(server string, t *probe.Trial) bool
	// Fingerprint restricts the run to what the finding with it rests on, trials or protocol probes; "" for all.
	Fingerprint string
	// Again is the command line that a report names for seeing one finding; see probe.Evidence.
	Again string

	Calls  int           // most that are made; default DefaultCalls
	Budget time.Duration // longest time for all of them; default DefaultBudget
	Call   time.Duration // for one answer
	// Stall is how long a server answers nothing before that counts as a stall; default DefaultStall.
	Stall  time.Duration
	Limits catalog.Limits
	// Protocol sends the protocol probes as well.
	Protocol bool
	// Register has the authorization server asked for a client that it should not register.
	Register bool
	// OtherToken is the token of another user, or of fewer rights, for a server behind a URL; "" for none.
	OtherToken string
	// Burst is how many requests the protocol probes send at once; 0 for none.
	Burst int
	// Replay sends again what a recorded finding rests on, and nothing else; nil for none.
	Replay *Replay
	// Tell is told what a replay sent and what it was answered, line by line; nil for nobody.
	Tell func(line string)
	// Found is given all findings so far, whenever something was proved; nil for nobody.
	Found func([]finding.Finding)
	// Progress is told what the run is at; nil for nobody.
	Progress func(format string, args ...any)
}

// A Result is what came of a run.
type Result struct {
	Evidence    probe.Evidence
	Text        string // the snapshot of the server, as captured
	Place       string // how messages call the server
	Gaps        []mcpclient.Gap
	Secrets     []string       // what reports hide, as NAME=VALUE
	Protections sandbox.Report // which layers of the sandbox held
	Sealed      bool
	Boxes       *launch.Sandboxes // what happened in the sandboxes; nil for what nobody kept
	only        finding.Rule      // the report holds this rule alone; "" for all
	watched     *watch            // calls and events in their order
	recorded    *trace.Trace      // of a run that is judged again; nil for one that was made
}

// run is one run over one server.
type run struct {
	Options
	ground    *ground
	opened    *launch.Opened
	session   *mcpclient.Session
	tools     []*tool
	targets   []*target
	shots     []shot
	pending   []*attempt      // whose effect may come late
	late      []*attempt      // whose effect did, and has no control yet
	controls  []*attempt      // twins that had no effect so far
	inside    launch.Endpoint // where a sealed server listens; none for one on stdio
	most      int             // calls that may be made so far
	ends      time.Time       // of all calls
	restarts  int
	calls     int
	hurry     bool                      // wait two seconds for an answer at most
	folders   map[string]*requestFolder // by ordinary value
	foldersOn *ground                   // that these folders are of
	given     map[string]bool           // which guesses of handles stood in answers
	handouts  []handout                 // what answers to ordinary calls gave out
	bindings  []binding                 // parameters that take what another tool gives out
	secrets   []string                  // what the server was supplied with, as NAME=VALUE
	leaks     *redact.Redactor          // finds these and the canaries of the environment; nil without a sandbox
	out       *Result
}

// A tool is one tool with what has been learnt about calling it.
type tool struct {
	Tool
	filler      schemafill.Filler
	choices     []map[string]any // of a parameter that chooses what the tool does; one empty map for none
	ordinary    map[string]ordinaryAnswer
	slow        int // answers that did not come in time
	calls       int
	spent       time.Duration
	entry       entry // how it is called where it is no tool
	description string
	output      string       // its outputSchema, raw; "" for none
	asks        string       // the latest result that asked for input, raw; "" for none
	started     string       // the command line that an ordinary call started, "" for none
	leaked      *probe.Proof // an error of it held a planted secret
	absent      string       // what it answers where what a call names is not there, without the values
	unlisted    int          // parameters that it asked for and its schema does not have
	renewed     int          // how often what it takes from others was asked for anew
}

// maxRestarts is how often a server is started again that ended.
const maxRestarts = 12

// Run probes a server. An error means that it could not be started or read, so that nothing is
// known; interrupt.Err is one.
func Run(ctx context.Context, opt Options) (*Result, error) {
	opt.Floor = cmp.Or(opt.Floor, capability.Medium)
	opt.Calls, opt.Budget = cmp.Or(opt.Calls, DefaultCalls), cmp.Or(opt.Budget, DefaultBudget)
	opt.Call, opt.Stall = cmp.Or(opt.Call, DefaultCall), cmp.Or(opt.Stall, DefaultStall)
	if opt.Progress == nil {
		opt.Progress = func(string, ...any) {}
	}
	r := &run{Options: opt, out: &Result{}, given: map[string]bool{}}
	r.most, r.ends = r.Calls, time.Now().Add(r.Budget)
	r.watchServer()
	defer r.stop()
	if r.Replay != nil && r.Replay.recorded != nil {
		return r.replayProtocol(ctx)
	}
	r.out.Evidence.Again = r.Again
	switch {
	case r.Replay != nil:
		r.Only = r.Replay.trialAgain
	case r.Fingerprint != "":
		r.Protocol = false
		r.Only = func(server string, t *probe.Trial) bool { return probing.Fingerprint(server, t) == r.Fingerprint }
	}
	if err := r.start(ctx); err != nil {
		if r.Protocol && refusedToken(err) {
			return r.probeRefusal(ctx, err)
		}
		return nil, err
	}
	if err := r.readServer(ctx); err != nil {
		return nil, err
	}
	r.plan()
	r.hurry = true // what takes long can wait until everything else was tried
	r.learn(ctx)
	if r.Replay != nil {
		r.callAgain(ctx)
	}
	r.volleys(ctx)
	r.within(r.Calls/8, func() { // payloads come first
		r.procedures(ctx)
		r.tryConditions(ctx, true)
	})
	r.hurry = false
	r.tryAll(ctx)
	r.tryConditions(ctx, false)
	r.exhaust(ctx)
	if ctx.Err() != nil {
		return nil, interrupt.Err
	}
	r.settle(ctx)
	if r.opened != nil {
		r.out.Secrets = r.opened.SecretsByNow() // a login may have been renewed
	}
	if r.Fingerprint != "" && len(r.out.Evidence.Trials) == 0 {
		r.out.only, _ = probing.Recorded(r.Fingerprint, r.out.Evidence.Server, &probe.Protocol{})
		if r.Protocol = r.out.only != ""; !r.Protocol {
			return nil, fmt.Errorf("nothing that is tried on this server has the fingerprint %q", r.Fingerprint)
		}
	}
	r.probeProtocol(ctx)
	r.recordEvidence()
	return r.out, nil
}

// within does a part of the work in so many calls at most.
func (r *run) within(calls int, work func()) {
	whole := r.most
	r.most = min(whole, r.calls+calls)
	work()
	r.most = whole
}

// start starts the server, in a new place where the old one ended with it.
func (r *run) start(ctx context.Context) error {
	for range mostStarts {
		err := r.startOnce(ctx)
		if err == nil || !r.supply(err) {
			return launch.ExplainMadeUp(err, r.out.Evidence.Supplied)
		}
	}
	return launch.ExplainMadeUp(r.startOnce(ctx), r.out.Evidence.Supplied)
}

// mostStarts is how often a server is started again because it misses something.
const mostStarts = 5

// supply gives a sealed server what it said it misses when it ended. It reports whether there was
// anything.
func (r *run) supply(err error) bool {
	if r.opened == nil || r.opened.Sandbox == nil || r.opened.Process == nil || !gone(err) || r.out.Evidence.Calls > 0 {
		return false
	}
	said, _ := r.opened.Process.Stderr()
	d := readDemand(said, slices.Concat(r.Server.Env, r.Server.Command), r.ground.place.Root)
	if len(d.env)+len(d.args) == 0 {
		return false
	}
	_ = r.opened.Conn.Kill() // it has ended
	r.Server.Env, r.Server.Command = slices.Concat(r.Server.Env, d.env), slices.Concat(r.Server.Command, d.args)
	r.secrets = append(r.secrets, d.secrets()...)
	r.out.Evidence.Supplied = append(r.out.Evidence.Supplied, d.names()...)
	return true
}

// startOnce starts the server as it is known so far.
func (r *run) startOnce(ctx context.Context) error {
	opened, err := r.open()
	if err != nil {
		return err
	}
	r.opened = opened
	if r.ground.box = opened.Sandbox; r.ground.box == nil && r.ground.service == nil { // there is no sandbox here
		if err := r.leaveSandbox(ctx); err != nil {
			return err
		}
	}
	r.watchLeaks()
	r.out.Boxes = r.Dialer.Sandboxes
	r.out.Place, r.out.Secrets, r.out.Protections, r.out.Sealed = opened.Place, opened.SecretsByNow(), opened.SandboxReport, opened.Sandbox != nil
	return r.openSession(ctx)
}

// watchLeaks makes what finds the secrets of the environment in answers.
func (r *run) watchLeaks() {
	if r.ground.box == nil {
		return
	}
	pairs := slices.Clone(r.secrets)
	for _, c := range r.ground.box.Canaries() {
		if c.Env != "" && c.Value != "" {
			pairs = append(pairs, c.Env+"="+c.Value)
		}
	}
	r.leaks = redact.New(pairs)
}

// open starts the server or connects to it, on a ground of its own where the old one ends with its
// server.
func (r *run) open() (*launch.Opened, error) {
	if r.ground == nil || r.ground.box != nil || r.ground.service == nil {
		g, err := newGround(r.Dialer.Sandbox.Wanted(), r.Dialer.Environ)
		if err != nil {
			return nil, err
		}
		r.ground = g
		g.plantBeside(r.Server)
	}
	dialer, server := r.Dialer, r.Server
	if server.URL == "" {
		server.Env, dialer.Environ = r.ground.withStandIns(server.Env), r.ground.withStandIns(dialer.Environ)
		dialer.SandboxConfig = r.ground.config(dialer.SandboxConfig)
	}
	return dialer.Open(server, r.Tap)
}

// leaveSandbox plants the ground on this machine, after the server was started without a sandbox
// since there is none here, and starts it again.
func (r *run) leaveSandbox(ctx context.Context) error {
	report := r.opened.SandboxReport
	_ = r.opened.Conn.Close()
	r.Dialer.Sandbox = sandbox.Off
	r.ground = nil
	err := r.start(ctx)
	r.out.Protections = report
	return err
}

// answerServer answers what the server asks: the project folder is its only root.
func (r *run) answerServer(method, _ string) (string, bool) {
	if method != "roots/list" {
		return "", false
	}
	return `{"roots":[{"uri":` + rawjson.Quote("file://"+r.ground.place.Root) + `,"name":"project"}]}`, true
}

// stop ends the server and removes what was planted.
func (r *run) stop() {
	if r.opened != nil {
		_ = r.opened.Conn.Kill() // it is over; what is left is killed in any case
	}
	if r.ground != nil {
		_ = r.ground.close()
	}
}

// readServer captures what the server says of itself.
func (r *run) readServer(ctx context.Context) error {
	r.Progress("%s: reading tools", r.out.Place)
	snap := r.session.Read(ctx)
	r.out.Text = string(snap.Bytes())
	for _, g := range snap.Errors {
		if !g.Absent {
			r.out.Gaps = append(r.out.Gaps, g)
		}
	}
	c, err := catalog.Parse("", r.out.Text, r.Limits)
	if err != nil {
		return err
	}
	server := c.Servers[0]
	r.out.Evidence.Server = server.Name
	r.addTools(server, nil)
	return r.addEntries(server)
}

// addTools takes the tools of a server; entries say of each how it is called where it is none.
func (r *run) addTools(server *catalog.Server, entries []entry) {
	labels := classify.Server(server)
	var tree rawjson.Tree
	for i := range server.Tools() {
		it := &server.Tools()[i]
		v := it.Parse(server, &tree)
		t := &tool{Tool: Tool{
			Name: it.Name(), Schema: schemafill.Parse(v.Get("inputSchema").Raw()), Labels: labels.Tools[i],

			ReadOnly: v.Get("annotations").Get("readOnlyHint").Raw() == "true", Destructive: v.Get("annotations").Get("destructiveHint").Raw() == "true",
		}, ordinary: map[string]ordinaryAnswer{}, description: v.Get("description").Text(), output: v.Get("outputSchema").Raw()}
		t.filler = schemafill.Filler{Schema: t.Schema, Role: func(path string) string { return string(t.Role(path).Role) }, With: r.companions()}
		if entries != nil {
			t.entry = entries[i]
			t.entry.setRoles(t.Labels.Roles)
			t.SideDoor = t.entry.anyURI || t.entry.guessed
		}
		r.tools = append(r.tools, t)
	}
}

// companions are the values for parameters that are not under test.
func (r *run) companions() schemafill.Companions {
	root := r.ground.place.Root
	return schemafill.Companions{
		File: root + "/notes.txt", Dir: root, URL: fmt.Sprintf("http://127.0.0.1:%d/page.html", r.ground.port), Host: "localhost", Database: root + "/notes.db", Word: "example",
	}
}

// plan chooses the trials.
func (r *run) plan() {
	tools := make([]Tool, len(r.tools))
	for i, t := range r.tools {
		tools[i] = t.Tool
	}
	chosen, none := newPlan(tools, r.planOptions())
	for i := range chosen {
		r.addTarget(&chosen[i], r.tools[chosen[i].Tool])
	}
	r.out.Evidence.None = none
}

func (r *run) planOptions() planOptions {
	return planOptions{Floor: r.Floor, Wide: r.out.Sealed || r.AllowCalls, Allow: r.allows}
}

// addTarget takes a trial of a tool that the run is to make.
func (r *run) addTarget(c *Target, t *tool) {
	if r.Classes != nil && !slices.Contains(r.Classes, c.Class) || r.Only != nil && !r.Only(r.out.Evidence.Server, &probe.Trial{Tool: t.Name, Parameter: c.Parameter.Path, Class: c.Class}) {
		return
	}
	r.targets = append(r.targets, &target{Target: *c, tool: t})
}

// planFor plans the trials of one parameter that came to light later.
func (r *run) planFor(t *tool, parameter string) {
	chosen, _ := newPlan([]Tool{t.Tool}, r.planOptions())
	for i := range chosen {
		if c := &chosen[i]; c.Parameter.Path == parameter {
			r.addTarget(c, t)
		}
	}
}

// allows reports whether a tool may be called: in a sandbox any, elsewhere only those that say and
// show that they change nothing, unless the user agreed to more.
func (r *run) allows(t *Tool) bool {
	switch {
	case r.out.Sealed:
		return true
	case t.Destructive:
		return r.AllowCalls && r.Destructive
	case r.AllowCalls:
		return true
	}
	changes := slices.ContainsFunc(t.Labels.Capabilities, func(l capability.Label) bool {
		return l.Confidence.AtLeast(capability.Medium) && (l.Tag == capability.Exec || l.Tag == capability.FSWrite || l.Tag == capability.DBWrite)
	})
	return t.ReadOnly && !changes
}

// restart starts a server again that has ended. It reports whether it runs.
func (r *run) restart(ctx context.Context) bool {
	if r.restarts++; r.restarts > maxRestarts || ctx.Err() != nil {
		return false
	}
	r.sweep()
	_ = r.opened.Conn.Kill()
	if err := r.start(ctx); err != nil {
		r.out.Evidence.Cut = "the server ended and could not be started again: " + err.Error()
		r.session = nil
		return false
	}
	for _, t := range r.tools {
		t.filler.With = r.companions()
	}
	return true
}

// gone reports whether an error means that the server has ended.
func gone(err error) bool {
	var end *wire.EndError
	return errors.As(err, &end)
}
