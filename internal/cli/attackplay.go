package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"gauntlet/internal/attack"
	engine "gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/verdict"
)

// A play is one document being played, from the opening of its transports to its verdict.
type play struct {
	*attackRunRun
	doc         *oatf.Document
	listen      string // "" for stdio
	addressFile string
	trace       string // "" for a file that is gone afterwards
	silent      bool   // it is one of several: nothing is said while it is played
	// perform plays the document; nil for record, with whatever agent there is.
	perform func(context.Context) (*attack.Summary, error)

	kept    bool // the trace stays
	file    *traceFile
	servers []agentServer // where the server actors are, over HTTP
	outcome agentOutcome  // of the agent that was started

	mu   sync.Mutex
	told []result.Notice
}

// report plays the document and says what became of it, whatever that is.
func (p *play) report(ctx context.Context, name string) result.AttackRun {
	out, err := p.run(ctx)
	out.Document = name
	if p.kept {
		out.Trace = p.trace
	}
	out.Agent = p.agent.agent
	if err != nil {
		out.Problem, out.Verdict = err.Error(), nil
	}
	return out
}

// run plays the document and judges what was recorded. The error is why there is nothing to
// judge.
func (p *play) run(ctx context.Context) (result.AttackRun, error) {
	if p.kept = p.trace != ""; !p.kept {
		f, err := os.CreateTemp("", "gauntlet-*.ndjson")
		if err != nil {
			return p.about(), err
		}
		p.trace = f.Name()
		_ = f.Close() // it is created anew below
		defer os.Remove(p.trace)
	}
	var err error
	if p.file, err = p.createTrace(p.trace); err != nil {
		return p.about(), err
	}
	perform := p.perform
	if perform == nil {
		perform = p.record
	}
	sum, failed := perform(ctx)
	incomplete := p.file.close()
	if sum == nil {
		return p.about(), failed
	}
	out, err := p.judge(context.WithoutCancel(ctx), incomplete)
	if err != nil {
		return p.about(), err
	}
	p.describe(&out, sum, failed)
	return out, nil
}

// about is what is known of a run without a verdict.
func (p *play) about() result.AttackRun {
	out := result.AttackRun{ID: p.doc.Attack.ID, Name: p.doc.Attack.Name, Actors: []result.ActorRun{}, Notices: []result.Notice{}}
	if s := p.doc.Attack.Severity; s != nil {
		out.Severity = string(s.Level)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out.Notices = append(out.Notices, p.told...)
	return out
}

// record plays the document. Without a summary it could not be played at all.
func (p *play) record(ctx context.Context) (*attack.Summary, error) {
	run, err := attack.New(p.doc, p.options())
	if err != nil {
		return nil, err
	}
	open, err := p.open(ctx, run)
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	var transports sync.WaitGroup
	var broken error
	var mu sync.Mutex
	agent, dismiss := context.WithCancel(ctx)
	if p.agent.start != nil {
		transports.Go(func() { // ends with its work, or with the run
			prompt := cmp.Or(p.agent.prompt, run.Prompt())
			p.outcome = p.agent.start(agent, p.servers, prompt)
			run.End(p.outcome.ended)
		})
	}
	for _, serve := range open {
		transports.Go(func() { // ends with its client, or by stop
			if err := serve(serving); err != nil {
				mu.Lock()
				broken = errors.Join(broken, err)
				mu.Unlock()
				run.End("a transport failed")
			}
		})
	}
	sum := run.Run(ctx)
	dismiss()
	stop()
	transports.Wait()
	return &sum, errors.Join(broken, p.outcome.trouble)
}

func (p *play) options() attack.Options {
	o := attack.Options{
		Recorder: p.file.recorder, Notice: p.notice, Limit: p.limit, Grace: p.grace, Serve: p.serving, ForceElicitation: p.force,
	}
	if p.target != nil {
		o.Dial = p.dial
	}
	return o
}

func (p *play) notice(n attack.Notice) {
	if n.Kind == attack.Logged && !p.silent {
		p.note("%s, %s: %s", n.Actor, n.Phase, n.Text) // what the document itself has to say, as it comes
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, result.Notice{Kind: string(n.Kind), Message: n.Text, Actor: n.Actor, Phase: n.Phase})
}

// dial connects to the server under attack.
func (p *play) dial(_ context.Context, _ string, tap wire.Tap) (wire.Conn, error) {
	t := p.target
	limits := wire.Limits{Message: p.live.message}
	if t.command != nil {
		p.file.hide(t.env)
		return wire.Start(wire.Command{Args: t.command, Dir: t.dir, Environ: p.host.Environ, Env: t.env, Limits: limits, Tap: tap})
	}
	transport := wire.NewTransport()
	transport.Proxy = http.ProxyFromEnvironment
	h, err := wire.Dial(wire.Endpoint{URL: t.url, Header: t.header, Bearer: t.bearer, Transport: transport, Limits: limits, Agent: "gauntlet"})
	if err != nil {
		return nil, err
	}
	p.file.hide(h.Secrets())
	h.Tap(tap)
	return &dialed{h, transport}, nil
}

// open opens the transports of the server actors: what is returned serves them until its
// context ends.
func (p *play) open(ctx context.Context, run *attack.Run) ([]func(context.Context) error, error) {
	servers := run.Servers()
	if len(servers) == 0 {
		return nil, nil
	}
	if p.listen == "" {
		if len(servers) > 1 {
			return nil, fmt.Errorf("the document has %d servers, and standard input and output are for one: use --listen", len(servers))
		}
		if f, ok := p.host.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			p.note("waiting for an MCP client on standard input; --listen serves over HTTP, --agent names an agent")
		}
		return []func(context.Context) error{func(ctx context.Context) error {
			defer run.Gone("the agent has left")
			return servers[0].Stdio(ctx, p.host.Stdin, p.host.Stdout)
		}}, nil
	}
	var out []func(context.Context) error
	var listeners []net.Listener
	var lines strings.Builder
	for i, s := range servers {
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", nextAddress(p.listen, i))
		if err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("--listen %s: %w", nextAddress(p.listen, i), err)
		}
		listeners = append(listeners, ln)
		url := "http://" + ln.Addr().String() + engine.Path
		p.servers = append(p.servers, agentServer{s.Actor, url, s.Stdio})
		fmt.Fprintf(&lines, "%s %s\n", s.Actor, url)
		out = append(out, func(ctx context.Context) error { return s.HTTP(ctx, ln) })
	}
	if addr, err := netip.ParseAddrPort(listeners[0].Addr().String()); err != nil || !addr.Addr().IsLoopback() {
		p.say("%s can be reached from other machines: whoever connects is attacked", listeners[0].Addr())
	}
	if err := p.announce(lines.String()); err != nil {
		closeAll(listeners)
		return nil, err
	}
	return out, nil
}

// announce tells where the servers are.
func (p *play) announce(lines string) error {
	if p.addressFile != "" {
		err := p.writeTo(p.addressFile, func(w io.Writer) error {
			_, err := io.WriteString(w, lines)
			return err
		})
		if err != nil {
			return err
		}
	}
	if p.agent.start != nil {
		return nil // the agent is told, and nobody else need know
	}
	for line := range strings.Lines(lines) { // also with --quiet: else nobody knows the port
		actor, url, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		p.say("%s serves on %s", actor, url)
	}
	return nil
}

func closeAll(listeners []net.Listener) {
	for _, ln := range listeners {
		_ = ln.Close() // another error is the one to tell
	}
}

// nextAddress is where the n-th server listens: on the port that was named and those behind
// it; on port 0 each takes a free one.
func nextAddress(address string, n int) string {
	host, port, err := net.SplitHostPort(address)
	first, err2 := strconv.Atoi(port)
	if err != nil || err2 != nil || first == 0 {
		return address
	}
	return net.JoinHostPort(host, strconv.Itoa(first+n))
}

// judge reads the trace back.
func (p *play) judge(ctx context.Context, incomplete error) (result.AttackRun, error) {
	f, err := os.Open(p.trace)
	if err != nil {
		return result.AttackRun{}, err
	}
	defer f.Close()
	runs, err := judgeTrace(ctx, f, []*oatf.Document{p.doc})
	if err != nil {
		return result.AttackRun{}, err
	}
	out := runs[0]
	if incomplete != nil {
		lost(&out, incomplete.Error())
	}
	return out, nil
}

// lost takes back what a trace cannot prove that lacks messages: what they held may be
// what an indicator looks for.
func lost(a *result.AttackRun, why string) {
	a.Notices = append(a.Notices, result.Notice{Kind: "trace_incomplete", Message: why})
	if a.Verdict != nil && !a.Exploited() {
		a.Verdict.Outcome, a.Verdict.Reason = verdict.Failed, why
	}
}

// describe adds what is known of the run beside its messages.
func (p *play) describe(out *result.AttackRun, sum *attack.Summary, failed error) {
	p.mu.Lock()
	own := slices.DeleteFunc(p.told, func(n result.Notice) bool { // actors stand below
		return n.Kind == string(attack.Skipped) && n.Phase == ""
	})
	out.Notices = append(own, out.Notices...)
	p.mu.Unlock()
	out.Milliseconds = max(1, sum.Duration.Milliseconds())
	out.Notices = append(out.Notices, result.Notice{Kind: "ended", Message: "the run ended: " + sum.Ended})
	out.Scripted = p.outcome.scripted
	if p.outcome.foreign && out.Messages == 0 {
		failed = errors.Join(failed, errors.New("the agent never connected"))
	}
	if p.outcome.said != "" {
		out.Notices = append(out.Notices, result.Notice{Kind: "agent", Message: "the agent wrote to standard error: " + p.outcome.said})
	}
	out.Actors = []result.ActorRun{}
	for _, a := range sum.Actors {
		if a.Failed != "" {
			failed = errors.Join(failed, fmt.Errorf("%s: %s", a.Name, a.Failed))
		}
		one := result.ActorRun{Name: a.Name, Mode: a.Mode, State: "ran"}
		switch {
		case a.Skipped != "":
			one.State, one.Reason = "skipped", a.Skipped
		case a.Failed != "":
			one.State, one.Reason = "failed", a.Failed
		}
		if n := len(a.Phases); n > 0 {
			one.Phase = a.Phases[n-1]
		}
		out.Actors = append(out.Actors, one)
	}
	for _, w := range sum.Wire {
		one := result.WireRun{
			Actor: w.Actor, Phase: w.Phase, Do: w.Do, Session: w.Session, Times: w.Times, Bytes: w.Bytes, Ceiling: w.Ceiling,
			Client: string(w.Client), Next: w.Next, Messages: w.Back, Again: w.Again, Resumed: w.Resumed,
		}
		if p.outcome.crashed && w.Client != attack.WentOn {
			one.Client = "crashed"
		}
		out.Wire = append(out.Wire, one)
	}
	if sum.Lost != "" {
		lost(out, sum.Lost)
	}
	if failed != nil {
		out.Notices = append(out.Notices, result.Notice{Kind: "trouble", Message: failed.Error()})
		if out.Verdict != nil && !out.Exploited() {
			out.Verdict.Outcome, out.Verdict.Reason = verdict.Failed, failed.Error()
		}
	}
}
