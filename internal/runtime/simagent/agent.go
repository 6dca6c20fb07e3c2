package simagent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/mcpclient"
)

// A simAgent is one run of a simulated agent. Everything of it happens in one goroutine, but for the answers to servers, which mu
// guards.
type simAgent struct {
	opt      Options
	obedient bool
	servers  []*serverSession
	sessions []*mcpclient.Session // of these
	steps    []Step
	cut      string

	mu     sync.Mutex
	toObey []shownText // what servers asked in their own requests, yet to be obeyed
	memory []string    // what the agent has read, oldest first

	called    map[string][]argument // what tools were last called with, by key
	obeyed    map[string]bool       // orders that were carried out
	rules     []*rule
	preferred map[string]string // the tool to use in place of one, by their keys
	told      []string          // what orders want said to the user
	done      bool              // the task is
	depth     int               // of results obeyed inside results
	relists   int               // how often lists were read again
	gathered  bool              // secrets were, see gatherSecrets
}

const (
	// mostMemory is how much of one text, and of all of them, the agent passes on, in bytes.
	mostMemory = 32 << 10
	// mostRelists is how often the lists of servers are read again.
	mostRelists = 20
)

func newSimAgent(opt Options) *simAgent {
	return &simAgent{opt: opt, obedient: opt.Behaviour == Victim, obeyed: map[string]bool{}, called: map[string][]argument{}, preferred: map[string]string{}}
}

// connectServers opens all conversations. A server that cannot be reached is a step that failed.
func (a *simAgent) connectServers(ctx context.Context) error {
	options := mcpclient.Options{
		Era: a.opt.Era, Name: "gauntlet-" + string(a.opt.Behaviour), Version: a.opt.Version, Timeout: a.opt.Timeout,
		Capabilities: a.capabilities(), Answer: a.answerServer,
	}
	return a.opt.ConnectAll(ctx, func(string) mcpclient.Options { return options }, func(server string, c *mcpclient.Connection, err error) {
		a.recordStep(Step{Server: server, Method: "connect", Why: "the configuration", Err: err})
		if err == nil {
			l := &serverSession{Connection: c}
			l.readLists(ctx)
			a.servers, a.sessions = append(a.servers, l), append(a.sessions, c.Session)
		}
	})
}

// doTask does the task, then listens.
func (a *simAgent) doTask(ctx context.Context) {
	for _, l := range a.servers {
		a.obeyServer(ctx, l)
	}
	for _, s := range a.opt.Shown {
		a.remember(s.Text)
		a.obeyText(ctx, shownText{text: s.Text, where: s.Where})
	}
	a.runPrompt(ctx)
	a.tryTools(ctx)
	a.done = true
	a.callForRules(ctx)
	for _, l := range a.servers { // as hosts do when the next task begins: a server may have changed without a word
		a.rereadServer(ctx, l)
	}
	a.callForRules(ctx)
	a.listenUntilIdle(ctx)
}

// use calls a tool, with what was ordered for every call of it, if its arguments can be filled in, and reports whether they could.
func (a *simAgent) use(ctx context.Context, t *thing, from source, why string) bool {
	args, ok := from.fill(t)
	if !ok {
		return false
	}
	for _, r := range a.rules {
		if r.tool == t.key() {
			r.used, args = true, setArguments(args, r.values)
		}
	}
	a.called[t.key()] = args
	a.makeCall(ctx, t, args, why)
	return true
}

// makeCall makes one call, remembers what came of it, and obeys that if it is so minded.
func (a *simAgent) makeCall(ctx context.Context, t *thing, args []argument, why string) {
	texts := a.request(ctx, t.server, t.method, t.name, t.callParams(args), why, func(texts []string) {
		if t.isTool() && a.opt.Called != nil {
			a.opt.Called(t.server.Name, t.name, argumentsJSON(args), strings.Join(texts, "\n\n"))
		}
	})
	for _, text := range texts {
		a.obeyText(ctx, shownText{text: text, from: t, args: args, where: "a result of " + t.name})
	}
	a.obeyQueued(ctx)
}

// request makes one request, remembers the texts of the answer, hears what servers say upon it, and returns the texts. made is told of
// them at once.
func (a *simAgent) request(ctx context.Context, l *serverSession, method, name, params, why string, made func(texts []string)) []string {
	if len(a.steps) >= a.opt.Steps && a.cut == "" {
		a.cut = fmt.Sprintf("%d steps are the most", a.opt.Steps)
	}
	if a.cut != "" || ctx.Err() != nil {
		return nil
	}
	texts, _, err := l.CallTexts(ctx, method, params)
	a.recordStep(Step{Server: l.Name, Method: method, Name: name, Why: why, Err: err})
	made(texts)
	for _, text := range texts {
		a.remember(flattenJSON(text))
	}
	for pending := true; pending && a.cut == "" && ctx.Err() == nil; { // what servers change with the call, or are about to say upon it
		_, pending = a.hearServers(ctx, 0)
	}
	return texts
}

func (a *simAgent) recordStep(s Step) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steps = append(a.steps, s)
}

func (a *simAgent) remember(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if text != "" {
		a.memory = append(a.memory, excerpt.Head(text, mostMemory))
	}
}

// recall returns the texts that the agent has read from the n-th on.
func (a *simAgent) recall(n int) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.memory[n:])
}

// recallText joins the latest of these texts, up to mostMemory.
func (a *simAgent) recallText(n int) string {
	texts := a.recall(n)
	size := 0
	for i := len(texts) - 1; i >= 0; i-- {
		if size += len(texts[i]); size > mostMemory {
			texts = texts[i+1:]
			break
		}
	}
	return strings.Join(texts, "\n")
}

func (a *simAgent) tools() (all []*thing) {
	for _, l := range a.servers {
		for _, t := range l.things {
			if t.isTool() {
				all = append(all, t)
			}
		}
	}
	return all
}

// toolOfKey returns the tool with a key, nil for none.
func (a *simAgent) toolOfKey(key string) *thing {
	all := a.tools()
	if i := slices.IndexFunc(all, func(t *thing) bool { return t.key() == key }); i >= 0 {
		return all[i]
	}
	return nil
}

// callForRules makes the calls that an order spoke of and that nothing else has brought about.
func (a *simAgent) callForRules(ctx context.Context) {
	for i := 0; i < len(a.rules) && a.cut == "" && ctx.Err() == nil; i++ {
		r := a.rules[i]
		t := a.toolOfKey(r.tool)
		if r.used || r.standing || t == nil {
			continue
		}
		r.used = true
		r.from.given = a.called[r.tool]
		a.use(ctx, t, r.from, r.where)
	}
}

// listenUntilIdle waits for servers to say that they define something else now, or to ask for something, until the agent has listened
// for as long as it was told to.
func (a *simAgent) listenUntilIdle(ctx context.Context) {
	if a.opt.Idle < 0 {
		return
	}
	until := time.Now().Add(a.opt.Pending.Patience(a.opt.Idle))
	for a.cut == "" && ctx.Err() == nil {
		changed, pending := a.hearServers(ctx, time.Until(until))
		heard := a.obeyQueued(ctx)
		a.callForRules(ctx)
		if !pending && !changed && !heard {
			return
		}
	}
}

// hearServers listens to all servers at once for so long, and until nothing is pending, and reads again what those offer that changed.
// pending says whether there may be more.
func (a *simAgent) hearServers(ctx context.Context, wait time.Duration) (changed, pending bool) {
	heard, pending := a.opt.Pending.Await(ctx, wait, a.sessions)
	for i, l := range a.servers {
		if heard[i] {
			changed = true
			a.rereadServer(ctx, l)
		}
	}
	return changed, pending
}

// rereadServer reads what a server offers now. The victim obeys what is new in it.
func (a *simAgent) rereadServer(ctx context.Context, l *serverSession) {
	if a.relists == mostRelists {
		a.cut = "a server changes its lists for ever"
		return
	}
	a.relists++
	l.readLists(ctx)
	a.obeyServer(ctx, l)
}

// obeyQueued obeys what servers said in requests of their own, and reports whether they did.
func (a *simAgent) obeyQueued(ctx context.Context) bool {
	a.mu.Lock()
	heard := a.toObey
	a.toObey = nil
	a.mu.Unlock()
	for _, r := range heard {
		a.obeyText(ctx, r)
	}
	return len(heard) > 0
}
