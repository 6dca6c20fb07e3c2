// Package proberun probes one server: it plans trials from its tools' parameters (catalogue.go), starts it where its actions can be
// observed, calls its tools and sends the protocol probes' messages (http.go, stdio.go), decides by the answers whether a payload
// reached a tool's code and worked (answer.go), and records what was observed.
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
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// Defaults of Options.
const (
	DefaultCall  = 6 * time.Second
	DefaultStall = 4 * time.Second
)

// Options configure a run.
type Options struct {
	Server launch.Server
	Dialer launch.Dialer // including its sandbox level
	// At is where a server started in a sandbox will listen; "" to detect it.
	At      string
	Version string // this program's, sent to the server
	// Trace records the session, the sandbox's events, and the outcome of each trial; may be nil.
	Trace *tracefile.File

	Floor capability.Confidence // minimum confidence of labels; default capability.Medium
	// AllowCalls permits tools that are not read-only outside a sandbox, and Destructive also destructive ones.
	AllowCalls, Destructive bool
	Classes                 []probe.Class // nil for all
	// Fingerprint restricts the run to the trials or protocol probes behind a finding; "" for all.
	Fingerprint string
	// Again is the command line that reproduces one finding, for reports; see probe.Evidence.
	Again string

	Budget Budget
	Call   time.Duration // time limit for one answer
	// Stall is how long a server must be silent for a stall; default DefaultStall.
	Stall  time.Duration
	Limits catalog.Limits
	// Protocol adds the protocol probes.
	Protocol bool
	// Register tries a registration that the authorization server should refuse.
	Register bool
	// OtherToken is a token of another user, or with fewer rights, for a server behind a URL; "" for none.
	OtherToken string
	// Burst is the number of requests that the protocol probes send at once; 0 for none.
	Burst int
	// Found, if not nil, receives all findings so far whenever something was proved.
	Found func([]finding.Finding)
	// Progress, if not nil, is told the current step.
	Progress *runstate.Progress
}

// A Result is the outcome of a run.
type Result struct {
	Evidence    probe.Evidence
	After       string // the notification, upon a call, after which the server was read again; "" for none
	Changed     string // the snapshot then
	Place       string // the server's name in messages
	Gaps        []mcpclient.Gap
	Secrets     []string       // hidden in reports, as NAME=VALUE
	Protections sandbox.Report // which sandbox layers held
	Sealed      bool
	Boxes       *launch.Sandboxes // observations of the sandboxes; nil if not kept
	only        finding.Rule      // the report's only rule; "" for all
	watched     *watch            // calls and events in order
	recorded    *trace.Trace      // of a run that is judged again; nil for a new one
}

type run struct {
	Options
	meter
	testbed        *testbed
	opened         *launch.Opened
	session        *mcpclient.Session
	read           *mcpclient.Snapshot
	tools          []*tool
	targets        []*target
	pending        []*attempt      // effects may still come
	late           []*attempt      // effects came late and lack a control
	inside         launch.Endpoint // where a sealed server listens; empty on stdio
	restarts       int
	stalls         int              // proved so far; each costs a restart
	shortWaits     bool             // wait at most two seconds for an answer
	given          map[string]bool  // handle guesses that occurred in answers
	returnedValues []returnedValue  // values returned by ordinary calls
	bindings       []binding        // parameters that take another tool's values
	secrets        []string         // what the server was supplied with, as NAME=VALUE
	leaks          *redact.Redactor // finds these and the environment's canaries; nil without a sandbox
	out            *Result
}

// A tool is one tool and what was learnt about calling it.
type tool struct {
	Name   string
	Schema *schemafill.Schema
	Labels capability.Tool
	// ReadOnly says that the tool is annotated as read-only, Destructive that it may be destructive.
	ReadOnly, Destructive bool
	// SideDoor says that nothing is planned for it: as far as can be told, it rejects unlisted values before any of the server's
	// code runs.
	SideDoor    bool
	filler      schemafill.Filler
	choices     []map[string]any // values of a parameter that selects what the tool does; one empty map if there is none
	ordinary    map[string]Ordinary
	resembling  []string // results that differ from the first in what every answer may have of its own
	works       bool     // some call had a result that is no error, and another another answer: its code can be reached
	first       Answer
	accepted    Answer // to ordinary values: the latest that is no error
	lost        Answer // to the same values at the end, if it is an error
	slow        int    // answers that did not arrive in time
	calls       int
	spent       time.Duration
	entry       entry // how it is called if it is no tool
	description string
	output      string       // its outputSchema, raw; "" for none
	asks        string       // the latest result that asked for input, raw; or ""
	started     string       // the command line that an ordinary call started, or ""
	leaked      *probe.Proof // an error contained a planted secret
	absent      string       // its answer for an object that does not exist, without the values
	unlisted    int          // parameters that it asked for although its schema lacks them
	renewed     int          // number of renewals of its bindings
}

// maxRestarts bounds the restarts of a server that ended.
const maxRestarts = 12

// Run probes a server. An error, possibly interrupt.Err, means that it could not be started or read, so that nothing is known.
func Run(ctx context.Context, opt Options) (*Result, error) {
	opt.Floor = cmp.Or(opt.Floor, capability.Medium)
	opt.Call, opt.Stall = cmp.Or(opt.Call, DefaultCall), cmp.Or(opt.Stall, DefaultStall)
	if opt.Progress == nil {
		opt.Progress = &runstate.Progress{}
	}
	r := &run{Options: opt, out: &Result{}, given: map[string]bool{}, meter: opt.Budget.begin()}
	r.watchServer()
	defer r.stop()
	r.out.Evidence.Again = r.Again
	if err := r.start(ctx); err != nil {
		if (r.Protocol || r.Fingerprint != "") && refusedToken(err) {
			return r.probeRefusal(ctx, err)
		}
		return nil, err
	}
	if err := r.readServer(ctx); err != nil {
		return nil, err
	}
	r.out.Evidence.None = r.plan(r.tools, "")
	r.shortWaits = true // slow trials wait until everything else was tried
	r.learn(ctx)
	r.readChanges(ctx)
	r.within(8, func() { // payloads come first
		r.follow(ctx, procedures)
		r.tryConditions(ctx, true)
	})
	r.shortWaits = false
	r.tryAll(ctx)
	r.tryConditions(ctx, false)
	r.follow(ctx, stalling)
	r.readChanges(ctx)
	if ctx.Err() != nil {
		return nil, interrupt.Err
	}
	r.settle(ctx)
	if r.opened != nil {
		r.out.Secrets = r.opened.SecretsByNow() // a login may have been renewed
	}
	r.noteUntried()
	return r.finish(ctx)
}

// noteUntried notes what nothing was tried on: tools that may not be called, and classes that were chosen and nothing asks for.
func (r *run) noteUntried() {
	e := &r.out.Evidence
	if len(r.tools) == 0 {
		e.Notes = append(e.Notes, "nothing to call: the server lists no tools, and no prompts or resources that take a value")
	}
	if r.Fingerprint != "" {
		return // one trial was asked for
	}
	kept := 0
	for _, t := range r.tools {
		if !r.allows(t) {
			kept++
		}
	}
	if kept > 0 {
		e.Untried = append(e.Untried, fmt.Sprintf("%d of %s not called, since they may change something and no sandbox holds them: --allow-calls and --destructive permit it", kept, excerpt.Count(len(r.tools), "tool")))
	}
	for _, c := range r.Classes {
		if slices.Contains(e.None, c) {
			e.Untried = append(e.Untried, fmt.Sprintf("%s: nothing was tried, since nothing of the server takes what it needs", c))
		}
	}
}

// start starts the server, in a new environment if the old one ended with it.
func (r *run) start(ctx context.Context) error {
	for range mostStarts {
		err := r.startOnce(ctx)
		if err == nil || !r.supply(err) {
			return launch.ExplainMadeUp(err, r.out.Evidence.Supplied)
		}
	}
	return launch.ExplainMadeUp(r.startOnce(ctx), r.out.Evidence.Supplied)
}

// mostStarts bounds the restarts of a server that lacks something.
const mostStarts = 5

// supply gives a sealed server what it reported missing when it ended, and reports whether there was anything.
func (r *run) supply(err error) bool {
	if r.opened == nil || r.opened.Sandbox == nil || r.opened.Process == nil || !gone(err) || r.out.Evidence.Calls > 0 {
		return false
	}
	said, _ := r.opened.Process.Stderr()
	d := readDemand(said, slices.Concat(r.Server.Env, r.Server.Command), r.testbed.place.Root)
	if len(d.env)+len(d.args) == 0 {
		return false
	}
	r.Server.Env, r.Server.Command = slices.Concat(r.Server.Env, d.env), slices.Concat(r.Server.Command, d.args)
	r.secrets = append(r.secrets, d.secrets()...)
	r.out.Evidence.Supplied = append(r.out.Evidence.Supplied, d.names()...)
	return true
}

// startOnce starts the server with what is known so far.
func (r *run) startOnce(ctx context.Context) error {
	if err := r.open(); err != nil {
		return err
	}
	opened := r.opened
	if r.testbed.box = opened.Sandbox; r.testbed.box == nil && r.testbed.service == nil { // no sandbox is available
		if err := r.leaveSandbox(ctx); err != nil {
			return err
		}
	}
	r.watchLeaks()
	r.out.Boxes = r.Dialer.Sandboxes
	r.out.Place, r.out.Secrets, r.out.Protections, r.out.Sealed = opened.Place, opened.SecretsByNow(), opened.SandboxReport, opened.Sandbox != nil
	return r.openSession(ctx)
}

// watchLeaks prepares the search for the environment's secrets in answers.
func (r *run) watchLeaks() {
	if r.testbed.box == nil {
		return
	}
	pairs := slices.Clone(r.secrets)
	for _, c := range r.testbed.box.Canaries() {
		if c.Env != "" && c.Value != "" {
			pairs = append(pairs, c.Env+"="+c.Value)
		}
	}
	r.leaks = redact.New(pairs)
}

// open starts the server or connects to it, in its own environment if the old one ended with it. What is left of an earlier one is
// no longer needed.
func (r *run) open() error {
	if r.opened != nil {
		_ = r.opened.Conn.Kill()
		r.opened = nil
	}
	if r.testbed == nil || r.testbed.box != nil || r.testbed.service == nil {
		g, err := newTestbed(r.Dialer.Sandbox.Wanted(), r.Dialer.Environ)
		if err != nil {
			return err
		}
		r.testbed = g
		g.plantBeside(r.Server)
	}
	dialer, server := r.Dialer, r.Server
	if server.URL == "" {
		server.Env, dialer.Environ = r.testbed.withStandIns(server.Env), r.testbed.withStandIns(dialer.Environ)
		dialer.SandboxConfig = r.testbed.config(dialer.SandboxConfig)
	}
	opened, err := dialer.Open(server, r.tap)
	if err == nil {
		r.opened = opened
	}
	return err
}

// leaveSandbox creates the environment on this machine, after the server was started without a sandbox because none is available,
// and restarts it.
func (r *run) leaveSandbox(ctx context.Context) error {
	report := r.opened.SandboxReport
	r.Dialer.Sandbox = sandbox.Off
	r.testbed = nil
	err := r.start(ctx)
	r.out.Protections = report
	return err
}

// answerServer answers the server's requests: the project folder is its only root.
func (r *run) answerServer(method, _ string) (string, bool) {
	if method != "roots/list" {
		return "", false
	}
	return `{"roots":[{"uri":` + rawjson.Quote("file://"+r.testbed.place.Root) + `,"name":"project"}]}`, true
}

// stop ends the server and removes what was planted.
func (r *run) stop() {
	if r.opened != nil {
		_ = r.opened.Conn.Kill() // it has ended; what is left is killed in any case
	}
	if r.testbed != nil {
		_ = r.testbed.close()
	}
}

// readServer captures what the server says about itself.
func (r *run) readServer(ctx context.Context) error {
	r.Progress.Step("%s: reading tools", r.out.Place)
	snap := r.session.ReadSettled(ctx)
	r.read = snap
	r.out.Evidence.Snapshot = string(snap.Bytes())
	for _, g := range snap.Errors {
		if !g.Absent {
			r.out.Gaps = append(r.out.Gaps, g)
		}
	}
	c, err := catalog.Parse("", r.out.Evidence.Snapshot, r.Limits)
	if err != nil {
		return err
	}
	server := c.Servers[0]
	r.out.Evidence.Server = server.Name
	r.addTools(server, nil)
	return r.addEntries(server)
}

// readChanges reads the server again if it announced, upon a call, that its definitions changed.
func (r *run) readChanges(ctx context.Context) {
	if r.session == nil || r.session.Err() != nil || r.out.After != "" {
		return
	}
	if r.out.After = r.session.Changed(ctx, 0); r.out.After == "" {
		return
	}
	now := r.session.ReadSettled(ctx)
	r.out.Changed = string(now.Bytes())
	for i, l := range now.Lists {
		if !slices.Equal(l.Items, r.read.Lists[i].Items) && r.out.Evidence.Cut == "" {
			r.out.Evidence.Cut = "upon a call the server announced other definitions (" + r.out.After + "), which were not tried"
		}
	}
}

// addTools adds a server's tools; entries says how each is called if it is no tool.
func (r *run) addTools(server *catalog.Server, entries []entry) {
	labels := classify.Server(server)
	var tree rawjson.Tree
	for i := range server.Tools() {
		it := &server.Tools()[i]
		v := it.Parse(server, &tree)
		t := &tool{
			Name: it.Name(), Schema: schemafill.Parse(v.Get("inputSchema").Raw()), Labels: labels.Tools[i],
			ReadOnly: v.Get("annotations").Get("readOnlyHint").Raw() == "true", Destructive: v.Get("annotations").Get("destructiveHint").Raw() == "true",
			ordinary: map[string]Ordinary{}, description: v.Get("description").Text(), output: v.Get("outputSchema").Raw(),
		}
		t.filler = schemafill.Filler{Schema: t.Schema, Role: func(path string) string { return string(t.Role(path).Role) }, With: r.companions()}
		if entries != nil {
			t.entry = entries[i]
			t.entry.setRoles(t.Labels.Roles)
			t.SideDoor = t.entry.anyURI || t.entry.guessed
		}
		r.tools = append(r.tools, t)
	}
}

// companions returns the values of parameters that are not under test.
func (r *run) companions() schemafill.Companions {
	root := r.testbed.place.Root
	return schemafill.Companions{
		File: root + "/notes.txt", Dir: root, URL: fmt.Sprintf("http://127.0.0.1:%d/page.html", r.testbed.port), Host: "localhost", Database: root + "/notes.db", Word: "example",
	}
}

// plan adds the trials of tools, of one parameter unless it is "". It returns the classes that nothing asks for.
func (r *run) plan(tools []*tool, parameter string) []probe.Class {
	all, none := newPlan(tools, r.Floor, r.out.Sealed || r.AllowCalls)
	for _, t := range all {
		wanted := r.allows(t.tool) && (r.Classes == nil || slices.Contains(r.Classes, t.Class)) && r.wants(&probe.Trial{Tool: t.tool.Name, Parameter: t.Parameter.Path, Class: t.Class})
		if wanted && (parameter == "" || parameter == t.Parameter.Path) {
			r.targets = append(r.targets, t)
		}
	}
	return none
}

// wants reports whether a trial is the one that the run is for, if it is for one.
func (r *run) wants(t *probe.Trial) bool {
	return r.Fingerprint == "" || probing.Fingerprint(r.out.Evidence.Server, t) == r.Fingerprint
}

// allows reports whether a tool may be called: any in a sandbox, elsewhere only those that are annotated and labelled as read-only,
// unless the user agreed to more.
func (r *run) allows(t *tool) bool {
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

// restart restarts a server that has ended, and reports whether it runs.
func (r *run) restart(ctx context.Context) bool {
	if r.restarts++; r.restarts > maxRestarts || ctx.Err() != nil {
		return false
	}
	r.sweep()
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
