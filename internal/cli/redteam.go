package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/redteam"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/agent"
	engine "gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/model"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/report"
	"gauntlet/result"
)

type redteamCommand struct {
	*app
	models modelFlags
	redteam.Options
	format     string
	file       string
	systemFile string
	loop       modelagent.Options
	limit      time.Duration

	live   liveFlags
	url    string
	target redteam.Target
}

func (a *app) newRedteamCommand() *cobra.Command {
	r := &redteamCommand{app: a, target: redteam.Target{Name: "server", Version: version(), Tool: toolName()}}
	cmd := newCommand("redteam [flags] --model ID [ATTACK]... [-- COMMAND [ARG]...]", "Measure which attacks language models fall for", r.playScenarios)
	f := cmd.Flags()
	r.models.addModelFlags(cmd, "it is the model under test")
	f.Var(countFlag(&r.Runs, 1, 1_000), "runs", "how often to play each attack to each model")
	f.BoolVar(&r.NoControl, "no-control", false, "do not play the runs without the attack (default off)")
	f.StringVar(&r.systemFile, "system", "", "system prompt of the agent, from this `FILE` (default one of ours)")
	f.Var(countFlag(&r.loop.Turns, modelagent.DefaultTurns, 1_000), "turns", "most questions to a model in one run")
	f.Var(countFlag(&r.loop.Tokens, modelagent.DefaultTokens, math.MaxInt32), "answer-tokens", "longest answer of a model, in tokens")
	f.Var(durationFlag(&r.loop.Idle, modelagent.DefaultIdle), "agent-idle", "how long the agent still listens for changed definitions once its work is done")
	f.Var(durationFlag(&r.limit, agent.DefaultLimit), "agent-timeout", "longest run of the agent")
	f.Var(countFlag(&r.Parallel, 8, 100), "parallel", "most at the same time: runs")
	f.StringVar(&r.Traces, "record", "", "record every message, both ways: a trace of each run in this `DIR` (default none)")
	r.addServerFlags(cmd)
	textFormat(cmd, &r.format, report.RedTeamFormats().Names()...)
	outputFlag(cmd, &r.file, "the report")
	a.progressFlag(cmd)
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	cmd.AddCommand(a.newRedteamAssessCommand())
	return cmd
}

func (r *redteamCommand) addServerFlags(cmd *cobra.Command) {
	f, l := cmd.Flags(), &r.live
	f.StringVar(&r.url, "url", "", "`URL` of the server under test: attacks are laid over what it says (default none)")
	f.StringVar(&r.target.Task, "task", "", "`TEXT` that the user says to the agent of that server (default one made of a tool of it)")
	f.BoolVar(&r.target.AllowAll, "allow-tools", false, "call every tool of that server that a model wants, not only those that say that they only read (default off)")
	l.addAccessFlags(f)
	f.Var(sizeFlag(&l.message, engine.DefaultBody), "max-message", "longest message taken from the other side: the server")
	l.sandbox.addSandboxFlags(f, sandbox.Off)
	completeSandbox(cmd)
}

// readServer returns scenarios for the named real server, if any.
func (r *redteamCommand) readServer(ctx context.Context, server *launch.Server) ([]redteam.Scenario, error) {
	if server == nil {
		return nil, nil
	}
	if !r.target.AllowAll {
		r.note("calls to the server are real: tools that do not say that they only read are not called, see --allow-tools")
	}
	r.target.Server, r.target.Dialer = *server, r.dialer(r.live.message, &r.live.sandbox, false, nil)
	return redteam.FromServer(ctx, r.target)
}

func (r *redteamCommand) playScenarios(cmd *cobra.Command, args []string) error {
	if len(r.models.IDs) == 0 {
		return usage(cmd, "no model to test: name one with --model")
	}
	args, server, err := r.findServer(cmd, &r.live, args, r.url)
	if err != nil {
		return err
	}
	if err := r.checkProgress(args); err != nil {
		return usage(cmd, "%s", err)
	}
	if r.Models, err = r.openModels(&r.models); err != nil {
		return usage(cmd, "%s", err)
	}
	defer r.Models.Close()
	if r.loop.System, err = readSystem(r.systemFile); err != nil {
		return usage(cmd, "%s", err)
	}
	r.loop.Version = version()
	player := attackrun.Player{Options: attackrun.Options{Tool: toolName()}, Say: r.say, Note: r.note, Uncontrolled: true}
	documents, err := redteam.FromDocuments(cmd.Context(), args, len(args) == 0 && server == nil, player)
	if err != nil {
		return usage(cmd, "%s", err)
	}
	laid, err := r.readServer(cmd.Context(), server)
	if err != nil {
		return err
	}
	r.Scenarios = append(laid, documents...)
	plans := r.Plans(r.loop)
	if r.models.plan {
		return r.writePlans(r.Models, plans)
	}
	r.Models.TellPlans(plans, r.note)
	defer r.startProgress().Stop()
	r.progress.Step("learning the tasks")
	if err := r.PrepareAll(cmd.Context(), r.limit, version()); err != nil {
		return err
	}
	r.progress.CountOf("runs")
	r.AgentOf = func(c *model.Client, run int) *testagent.Agent { return testagent.OfModel(c, r.loop, run, r.limit) }
	out, err := redteam.Run(cmd.Context(), r.Options, r.progress)
	if err != nil {
		return err
	}
	out.Tool = result.Tool{Name: "gauntlet", Version: version()}
	r.progress.Stop()
	r.note("models: %s", r.Models.Spent())
	if err := r.writeFormat(r.format, r.file, func(w io.Writer) error { return report.RedTeamFormats().Write(w, r.format, out, report.Options{}) }); err != nil {
		return err
	}
	if r.recorder.File != "" { // the report takes the place of the record
		r.recorder.Close()
		if err := r.writeTo(r.recorder.File, func(w io.Writer) error { return report.RedTeamFormats().Write(w, "json", out, report.Options{}) }); err != nil {
			return err
		}
	}
	for _, problem := range out.Undone {
		r.note("the run is incomplete: %s", problem)
	}
	r.code = max(r.code, out.ExitCode())
	return nil
}

// checkProgress rejects a file of --progress that is an input or the report's, before anything is paid.
func (r *redteamCommand) checkProgress(attacks []string) error {
	if r.recorder.File == "" {
		return nil
	}
	inputs := slices.Clone(attacks)
	if r.systemFile != "" {
		inputs = append(inputs, r.systemFile)
	}
	if userfile.Same(r.file, r.recorder.File) {
		return fmt.Errorf("two reports would go to %s", shownName(r.recorder.File))
	}
	return userfile.CheckWritable(r.recorder.File, inputs)
}

func (a *app) newRedteamAssessCommand() *cobra.Command {
	var format, file string
	cmd := newCommand("assess [flags] TRACE...", "Judge kept traces of attacks laid over a real server, without a model", func(cmd *cobra.Command, names []string) error {
		if len(names) == 0 {
			return usage(cmd, "no trace: name a file")
		}
		all := []redteam.Assessed{}
		for _, name := range names {
			one, err := redteam.AssessFile(name)
			if err != nil {
				return withName(name, userfile.Reason(err))
			}
			all = append(all, one)
		}
		if err := a.writeFormat(format, file, func(w io.Writer) error { return redteam.WriteAssessed(w, all, format, a.terminalOptions(false)) }); err != nil {
			return err
		}
		if why := redteam.Undecided(all); why != "" {
			a.note("the assessment is incomplete: %s", why)
			a.code = max(a.code, result.ExitTrouble)
		}
		return nil
	})
	textFormat(cmd, &format, "pretty", "html", "json")
	outputFlag(cmd, &file, "what the traces show")
	return cmd
}
