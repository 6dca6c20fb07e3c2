package simagent

import (
	"context"
	"fmt"
	"sync"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/rawjson"
)

// A simAgent is one run of a simulated agent. Everything of it happens in one goroutine, but for
// listening and for the answers to servers, which mu guards.
type simAgent struct {
	opt      Options
	obedient bool
	servers  []*serverSession
	steps    []Step
	cut      string

	mu     sync.Mutex
	toObey []shownText // what servers asked in their own requests, yet to be obeyed
	memory []memo      // what results said, oldest first
	memos  int         // how many there ever were
	files  map[string]string
	called map[string][]argument // what tools were last called with, by key

	obeyed    map[string]bool // texts that were read for orders
	rules     []*paramRule
	preferred map[string]string       // the tool to use in place of one, by their keys
	delayed   []func(context.Context) // orders for when the task is done
	told      []string                // what orders want said to the user
	begun     bool                    // the task is
	done      bool                    // the task is
	depth     int                     // of results obeyed inside results
	relists   int                     // how often lists were read again
	gathered  bool                    // secrets were, see gatherSecrets
}

// A memo is one thing that the agent has seen, with its number.
type memo struct {
	n          int
	from, text string
}

// mostMemory is how much the agent keeps of what it has seen, in bytes.
const mostMemory = 32 << 10

func newSimAgent(opt Options) *simAgent {
	return &simAgent{opt: opt, obedient: opt.Behaviour == Victim, obeyed: map[string]bool{}, files: map[string]string{}, called: map[string][]argument{}, preferred: map[string]string{}}
}

// connectServers opens all conversations. A server that cannot be reached is a step that failed.
func (a *simAgent) connectServers(ctx context.Context) error {
	var first error
	for _, s := range a.opt.Servers {
		l, err := openServer(ctx, s, mcpclient.Options{
			Era: a.opt.Era, Name: "gauntlet-" + string(a.opt.Behaviour), Version: a.opt.Version, Timeout: a.opt.Timeout,
			Capabilities: a.capabilities(), Answer: a.answerServer,
		})
		a.recordStep(Step{Server: s.Name, Method: "connect", Why: "the configuration", Err: err})
		if err == nil {
			a.servers = append(a.servers, l)
		} else if first == nil {
			first = fmt.Errorf("server %s: %w", s.Name, err)
		}
	}
	if len(a.servers) == 0 && first == nil && a.opt.Shown == nil {
		return fmt.Errorf("no server was named")
	}
	if len(a.servers) == 0 {
		return first // nil for an agent that has a conversation and no servers
	}
	return nil
}

func (a *simAgent) closeServers() {
	for _, l := range a.servers {
		// The end of a conversation that is over anyway.
		_ = l.conn.Close()
	}
}

// doTask does the task, then listens.
func (a *simAgent) doTask(ctx context.Context) {
	a.studyServers(ctx)
	a.readConversation(ctx)
	a.begun = true
	a.runPrompt(ctx)
	a.tryTools(ctx)
	a.done = true
	a.runDelayed(ctx)
	for _, l := range a.servers { // as hosts do when the next task begins: a server may have changed without a word
		a.rereadServer(ctx, l)
	}
	a.runDelayed(ctx)
	a.listenUntilIdle(ctx)
}

// makeCall makes one call, remembers what came of it, and obeys that if it is so minded.
func (a *simAgent) makeCall(ctx context.Context, c toolCall) {
	if a.cut != "" || ctx.Err() != nil {
		return
	}
	if len(a.steps) >= a.opt.Steps {
		a.cut = fmt.Sprintf("%d steps are the most", a.opt.Steps)
		return
	}
	got := c.server.callServer(ctx, c.method, c.callParams())
	a.recordStep(Step{Server: c.server.name, Method: c.method, Name: c.name, Why: c.why, Err: got.err})
	if c.method == mcp.ToolsCall && a.opt.Called != nil {
		a.opt.Called(c.server.name, c.name, argumentsJSON(c.args), got.text)
	}
	a.remember(c.name, got.text)
	for _, arg := range c.args {
		if p := unquoteOrEmpty(arg.raw); filePath.MatchString(p) {
			a.files[p] = got.text
		}
	}
	a.hearPending(ctx)
	if !a.obedient {
		return
	}
	a.obeyText(ctx, shownText{text: got.text, from: &c, where: "a result of " + c.name})
	for _, uri := range got.links {
		a.makeCall(ctx, toolCall{server: c.server, method: mcp.ResourcesRead, name: uri, why: "a link in a result of " + c.name})
	}
	a.obeyQueued(ctx)
}

// recordStep takes note of a step.
func (a *simAgent) recordStep(s Step) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steps = append(a.steps, s)
}

func (a *simAgent) remember(from, text string) {
	if text == "" {
		return
	}
	text = excerpt.Head(text, mostMemory)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.memory = append(a.memory, memo{a.memos, from, text})
	a.memos++
	size := 0
	for i := len(a.memory) - 1; i >= 0; i-- {
		if size += len(a.memory[i].text); size > mostMemory {
			a.memory = a.memory[i+1:]
			return
		}
	}
}

// tools returns the tools of all servers.
func (a *simAgent) tools() []*tool {
	var all []*tool
	for _, l := range a.servers {
		all = append(all, l.tools...)
	}
	return all
}

// A toolCall is one request to a server.
type toolCall struct {
	server *serverSession
	method string
	name   string
	tool   *tool // nil for resources and prompts
	args   []argument
	why    string
}

func (c *toolCall) callParams() string {
	switch c.method {
	case mcp.ResourcesRead:
		return `{"uri":` + rawjson.Quote(c.name) + `}`
	default:
		return `{"name":` + rawjson.Quote(c.name) + `,"arguments":` + argumentsJSON(c.args) + `}`
	}
}
