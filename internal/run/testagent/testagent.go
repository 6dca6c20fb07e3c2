// Package testagent starts the agent under test, be it a command of the user's or one of the
// agents without a model, and says how it ended.
package testagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/agent"
	"gauntlet/internal/runtime/aguiagent"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/internal/runtime/simagent"
	"gauntlet/internal/runtime/wire"
)

// Options say which agent is tested, and how.
type Options struct {
	// Agent is a command in which {config} and {prompt} stand for an mcp.json and for what the
	// user says, or builtin:victim, builtin:resister or "builtin:script FILE". A model is made by OfModel.
	Agent     string
	Transport string        // how its mcp.json has it reach servers: "http" or "stdio"
	Limit     time.Duration // longest time that it may take for one document
	Idle      time.Duration // how long a builtin agent listens once its work is done
	Environ   []string      // ours, of which a command gets everything
	Env       []string      // NAME=VALUE for a command, beside Environ; hidden in what is said of it
	Version   string        // ours
	// ModelURL and Model are those of an agent that is known by name, "" for what it would take itself.
	ModelURL, Model string
	// NoOwnTools says that a command has no tools but those of the servers.
	NoOwnTools bool
}

// An Agent can be started once for each document.
type Agent struct {
	// Start lets the agent work, and returns when it has ended.
	Start func(ctx context.Context, servers []Server, prompt string) Outcome
	// Converse lets it work upon what a front end of AG-UI begins a run with, and returns what it says to its user; nil
	// for an agent that has no such door in this process.
	Converse func(ctx context.Context, servers []Server, c aguiagent.Conversation) (string, Outcome)
}

// A Server is where the agent finds one server.
type Server struct {
	Name, URL string
	Stdio     func(ctx context.Context, in io.Reader, out io.Writer) error
	Agent     bool // it is no MCP server but an agent that speaks A2A
	// Dial reaches it for agents in this process, in place of URL; nil for URL.
	Dial    func(context.Context) (wire.Conn, error)
	Pending mcpclient.Pending // what the server is about to say
}

// An Outcome says how an agent ended.
type Outcome struct {
	Ended    string // in words
	Trouble  error  // why nothing can be said of it; nil if something can
	Scripted bool   // it did what a script says
	Stderr   string // the end of what it wrote to standard error, where that explains something
	Command  bool   // it is a program of the user's
	Crashed  bool   // that ended by itself and badly
	// Answer is what it said to its user, "" for nothing; AnswerCut says that it was longer than is kept.
	Answer    string
	AnswerCut bool
	// Calls are what it did with its own hands, as its events say. Observed says that all it did is known: by a whole stream of
	// events, or since it has no tools of its own.
	Calls    []agent.LocalCall
	Observed bool
	// Model is what became of a model; nil for other agents.
	Model *modelagent.Result
}

// New finds out what Options.Agent stands for. It starts nothing.
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

// ofSimulated makes an agent of a simulated one, which takes limit at most. What a script does follows from
// nothing that it is told, so it has no front door.
func ofSimulated(sim simagent.Options, limit time.Duration) *Agent {
	work := func(ctx context.Context, run simagent.Options, servers []Server) (simagent.Result, error) {
		for _, s := range servers {
			run.Servers = append(run.Servers, simServer(ctx, s))
			if s.Pending.Settled != nil {
				run.Pending = s.Pending
			}
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return simagent.Run(ctx, run)
	}
	out := &Agent{Start: func(ctx context.Context, servers []Server, prompt string) Outcome {
		run := sim
		run.Prompt = prompt
		return builtinOutcome(work(ctx, run, servers))
	}}
	if sim.Behaviour != simagent.Scripted {
		out.Converse = func(ctx context.Context, servers []Server, c aguiagent.Conversation) (string, Outcome) {
			run := sim
			run.Prompt, run.Called, run.Shown = c.Prompt, c.Called, []simagent.Shown{}
			for _, s := range c.Shown {
				run.Shown = append(run.Shown, simagent.Shown(s))
			}
			if c.Tools != nil {
				run.Servers = append(run.Servers, simagent.Server{Name: c.FrontEnd(), Dial: c.Tools})
			}
			r, err := work(ctx, run, servers)
			return r.Answer, builtinOutcome(r, err)
		}
	}
	return out
}

func simServer(ctx context.Context, s Server) simagent.Server {
	out := simagent.Server{Name: s.Name, URL: s.URL}
	if dial := s.dialer(); dial != nil {
		out.Dial = func() (wire.Conn, error) { return dial(ctx) }
	}
	return out
}

// dialer reaches the server, nil for what speaks MCP at its URL.
func (s *Server) dialer() func(context.Context) (wire.Conn, error) {
	if s.Dial == nil && s.Agent {
		return func(context.Context) (wire.Conn, error) { return connectSkills(s.URL) }
	}
	return s.Dial
}

// builtinOutcome says how a builtin agent ended.
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
