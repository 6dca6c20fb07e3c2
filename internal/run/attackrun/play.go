// Package attackrun plays attack documents against an agent or a server, records the messages, and judges documents by recordings.
// A verdict says what the recording proves: whatever is missing from it removes the proof.
package attackrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/listen"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/attacka2a"
	"gauntlet/internal/runtime/attackagui"
	"gauntlet/internal/runtime/attackmcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/verdict"
)

// Options say how documents are played.
type Options struct {
	Limit time.Duration  // time limit for one document's run
	Grace *time.Duration // how long to keep watching after everybody is done; nil for the document's grace
	Force bool           // send elicitations even to clients that do not declare them
	// Negotiate makes servers negotiate a revision if the document names none.
	Negotiate bool
	Serve     mcpserver.Options
	Target    *launch.Server    // server to attack; may be nil
	AGUI      string            // the agent's AG-UI address, or ""
	Probing   *proberun.Options // how the classes that documents name are tried; nil to play them as written
	// A2A is the agent that A2A clients attack, or "". VerbatimCards and PushAnywhere are as in attacka2a.Options.
	A2A                         string
	VerbatimCards, PushAnywhere bool
	Dialer                      launch.Dialer // for that server; its limit of a message holds for agents as well
	Tool                        string        // recorder's name in traces
}

// A Player plays documents.
type Player struct {
	Options
	// AgentOf returns the agent of each run of a document, numbered from 1; nil waits for a client to connect.
	AgentOf   func(run int) *testagent.Agent
	AgentName string  // name in reports
	SealAgent bool    // the agent's program runs in a sandbox, as the dialer says
	Semantic  *Scorer // scores semantic indicators beside the verdict; may be nil
	// SynthesizerOf returns the synthesizer for each run of a document, numbered from 1; may be nil.
	SynthesizerOf func(run int) attack.Synthesizer
	// Uncontrolled skips the control run: the caller has its own controls, or this is one.
	Uncontrolled bool
	Prompt       string    // the user's text to the agent; "" for the document's
	Stdin        io.Reader // input of an agent that connects over stdio
	Stdout       io.Writer
	Say          func(format string, args ...any) // what the user must know, such as servers' addresses
	Note         func(format string, args ...any)
}

// A Session says where one document is played.
type Session struct {
	Listen      string // address of the first HTTP server; "" for stdio
	AddressFile string // file for the actors' URLs; or ""
	Trace       string // file for the messages; "" for a temporary one
	Silent      bool   // one of several: nothing is printed meanwhile
	Run         int    // number of the run if a document is played several times, else 0
}

// A play is one document being played, from opening its transports to its verdict.
type play struct {
	*Player
	Session
	doc *oatf.Document
	// perform plays the document; nil means playLive.
	perform func(context.Context) (*attack.Summary, error)

	written  attack.Synthesizer // texts of models in a replayed recording; may be nil
	replayed map[string]bool    // protocols for which a recording has the answers to the document's clients
	frontend string             // AG-UI address of the in-process agent, or ""
	kept     bool               // the trace is kept
	file     *tracefile.File
	servers  []testagent.Server // the server actors over HTTP
	outcome  testagent.Outcome  // of the agent that was started

	mu   sync.Mutex
	told []result.Notice
}

// Play plays a normalized document and returns the run, whatever its outcome.
func (r *Player) Play(ctx context.Context, doc *oatf.Document, name string, s Session) result.AttackRun {
	p := &play{Player: r, Session: s, doc: doc}
	if r.Target != nil && !attacksServer(doc) {
		out := p.reportUnjudged()
		out.Document, out.Run, out.Agent, out.Problem = name, s.Run, r.AgentName, noAttacker
		return out
	}
	return p.playAndReport(ctx, name)
}

func (p *play) playAndReport(ctx context.Context, name string) result.AttackRun {
	out, err := p.playAndJudge(ctx)
	out.Document, out.Run = name, p.Run
	if p.kept {
		out.Trace = p.Trace
	}
	out.Agent = p.AgentName
	if err != nil {
		out.Problem, out.Verdict = err.Error(), nil
	}
	return out
}

// playAndJudge plays the document and judges the recording. The error is why there is nothing to judge.
func (p *play) playAndJudge(ctx context.Context) (result.AttackRun, error) {
	if p.kept = p.Trace != ""; !p.kept {
		dir, err := os.MkdirTemp("", "gauntlet-trace-")
		if err != nil {
			return p.reportUnjudged(), err
		}
		defer os.RemoveAll(dir)
		p.Trace = filepath.Join(dir, "trace.ndjson")
	}
	var err error
	if p.file, err = tracefile.Create(p.Trace, nil, p.Tool, nil); err != nil {
		return p.reportUnjudged(), err
	}
	if p.Dialer.Logins != nil {
		p.Dialer.Logins.Hide(p.file.Hide)
	}
	perform := p.perform
	if perform == nil {
		perform = p.playLive
		if p.Probing != nil && p.Target != nil && classesOf(p.doc) != nil {
			perform = p.playProbes
		}
	}
	sum, failed := perform(ctx)
	incomplete := p.file.Close()
	if sum == nil {
		return p.reportUnjudged(), failed
	}
	out, err := p.judgeTrace(context.WithoutCancel(ctx), incomplete)
	if err != nil {
		return p.reportUnjudged(), err
	}
	p.addRun(&out, sum, failed)
	return out, nil
}

func (p *play) reportUnjudged() result.AttackRun {
	out := result.AttackRun{ID: p.doc.Attack.ID, Name: p.doc.Attack.Name, Actors: []result.ActorRun{}, Notices: []result.Notice{}}
	if s := p.doc.Attack.Severity; s != nil {
		out.Severity = string(s.Level)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out.Notices = append(out.Notices, p.told...)
	return out
}

// playLive plays the document. Without a summary it could not be played at all.
func (p *play) playLive(ctx context.Context) (*attack.Summary, error) {
	frontend, err := p.openFrontend(ctx)
	if err != nil {
		return nil, err
	}
	run, err := attack.New(p.staged(), p.attackOptions())
	if err != nil {
		return nil, err
	}
	p.sayTask()
	open, err := p.openTransports(ctx, run)
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	var transports sync.WaitGroup
	var broken error
	var mu sync.Mutex
	agent, dismiss := context.WithCancel(ctx)
	switch {
	case frontend != nil:
		transports.Go(func() { p.serveFrontend(agent, frontend) }) // ends with the run
	case p.AgentOf != nil:
		transports.Go(func() { // ends with its work, or with the run
			p.runAgent(agent)
			run.End(p.outcome.Ended)
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
	p.runControl(ctx)
	return &sum, errors.Join(broken, p.outcome.Trouble)
}

func (p *play) agent() *testagent.Agent { return p.AgentOf(max(1, p.Run)) }

func (p *play) attackOptions() attack.Options {
	synthesizer := p.written
	if synthesizer == nil && p.SynthesizerOf != nil {
		synthesizer = p.SynthesizerOf(max(1, p.Run))
	}
	speak := attackmcp.Options{Serve: p.Serve, ForceElicitation: p.Force, Negotiate: p.Negotiate}
	if p.Target != nil {
		speak.Dial = p.connectToTarget
	}
	return attack.Options{
		Recorder: p.file.Recorder(), Notice: p.keepNotice, Limit: p.Limit, Grace: p.Grace, Synthesizer: synthesizer,
		Bindings: []attack.Binding{attackmcp.New(speak), attacka2a.New(attacka2a.Options{
			URL: p.A2A, Body: p.Dialer.Limits.Message, Hosts: p.Serve.HTTP.Hosts, VerbatimCards: p.VerbatimCards, PushAnywhere: p.PushAnywhere,
			Replayed: p.replayed[a2a.Protocol],
		}), attackagui.New(attackagui.Options{
			URL: cmp.Or(p.AGUI, p.frontend), Message: p.Dialer.Limits.Message, Skip: p.skipsAGUI(), Done: p.frontend != "",
			Replayed: p.replayed[agui.Protocol],
		})},
		Prompted: p.AgentOf != nil && attackdoc.Prompt(p.doc) != "",
	}
}

func (p *play) keepNotice(n attack.Notice) {
	if n.Kind == attack.Logged && !p.Silent {
		p.Note("%s, %s: %s", n.Actor, n.Phase, n.Text) // the document's own log, as it comes
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, result.Notice{Kind: string(n.Kind), Message: n.Text, Actor: n.Actor, Phase: n.Phase})
}

// connectToTarget connects to the server under attack. Its secrets are kept out of the trace.
func (p *play) connectToTarget(_ context.Context, _ string, tap wire.Tap) (wire.Conn, error) {
	dialer := p.Dialer
	dialer.SandboxRecord = p.file.Record
	return dialer.Connect(*p.Target, func(_ string, secrets, _ []string) wire.Tap {
		p.file.Hide(secrets)
		return tap
	})
}

// openTransports opens the server actors' transports; the returned functions serve them until their context ends.
func (p *play) openTransports(ctx context.Context, run *attack.Run) ([]func(context.Context) error, error) {
	servers := run.Servers()
	if len(servers) == 0 {
		return nil, nil
	}
	if p.Listen == "" {
		if len(servers) > 1 {
			return nil, fmt.Errorf("the document has %d servers, and standard input and output are for one: use --listen", len(servers))
		}
		if servers[0].Stdio == nil {
			return nil, fmt.Errorf("%s speaks over HTTP: use --listen", servers[0].Actor)
		}
		return []func(context.Context) error{func(ctx context.Context) error {
			defer run.Gone("the agent has left")
			return servers[0].Stdio(ctx, p.Stdin, p.Stdout)
		}}, nil
	}
	var out []func(context.Context) error
	var listeners []net.Listener
	var lines strings.Builder
	for i, s := range servers {
		ln, err := listen.TCP(ctx, nextAddress(p.Listen, i))
		if err != nil {
			closeListeners(listeners)
			return nil, err
		}
		listeners = append(listeners, ln)
		url := "http://" + ln.Addr().String() + s.Path
		p.servers = append(p.servers, testagent.Server{Name: s.Actor, URL: url, Stdio: s.Stdio, Agent: s.Protocol == a2a.Protocol, Pending: mcpclient.Pending{Settled: run.Pending, Due: run.Due}})
		fmt.Fprintf(&lines, "%s %s\n", s.Actor, url)
		out = append(out, func(ctx context.Context) error { return s.HTTP(ctx, ln) })
	}
	if addr, err := netip.ParseAddrPort(listeners[0].Addr().String()); err != nil || !addr.Addr().IsLoopback() {
		p.Say("%s can be reached from other machines: whoever connects is attacked", listeners[0].Addr())
	}
	if err := p.announceServers(lines.String()); err != nil {
		closeListeners(listeners)
		return nil, err
	}
	return out, nil
}

func (p *play) announceServers(lines string) error {
	if p.AddressFile != "" {
		if err := userfile.Write(p.AddressFile, nil, func(w io.Writer) error {
			_, err := io.WriteString(w, lines)
			return err
		}); err != nil {
			return err
		}
	}
	if p.AgentOf != nil {
		return nil // the agent is told, and nobody else needs to know
	}
	for line := range strings.Lines(lines) { // also with --quiet: otherwise nobody knows the port
		actor, url, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		p.Say("%s serves on %s", actor, url)
	}
	return nil
}

func closeListeners(listeners []net.Listener) {
	for _, ln := range listeners {
		_ = ln.Close() // another error is reported
	}
}

// nextAddress returns the n-th server's address: the given port plus n; port 0 picks a free one each time.
func nextAddress(address string, n int) string {
	host, port, err := net.SplitHostPort(address)
	first, err2 := strconv.Atoi(port)
	if err != nil || err2 != nil || first == 0 {
		return address
	}
	return net.JoinHostPort(host, strconv.Itoa(first+n))
}

func (p *play) judgeTrace(ctx context.Context, incomplete error) (result.AttackRun, error) {
	runs, err := JudgeTrace(ctx, p.Trace, nil, []*oatf.Document{p.doc}, p.Semantic)
	if err != nil {
		return result.AttackRun{}, err
	}
	out := runs[0]
	if incomplete != nil {
		withdrawVerdict(&out, "trace_incomplete", incomplete.Error())
	}
	return out, nil
}

// withdrawVerdict records a kind of trouble and withdraws what it makes unprovable: what is missing may be what an indicator looks
// for. That the agent complied stays proven.
func withdrawVerdict(a *result.AttackRun, kind, why string) {
	a.Notices = append(a.Notices, result.Notice{Kind: kind, Message: why})
	if a.Verdict != nil && !a.Exploited() {
		a.Verdict.Outcome, a.Verdict.Reason = verdict.Failed, why
	}
}

// addRun adds what is known of the run beside its messages.
func (p *play) addRun(out *result.AttackRun, sum *attack.Summary, failed error) {
	p.mu.Lock()
	own := slices.DeleteFunc(p.told, func(n result.Notice) bool { // actors are listed below
		return n.Kind == string(attack.Skipped) && n.Phase == ""
	})
	out.Notices = append(own, out.Notices...)
	p.mu.Unlock()
	out.Milliseconds = max(1, sum.Duration.Milliseconds())
	out.Notices = append(out.Notices, result.Notice{Kind: "ended", Message: "the run ended: " + sum.Ended})
	out.Scripted = p.outcome.Scripted
	if p.outcome.AnswerCut && p.doc != nil && readsAnswer(p.doc) {
		failed = errors.Join(failed, errors.New("the agent's answer was too long and was cut off"))
	}
	onlyPrompted := len(sum.Actors) > 0 && !slices.ContainsFunc(sum.Actors, func(a attack.ActorSummary) bool { return a.Skipped == "" })
	if p.outcome.Command && out.Messages == 0 && !onlyPrompted {
		failed = errors.Join(failed, errors.New("the agent never connected"))
	}
	if m := p.outcome.Model; m != nil { // its text decides nothing and is left out
		out.Notices = append(out.Notices, result.Notice{Kind: "model", Message: fmt.Sprintf("the model was asked %d times, made %d calls and used %d tokens in and %d out", m.Turns, m.Calls, m.Usage.Input, m.Usage.Output)})
	}
	if p.outcome.Stderr != "" {
		out.Notices = append(out.Notices, result.Notice{Kind: "agent", Message: "the agent wrote to standard error: " + p.outcome.Stderr})
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
		if p.outcome.Command && p.outcome.Crashed && w.Client != attack.WentOn {
			one.Client = "crashed"
		}
		out.Wire = append(out.Wire, one)
	}
	if sum.Lost != "" {
		withdrawVerdict(out, "trace_incomplete", sum.Lost)
	}
	if sum.Unwritten != "" && out.Verdict != nil && !out.Exploited() { // a notice has reported it
		out.Verdict.Outcome, out.Verdict.Reason = verdict.Failed, "part of the attack was not sent: "+sum.Unwritten
	}
	if out.Verdict != nil && p.outcome.Ended != "" {
		if strings.HasPrefix(out.Verdict.Reason, delivery.Arrived) {
			out.Verdict.Reason += "; " + p.outcome.Ended
			if said := strings.TrimSpace(p.outcome.Answer); said != "" {
				out.Verdict.Reason += fmt.Sprintf("; it had said %q", excerpt.Clip(said, mostQuoted))
			}
		}
	}
	if p.outcome.Unanswered() {
		out.Notices = append(out.Notices, result.Notice{Kind: Unanswered, Message: "the model was not asked, or gave no answer"})
	}
	if failed != nil {
		withdrawVerdict(out, "trouble", inOneSentence(failed))
	}
}

// inOneSentence puts joined errors on one line. One contained in another, such as a model's error in that of the front end waiting
// for it, is dropped.
func inOneSentence(err error) string {
	var said []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(line, s) }) {
			said = append(said, line)
		}
	}
	return strings.Join(said, "; ")
}

// mostQuoted bounds an answer quoted in a reason, in bytes.
const mostQuoted = 200

// Unanswered is the kind of the notice that a model gave no answer in a run.
const Unanswered = "unanswered"
