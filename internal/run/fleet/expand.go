package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/attacks"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/broker"
	"gauntlet/internal/runtime/discover"
)

// Bounds on what a plan names, in bytes.
const (
	maxInput    = 256 << 20 // one file that jobs read
	maxListText = 1 << 30   // a list or the export of a registry
)

// An expansion turns the sources of a plan into jobs.
type expansion struct {
	plan    *fleetplan.Plan
	host    discover.Host // for configurations
	version string
	digest  string

	documents [][]fleetplan.Document
	files     map[string]string // of inputs, by digest
	seen      map[string]bool   // ids of jobs
	jobs      []fleetplan.Job
	left      []Left
}

// expandPlan makes all jobs of a plan. What cannot be used is left, with the reason; only a plan that makes no sense at all is
// an error.
func expandPlan(plan *fleetplan.Plan, host discover.Host, version string) (*expansion, error) {
	e := &expansion{plan: plan, host: host, version: version, files: map[string]string{}, seen: map[string]bool{}}
	if err := e.readDocuments(); err != nil {
		return nil, err
	}
	// The digest covers the contents of documents, so that a worker starts no others.
	e.digest = broker.Digest([]byte(plan.Digest(version) + fmt.Sprint(e.documents)))
	for i := range plan.Sources {
		e.addSource(&plan.Sources[i])
	}
	return e, nil
}

// readDocuments finds the attack documents of each lane.
func (e *expansion) readDocuments() error {
	for _, l := range e.plan.Lanes {
		var docs []fleetplan.Document
		names := l.Documents
		if len(names) == 0 && l.Name == fleetplan.Attack {
			names = attacks.Names()
		}
		for _, name := range names {
			if _, builtIn := attacks.Text(name); builtIn {
				docs = append(docs, fleetplan.Document{Name: name})
				continue
			}
			file := e.relative(name)
			digest, err := e.addFile(file)
			if err != nil {
				return fmt.Errorf("the document %s: %w", name, err)
			}
			docs = append(docs, fleetplan.Document{Name: name, Digest: digest})
		}
		e.documents = append(e.documents, docs)
	}
	return nil
}

// relative is a name in the plan as seen from here: relative names are relative to the plan.
func (e *expansion) relative(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(e.plan.File), name)
}

// addFile reads a file for its digest, and remembers where it is.
func (e *expansion) addFile(name string) (digest string, err error) {
	if name, err = filepath.Abs(name); err != nil {
		return "", err
	}
	text, err := userfile.ReadText(name, nil, maxInput)
	if err != nil {
		return "", userfile.Reason(err)
	}
	digest = broker.Digest([]byte(text))
	e.files[digest] = name
	return digest, nil
}

func (e *expansion) leave(target, format string, args ...any) {
	e.left = append(e.left, Left{target, fmt.Sprintf(format, args...)})
}

func (e *expansion) addSource(s *fleetplan.Source) {
	switch {
	case s.Target.Kind != "":
		e.addTarget(s.Target, e.relative)
	case s.Directory != "":
		e.addDirectory(s.Directory)
	case s.List != "":
		e.addList(s.List)
	case s.Registry != "":
		e.addRegistry(s.Registry)
	default:
		e.addConfiguration(s)
	}
}

// addTarget makes the jobs of one target; path finds a file by its name.
func (e *expansion) addTarget(t fleetplan.Target, path func(string) string) {
	if err := t.Check(); err != nil {
		e.leave(t.Label(), "%s", err)
		return
	}
	if t.Kind == fleetplan.File {
		file := path(t.Value[0])
		digest, err := e.addFile(file)
		if err != nil {
			e.leave(t.Label(), "%s", err)
			return
		}
		t.Digest = digest
		if t.Name == "" {
			t.Name = t.Value[0]
		}
		t.Value = []string{e.files[digest]} // absolute: workers of this machine may be elsewhere in it
	}
	jobs := e.plan.Jobs(t, e.digest, e.version, e.documents)
	if len(jobs) == 0 {
		e.leave(t.Label(), "no lane of the plan takes a target of the kind %s", t.Kind)
	}
	for _, j := range jobs {
		if id := j.ID(); !e.seen[id] {
			e.seen[id] = true
			e.jobs = append(e.jobs, j)
		}
	}
}

// addDirectory takes every .json file below a directory.
func (e *expansion) addDirectory(name string) {
	dir, found := e.relative(name), 0
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			e.leave(path, "%s", userfile.Reason(err))
			return nil
		}
		if entry.Type().IsRegular() && strings.HasSuffix(path, ".json") {
			found++
			shown, _ := filepath.Rel(dir, path) // it is below dir
			e.addTarget(fleetplan.Target{Kind: fleetplan.File, Value: []string{path}, Name: filepath.ToSlash(shown)}, func(string) string { return path })
		}
		return nil
	})
	if err != nil {
		e.leave(name, "%s", err)
	} else if found == 0 && !slices.ContainsFunc(e.left, func(l Left) bool { return l.Target == dir }) {
		e.leave(name, "the directory holds no .json file")
	}
}

func (e *expansion) addList(name string) {
	file := e.relative(name)
	text, err := userfile.ReadText(file, nil, maxListText)
	if err != nil {
		e.leave(name, "%s", userfile.Reason(err))
		return
	}
	targets, problems := fleetplan.ParseList(name, text)
	for _, p := range problems {
		e.leave(fmt.Sprintf("%s:%d", name, p.Line), "%s", p.Msg)
	}
	for _, t := range targets {
		e.addTarget(t, func(n string) string {
			if filepath.IsAbs(n) {
				return n
			}
			return filepath.Join(filepath.Dir(file), n)
		})
	}
}

func (e *expansion) addRegistry(name string) {
	text, err := userfile.ReadText(e.relative(name), nil, maxListText)
	if err != nil {
		e.leave(name, "%s", userfile.Reason(err))
		return
	}
	targets, problems, err := fleetplan.ParseRegistry(name, text)
	if err != nil {
		e.leave(name, "%s", err)
	}
	for _, p := range problems {
		e.leave(name, "%s", p.Msg)
	}
	for _, t := range targets {
		e.addTarget(t, e.relative)
	}
}

// addConfiguration takes the entries of a client's configuration. Those that hand values to their server are left: a plan
// carries names of variables and no values.
func (e *expansion) addConfiguration(s *fleetplan.Source) {
	name := e.relative(s.Configuration)
	text, err := userfile.ReadText(name, nil, discover.MaxBytes)
	if err != nil {
		e.leave(s.Configuration, "%s", userfile.Reason(err))
		return
	}
	file := discover.Read(name, []byte(text), discover.Hint{})
	for _, p := range file.Problems {
		e.leave(s.Configuration, "%s", p.Message)
	}
	for i := range file.Entries {
		entry := &file.Entries[i]
		if t, why := e.entryTarget(entry, s.Start); why != "" {
			e.leave(s.Configuration+": "+entry.Name, "%s", why)
		} else {
			e.addTarget(t, e.relative)
		}
	}
}

func (e *expansion) entryTarget(entry *config.Entry, start bool) (t fleetplan.Target, why string) {
	resolved, problems := e.host.Resolve(*entry)
	switch {
	case entry.Disabled:
		return t, "it is switched off"
	case len(problems) > 0:
		return t, problems[0].Message
	case len(entry.Env)+len(entry.Headers) > 0 || entry.EnvFile != "" || len(resolved.Guarded()) > 0:
		return t, "its entry hands it values, which a plan does not carry: name it as a command or URL with env or bearer_env"
	case !start:
		return t, "the plan does not say start: true, so nothing of a configuration is started or connected to"
	}
	t = fleetplan.Target{Kind: fleetplan.URL, Value: []string{resolved.URL.Reveal()}, Name: entry.Name}
	if resolved.Command != "" {
		t.Kind, t.Value = fleetplan.Command, []string{resolved.Command}
		for _, a := range resolved.Args {
			t.Value = append(t.Value, a.Reveal())
		}
	}
	return t, ""
}
