// Package target reads what a user names: snapshot files, lockfiles, and live servers, which are started or connected to, asked
// everything and ended. What cannot be read is a problem and does not affect the rest.
package target

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/launch"
	"gauntlet/lock"
)

// A Target is one thing to read: a snapshot, or a live server.
type Target struct {
	File string // snapshot file, "-" for standard input; "" for a live server
	Text string // a generated snapshot, called Name; or ""
	Name string // a live server's name in messages; "" for its program, or its URL as shown by wire
	launch.Server

	// Place is where a configuration defines the server.
	Place finding.Location
	// Entries are the user's names for the server; see catalog.Server.
	Entries []string
}

// Live reports whether the target is a live server.
func (t *Target) Live() bool { return t.File == "" && t.Text == "" }

// IsURL reports whether an argument is meant as a server's URL.
func IsURL(arg string) bool {
	lower := strings.ToLower(arg)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// AddTo adds a snapshot or lockfile to a catalog.
func AddTo(c *catalog.Catalog, name, text string, limits catalog.Limits) error {
	if lock.Is(text) {
		return lock.Add(c, name, text, limits)
	}
	return c.Add(name, text, limits)
}

// Failure returns the problem of a target that could not be read.
func Failure(t *Target, err error) finding.Problem {
	p := finding.Problem{Kind: finding.Failed, Message: err.Error(), Location: t.Place}
	if !t.Live() {
		p.Location.File = t.File
	}
	var e *catalog.Error
	if errors.As(err, &e) {
		p.Message, p.Location.Line, p.Location.Column = e.Msg, e.Line, e.Column
	}
	return p
}

// FailureText returns a problem on one line, with its place.
func FailureText(p finding.Problem) string {
	e := catalog.Error{File: p.Location.File, Line: p.Location.Line, Column: p.Location.Column, Msg: p.Message}
	return e.Error()
}

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

// markServers marks servers by how the user named them, so that a lockfile can distinguish and match them.
func markServers(servers []*catalog.Server, t *Target) {
	at := Whereabouts(t)
	for _, s := range servers {
		if t.Entries != nil {
			s.Entries = t.Entries
		}
		if t.Live() {
			s.Target = cmp.Or(at.URL, at.Command)
		}
	}
}

// Whereabouts returns a target's location without secrets: values expanded from a configuration's references may be part of a URL
// too.
func Whereabouts(t *Target) lock.Target {
	var at lock.Target
	switch {
	case t.Command != nil:
		at.Command = t.Program()
	case t.URL != "":
		at = lock.URLTarget(withoutKeys(t.URL))
	}
	hidden := redact.New(t.Guard)
	return lock.Target{Command: hidden.Replace(at.Command), URL: hidden.Replace(at.URL)}
}

// withoutKeys returns a URL without path segments that are keys.
func withoutKeys(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	keys := redact.URLSecrets(text)
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err != nil || slices.Contains(keys, "path="+plain) {
			parts[i] = "KEY"
		}
	}
	u.RawPath = strings.Join(parts, "/")
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return ""
	}
	return u.String()
}
