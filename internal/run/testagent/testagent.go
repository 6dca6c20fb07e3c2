// Package testagent starts the agent under test, a user's command or a built-in agent without a model, and says how it ended.
package testagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gauntlet/internal/leaf/planted"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/agent"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/internal/runtime/simagent"
	"gauntlet/internal/runtime/wire"
)

// Options select and configure the agent under test.
type Options struct {
	// Agent is a command in which {config} and {prompt} stand for an mcp.json and the user's text, or builtin:victim,
	// builtin:resister or "builtin:script FILE". OfModel creates agents with a model.
	Agent     string
	Transport string        // transport in its mcp.json: "http" or "stdio"
	Limit     time.Duration // time limit per document
	Idle      time.Duration // how long a built-in agent listens after its work
	Environ   []string      // this program's; a command gets all of it
	Env       []string      // NAME=VALUE for a command, in addition; hidden in reports
	Version   string        // this program's
	// ModelURL and Model are for presets; "" for the preset's defaults.
	ModelURL, Model string
	// NoOwnTools says that a command has only the servers' tools.
	NoOwnTools bool
}

// An Agent can be started once per document.
type Agent struct {
	// Start runs the agent until it ends.
	Start func(ctx context.Context, servers []Server, task Task) Outcome
	// OwnTools says that it may have tools of its own, with which it reads the files of a task.
	OwnTools bool
	// Program is the program that it starts, "" for an agent in this process. ModelKnown says that the address of its model is, and
	// NeedsLogin that it uses the login in the user's home.
	Program                string
	ModelKnown, NeedsLogin bool
	// Converse runs it on an AG-UI front end's input and returns its answer to the user; nil if this in-process agent has no AG-UI.
	Converse func(ctx context.Context, servers []Server, task mcpclient.Task) (string, Outcome)
}

// A Task is what an agent starts with: the user's words, the files in its working directory, and its sandbox.
type Task struct {
	Prompt string
	Files  []planted.File
	Seal   agent.Seal // makes the sandbox of a program; nil for none
}

// A Server is a server for the agent.
type Server struct {
	Name, URL string
	Stdio     func(ctx context.Context, in io.Reader, out io.Writer) error
	Agent     bool // an A2A agent instead of an MCP server
	// Dial connects in-process agents instead of URL; may be nil.
	Dial    func(context.Context) (wire.Conn, error)
	Pending mcpclient.Pending // what the server is about to send
}

// An Outcome is how an agent ended.
type Outcome struct {
	Ended    string // in words
	Trouble  error  // why nothing can be concluded; nil if something can
	Scripted bool   // it followed a script
	Stderr   string // the end of its standard error, if that explains something
	Command  bool   // it is a user's program
	Crashed  bool   // it failed by itself: a program with a status, or a model whose provider failed after calls
	// Answer is its answer to the user, or ""; AnswerCut says that it was cut.
	Answer    string
	AnswerCut bool
	// ModelSpoke says that Answer is what a model said: it comes from a model's answers or from an agent's events. What a program prints
	// may be a banner.
	ModelSpoke bool
	// Calls are uses of its own tools, from its events. Observed says that everything it did is known: its event stream is
	// complete, or it has no tools of its own.
	Calls    []agent.LocalCall
	Observed bool
	// Model is a model's result; nil for other agents.
	Model *modelagent.Result
}

// Failure is why an agent did not finish, nil if it did.
func (o *Outcome) Failure() error {
	if o.Trouble == nil && o.Crashed {
		return errors.New(o.Ended)
	}
	return o.Trouble
}

// New resolves Options.Agent. It starts nothing.
func New(opt Options) (*Agent, error) {
	name, builtin := strings.CutPrefix(opt.Agent, "builtin:")
	if !builtin {
		return newCommand(opt)
	}
	sim := simagent.Options{Idle: opt.Idle, Version: opt.Version}
	word, rest, _ := strings.Cut(name, " ")
	switch sim.Behaviour = simagent.Behaviour(word); sim.Behaviour {
	case simagent.Victim, simagent.Resister:
		if rest != "" {
			return nil, fmt.Errorf("builtin:%s takes nothing behind it", word)
		}
	case simagent.Scripted:
		text, err := userfile.ReadText(strings.TrimSpace(rest), nil, 1<<20)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rest, userfile.Reason(err))
		}
		if sim.Script, err = simagent.ReadScript(text); err != nil {
			return nil, fmt.Errorf("%s: %w", rest, err)
		}
	default:
		return nil, fmt.Errorf("there is no builtin agent %q: want victim, resister or script with a file", word)
	}
	return ofSimulated(sim, opt.Limit), nil
}

// ofSimulated returns a simulated agent with a time limit. What a script does does not depend on what it is told, so it has no
// AG-UI.
func ofSimulated(sim simagent.Options, limit time.Duration) *Agent {
	out := inProcess(limit, func(ctx context.Context, task mcpclient.Task) Outcome {
		run := sim
		run.Task = task
		return builtinOutcome(simagent.Run(ctx, run))
	})
	if sim.Behaviour == simagent.Scripted {
		out.Converse = nil
	}
	return out
}

func inProcess(limit time.Duration, run func(ctx context.Context, task mcpclient.Task) Outcome) *Agent {
	work := func(ctx context.Context, task mcpclient.Task, servers []Server) Outcome {
		for _, s := range servers {
			task.Servers = append(task.Servers, mcpclient.Server{Name: s.Name, URL: s.URL, Dial: s.dialer()})
			if s.Pending.Settled != nil {
				task.Pending = s.Pending
			}
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return run(ctx, task)
	}
	return &Agent{
		Start: func(ctx context.Context, servers []Server, task Task) Outcome {
			return work(ctx, mcpclient.Task{Prompt: task.Prompt}, servers)
		},
		Converse: func(ctx context.Context, servers []Server, task mcpclient.Task) (string, Outcome) {
			out := work(ctx, task, servers)
			return out.Answer, out
		},
	}
}

// dialer returns the server's dialer, nil if it speaks MCP at its URL.
func (s *Server) dialer() func(context.Context) (wire.Conn, error) {
	if s.Dial == nil && s.Agent {
		return func(context.Context) (wire.Conn, error) { return connectSkills(s.URL) }
	}
	return s.Dial
}

func builtinOutcome(r simagent.Result, err error) Outcome {
	out := Outcome{Ended: "the agent is done", Scripted: r.Scripted, Answer: r.Answer}
	if r.Cut != "" {
		out.Ended = "the agent stopped before it was done: " + r.Cut
	}
	if err != nil {
		out.Ended, out.Trouble = "the agent never connected", errors.New("the agent never connected: "+err.Error())
	}
	return out
}
