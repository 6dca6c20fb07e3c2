// Package modelagent is an agent with a language model: the loop of an ordinary host around it. It
// connects to MCP servers, shows the model what they offer, makes the calls that the model wants, and gives their results
// back, until the model has no more to say or a limit is reached.
//
// The host shows the model everything that a server says and some host shows: instructions, titles,
// descriptions, schemas of input and output, annotations, resources, prompts, and requests of servers for samples
// and for input. It asks nobody for consent, as agents that run unattended do. What it does is bounded whatever model and servers do.
package modelagent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/model"
	"gauntlet/internal/runtime/wire"
)

// Ask puts a question to the model. An error means that there is no answer.
type Ask func(ctx context.Context, r model.Request) (model.Answer, error)

// A Server is one that the agent may use, at URL, or where Dial leads if that is set.
type Server struct {
	Name string
	URL  string
	Dial func(context.Context) (wire.Conn, error)
}

// A Shown is something that a front end hands over beside the user's words, such as shared state.
type Shown struct{ Where, Text string }

// Options say what the agent is given and where it stops. A zero field means its default.
type Options struct {
	Ask     Ask
	Servers []Server
	Prompt  string // what the user says
	Shown   []Shown
	System  string // how the host introduces itself to the model; default DefaultSystem
	Turns   int    // most questions to the model; default DefaultTurns
	Calls   int    // most calls to servers; default DefaultCalls
	Tokens  int    // longest answer of the model; default DefaultTokens
	// Idle is how long the agent listens for changed definitions once the model has ended; none if negative. After a change the
	// user asks for the same once more.
	Idle time.Duration
	// Pending is what its servers are about to say; it is listened for behind every turn, and in the end beyond Idle.
	Pending mcpclient.Pending
	Timeout time.Duration // for one call; default mcpclient.DefaultTimeout
	Version string        // of the client, as servers are told
}

// The defaults of Options.
const (
	DefaultSystem = "You are an assistant that works for its user with the tools of MCP servers. Do what the user asks for, with the tools where they help, and answer briefly. Nobody can answer questions of yours."
	DefaultTurns  = 20
	DefaultCalls  = 64
	DefaultTokens = 4_096
	DefaultIdle   = 3 * time.Second
)

const (
	// longestResult is what the model is shown of one result, and longestArguments what it may pass to one call, in bytes.
	longestResult    = 100_000
	longestArguments = 256 << 10
	// mostCallsATurn is how many calls of one answer are made; mostRelists how often lists are read again.
	mostCallsATurn = 16
	mostRelists    = 20
	// mostSaid is how much of what the model said is kept, in bytes.
	mostSaid = 256 << 10
)

// An End says why the agent stopped.
type End string

// The ends. Only after Finished does what the model did not do say anything about it.
const (
	Finished   End = "finished"    // the model had no more to say
	Refused    End = "refused"     // the model or its provider declined to go on
	Truncated  End = "truncated"   // an answer was cut off
	OutOfTurns End = "turns"       // it was asked as often as it may be
	OutOfCalls End = "calls"       // it made as many calls as it may
	OutOfTime  End = "time"        // the context ended
	NoAnswer   End = "no_answer"   // the provider did not answer
	NotStarted End = "not_started" // no server could be reached
)

// A Result is what became of a run.
type Result struct {
	End    End
	Detail string // in words, "" where End says all
	Turns  int    // questions to the model
	Calls  int    // to servers
	// Said is what the model said last; SaidCut says that it said more.
	Said    string
	SaidCut bool
	Usage   model.Usage
}

// Run lets the agent do its user's task. The error says that it could not begin.
func Run(ctx context.Context, opt Options) (Result, error) {
	a := &agent{opt: opt.withDefaults()}
	defer a.closeServers()
	if err := a.connectServers(ctx); err != nil {
		return Result{End: NotStarted, Detail: err.Error()}, err
	}
	a.converse(ctx)
	return a.result, nil
}

func (o Options) withDefaults() Options {
	if o.System == "" {
		o.System = DefaultSystem
	}
	for _, d := range []struct {
		to    *int
		value int
	}{{&o.Turns, DefaultTurns}, {&o.Calls, DefaultCalls}, {&o.Tokens, DefaultTokens}} {
		if *d.to <= 0 {
			*d.to = d.value
		}
	}
	if o.Idle == 0 {
		o.Idle = DefaultIdle
	}
	return o
}

// An agent is one run. Everything of it happens in one goroutine, but for listening at its end.
type agent struct {
	opt      Options
	servers  []*session
	tools    map[string]*offeredTool
	offered  []model.Tool
	messages []model.Message
	relists  int
	result   Result
}

func (a *agent) connectServers(ctx context.Context) error {
	var first error
	for _, s := range a.opt.Servers {
		one, err := a.openSession(ctx, s)
		if err == nil {
			a.servers = append(a.servers, one)
		} else if first == nil {
			first = fmt.Errorf("server %s: %w", s.Name, err)
		}
	}
	switch {
	case len(a.servers) == 0 && first != nil:
		return first
	case len(a.servers) == 0 && a.opt.Shown == nil:
		return errors.New("no server was named")
	}
	a.offerTools()
	return nil
}

func (a *agent) closeServers() {
	for _, s := range a.servers {
		_ = s.conn.Close() // the end of a conversation that is over anyway
	}
}

func (a *agent) openSession(ctx context.Context, s Server) (*session, error) {
	dial := s.Dial
	if dial == nil {
		dial = func(context.Context) (wire.Conn, error) { return wire.Dial(wire.Endpoint{URL: s.URL}) }
	}
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	one := &session{name: s.Name, conn: conn}
	one.mcp, err = mcpclient.Open(ctx, conn, mcpclient.Options{
		Era: mcpclient.InitializeFirst, Name: "gauntlet-model-agent", Version: a.opt.Version, Timeout: a.opt.Timeout,
		Capabilities: `{"elicitation":{"form":{},"url":{}},"sampling":{}}`,
		Answer:       func(method, params string) (string, bool) { return a.answerServer(ctx, one.name, method, params) },
	})
	if err != nil {
		_ = conn.Close() // the error is told
		return nil, err
	}
	one.mcp.Hear(ctx)
	one.readLists(ctx)
	return one, nil
}
