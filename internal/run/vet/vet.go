// Package vet examines packages and servers before they are installed: it fetches them without running anything, reads what is
// known of them and their source, starts them in a sandbox, reads and probes them, and gives a one-line verdict.
package vet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// A Depth is how far a vetting goes. Each includes the previous ones.
type Depth string

// The depths. The zero Depth means everything the kind of target has.
const (
	Definitions Depth = "definitions" // what the server says about itself
	Source      Depth = "source"      // what its source does with its caller's input
	Behaviour   Depth = "behaviour"   // what it does when called
)

// Depths returns the names that ParseDepth accepts.
func Depths() []string { return []string{string(Definitions), string(Source), string(Behaviour)} }

// ParseDepth reads the value of a flag.
func ParseDepth(text string) (Depth, error) {
	if !slices.Contains(Depths(), text) {
		return "", fmt.Errorf("%q is unknown: want definitions, source or behaviour", text)
	}
	return Depth(text), nil
}

func (d Depth) wants(level Depth) bool {
	return d == "" || slices.Index(Depths(), string(d)) >= slices.Index(Depths(), string(level))
}

// Options configure a vetting.
type Options struct {
	Fetcher  fetch.Fetcher // its Environ is this program's, its Progress is set here
	Depth    Depth
	Version  string // this program's, sent to servers
	Limits   catalog.Limits
	Progress *runstate.Progress
	Begun    func(step string) // is told of each step of a vetting that begins; may be nil

	// Connect permits connections to URLs of a configuration, with what it gives them, and to URLs named by a registry.
	Connect bool
	Allow   []string // hosts that the sandbox permits

	Timeout time.Duration // time limit for one answer
	Total   time.Duration // time limit for reading one server
	Budget  proberun.Budget
	Replay  string // fingerprint of the only finding to probe again; "" for all
	// Again returns the command line for that, for one target; see probe.Evidence.
	Again func(target string) string

	// Advisories is an OSV export: a directory, a file or a URL; or "".
	Advisories string
	// Sandboxed returns why servers cannot be sandboxed here, nil if they can. The default asks the system.
	Sandboxed func() error
}

// A Target is one thing to vet: a package spec, or a configured server.
type Target struct {
	Spec   fetch.Spec
	Server *launch.Server // of a configuration, started or reached as configured; may be nil
	Name   string         // the configuration entry's name; "" for Spec
	Args   []string       // further arguments of the server
	Env    []string       // variables of the server, as NAME=VALUE
	Guard  []string       // what reports hide of them, as NAME=VALUE
	// Older is the user's current version to compare with; may be nil.
	Older *fetch.Spec
}

// Named returns the targets that names stand for, in the forms of [fetch.Forms]. With compare there are two names: the user's
// version and a newer one, which is the target.
func Named(names []string, compare bool) ([]Target, error) {
	var out []Target
	for _, name := range names {
		s, err := fetch.Parse(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Target{Spec: s})
	}
	if compare {
		out[1].Older = &out[0].Spec
		out = out[1:]
	}
	return out, nil
}

// AddStart adds arguments and variables (NAME=VALUE, hidden in reports) for the server.
func (t *Target) AddStart(args, env []string) {
	t.Args, t.Env, t.Guard = append(t.Args, args...), append(t.Env, env...), append(t.Guard, env...)
}

func (t *Target) text() string {
	switch {
	case t.Server != nil:
		return t.Name
	case t.Name != "":
		return t.Name + " (" + t.Spec.Text + ")"
	}
	return t.Spec.Text
}

// Run vets targets one after the other into one report. An error means that it was interrupted, or could not begin; failures of a
// target are in the report.
func Run(ctx context.Context, opt Options, targets []Target) (*result.Report, error) {
	var all *result.Report
	for i := range targets {
		v := &vetting{Options: opt, target: &targets[i]}
		v.Fetcher.Progress, v.Fetcher.Sandboxed = opt.Progress.Step, opt.Sandboxed
		v.Fetcher.Heard = func(events []sandbox.Event) { v.read.boxes.Keep(v.label()+" (installation)", events) }
		r, err := v.run(ctx)
		v.close()
		if ctx.Err() != nil {
			return nil, interrupt.Err
		}
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = r
		} else {
			join(all, r)
		}
	}
	if all == nil {
		return nil, errors.New("nothing to vet")
	}
	all.Count()
	return all, nil
}

// A vetting is one target being vetted.
type vetting struct {
	Options
	target *Target

	fetched *fetch.Fetched // nil for a configured server
	start   *fetch.Start
	server  *launch.Server // what is started or connected to; may be nil
	what    result.Vetting
	read    reading

	problems []finding.Problem
}

func (v *vetting) begin(step string) {
	text := v.label() + ": " + step
	v.Progress.Step("%s", text)
	if v.Begun != nil {
		v.Begun(text)
	}
}

func (v *vetting) close() {
	if v.fetched != nil {
		v.fetched.Close()
	}
}

func (v *vetting) done(step, format string, args ...any) {
	v.note(step, result.StepDone, fmt.Sprintf(format, args...))
}

// skipped records a step that was not requested, or does not apply to this kind of target.
func (v *vetting) skipped(step, format string, args ...any) {
	v.note(step, result.StepSkipped, fmt.Sprintf(format, args...))
}

// notDone records a requested step that could not be tried.
func (v *vetting) notDone(step, why string) {
	v.note(step, result.StepNotDone, why)
	v.addProblem(finding.Unread, step+": "+why)
}

func (v *vetting) failed(step string, err error) {
	v.note(step, result.StepFailed, err.Error())
	v.addProblem(finding.Failed, step+": "+err.Error())
}

func (v *vetting) addProblem(kind finding.ProblemKind, message string) {
	v.problems = append(v.problems, finding.Problem{Kind: kind, Message: message, Location: finding.Location{File: v.label()}, Input: -1})
}

func (v *vetting) note(step, state, detail string) {
	v.what.Steps = append(v.what.Steps, result.VettingStep{Name: step, State: state, Detail: detail})
}

// missing records that a level could not be examined, which matters only if the depth includes it.
func (v *vetting) missing(level Depth, why string) {
	if !v.Depth.wants(level) {
		v.skipped(string(level), "--depth %s does not ask for it", v.Depth)
		return
	}
	v.notDone(string(level), why)
}

// inapplicable records a level that this kind of target lacks: the source of a server behind a URL, or of a binary. Something is
// undone only if the user named this very level.
func (v *vetting) inapplicable(level Depth, why string) {
	if v.Depth == level {
		v.notDone(string(level), why)
		return
	}
	v.skipped(string(level), "%s", why)
}

func (v *vetting) label() string {
	if v.fetched != nil && v.fetched.Label != "" {
		return v.fetched.Label
	}
	return v.target.text()
}
