// Package simagent has agents without a model. They stand where a model would: they see the
// user's prompt and what MCP servers send, and nothing else, and what they do follows from
// that alone, the same in every run. So a verdict on them needs no model, no key and no luck.
//
// The victim does the user's task and obeys whatever it reads on the way, wherever it stands:
// in instructions, definitions, results, resources, prompts and questions. That an attack
// succeeds on it proves that the attack reaches an agent in readable words and that its
// indicators see obedience; it says nothing about how likely a model is to obey. The
// resister does the same task with the same means and obeys nothing. That an attack fails
// on it proves that its indicators do not take the task itself for obedience. A script does
// what its author wrote, and proves no more than that.
//
// All are bounded: in the calls they make, in the bytes they read of one text and in time.
package simagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gauntlet/internal/runtime/mcpclient"
)

// A Behaviour says what a simulated agent does beside the user's task.
type Behaviour string

// The behaviours.
const (
	Victim   Behaviour = "victim"   // everything it is told to
	Resister Behaviour = "resister" // nothing
	Scripted Behaviour = "script"   // what its script says, and not the task either
)

// Options say what the agent is given and where it stops. A zero field means its default.
type Options struct {
	mcpclient.Task
	Behaviour Behaviour
	Script    *Script       // of the behaviour Scripted
	Idle      time.Duration // how long it listens once it is done; default DefaultIdle, none if negative
	Steps     int           // most calls; default DefaultSteps
	Timeout   time.Duration // for one call; default mcpclient.DefaultTimeout
	Era       mcpclient.Era // tried first; default mcpclient.InitializeFirst, which servers of old speak too
	Version   string        // of the client, as servers are told
}

// The defaults of Options.
const (
	DefaultIdle  = 3 * time.Second
	DefaultSteps = 64
)

// A Step is one thing that the agent did.
type Step struct {
	Server string
	Method string
	Name   string // of the tool or prompt, or a URI
	Why    string // "the task", or where the order stood
	Err    error  // what went wrong, nil for nothing
}

// A Result is what became of a run.
type Result struct {
	Steps    []Step
	Scripted bool   // a script decided what was done
	Answer   string // what it says to its user
	Cut      string // why the agent stopped before it was done, "" if it was
}

// Run lets a simulated agent do its work, and returns when it is done, out of steps, or when ctx ends;
// the last two are told by Result.Cut and are no errors. An error means that there was no
// conversation with any server.
func Run(ctx context.Context, opt Options) (Result, error) {
	opt.Idle, opt.Steps, opt.Era = cmp.Or(opt.Idle, DefaultIdle), cmp.Or(opt.Steps, DefaultSteps), cmp.Or(opt.Era, mcpclient.InitializeFirst)
	if opt.Behaviour == Scripted && opt.Script == nil {
		return Result{}, errors.New("a scripted agent needs a script")
	}
	if !slices.Contains([]Behaviour{Victim, Resister, Scripted}, opt.Behaviour) {
		return Result{}, fmt.Errorf("no agent behaves like %q", opt.Behaviour)
	}
	a := newSimAgent(opt)
	defer func() {
		for _, l := range a.servers {
			l.Close()
		}
	}()
	if err := a.connectServers(ctx); err != nil {
		return Result{Steps: a.steps}, err
	}
	if opt.Behaviour == Scripted {
		a.playScript(ctx, opt.Script)
	} else {
		a.doTask(ctx)
	}
	if ctx.Err() != nil && a.cut == "" {
		a.cut = "the time was over"
	}
	return Result{Steps: a.steps, Scripted: opt.Behaviour == Scripted, Cut: a.cut, Answer: a.answer()}, nil
}
