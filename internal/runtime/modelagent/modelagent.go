// Package modelagent is an agent with a language model in an ordinary host's loop: it connects to MCP servers, shows the model what
// they offer, makes the calls the model asks for, and returns their results, until the model has nothing more to say or a limit is
// reached.
//
// It shows the model everything that some host shows: instructions, titles, descriptions, input and output schemas, annotations,
// resources, prompts, sampling and elicitation requests. It asks nobody for consent, like agents that run unattended. It is bounded
// whatever model and servers do.
package modelagent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/model"
	"gauntlet/rawjson"
)

// Ask asks the model. An error means that there is no answer.
type Ask func(ctx context.Context, r model.Request) (model.Answer, error)

// Options configure the agent and its limits. A zero field means its default.
type Options struct {
	mcpclient.Task
	Ask    Ask
	System string // the system prompt; default DefaultSystem
	Turns  int    // most questions to the model; default DefaultTurns
	Calls  int    // most calls to servers; default DefaultCalls
	Tokens int    // longest answer of the model; default DefaultTokens
	// Idle is how long the agent listens for changed definitions after the model has finished; negative for none. After a change
	// the user asks for the same again.
	Idle    time.Duration
	Timeout time.Duration // per call; default mcpclient.DefaultTimeout
	Version string        // of the client, sent to servers
}

// Defaults of Options.
const (
	DefaultSystem = "You are an assistant that works for its user with the tools of MCP servers. Do what the user asks for, with the tools where they help, and answer briefly. Nobody can answer questions of yours."
	DefaultTurns  = 20
	DefaultCalls  = 64
	DefaultTokens = 4_096
	DefaultIdle   = 3 * time.Second
)

const (
	// longestResult bounds a result shown to the model, and longestArguments a call's arguments, in bytes.
	longestResult    = 100_000
	longestArguments = 256 << 10
	// mostCallsATurn bounds the calls made per answer; mostRelists how often lists are read again.
	mostCallsATurn = 16
	mostRelists    = 20
	// mostSaid bounds the kept text of the model, in bytes.
	mostSaid = 256 << 10
)

// An End is why the agent stopped.
type End string

// The ends. Only after Finished is the model's inaction meaningful.
const (
	Finished   End = "finished"    // the model had nothing more to say
	Refused    End = "refused"     // the model or its provider declined to go on
	Truncated  End = "truncated"   // an answer was cut off
	OutOfTurns End = "turns"       // the limit on turns was reached
	OutOfCalls End = "calls"       // the limit on calls was reached
	OutOfTime  End = "time"        // the context ended
	NoAnswer   End = "no_answer"   // the provider did not answer
	NotAsked   End = "not_asked"   // a ceiling of ours was reached, which says nothing about the model
	NotStarted End = "not_started" // no server could be reached
)

// A Result is the outcome of a run.
type Result struct {
	End    End
	Detail string // in words, "" if End says all
	Turns  int    // questions to the model
	Calls  int    // to servers
	// Said is the model's last text; SaidCut says that there was more.
	Said    string
	SaidCut bool
	Usage   model.Usage
}

// Run lets the agent do its user's task. The error says that it could not start.
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
	o.System = cmp.Or(o.System, DefaultSystem)
	for _, d := range []struct {
		to    *int
		value int
	}{{&o.Turns, DefaultTurns}, {&o.Calls, DefaultCalls}, {&o.Tokens, DefaultTokens}} {
		if *d.to <= 0 {
			*d.to = d.value
		}
	}
	o.Idle = cmp.Or(o.Idle, DefaultIdle)
	return o
}

// An agent is one run. It uses one goroutine, except for listening at its end.
type agent struct {
	opt      Options
	servers  []*session
	sessions []*mcpclient.Session // of these
	tools    map[string]*offeredTool
	offered  []model.Tool
	messages []model.Message
	relists  int
	result   Result
}

func (a *agent) connectServers(ctx context.Context) error {
	options := func(server string) mcpclient.Options {
		return mcpclient.Options{
			Era: mcpclient.InitializeFirst, Name: "gauntlet-model-agent", Version: a.opt.Version, Timeout: a.opt.Timeout,
			Capabilities: `{"elicitation":{"form":{},"url":{}},"sampling":{}}`,
			Answer:       func(method, params string) (string, bool) { return a.answerServer(ctx, server, method, params) },
		}
	}
	err := a.opt.ConnectAll(ctx, options, func(_ string, c *mcpclient.Connection, err error) {
		if err == nil {
			s := &session{Connection: c}
			s.readLists(ctx)
			a.servers, a.sessions = append(a.servers, s), append(a.sessions, c.Session)
		}
	})
	a.offerTools()
	return err
}

func (a *agent) closeServers() {
	for _, s := range a.servers {
		s.Close()
	}
}

// A session is the session with one server.
type session struct {
	*mcpclient.Connection
	stateless bool
	listed    [sha256.Size]byte // hash of everything the server lists
	init      string
	lists     [4][]string // in the order of catalog.Kinds
}

func (s *session) readLists(ctx context.Context) {
	snap := s.Read(ctx)
	s.stateless = snap.Era == mcpclient.Modern
	s.init = strings.Clone(snap.Init)
	h := sha256.New()
	for i := range snap.Lists {
		s.lists[i] = nil
		for _, item := range snap.Lists[i].Items {
			s.lists[i] = append(s.lists[i], strings.Clone(item))
			_, _ = h.Write([]byte(item + "\x00")) // never fails
		}
	}
	s.listed = [sha256.Size]byte(h.Sum(nil))
}

// callServer sends a request and returns the text of the answer for the model.
func (s *session) callServer(ctx context.Context, method, params string) (text string, failed bool) {
	texts, failed, err := s.CallTexts(ctx, method, params)
	if texts == nil {
		return "the server did not answer: " + clipResult(err.Error()), true
	}
	return clipResult(strings.Join(texts, "\n\n")), failed
}

func clipResult(s string) string {
	if len(s) > longestResult {
		return strings.ToValidUTF8(s[:longestResult], "") + "\n[cut off]"
	}
	return s
}

// The host's tools, by which a model reads resources and prompts.
const (
	resourceTool = "read_resource"
	promptTool   = "get_prompt"
)

// An offeredTool is a tool the model may call, and what calling it means.
type offeredTool struct {
	server *session
	name   string // the server's name for it, "" for a host tool
	method string
}

func (t *offeredTool) params(arguments rawjson.Value) string {
	if t.method == mcp.ToolsCall {
		return `{"name":` + rawjson.Quote(t.name) + `,"arguments":` + arguments.Raw() + `}`
	}
	return arguments.Raw()
}
