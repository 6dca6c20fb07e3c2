package vet

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/source"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/runtime/discover"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// Names of the steps in reports.
const (
	stepFetch       = "fetch"
	stepSource      = "source"
	stepInstall     = "install"
	stepAdvisories  = "advisories"
	stepDefinitions = "definitions"
	stepBehaviour   = "behaviour"
)

func (v *vetting) run(ctx context.Context) (*result.Report, error) {
	v.what = result.Vetting{Target: v.target.text(), Kind: string(v.target.Spec.Kind), Reasons: []string{}, Steps: []result.VettingStep{}}
	v.begin("loading it")
	v.get(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if v.fetched != nil {
		if err := v.readSource(ctx); err != nil {
			return nil, err
		}
		v.readAgentFiles()
		v.install(ctx)
		v.lookUpAdvisories(ctx)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	v.readServer(ctx)
	v.noteHandlers()
	older := v.readOlder(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if older != nil {
		defer older.close()
		v.compare(older)
	}
	return v.report(ctx, older)
}

// get fetches the package, or uses the configured server.
func (v *vetting) get(ctx context.Context) {
	if s := v.target.Server; s != nil {
		v.what.Kind = "command"
		if s.URL != "" {
			v.what.Kind = string(fetch.URL)
		}
		if s.URL == "" || v.Connect {
			v.server = s
		} else {
			v.missing(Definitions, "it would be contacted with what its configuration gives it: --yes permits that")
		}
		v.skipped(stepFetch, "the configuration says how it is started, and nothing was loaded")
		v.inapplicable(Source, "no package with a source is known")
		return
	}
	if v.target.Spec.Kind == fetch.URL && !v.Fetcher.Public {
		v.server = &launch.Server{URL: v.target.Spec.Name}
		v.skipped(stepFetch, "a server behind a URL is not downloaded")
		v.inapplicable(Source, "the source of a server behind a URL is not available")
		return
	}
	p, err := v.Fetcher.Fetch(ctx, v.target.Spec)
	if err != nil {
		v.failed(stepFetch, err)
		return
	}
	v.fetched = p
	v.what.Kind, v.what.Name, v.what.Version, v.what.Package = string(p.Kind), p.Name, p.Version, &p.Facts
	switch {
	case p.URL != "" && v.Connect:
		v.server = &launch.Server{URL: p.URL}
	case p.URL != "":
		v.missing(Definitions, "the registry names an address, "+fetch.WithoutCredentials(p.URL)+": --yes reaches it")
	}
	p.Facts.Imitates = findLookalike(string(p.Kind), p.Name)
	for _, f := range p.Facts.Faults {
		if !f.Hostile() {
			v.problems = append(v.problems, finding.Problem{Kind: faultProblem(f), Message: strings.TrimSpace("the archive: " + f.Path + " " + f.Detail), Location: finding.Location{File: p.Label}, Input: -1})
		}
	}
	v.done(stepFetch, "%s", fetchedText(p))
}

func faultProblem(f result.ArchiveFault) finding.ProblemKind {
	if f.Kind == result.FaultLimit {
		return finding.Limit
	}
	return finding.Malformed
}

func fetchedText(p *fetch.Fetched) string {
	text := p.Label
	if p.Facts.Files > 0 {
		text += fmt.Sprintf(", %d files", p.Facts.Files)
	}
	switch {
	case p.Facts.Mismatch != "":
		return text + "; " + p.Facts.Mismatch
	case p.Facts.Integrity != "":
		return text + "; compared with the " + p.Facts.Integrity
	case p.Facts.Digest != "":
		return text + "; no published hash was found to compare it with"
	}
	return text
}

// readSource reads the package's source. An error means that it was interrupted.
func (v *vetting) readSource(ctx context.Context) error {
	switch {
	case !v.Depth.wants(Source):
		v.skipped(stepSource, "--depth definitions does not include it")
		return nil
	case v.fetched.URL != "":
		v.inapplicable(Source, "the source of a server behind a URL is not available")
		return nil
	case v.fetched.Dir == "":
		v.missing(Source, "no file of it was unpacked")
		return nil
	}
	v.begin("reading its source")
	found, err := sourcecode.Analyse(ctx, v.fetched.Dir, nil)
	if err != nil {
		return err
	}
	for _, p := range found.Problems {
		p.Location.File = v.label() + strings.TrimPrefix(p.Location.File, v.fetched.Dir)
		v.problems = append(v.problems, p)
	}
	v.read.source = found
	switch {
	case errors.Is(found.Err, source.ErrNoSources):
		v.inapplicable(Source, found.Err.Error())
		return nil
	case errors.Is(found.Err, source.ErrNoHandlers):
		return nil // what its server lists says what is missing, see noteHandlers
	case found.Err != nil:
		v.missing(Source, strings.ReplaceAll(found.Err.Error(), v.fetched.Dir, v.label()))
		return nil
	}
	v.done(stepSource, "%s of tools in %s", excerpt.Count(len(found.Sources.Handlers), "handler"), excerpt.Count(found.Sources.Files, "source file"))
	return nil
}

// noteHandlers notes a source without a handler of a tool. It may do anything: other code of it is no answer.
func (v *vetting) noteHandlers() {
	s := v.read.source
	if s == nil || !errors.Is(s.Err, source.ErrNoHandlers) {
		return
	}
	files, tools := excerpt.Count(s.Sources.Files, "source file"), 0
	for _, server := range v.read.catalog.Servers {
		tools += len(server.Tools())
	}
	const way = "it may speak the protocol without an SDK; read the code that answers tools/call"
	if tools > 0 {
		v.missing(Source, fmt.Sprintf("what its %s with what the caller sends was not read, since no handler was found in %s: %s", excerpt.Count(tools, "tool")+map[bool]string{true: " does", false: " do"}[tools == 1], files, way))
		return
	}
	v.missing(Source, fmt.Sprintf("no handler of a tool was found in %s: %s", files, way))
}

// stepAgents covers the package's files for agents: skills, instructions, hooks, settings.
const stepAgents = "agent files"

// readAgentFiles reads them. Nothing is recorded for a package without any.
func (v *vetting) readAgentFiles() {
	if v.fetched == nil || v.fetched.Dir == "" {
		return
	}
	files := discover.Folder(discover.Host{FS: discover.Disk{}, OS: runtime.GOOS}, v.fetched.Dir)
	for i := range files {
		f := &files[i]
		name := func(path string) string { return v.sourceLabel() + strings.TrimPrefix(path, v.fetched.Dir) }
		f.Path = name(f.Path)
		for j := range f.Entries {
			f.Entries[j].File = f.Path
		}
		for j := range f.Problems {
			f.Problems[j].Location.File = f.Path
		}
	}
	if len(files) > 0 {
		v.read.agents = files
		v.done(stepAgents, "%s for agents to read or run", excerpt.Count(len(files), "file"))
	}
}

// install installs the package's dependencies, so that it can be started.
func (v *vetting) install(ctx context.Context) {
	switch {
	case v.fetched.URL != "":
		v.skipped(stepInstall, "it is contacted, not installed")
		return
	case v.fetched.Hostile():
		v.notDone(stepInstall, "nothing of such an archive is installed or started")
		return
	}
	start, err := v.fetched.Install(ctx)
	if ctx.Err() != nil {
		return
	}
	if errors.Is(err, fetch.ErrUnsealed) {
		v.notDone(stepInstall, err.Error())
		return
	}
	if err != nil {
		v.failed(stepInstall, err)
		return
	}
	v.start = start
	v.server = &launch.Server{Command: slices.Concat(start.Command, v.target.Args), Dir: start.Dir, Env: slices.Concat(start.Env, v.target.Env), Guard: v.target.Guard, Configured: true}
	text := fmt.Sprintf("%s that it depends on; no install script was run", excerpt.Count(v.fetched.Facts.Installed, "package"))
	for _, n := range start.Notes {
		text += "; " + n
	}
	v.done(stepInstall, "%s", text)
}

// unsealed says why servers cannot be sandboxed here; nil if they can.
func (v *vetting) unsealed() error {
	if v.Sandboxed != nil {
		return v.Sandboxed()
	}
	err := sandbox.Available()
	if err != nil && !errors.Is(err, sandbox.ErrUnavailable) {
		err = fmt.Errorf("the sandbox: %w", err)
	}
	return err
}

// Configured returns a plan's servers as targets: what a package runner would fetch is vetted as that package with its entry's
// arguments and variables, anything else as its command or address. names selects entries; nil for all. missing lists names without
// an entry.
func Configured(p *clientplan.Plan, names []string) (targets []Target, missing []string) {
	missing = slices.Clone(names)
	for _, l := range p.Launches {
		wanted := len(names) == 0
		for _, e := range l.Entries {
			if slices.Contains(names, e.Name) {
				wanted = true
				missing = slices.DeleteFunc(missing, func(n string) bool { return n == e.Name })
			}
		}
		if wanted {
			targets = append(targets, configuredTarget(l))
		}
	}
	return targets, missing
}

func configuredTarget(l *clientplan.Launch) Target {
	t := Target{Name: l.Target.Name}
	if run, ok := config.RunsPackage(l.Resolved); ok {
		if spec, err := fetch.Parse(run.Ecosystem + ":" + strings.TrimPrefix(run.Text, "npm:")); err == nil {
			t.Spec, t.Args, t.Env, t.Guard = spec, run.Args, l.Target.Env, l.Target.Guard
			return t
		}
	}
	server := l.Target.Server
	t.Server = &server
	return t
}
