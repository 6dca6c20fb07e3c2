package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/target"
)

type targetFlags struct {
	live     liveFlags
	limits   limitFlags
	parallel int
	// more says that live servers may be added to those in the arguments.
	more bool
}

// defaultParallel limits processes of some 100 MB each; more would slow the machine for its user and hardly speed up the scan.
const defaultParallel = 8

func (f *targetFlags) addTargetFlags(cmd *cobra.Command) {
	f.live.addLiveFlags(cmd)
	cmd.Flags().Var(countFlag(&f.parallel, defaultParallel, 10_000), "parallel", "most at the same time: live servers that run or are asked")
	f.live.names = append(f.live.names, "parallel")
	f.limits.addLimitFlags(cmd)
}

// parseTargets parses a subcommand's arguments in order: snapshot files, "-", URLs, and one command after "--". Flags for live
// servers are applied to those they fit; an error is a usage error and quotes no secret.
func (a *app) parseTargets(cmd *cobra.Command, f *targetFlags, args []string) ([]target.Target, error) {
	names, command, err := splitArguments(cmd, args)
	if err != nil {
		return nil, err
	}
	return a.makeTargets(cmd, f, names, command)
}

// splitArguments returns what is before "--" and the command after it.
func splitArguments(cmd *cobra.Command, args []string) (names, command []string, err error) {
	switch dash := cmd.ArgsLenAtDash(); {
	case dash < 0:
		return args, nil, nil
	case dash == len(args):
		return nil, nil, usage(cmd, "no command behind --")
	default:
		return args[:dash], args[dash:], nil
	}
}

func (a *app) makeTargets(cmd *cobra.Command, f *targetFlags, names, command []string) ([]target.Target, error) {
	out := target.Named(names, command)
	if name := f.live.firstGiven(cmd); name != "" && len(out) > 0 && !target.AnyLive(out) && !f.more {
		return nil, usage(cmd, "--%s is for a live server, and there is neither a URL nor a -- with its command", name)
	}
	if cmd.Flags().Changed("sandbox") && f.live.sandbox.level.Wanted() && !f.more && !slices.ContainsFunc(out, func(t target.Target) bool { return t.Command != nil }) {
		return nil, usage(cmd, "--sandbox is for a server that is started by a command behind --")
	}
	if err := a.applyLiveFlags(cmd, &f.live, out); err != nil {
		return nil, usage(cmd, "%s", err)
	}
	return out, nil
}

// applyLiveFlags applies the flags for live servers to their targets.
func (a *app) applyLiveFlags(cmd *cobra.Command, l *liveFlags, targets []target.Target) error {
	return l.Apply(targets, cmd.Flags().Changed, a.lookupEnv)
}
