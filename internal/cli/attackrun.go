package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/attack"
	engine "gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/result"
)

type attackRunCommand struct {
	*app
	limits  oatf.Limits
	outputs outputFlags
	live    liveFlags
	agent   agentFlags
	player  attackrun.Player

	listen      string
	addressFile string
	url         string
	trace       string
	parallel    int
	repeat      int
	models      *modelset.Set // of an agent that is a model; else nil
	adviser     *modelset.Set // of --model; may be nil
	semantic    bool
	scorer      []string // --model: scores semantic indicators and writes texts that documents leave to a model
	plan        bool
	probing     proberun.Options

	spoken bool // standard output is the agent's transport
}

// offensive is printed before anything is played.
const offensive = "this is an offensive tool: it attacks every client that connects and every target you name; use it only on agents and servers that you are allowed to test"

func (a *app) newAttackRunCommand() *cobra.Command {
	r := &attackRunCommand{app: a}
	cmd := newCommand("run [flags] DOCUMENT... [-- COMMAND [ARG]...]", "Play attack documents to an agent or a server, and judge what it did", r.playDocuments)
	f := cmd.Flags()
	r.agent.addAgentFlags(cmd)
	f.StringVar(&r.listen, "listen", "", "serve HTTP clients on this `ADDRESS`; port 0 takes a free one (default stdio)")
	f.StringVar(&r.addressFile, "address-file", "", "write the URL to this `FILE` as soon as clients can connect: a line for each server, actor and URL (default none)")
	f.StringVar(&r.player.AGUI, "agui", "", "`URL` of the agent under test where it speaks AG-UI: actors that are its front end begin its runs (default none)")
	f.StringVar(&r.player.A2A, "a2a", "", "`URL` of the agent that A2A clients attack (default none)")
	f.BoolVar(&r.player.VerbatimCards, "verbatim-cards", false, "serve the cards of A2A agents with the URLs that the document has (default with their own)")
	f.BoolVar(&r.player.PushAnywhere, "push-anywhere", false, "let push notifications go to other machines (default this one only)")
	f.StringVar(&r.url, "url", "", "`URL` of the server under test: client actors attack it (default that of COMMAND)")
	semanticFlag(cmd, &r.semantic)
	f.StringArrayVar(&r.scorer, "model", nil, "ask this model, by `ID` such as claude-sonnet-4-5 or gpt-5: it writes what documents leave to a model (synthesize) and, with --semantic, scores (default none)")
	f.BoolVar(&r.plan, "plan", false, "print what models would be asked and what it may cost, and ask nothing: no attack is played (default off)")
	recordFlag(cmd, &r.trace, everyMessage)
	runTimeoutFlag(cmd, &r.player.Limit, attack.DefaultLimit, "of one document")
	f.Var(graceFlag(&r.player.Grace), "grace", "how long to go on watching when everybody is through, as 30s or PT30S (default what the document says)")
	f.BoolVar(&r.player.Force, "force-elicitation", false, "send elicitations also to clients that do not claim to take them (default off)")
	f.BoolVar(&r.player.Negotiate, "negotiate", false, "agree on a revision with each client where a document names no protocol_version (default on for an agent known by name, else 2025-11-25, as the format has it)")
	f.StringArrayVar(&r.player.Serve.Revisions, "revision", nil, "protocol `REVISION` to speak; repeatable (default all of "+strings.Join(mcp.Revisions(), ", ")+")")
	f.StringArrayVar(&r.player.Serve.HTTP.Hosts, "allow-host", nil, "further `NAME` that the Host header may have; repeatable (default none)")
	f.StringArrayVar(&r.player.Serve.HTTP.Origins, "allow-origin", nil, originMeaning)
	f.Var(countFlag(&r.repeat, 1, 1_000), "repeat", "how often to play each document; the report then has rates with their intervals of 95 %")
	f.Var(countFlag(&r.parallel, 4, 100), "parallel", "most at the same time: documents that are played")
	r.addTargetFlags(f)
	r.outputs.addOutputFlags(cmd, a)
	r.outputs.addProgressFlag(cmd, a)
	addDocumentLimitFlags(cmd, &r.limits)
	completeWith(cmd, "revision", mcp.Revisions())
	completeSandbox(cmd)
	completeAttacks(cmd)
	return cmd
}

func (r *attackRunCommand) addTargetFlags(f *pflag.FlagSet) {
	l := &r.live
	l.addAccessFlags(f)
	f.Var(sizeFlag(&l.message, engine.DefaultBody), "max-message", "longest message taken from the other side: clients, servers and agents")
	l.sandbox.addSandboxFlags(f, sandbox.Off)
	f.BoolVar(&r.probing.AllowCalls, "allow-calls", false, "without a sandbox, call tools that may change something: for documents that choose tools by what they do (default off)")
	f.BoolVar(&r.probing.Destructive, "destructive", false, "with --allow-calls, also call tools that may destroy something (default off)")
}

// graceFlag is a non-negative duration, in command line or document format.
func graceFlag(to **time.Duration) pflag.Value {
	return &value[*time.Duration]{to, "DURATION", func(s string) (*time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			if d, err = match.ParseDuration(s); err != nil {
				return nil, fmt.Errorf("%q is not a duration: want one such as 0s, 30s or PT30S", s)
			}
		}
		return &d, nil
	}, func(d *time.Duration) string {
		if d == nil {
			return ""
		}
		return d.String()
	}}
}

func (r *attackRunCommand) playDocuments(cmd *cobra.Command, args []string) error {
	names, outs, err := r.validateFlags(cmd, args)
	if err != nil {
		return err
	}
	texts, err := attackdoc.Read(cmd.Context(), names, r.host.Stdin, r.limits)
	if err != nil {
		return err
	}
	defer r.models.Close()
	if err := r.openAdviser(texts); err != nil {
		return usage(cmd, "%s", err)
	}
	defer r.adviser.Close()
	if stop, err := r.tellModelPlans(cmd, texts); stop || err != nil {
		return err
	}
	report := newAttackReport()
	r.note("%s", offensive)
	if len(texts) == 1 && r.repeat == 1 {
		if userfile.IsFolder(r.trace) {
			if err := r.makeTraceFolder(); err != nil {
				return err
			}
			r.trace = attackrun.TraceName(r.trace, 0, texts[0].Name)
		}
		r.recorder.Start().Step("playing " + texts[0].Name)
		report.Attacks = append(report.Attacks, r.playOne(cmd.Context(), texts[0]))
	} else {
		if err := refuse(cmd, []conflict{
			{r.listen != "" && len(texts) > 1, fmt.Sprintf("--listen is for one document, and %d are named", len(texts))},
			{r.listen != "", "--listen is for a document that is played once: --repeat wants --agent"},
		}); err != nil {
			return err
		}
		if err := r.makeTraceFolder(); err != nil {
			return err
		}
		defer r.startProgress().Stop()
		r.progress.CountOf("documents")
		report.Attacks = r.player.PlayAll(cmd.Context(), texts, r.limits, r.trace, r.parallel, r.repeat, r.progress)
	}
	if r.repeat > 1 {
		report.Rates = result.RatesOf(report.Attacks)
	}
	for _, set := range []*modelset.Set{r.models, r.adviser} {
		if set != nil { // both share one account
			r.note("models: %s", set.Spent())
			break
		}
	}
	report.Sandboxes = r.live.sandbox.boxes.Reports()
	b := r.app
	if r.spoken { // standard output is the agent's
		for i := range report.Attacks {
			if one := &report.Attacks[i]; r.outputs.file != "-" && one.Verdict != nil {
				r.note("%s: %s", cmp.Or(one.ID, one.Name), one.Verdict.Outcome)
			}
		}
		quiet := *r.app
		quiet.host.Stdout = r.host.Stderr
		b = &quiet
	}
	b.attackReport(outs, &r.outputs, report)
	r.code = b.code
	return nil
}

// validateFlags returns the named documents, and where reports go.
func (r *attackRunCommand) validateFlags(cmd *cobra.Command, args []string) (names []string, outs outputs, err error) {
	names, r.player.Target, err = r.findServer(cmd, &r.live, args, r.url)
	if err != nil {
		return nil, nil, err
	}
	names, wrongPattern := attackdoc.ExpandPatterns(names)
	var wrongAgent error
	r.models, r.player.AgentOf, wrongAgent = r.agent.chooseAgent(r.app)
	outs, wrongOutputs := r.outputs.checkOutputs(names)
	files := slices.Concat(names, outs.files())
	trace := r.trace
	if userfile.IsFolder(trace) {
		trace = ""
	}
	if err := refuse(cmd, []conflict{
		failed(wrongPattern), failed(wrongAgent),
		{r.semantic && len(r.scorer) != 1, semanticModel},
		{len(r.scorer) > 1, "--model: one model writes and scores; models under attack are --agent model:ID, or see redteam"},
		{len(names) == 0, noDocument},
		notURL("agui", r.player.AGUI), notURL("a2a", r.player.A2A),
		{r.trace == "-", "--record: the trace is judged when the run is over: name a file"},
		{r.addressFile != "" && r.listen == "", "--address-file is for --listen"},
		{slices.Contains(names, "-"), "standard input is where an agent speaks: name a file"},
		failed(wrongOutputs), failed(userfile.CheckWritable(r.addressFile, files)), failed(userfile.CheckWritable(trace, append(files, r.addressFile))),
	}); err != nil {
		return nil, nil, err
	}
	r.player.Serve.IdleStream = true // unsolicited server messages have no other way to a client
	r.player.Serve.HTTP.Body = r.live.message
	r.probing.Version = version()
	if err := r.sealAgent(cmd); err != nil {
		return nil, nil, err
	}
	r.player.Dialer, r.player.Probing, r.player.Tool = r.dialer(r.live.message, &r.live.sandbox, false, nil), &r.probing, toolName()
	r.player.AgentName, r.player.Prompt = r.agent.Agent, r.agent.prompt
	r.player.Negotiate = r.player.Negotiate || testagent.Named(r.agent.Agent)
	r.player.Stdin, r.player.Stdout, r.player.Say, r.player.Note = r.host.Stdin, r.host.Stdout, r.say, r.note
	return names, outs, nil
}

// sealAgent decides whether the program of the agent runs in a sandbox. Where its model is known it does unless the user says
// otherwise; where it does not, the report and standard error say so.
func (r *attackRunCommand) sealAgent(cmd *cobra.Command) error {
	s := &r.live.sandbox
	told := cmd.Flags().Changed("sandbox")
	chosen := &testagent.Agent{}
	if r.player.AgentOf != nil {
		chosen = r.player.AgentOf(1)
	}
	if chosen.Program == "" {
		return refuse(cmd, []conflict{{told && s.level.Wanted() && r.player.Target == nil, "--sandbox is for a program that is started: an agent's command or name (--agent), or a server behind --"}})
	}
	if !told && chosen.ModelKnown {
		s.level = sandbox.On
	}
	switch why := whyUnsealed(s.level, chosen, sandbox.Available); {
	case why == "":
		r.player.SealAgent = true
	case s.level == sandbox.Require:
		return fmt.Errorf("--sandbox require: the agent cannot run in a sandbox: %s", why)
	default:
		s.boxes.Unsealed(chosen.Program, why)
		r.note("the agent runs without a sandbox, with your rights on this machine: %s", why)
	}
	return nil
}

// whyUnsealed says why an agent is not to run in a sandbox, "" if it is.
func whyUnsealed(level sandbox.Level, chosen *testagent.Agent, available func() error) string {
	if !level.Wanted() {
		return "no sandbox was asked for (--sandbox require)"
	}
	if chosen.NeedsLogin {
		return "it needs its login in your home, which a sandbox does not show: name its model's address (--agent-model-url), or set a key for its model"
	}
	if err := available(); err != nil {
		return err.Error()
	}
	return ""
}

func (r *attackRunCommand) playOne(ctx context.Context, text attackdoc.Text) result.AttackRun {
	listen := r.listen
	if listen == "" && (r.player.AgentOf != nil || r.player.AGUI != "") {
		listen = "127.0.0.1:0"
	}
	doc, problem := text.Load(r.limits)
	if problem != "" {
		r.spoken = listen == "" && r.player.Target == nil
		return result.AttackRun{Document: text.Name, Problem: problem}
	}
	r.spoken = listen == "" && attackrun.HasServer(doc)
	if f, ok := r.host.Stdin.(*os.File); ok && r.spoken && term.IsTerminal(int(f.Fd())) {
		r.note("waiting for an MCP client on standard input; --listen serves over HTTP, --agent names an agent")
	}
	return r.player.Play(ctx, doc, text.Name, attackrun.Session{Listen: listen, AddressFile: r.addressFile, Trace: r.trace})
}

func (r *attackRunCommand) makeTraceFolder() error {
	if r.trace == "" {
		return nil
	}
	if err := os.MkdirAll(r.trace, 0o700); err != nil {
		return fmt.Errorf("--record: %s: %w: the traces go into a folder", r.trace, userfile.Reason(err))
	}
	return nil
}

// openAdviser opens --model, which writes the texts that documents leave to a model and scores semantic indicators. It shares
// ceilings and account with a model under attack.
func (r *attackRunCommand) openAdviser(texts []attackdoc.Text) error {
	if len(r.scorer) == 0 {
		return nil
	}
	if !r.semantic && len(attackdoc.Playable(texts, r.limits, advise.LeavesToModel)) == 0 {
		return errors.New("--model is for --semantic and for documents that leave something to a model (synthesize), and there is none; a model under attack is --agent model:ID")
	}
	asked := r.agent.models
	asked.IDs = r.scorer
	set, err := r.openSharing(&asked, r.models)
	if err != nil {
		return err
	}
	r.adviser = set
	r.player.SynthesizerOf = func(run int) attack.Synthesizer { return &advise.Synthesizer{Client: set.Clients[0], Run: run} }
	if r.semantic {
		r.player.Semantic = r.scorerOf(set)
	}
	return nil
}

// tellModelPlans says what models will be asked. With --plan nothing else happens.
func (r *attackRunCommand) tellModelPlans(cmd *cobra.Command, texts []attackdoc.Text) (stop bool, err error) {
	if r.models == nil && r.adviser == nil {
		if r.plan {
			return true, usage(cmd, "--plan wants a model: --model, or --agent model:ID")
		}
		return false, nil
	}
	set := r.models
	var plans []modelset.Plan
	if r.models != nil {
		runs := len(attackdoc.Playable(texts, r.limits, attackrun.HasServer)) * r.repeat
		runs *= 2 // each may need a control run
		plans = append(plans, set.PlanLoops(set.Clients[0], runs, r.agent.turns, modelagent.DefaultTokens))
	}
	if r.adviser != nil {
		set = r.adviser
		plans = append(plans, advise.PlanSyntheses(r.adviser, attackdoc.Playable(texts, r.limits, advise.LeavesToModel), r.repeat))
	}
	if r.plan {
		if r.semantic {
			r.note("what semantic indicators cost depends on what is said in the runs: attack judge --plan counts it for a recording")
		}
		return true, r.writePlans(set, plans)
	}
	set.TellPlans(plans, r.note)
	return false, nil
}
