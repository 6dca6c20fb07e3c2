package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/run/vet"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/internal/runtime/mcpclient"
)

type vetCommand struct {
	*app
	outputs outputFlags
	vetting vet.Options
	env     []string
	older   bool
	configs configFlags
}

func (a *app) newVetCommand() *cobra.Command {
	v := &vetCommand{app: a}
	cmd := newCommand("vet [flags] TARGET... [-- ARG...]", "Examine a package or server before you install it", v.vetTargets)
	f := cmd.Flags()
	v.outputs.gate.addGateFlags(cmd)
	f.Var(nameFlag(&v.vetting.Depth, "LEVEL", vet.Depths()), "depth", "go this far and no farther: definitions, source, behaviour (default behaviour, or what this kind of target has)")
	completeWith(cmd, "depth", vet.Depths())
	f.StringArrayVar(&v.env, "env", nil, envMeaning)
	f.StringArrayVar(&v.vetting.Allow, "sandbox-allow", nil, "let what is sealed really reach this `HOST` or HOST:PORT; repeatable (default none)")
	f.StringVar(&v.vetting.Advisories, "osv", "", "look for known vulnerabilities in this export of advisories in the OSV format: `PLACE`, a directory, a file or a URL (default none)")
	f.StringVar(&v.vetting.Fetcher.Cache, "cache", "", "keep what is loaded in this `DIR` (default gauntlet/vet in your cache directory)")
	f.BoolVar(&v.older, "diff", false, "the targets are the version that you have and a newer one: vet the newer, and say what changed (default off)")
	f.StringVar(&v.vetting.Fetcher.Registry, "registry", fetch.DefaultRegistry, "look registry: targets up in the MCP registry at this `URL`")
	f.StringArrayVar(&v.configs.files, "config", nil, "take servers from the configuration of an MCP client: this `FILE`; TARGETs are names of its entries then; repeatable (default none)")
	f.BoolVar(&v.configs.yes, "yes", false, "do not ask for consent: connect to URLs that a registry names, or with --config, with the headers that the configuration gives them (default off)")
	f.StringVar(&v.vetting.Replay, "replay", "", "try again what this `FINGERPRINT` of a finding was about (default none)")
	addBudgetFlag(f, &v.vetting.Budget)
	f.Var(durationFlag(&v.vetting.Timeout, mcpclient.DefaultTimeout), "timeout", "longest wait for one answer of the server")
	v.outputs.addOutputFlags(cmd, a)
	v.outputs.addProgressFlag(cmd, a)
	addLimitFlags(cmd, &v.vetting.Limits)
	return cmd
}

func (v *vetCommand) vetTargets(cmd *cobra.Command, args []string) error {
	names, serverArgs := aroundDash(cmd, args)
	outs, wrongOutputs := v.outputs.checkOutputs(v.configs.files)
	v.configs.writes = outs.files()
	targets, err := v.chooseTargets(cmd, names)
	if err != nil {
		return err
	}
	env, wrongEnv := target.ServerEnv(v.env, v.lookupEnv)
	opt, wrong := v.options()
	if err := refuse(cmd, []conflict{
		{len(serverArgs) > 0 && len(targets) > 1, fmt.Sprintf("the arguments behind -- are for one server, and there are %d targets", len(targets))},
		failed(wrongEnv), failed(wrongOutputs), failed(wrong),
	}); err != nil {
		return err
	}
	for i := range targets {
		targets[i].AddStart(serverArgs, env)
	}
	defer v.startProgress().Stop()
	opt.Progress = v.progress
	if !isTerminal(v.host.Stderr) { // which shows a line
		opt.Begun = func(step string) { v.note("%s", step) }
	}
	opt.Again = func(target string) string { return againLine(cmd, []string{target}, serverArgs) }
	r, err := vet.Run(cmd.Context(), opt, targets)
	if err != nil {
		return err
	}
	v.writeReports(&v.outputs, outs, r, "", noMore)
	return nil
}

// chooseTargets returns the named targets, or entries of configurations.
func (v *vetCommand) chooseTargets(cmd *cobra.Command, names []string) ([]vet.Target, error) {
	if v.configs.anyGiven() {
		if err := refuse(cmd, append([]conflict{{v.older, "--diff compares two targets, and --config names servers: want one of them"}}, v.configs.conflicts()...)); err != nil {
			return nil, err
		}
		return v.configuredTargets(cmd, names)
	}
	if err := refuse(cmd, []conflict{
		{len(names) == 0, "nothing to vet: name " + fetch.Forms},
		{v.older && len(names) != 2, "--diff wants two targets, the version that you have and a newer one"},
	}); err != nil {
		return nil, err
	}
	out, err := vet.Named(names, v.older)
	return out, refuse(cmd, []conflict{failed(err)})
}

func (v *vetCommand) configuredTargets(cmd *cobra.Command, names []string) ([]vet.Target, error) {
	p, err := v.readPlan(cmd.Context(), &v.configs)
	if err != nil {
		return nil, err
	}
	out, missing := vet.Configured(p, names)
	if len(missing) > 0 {
		return nil, usage(cmd, "no entry of the configuration that could be vetted has the name %q", missing[0])
	}
	if len(out) == 0 {
		return nil, errors.New("the configuration holds no server that could be vetted")
	}
	return out, nil
}

// options completes the options that the flags set.
func (v *vetCommand) options() (opt vet.Options, err error) {
	opt = v.vetting
	opt.Fetcher.Environ, opt.Fetcher.Now = v.host.Environ, time.Now
	opt.Version, opt.Connect, opt.Total = version(), v.configs.yes, defaultTotalTimeout
	if opt.Fetcher.Cache != "" {
		opt.Fetcher.Cache, err = filepath.Abs(opt.Fetcher.Cache)
	} else if opt.Fetcher.Cache, err = userfile.CacheDirectory("vet", v.getenv); err != nil {
		err = errors.New("there is no cache directory: name one with --cache")
	}
	return opt, err
}
