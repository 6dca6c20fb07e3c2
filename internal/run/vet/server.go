package vet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/target"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// A reading is what was read of one target.
type reading struct {
	source  *sourcecode.Analysed
	agents  []config.File // the package's files for agents; may be nil
	catalog catalog.Catalog
	boxes   launch.Sandboxes
	secrets []string
	probed  *proberun.Result
}

// readServer starts the server in a sandbox, reads it, and probes it.
func (v *vetting) readServer(ctx context.Context) {
	if v.server == nil {
		if v.fetched != nil && v.fetched.URL == "" {
			v.missing(Definitions, "there is nothing to start")
			v.missing(Behaviour, "there is nothing to start")
		}
		return
	}
	if v.server.URL == "" {
		if err := v.unsealed(); err != nil {
			v.missing(Definitions, "vet starts a server only in a sandbox, and this machine offers none (to read a server that you trust without one: gauntlet scan -- COMMAND): "+err.Error())
			v.missing(Behaviour, "it was not started")
			return
		}
	}
	if err := v.capture(ctx); err != nil {
		if ctx.Err() == nil {
			v.failed(stepDefinitions, err)
			v.missing(Behaviour, "the server said nothing about itself")
		}
		return
	}
	v.probe(ctx)
}

// dialer returns what starts servers in a sandbox, or not at all.
func (v *vetting) dialer(boxes *launch.Sandboxes) launch.Dialer {
	c := sandbox.Config{Allow: v.Allow}
	if v.start != nil { // the package's own start command does not expose local files
		c.OwnFiles, c.Read = true, slices.Concat(v.start.Read, namedFiles(v.target.Args))
	}
	return launch.Dialer{Environ: v.Fetcher.Environ, Limits: wire.Limits{Message: wire.DefaultMessage}, Sandbox: sandbox.Require, SandboxConfig: c, Sandboxes: boxes}
}

// namedFiles returns the files and directories that the user's arguments name.
func namedFiles(args []string) (out []string) {
	for _, a := range args {
		if _, err := os.Stat(a); err == nil && filepath.IsAbs(a) {
			out = append(out, a)
		}
	}
	return out
}

// reader returns a reader of the server; its stderr output goes to notes.
func (v *vetting) reader(notes *[]target.Note) *target.Reader {
	return &target.Reader{
		Options: target.Options{Timeout: v.Timeout, Total: v.Total, Pages: 1000, Parallel: 1, Limits: v.Limits},
		Version: v.Version, Dialer: v.dialer(&v.read.boxes), Progress: v.Progress,
		Note: func(n target.Note) { *notes = append(*notes, n) },
	}
}

// maxStarts bounds the starts of a server that does not answer: as it is, and with what it reports missing.
const maxStarts = 4

// capture reads what the server says about itself. A server that needs a variable or argument to start gets a meaningless one: it
// is sandboxed, and still shows what it is for.
func (v *vetting) capture(ctx context.Context) error {
	if v.start != nil {
		v.addPlaceholders(v.start.Needs)
	}
	for n := 1; ; n++ {
		var notes []target.Note
		v.begin("starting it in a sandbox")
		got, err := v.reader(&notes).Gather(ctx, []target.Target{{Server: *v.server, Name: v.target.Name}})
		if err != nil {
			return err
		}
		if len(got.Failures) == 0 {
			v.read.catalog, v.read.secrets = got.Catalog, got.Secrets
			v.what.Start = v.shownCommand()
			v.done(stepDefinitions, "%s", v.definitionsText(notes))
			return nil
		}
		failure := errors.New(got.Failures[0].Message)
		if n == maxStarts || ctx.Err() != nil || v.server.URL != "" || !v.supply(failure.Error(), notes) {
			return launch.ExplainMadeUp(failure, v.what.Placeholders)
		}
	}
}

func (v *vetting) definitionsText(notes []target.Note) string {
	items := 0
	for _, s := range v.read.catalog.Servers {
		for range s.Items() {
			items++
		}
	}
	text := excerpt.Count(items, "definition")
	if v.server.URL == "" {
		text = "started in a sandbox; " + text
	}
	if len(v.what.Placeholders) > 0 {
		text += "; it did not start without " + strings.Join(v.what.Placeholders, ", ") + ", which got values without a meaning"
	}
	for _, n := range notes {
		if !n.Quote {
			text += "; " + n.Text
		}
	}
	return text
}

// shownCommand returns the command without cache folders.
func (v *vetting) shownCommand() []string {
	if v.server.URL != "" {
		return nil
	}
	out := slices.Clone(v.server.Command)
	for i, arg := range out {
		if v.start != nil && v.start.Dir != "" && v.target.Spec.Kind != "directory" {
			arg = strings.ReplaceAll(arg, v.start.Dir+"/", "")
		}
		out[i] = arg
	}
	return out
}

const maxPlaceholders = 12

// supply gives the server what its last output reports missing. It reports whether there is something new to try.
func (v *vetting) supply(failure string, notes []target.Note) bool {
	text := failure
	for _, n := range notes {
		text += "\n" + n.Text
	}
	if v.addPlaceholders(wire.NamedVariables(text)) {
		return true
	}
	lower := strings.ToLower(text)
	if len(v.target.Args) == 0 && v.start != nil && (strings.Contains(lower, "usage") || strings.Contains(lower, "argument")) && !slices.Contains(v.what.Placeholders, argumentPlaceholder) {
		v.server.Command = append(v.server.Command, "/tmp")
		v.what.Placeholders = append(v.what.Placeholders, argumentPlaceholder)
		return true
	}
	return false
}

// argumentPlaceholder represents an argument among the placeholders.
const argumentPlaceholder = "the argument /tmp"

// addPlaceholders sets variables that are not set, and reports whether there were any.
func (v *vetting) addPlaceholders(names []string) bool {
	added := false
	for _, name := range names {
		if _, set := wire.Lookup(v.server.Env, name); set || len(v.what.Placeholders) >= maxPlaceholders {
			continue
		}
		v.server.Env = append(v.server.Env, name+"="+proberun.MadeUp(name, "/tmp"))
		v.what.Placeholders = append(v.what.Placeholders, name)
		added = true
	}
	return added
}

func (v *vetting) probe(ctx context.Context) {
	switch {
	case !v.Depth.wants(Behaviour):
		v.skipped(stepBehaviour, "--depth %s does not ask for it", v.Depth)
		return
	case v.server.URL != "":
		v.inapplicable(Behaviour, "the tools of a server on another machine are called only on request: gauntlet probe does that")
		return
	}
	v.begin("probing it")
	again := ""
	if v.Again != nil {
		again = v.Again(v.target.text())
	}
	got, err := proberun.Run(ctx, proberun.Options{
		Found: v.Progress.Watcher(), Server: *v.server, Dialer: v.dialer(&launch.Sandboxes{}), Version: v.Version, Budget: v.Budget, Limits: v.Limits, Progress: v.Progress, Protocol: true,
		Fingerprint: v.Replay, Again: again,
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		v.failed(stepBehaviour, err)
		return
	}
	v.read.probed = got
}
