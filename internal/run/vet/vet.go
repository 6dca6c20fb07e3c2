// Package vet looks at packages and servers before they are installed: it gets them without running anything
// of them, reads what is known of them and their source, starts them in a sandbox, reads and probes them,
// and says in one line what that comes to.
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
	"gauntlet/internal/runtime/fetch"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// A Depth is how far a vetting goes. Each includes those before it.
type Depth string

// The depths. The zero Depth asks for all that the kind of target has.
const (
	Definitions Depth = "definitions" // what the server says of itself
	Source      Depth = "source"      // what its source does with what its caller sends
	Behaviour   Depth = "behaviour"   // what it does when it is called
)

// Depths are the names that ParseDepth takes.
func Depths() []string { return []string{string(Definitions), string(Source), string(Behaviour)} }

// ParseDepth reads the value of a flag.
func ParseDepth(text string) (Depth, error) {
	if !slices.Contains(Depths(), text) {
		return "", fmt.Errorf("%q is unknown: want definitions, source or behaviour", text)
	}
	return Depth(text), nil
}

// wants reports whether a depth includes another one.
func (d Depth) wants(level Depth) bool {
	return d == "" || slices.Index(Depths(), string(d)) >= slices.Index(Depths(), string(level))
}

// Progress is told what slow work is at.
type Progress interface {
	Step(format string, args ...any)
	Count(through, more int)
	ResetCount()
	Watcher() func([]finding.Finding) // takes the findings that come before the report; nil where nobody watches
}

// Options say how to vet.
type Options struct {
	Fetcher  fetch.Fetcher // its Environ is ours, its Progress is set here
	Depth    Depth
	Version  string // ours, which servers are told
	Limits   catalog.Limits
	Progress Progress

	// Connect lets servers behind a URL of a configuration be reached with what the configuration gives them, and those
	// behind a URL that a registry names.
	Connect bool
	Allow   []string // hosts that the sandbox lets it reach

	Timeout time.Duration // longest wait for one answer
	Total   time.Duration // longest time for all that is asked of one server
	Calls   int           // most that a probe makes
	Budget  time.Duration // longest time for all of them
	Call    time.Duration // longest wait for the answer to one call of a probe
	Replay  string        // the fingerprint of the only finding that is to be probed again; "" for all
	// Again is the command line for that of one target, see probe.Evidence.
	Again func(target string) string

	// Advisories is an export of advisories in the OSV format: a directory, a file or an address; "" for none.
	Advisories string
	// Sandboxed says whether servers can be started sealed off here, nil for yes. The default asks the system.
	Sandboxed func() error
}

// A Target is one thing to vet: what a spec names, or a server of a configuration.
type Target struct {
	Spec   fetch.Spec
	Server *launch.Server // of a configuration: it is started or reached as it stands there; nil for none
	Name   string         // what the user calls it: the entry of a configuration; "" for what Spec says
	Args   []string       // further arguments of the server
	Env    []string       // variables of the server, as NAME=VALUE
	Guard  []string       // what reports hide of them, as NAME=VALUE
	// Older is the version that the user has now, to compare with; nil for none.
	Older *fetch.Spec
}

// Named are the targets that names stand for, in the forms of [fetch.Forms]. With compare there are two names, of the version
// that the user has and of a newer one, which is the target.
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

// AddStart gives the server further arguments, and variables as NAME=VALUE, which reports hide.
func (t *Target) AddStart(args, env []string) {
	t.Args, t.Env, t.Guard = append(t.Args, args...), append(t.Env, env...), append(t.Guard, env...)
}

// text is what reports call the target.
func (t *Target) text() string {
	switch {
	case t.Server != nil:
		return t.Name
	case t.Name != "":
		return t.Name + " (" + t.Spec.Text + ")"
	}
	return t.Spec.Text
}

// Run vets targets one after the other into one report. An error says that it was interrupted, or that nothing
// could be begun; what goes wrong with a target is in the report.
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

// A vetting is one target on its way.
type vetting struct {
	Options
	target *Target

	fetched *fetch.Fetched // nil for a server of a configuration
	start   *fetch.Start
	server  *launch.Server // what is started or connected to; nil for nothing
	what    result.Vetting
	read    reading

	problems []finding.Problem
}

func (v *vetting) close() {
	if v.fetched != nil {
		v.fetched.Close()
	}
	v.read.close()
}

func (v *vetting) done(step, format string, args ...any) {
	v.note(step, result.StepDone, fmt.Sprintf(format, args...))
}

// skipped notes a step that nobody asked for, or that this kind of target has nothing of.
func (v *vetting) skipped(step, format string, args ...any) {
	v.note(step, result.StepSkipped, fmt.Sprintf(format, args...))
}

// notDone notes a step that was asked for and could not be tried.
func (v *vetting) notDone(step, why string) {
	v.note(step, result.StepNotDone, why)
	v.addProblem(finding.Unread, step+": "+why)
}

// failed notes a step that was tried and did not work.
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

// missing notes that a level could not be looked at, which matters only where the depth asks for it.
func (v *vetting) missing(level Depth, why string) {
	if !v.Depth.wants(level) {
		v.skipped(string(level), "--depth %s does not ask for it", v.Depth)
		return
	}
	v.notDone(string(level), why)
}

// inapplicable notes a level that this kind of target does not have: the source of a server behind a URL, or of a
// program that comes as machine code. That leaves something undone only where the user named this very level.
func (v *vetting) inapplicable(level Depth, why string) {
	if v.Depth == level {
		v.notDone(string(level), why)
		return
	}
	v.skipped(string(level), "%s", why)
}

// label is what findings call the package.
func (v *vetting) label() string {
	if v.fetched != nil && v.fetched.Label != "" {
		return v.fetched.Label
	}
	return v.target.text()
}
