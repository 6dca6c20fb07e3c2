package cli

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/capability"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

type probeCommand struct {
	*app
	how     targetFlags
	outputs outputFlags

	probing     proberun.Options
	otherBearer string
	includeLow  bool
	classes     []string
	trace       string
	recording   string
}

func (a *app) newProbeCommand() *cobra.Command {
	p := &probeCommand{app: a}
	cmd := newCommand("probe [flags] [URL] [-- COMMAND [ARG]...]", "Probe a server's tools for weaknesses, with proof", p.probeServer)
	f := cmd.Flags()
	p.outputs.gate.addGateFlags(cmd)
	p.how.live.sandbox.addSandboxFlags(f, sandbox.Require)
	f.StringVar(&p.probing.At, "at", "", "speak to the sealed server at this `URL` in its sandbox, where it listens instead of using stdio (default detected)")
	f.BoolVar(&p.probing.AllowCalls, "allow-calls", false, "without a sandbox, call tools that may change something (default off)")
	f.BoolVar(&p.probing.Destructive, "destructive", false, "with --allow-calls, also call tools that may destroy something (default off)")
	f.BoolVar(&p.probing.Register, "register", false, "try to register a client with a wildcard redirect at the authorization server of a URL; it may stay there (default off)")
	f.StringVar(&p.otherBearer, "other-bearer-env", "", "try what the token in our variable `NAME`, of another user or of fewer rights, may do in sessions of the first (default none)")
	f.Var(countFlag(&p.probing.Burst, 0, maxBurst), "burst", "send this many requests at once, to see whether there is a limit (default none)")
	f.BoolVar(&p.includeLow, "include-low", false, "plan by labels of low confidence as well (default off)")
	f.StringArrayVar(&p.classes, "class", nil, "try this `CLASS` alone; repeatable (default all)")
	f.StringVar(&p.probing.Fingerprint, "replay", "", "try again what this `FINGERPRINT` of a finding was about (default none)")
	addBudgetFlag(f, &p.probing.Budget)
	f.Var(durationFlag(&p.probing.Call, proberun.DefaultCall), "call-timeout", "longest wait for the answer to one call")
	recordFlag(cmd, &p.trace, everyMessage)
	f.StringVar(&p.recording, "recording", "", "start nothing and judge this recorded `FILE`; with --replay, try again what a finding in it rests on (default none)")
	p.outputs.addOutputFlags(cmd, a)
	p.outputs.addProgressFlag(cmd, a)
	p.how.addTargetFlags(cmd)
	for _, name := range []string{"timeout", "total-timeout", "parallel", "max-pages"} {
		_ = f.MarkHidden(name) // fails only for a missing flag
	}
	completeWith(cmd, "class", classNames())
	return cmd
}

func classNames() []string {
	var out []string
	for _, c := range probe.Classes() {
		out = append(out, string(c))
	}
	return out
}

func (p *probeCommand) probeServer(cmd *cobra.Command, args []string) error {
	if p.recording != "" && p.probing.Fingerprint == "" {
		return p.judgeRecording(cmd, args)
	}
	targets, err := p.parseTargets(cmd, &p.how, args)
	if err != nil {
		return err
	}
	if len(targets) != 1 || !targets[0].Live() {
		return usage(cmd, "want one server: its URL, or -- and its command")
	}
	if targets[0].URL != "" {
		p.how.live.sandbox.level = sandbox.Off
	}
	classes, unknownClass := p.chosenClasses()
	outs, wrong := p.outputs.checkOutputs([]string{p.recording})
	other, noToken := p.secretIn("other-bearer-env", p.otherBearer)
	at, noAddress := url.Parse(p.probing.At)
	if err := refuse(cmd, []conflict{
		failed(unknownClass), failed(wrong), failed(noToken),
		failed(userfile.CheckWritable(p.trace, []string{p.recording})),
		{p.trace != "" && slices.ContainsFunc(outs, func(o output) bool { return userfile.Same(o.File, p.trace) }), "a report and --record would go to " + shownName(p.trace)},
		{p.probing.At != "" && (noAddress != nil || at.Scheme != "http" || at.Port() == ""), "--at wants an address such as http://127.0.0.1:3001/mcp"},
		{p.probing.At != "" && !p.how.live.sandbox.level.Wanted(), "--at is for a server that is started by a command behind -- in a sandbox"},
	}); err != nil {
		return err
	}
	if err := p.checkRecorded(); err != nil {
		return err
	}
	record, err := p.createTrace(p.trace)
	if err != nil {
		return usage(cmd, "%s", err)
	}
	p.note("%s", offensive)
	defer p.startProgress().Stop()
	names, command := aroundDash(cmd, args)
	p.probing.OtherToken, p.probing.Again = other, againLine(cmd, names, command)
	got, err := proberun.Run(cmd.Context(), p.options(targets[0].Server, classes, record))
	incomplete := record.Close()
	if err != nil {
		if errors.Is(err, sandbox.ErrUnavailable) {
			return fmt.Errorf("%w; --sandbox off probes without one and calls only tools that change nothing", err)
		}
		return err
	}
	if err := p.report(got, outs); err != nil {
		return err
	}
	if incomplete != nil && p.code == result.ExitOK {
		return incomplete
	}
	return nil
}

func (p *probeCommand) report(got *proberun.Result, outs outputs) error {
	r, err := got.Report(version(), p.how.live.reading.Limits)
	if err == nil {
		p.writeReports(&p.outputs, outs, r, "", noMore)
	}
	return err
}

// checkRecorded shows what a recording says of the finding that is tried again, which must be in it.
func (p *probeCommand) checkRecorded() error {
	if p.recording == "" {
		return nil
	}
	got, err := proberun.ReadRecording(p.recording)
	if err != nil {
		return withName(p.recording, err)
	}
	r, err := got.Report(version(), p.how.live.reading.Limits)
	if err != nil {
		return withName(p.recording, err)
	}
	for i := range r.Findings {
		if r.Findings[i].Fingerprint == p.probing.Fingerprint {
			p.note("recorded: %s", r.Findings[i].Message)
			return nil
		}
	}
	return withName(p.recording, fmt.Errorf("nothing in the recording has the fingerprint %q", p.probing.Fingerprint))
}

func (p *probeCommand) judgeRecording(cmd *cobra.Command, args []string) error {
	if len(args) > 0 || p.trace != "" {
		return usage(cmd, "--recording starts no server: without --replay it cannot be combined with a target or --record")
	}
	outs, err := p.outputs.checkOutputs([]string{p.recording})
	if err != nil {
		return usage(cmd, "%s", err)
	}
	defer p.startProgress().Stop()
	got, err := proberun.ReadRecording(p.recording)
	if err != nil {
		return withName(p.recording, err)
	}
	return p.report(got, outs)
}

const maxBurst = 1000

func (p *probeCommand) chosenClasses() ([]probe.Class, error) {
	var out []probe.Class
	for _, name := range p.classes {
		if !slices.Contains(probe.Classes(), probe.Class(name)) {
			return nil, fmt.Errorf("--class: %q is unknown: want one of %s", name, strings.Join(classNames(), ", "))
		}
		out = append(out, probe.Class(name))
	}
	return out, nil
}

// options completes the options that the flags set.
func (p *probeCommand) options(server launch.Server, classes []probe.Class, record *tracefile.File) proberun.Options {
	o := p.probing
	o.Server, o.Dialer, o.Version, o.Trace = server, p.dialer(p.how.live.message, &p.how.live.sandbox, p.how.live.login, nil), version(), record
	o.Classes, o.Limits, o.Protocol = classes, p.how.live.reading.Limits, o.Fingerprint == "" && classes == nil
	o.Found, o.Progress = p.progress.Watcher(), p.progress
	if p.includeLow {
		o.Floor = capability.Low
	}
	return o
}
