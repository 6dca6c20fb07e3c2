package cli

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/finding"
)

// A target is one thing to read: a snapshot, or a live server that is started or asked.
type target struct {
	file string // a snapshot, "-" for standard input; "" for a live server
	name string // what messages call a live server; "" for its program, or its URL as wire shows it

	command []string // starts a server on stdio
	env     []string // for that server, as NAME=VALUE
	dir     string   // it is started there; "" for our own directory

	url    string   // of a server
	header []string // for it, as NAME=VALUE
	bearer string   // a token for it, as NAME=TOKEN; "" for none
	sse    bool     // it speaks HTTP+SSE of 2024-11-05, and nothing else is tried

	// Of a server in a configuration: where it stands there, and what of what it is given
	// reports hide, as NAME=VALUE.
	place finding.Location
	guard []string

	// entries are what the user calls the server; see catalog.Server. None for "nothing".
	entries []string
}

// configured reports whether the target comes from a configuration.
func (t *target) configured() bool { return t.place.File != "" }

func (t *target) live() bool { return t.file == "" }

// isURL reports whether an argument is meant as the URL of a server.
func isURL(arg string) bool {
	lower := strings.ToLower(arg)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

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

func (f *targetFlags) flags(cmd *cobra.Command) {
	f.live.flags(cmd)
	cmd.Flags().Var(number(&f.parallel, defaultParallel, 10_000), "parallel", "most live servers that run or are asked at the same time")
	f.live.names = append(f.live.names, "parallel")
	f.limits.flags(cmd)
}

// targets reads a subcommand's arguments, in their order: snapshot files, "-", URLs, and
// one command behind "--". The flags for live servers are given to those they fit; an error
// is one of usage and quotes no secret.
func (a *app) targets(cmd *cobra.Command, f *targetFlags, args []string) ([]target, error) {
	var out []target
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	} else if dash == len(args) {
		return nil, usage(cmd, "no command behind --")
	}
	for _, arg := range args[:dash] {
		if isURL(arg) {
			out = append(out, target{url: arg})
		} else {
			out = append(out, target{file: arg})
		}
	}
	if dash < len(args) {
		out = append(out, target{command: args[dash:]})
	}
	if name := f.live.given(cmd); name != "" && len(out) > 0 && !anyLive(out) && !f.more {
		return nil, usage(cmd, "--%s is for a live server, and there is neither a URL nor a -- with its command", name)
	}
	if err := a.equip(cmd, &f.live, out); err != nil {
		return nil, usage(cmd, "%s", err)
	}
	return out, nil
}

// files are the names of the snapshots among targets.
func files(targets []target) []string {
	var out []string
	for i := range targets {
		if !targets[i].live() {
			out = append(out, targets[i].file)
		}
	}
	return out
}

func anyLive(targets []target) bool {
	return slices.ContainsFunc(targets, func(t target) bool { return t.live() })
}

// equip gives the values of the flags for live servers to the targets they are for.
func (a *app) equip(cmd *cobra.Command, l *liveFlags, targets []target) error {
	commands, urls := 0, 0
	for i := range targets {
		if targets[i].command != nil {
			commands++
		}
		if targets[i].url != "" {
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
	bearer, err := a.token(l)
	if err != nil {
		return err
	}
	for i := range targets {
		if t := &targets[i]; t.command != nil {
			t.env, t.dir = env, l.dir
		} else if t.url != "" {
			t.header, t.bearer = l.header, bearer
		}
	}
	return nil
}

// oneOrigin reports whether all URLs have the same scheme, host and port as written.
func oneOrigin(targets []target) bool {
	origin := ""
	for i := range targets {
		if targets[i].url == "" {
			continue
		}
		u, err := url.Parse(targets[i].url)
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

// token completes --bearer-env to NAME=TOKEN, and refuses what could give a token away.
func (a *app) token(l *liveFlags) (string, error) {
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
