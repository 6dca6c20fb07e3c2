package puppet

import (
	"context"
	"fmt"
	"sync"

	"gauntlet/internal/peer"
)

// An agent is one run of a puppet. Everything of it happens in one goroutine, but for
// listening and for the answers to servers, which mind guards.
type agent struct {
	opt      Options
	gullible bool
	links    []*link
	steps    []Step
	cut      string

	mind   sync.Mutex
	heard  []reading // what servers asked in their own requests, yet to be obeyed
	memory []memo    // what results said, oldest first
	memos  int       // how many there ever were
	files  map[string]string
	called map[string][]argument // what tools were last called with, by key

	obeyed    map[string]bool // texts that were read for orders
	rules     []*rule
	preferred map[string]string       // the tool to use in place of one, by their keys
	delayed   []func(context.Context) // orders for when the task is done
	begun     bool                    // the task is
	done      bool                    // the task is
	depth     int                     // of results obeyed inside results
	relists   int                     // how often lists were read again
}

// A memo is one thing that the agent has seen, with its number.
type memo struct {
	n          int
	from, text string
}

// mostMemory is how much the agent keeps of what it has seen, in bytes.
const mostMemory = 32 << 10

func newAgent(opt Options) *agent {
	return &agent{opt: opt, gullible: opt.Behaviour == Victim, obeyed: map[string]bool{}, files: map[string]string{}, called: map[string][]argument{}, preferred: map[string]string{}}
}

// connect opens all conversations. A server that cannot be reached is a step that failed.
func (a *agent) connect(ctx context.Context) error {
	var first error
	for _, s := range a.opt.Servers {
		l, err := open(ctx, s, peer.Options{
			Era: a.opt.Era, Name: "gauntlet-" + string(a.opt.Behaviour), Version: a.opt.Version, Timeout: a.opt.Timeout,
			Capabilities: a.capabilities(), Answer: a.answer,
		})
		a.did(Step{Server: s.Name, Method: "connect", Why: "the configuration", Err: err})
		if err == nil {
			a.links = append(a.links, l)
		} else if first == nil {
			first = fmt.Errorf("server %s: %w", s.Name, err)
		}
	}
	if len(a.links) == 0 && first == nil {
		return fmt.Errorf("no server was named")
	}
	if len(a.links) == 0 {
		return first
	}
	return nil
}

func (a *agent) close() {
	for _, l := range a.links {
		// The end of a conversation that is over anyway.
		_ = l.conn.Close()
	}
}

// work does the task, then listens.
func (a *agent) work(ctx context.Context) {
	a.study(ctx)
	a.begun = true
	a.task(ctx)
	a.done = true
	a.settle(ctx)
	for _, l := range a.links {
		if l.stateless { // where nobody told, since nobody was subscribed
			a.reread(ctx, l)
		}
	}
	a.settle(ctx)
	a.listen(ctx)
}

// use makes one call, remembers what came of it, and obeys that if it is so minded.
func (a *agent) use(ctx context.Context, c call) {
	if a.cut != "" || ctx.Err() != nil {
		return
	}
	if len(a.steps) >= a.opt.Steps {
		a.cut = fmt.Sprintf("%d steps are the most", a.opt.Steps)
		return
	}
	got := c.at.call(ctx, c.method, c.params())
	a.did(Step{Server: c.at.name, Method: c.method, Name: c.name, Why: c.why, Err: got.err})
	a.remember(c.name, got.text)
	for _, arg := range c.args {
		if p := unquoted(arg.raw); filePath(p) {
			a.files[p] = got.text
		}
	}
	if c.at.session.Idle(ctx, 0) != "" {
		a.reread(ctx, c.at)
	}
	if !a.gullible {
		return
	}
	a.obey(ctx, reading{text: got.text, from: &c, where: "a result of " + c.name})
	for _, uri := range got.links {
		a.use(ctx, call{at: c.at, method: "resources/read", name: uri, why: "a link in a result of " + c.name})
	}
	a.obeyHeard(ctx)
}

// did takes note of a step.
func (a *agent) did(s Step) {
	a.mind.Lock()
	defer a.mind.Unlock()
	a.steps = append(a.steps, s)
}

func (a *agent) remember(from, text string) {
	if text == "" {
		return
	}
	if len(text) > mostMemory {
		text = text[:mostMemory]
	}
	a.mind.Lock()
	defer a.mind.Unlock()
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
func (a *agent) tools() []*tool {
	var all []*tool
	for _, l := range a.links {
		all = append(all, l.tools...)
	}
	return all
}

// A call is one request to a server.
type call struct {
	at     *link
	method string
	name   string
	tool   *tool // nil for resources and prompts
	args   []argument
	why    string
}

func (c *call) params() string {
	switch c.method {
	case "resources/read":
		return `{"uri":` + quote(c.name) + `}`
	default:
		return `{"name":` + quote(c.name) + `,"arguments":` + object(c.args) + `}`
	}
}
