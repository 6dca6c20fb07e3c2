package cli

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
)

// targetFlags say how targets are read.
type targetFlags struct {
	live     liveFlags
	limits   limitFlags
	parallel int
	// more says that live servers may come beside those of the arguments.
	more bool
}

// defaultParallel servers are processes of some 100 MB each; more of them at once make a
// machine slow for its user and the scan little faster.
const defaultParallel = 8

func (f *targetFlags) addTargetFlags(cmd *cobra.Command) {
	f.live.addLiveFlags(cmd)
	cmd.Flags().Var(countFlag(&f.parallel, defaultParallel, 10_000), "parallel", "most at the same time: live servers that run or are asked")
	f.live.names = append(f.live.names, "parallel")
	f.limits.addLimitFlags(cmd)
}

// parseTargets reads a subcommand's arguments, in their order: snapshot files, "-", URLs, and
// one command behind "--". The flags for live servers are given to those they fit; an error
// is one of usage and quotes no secret.
func (a *app) parseTargets(cmd *cobra.Command, f *targetFlags, args []string) ([]target.Target, error) {
	names, command, err := splitArguments(cmd, args)
	if err != nil {
		return nil, err
	}
	return a.makeTargets(cmd, f, names, command)
}

// splitArguments returns what stands before "--" and the command behind it.
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
	var out []target.Target
	for _, arg := range names {
		if target.IsURL(arg) {
			out = append(out, target.Target{Server: launch.Server{URL: arg}})
		} else {
			out = append(out, target.Target{File: arg})
		}
	}
	if len(command) > 0 {
		out = append(out, target.Target{Server: launch.Server{Command: command}})
	}
	if name := f.live.firstGiven(cmd); name != "" && len(out) > 0 && !anyLive(out) && !f.more {
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

// snapshotFiles are the names of the snapshots among targets.
func snapshotFiles(targets []target.Target) []string {
	var out []string
	for i := range targets {
		if !targets[i].Live() {
			out = append(out, targets[i].File)
		}
	}
	return out
}

func anyLive(targets []target.Target) bool {
	return slices.ContainsFunc(targets, func(t target.Target) bool { return t.Live() })
}

// applyLiveFlags gives the values of the flags for live servers to the targets they are for.
func (a *app) applyLiveFlags(cmd *cobra.Command, l *liveFlags, targets []target.Target) error {
	commands, urls := 0, 0
	for i := range targets {
		if targets[i].Command != nil {
			commands++
		}
		if targets[i].URL != "" {
			urls++
		}
	}
	for _, name := range []string{"env", "cwd"} {
		if commands == 0 && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a server that is started by a command behind --", name)
		}
	}
	for _, name := range []string{"header", "bearer-env"} {
		switch {
		case !cmd.Flags().Changed(name):
		case urls == 0:
			return fmt.Errorf("--%s is for a server behind a URL", name)
		case !oneOrigin(targets):
			return fmt.Errorf("--%s would go to several servers, and what is for one is not for another: scan those URLs one at a time", name)
		}
	}
	env, err := a.serverEnv(l.env)
	if err != nil {
		return err
	}
	bearer, err := a.readBearer(l)
	if err != nil {
		return err
	}
	for i := range targets {
		if t := &targets[i]; t.Command != nil {
			t.Env, t.Dir = env, l.dir
		} else if t.URL != "" {
			t.Header, t.Bearer = l.header, bearer
		}
	}
	return nil
}

// oneOrigin reports whether all URLs have the same scheme, host and port as written.
func oneOrigin(targets []target.Target) bool {
	origin := ""
	for i := range targets {
		if targets[i].URL == "" {
			continue
		}
		u, err := url.Parse(targets[i].URL)
		if err != nil {
			continue // Dial says so
		}
		o := strings.ToLower(u.Scheme + "://" + u.Host)
		if origin != "" && o != origin {
			return false
		}
		origin = o
	}
	return true
}

// readBearer completes --bearer-env to NAME=TOKEN, and refuses what could give a token away.
func (a *app) readBearer(l *liveFlags) (string, error) {
	for _, h := range l.header {
		if name, _, _ := strings.Cut(h, "="); strings.EqualFold(strings.TrimSpace(name), "Authorization") {
			return "", errors.New("--header does not take Authorization, whose value others could read on the command line: use --bearer-env NAME")
		}
	}
	if l.bearer == "" {
		return "", nil
	}
	// A name that is none may be the token itself: it is not quoted.
	token, ok := a.lookupEnv(l.bearer)
	if !ok {
		return "", errors.New("--bearer-env wants the name of a variable, and no variable of that name is set here")
	}
	return l.bearer + "=" + token, nil
}

// serverEnv completes the entries of --env: a name alone passes on our own variable, so
// that a secret need not stand on the command line. Errors quote no entry, since one
// whose name was forgotten is a value.
func (a *app) serverEnv(entries []string) ([]string, error) {
	out := make([]string, 0, len(entries))
	for i, e := range entries {
		name, _, ok := strings.Cut(e, "=")
		if !ok {
			v, set := a.lookupEnv(e)
			if !set {
				return nil, fmt.Errorf("--env number %d is not of the form NAME=VALUE, and no variable of that name is set here", i+1)
			}
			e += "=" + v
		} else if name == "" {
			return nil, fmt.Errorf("--env number %d is not of the form NAME=VALUE", i+1)
		}
		out = append(out, e)
	}
	return out, nil
}
