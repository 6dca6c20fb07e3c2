package target

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gauntlet/internal/run/launch"
)

// Named returns the targets that a command line names, in order: files, "-", URLs, and one command.
func Named(names, command []string) []Target {
	var out []Target
	for _, arg := range names {
		if IsURL(arg) {
			out = append(out, Target{Server: launch.Server{URL: arg}})
		} else {
			out = append(out, Target{File: arg})
		}
	}
	if len(command) > 0 {
		out = append(out, Target{Server: launch.Server{Command: command}})
	}
	return out
}

// SnapshotFiles returns the names of the snapshots among targets.
func SnapshotFiles(targets []Target) []string {
	var out []string
	for i := range targets {
		if !targets[i].Live() {
			out = append(out, targets[i].File)
		}
	}
	return out
}

// AnyLive reports whether a live server is among targets.
func AnyLive(targets []Target) bool {
	return slices.ContainsFunc(targets, func(t Target) bool { return t.Live() })
}

// Given is what a user sets for live servers.
type Given struct {
	Env    []string // NAME=VALUE, or the NAME of one of our variables
	Dir    string
	Header []string // NAME=VALUE
	Bearer string   // name of our variable that holds the token
}

// Apply gives the values to the targets they are meant for. It refuses a changed flag that fits no target, and one that would send
// one server's value to another. Its errors quote no value.
func (g *Given) Apply(targets []Target, changed func(flag string) bool, lookup func(name string) (string, bool)) error {
	if err := g.checkFit(targets, changed); err != nil {
		return err
	}
	env, err := ServerEnv(g.Env, lookup)
	if err != nil {
		return err
	}
	bearer, err := g.readBearer(lookup)
	if err != nil {
		return err
	}
	for i := range targets {
		if t := &targets[i]; t.Command != nil {
			t.Env, t.Dir = env, g.Dir
		} else if t.URL != "" {
			t.Header, t.Bearer = g.Header, bearer
		}
	}
	return nil
}

// checkFit refuses flags that fit no target, or too many.
func (g *Given) checkFit(targets []Target, changed func(flag string) bool) error {
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
		if commands == 0 && changed(name) {
			return fmt.Errorf("--%s is for a server that is started by a command behind --", name)
		}
	}
	for _, name := range []string{"header", "bearer-env"} {
		switch {
		case !changed(name):
		case urls == 0:
			return fmt.Errorf("--%s is for a server behind a URL", name)
		case !oneOrigin(targets):
			return fmt.Errorf("--%s would go to several servers, and what is for one is not for another: scan those URLs one at a time", name)
		}
	}
	return nil
}

// oneOrigin reports whether all URLs have the same scheme, host and port, as written.
func oneOrigin(targets []Target) bool {
	origin := ""
	for i := range targets {
		if targets[i].URL == "" {
			continue
		}
		u, err := url.Parse(targets[i].URL)
		if err != nil {
			continue // Dial reports it
		}
		o := strings.ToLower(u.Scheme + "://" + u.Host)
		if origin != "" && o != origin {
			return false
		}
		origin = o
	}
	return true
}

// readBearer resolves the variable to NAME=TOKEN, and refuses what could disclose a token.
func (g *Given) readBearer(lookup func(string) (string, bool)) (string, error) {
	for _, h := range g.Header {
		if name, _, _ := strings.Cut(h, "="); strings.EqualFold(strings.TrimSpace(name), "Authorization") {
			return "", errors.New("--header does not take Authorization, whose value others could read on the command line: use --bearer-env NAME")
		}
	}
	if g.Bearer == "" {
		return "", nil
	}
	// The user may have typed the token instead of its name: never quote it.
	token, ok := lookup(g.Bearer)
	if !ok {
		return "", errors.New("--bearer-env wants the name of a variable, and no variable of that name is set here")
	}
	return g.Bearer + "=" + token, nil
}

// ServerEnv completes entries of --env: a name alone passes on our variable, so that a secret need not appear on the command line.
// Its errors quote no entry, which may be a value without its name.
func ServerEnv(entries []string, lookup func(string) (string, bool)) ([]string, error) {
	out := make([]string, 0, len(entries))
	for i, e := range entries {
		name, _, ok := strings.Cut(e, "=")
		if !ok {
			v, set := lookup(e)
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
