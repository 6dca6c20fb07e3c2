package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/attacks"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/result"
)

// Bounds on what a plan names.
const (
	maxInput    = 256 << 20 // bytes of one file that jobs read
	maxListText = 1 << 30   // bytes of a list or of a file with a registry's answer
	maxPage     = 16 << 20  // bytes of one page of a registry
	maxPages    = 10_000    // of a registry
)

// An expansion turns the sources of a plan into jobs.
type expansion struct {
	plan    *Plan
	version string
	digest  string

	documents [][]Document
	files     map[string]string // of inputs, by digest
	named     map[string]string // what each target is, by its name
	seen      map[string]bool   // ids of jobs
	jobs      []Job
	list      result.Fleet // of the jobs, none of them done, and of what was left
}

// expandPlan makes all jobs of a plan. What cannot be used is left, with the reason; only a plan that makes no sense at all is
// an error.
func expandPlan(ctx context.Context, plan *Plan, version string) (*expansion, error) {
	e := &expansion{plan: plan, version: version, files: map[string]string{}, named: map[string]string{}, seen: map[string]bool{}}
	for _, l := range plan.Lanes {
		docs, err := e.documentsOf(l)
		if err != nil {
			return nil, err
		}
		e.documents = append(e.documents, docs)
	}
	// It covers the contents of documents, so that a worker starts no others.
	e.digest = plan.Digest(version, e.documents)
	e.list = result.Fleet{SchemaVersion: result.FleetSchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: version}, Name: plan.Name, Plan: e.digest, Round: plan.Round}
	here := filepath.Dir(plan.File)
	for _, s := range plan.Sources {
		switch s.Kind {
		case Directory:
			e.addDirectory(s.Value[0])
		case List:
			e.addList(s.Value[0])
		case Registry:
			e.addRegistry(ctx, s.Value[0])
		default:
			e.addTarget(s, here)
		}
	}
	return e, nil
}

func (e *expansion) documentsOf(l Lane) (docs []Document, err error) {
	names := l.Documents
	if len(names) == 0 && l.Name == Attack {
		names = attacks.Names()
	}
	for _, name := range names {
		d := Document{Name: name}
		if _, builtIn := attacks.Text(name); !builtIn {
			if _, d.Digest, err = e.addFile(name, filepath.Dir(e.plan.File)); err != nil {
				return nil, fmt.Errorf("the document %s: %w", name, err)
			}
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// within is where a name of a file leads that is written in a directory.
func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// addFile reads a file for its digest, and remembers where it is: from its root, since workers of this machine may be elsewhere.
func (e *expansion) addFile(name, dir string) (at, digest string, err error) {
	if at, err = filepath.Abs(within(dir, name)); err != nil {
		return "", "", err
	}
	text, err := userfile.ReadText(at, nil, maxInput)
	if err != nil {
		return "", "", userfile.Reason(err)
	}
	digest = Digest([]byte(text))
	e.files[digest] = at
	return at, digest, nil
}

// shown is what reports call a file: its name as seen from the plan, or from the root where it is not below that.
func (e *expansion) shown(at string) string {
	here, err := filepath.Abs(filepath.Dir(e.plan.File))
	if name, relErr := filepath.Rel(here, at); err == nil && relErr == nil && filepath.IsLocal(name) {
		at = name
	}
	return filepath.ToSlash(at)
}

func (e *expansion) leave(target, format string, args ...any) {
	e.list.Left = append(e.list.Left, result.FleetLeft{Target: target, Reason: fmt.Sprintf(format, args...)})
}

// addTarget makes the jobs of one target; the name of a file is as seen from dir.
func (e *expansion) addTarget(t Target, dir string) {
	err := t.Check()
	if err == nil && t.Kind == File {
		var at string
		if at, t.Digest, err = e.addFile(t.Value[0], dir); err == nil {
			t.Value = []string{at}
			if t.Name == "" {
				t.Name = e.shown(at)
			}
		}
	}
	if err != nil {
		e.leave(t.Label(), "%s", err)
		return
	}
	if !e.nameApart(&t) {
		return
	}
	jobs := e.plan.Jobs(t, e.digest, e.version, e.documents)
	if len(jobs) == 0 {
		e.leave(t.Label(), "no lane of the plan takes a target of the kind %s", t.Kind)
	}
	listed := result.FleetTarget{Name: t.Label(), Kind: string(t.Kind)}
	for _, j := range jobs {
		id := j.ID()
		if e.seen[id] { // a lane that the plan names twice
			continue
		}
		e.seen[id] = true
		e.jobs = append(e.jobs, j)
		one := result.FleetJob{ID: id, Lane: string(j.Lane), Document: j.Document, State: result.FleetNotDone}
		if len(j.Needs) > 0 {
			one.Reason = "; it needs " + strings.Join(j.Needs, ", ")
		}
		listed.Jobs = append(listed.Jobs, one)
	}
	if listed.Jobs != nil {
		e.list.Targets = append(e.list.Targets, listed)
	}
}

// nameApart gives a target a name that no other has: two servers of a registry may have one name. It reports false for a target
// that the plan named before.
func (e *expansion) nameApart(t *Target) bool {
	label, detail := t.Label(), strings.Join(t.Value, " ")
	if label == detail {
		detail = string(t.Kind)
	}
	what := strings.Join(slices.Concat([]string{string(t.Kind), t.Bearer}, t.Value, []string{""}, t.Env), "\x00")
	for n := 1; ; n++ {
		was, taken := e.named[t.Label()]
		switch {
		case !taken:
			e.named[t.Label()] = what
			return true
		case was == what:
			return false
		}
		if t.Name = fmt.Sprintf("%s (%s)", label, detail); n > 1 {
			t.Name += fmt.Sprint(" #", n)
		}
	}
}

// addDirectory takes every file of JSON below a directory. Links may lead anywhere, and a pipe may never end: they are left.
func (e *expansion) addDirectory(name string) {
	dir, found := within(filepath.Dir(e.plan.File), name), false
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error { // no error is returned
		leave := func(why string) {
			found = true
			e.leave(path, "%s", why)
		}
		ext := strings.ToLower(filepath.Ext(path))
		isJSON := ext == ".json" || ext == ".jsonc"
		switch {
		case err != nil:
			leave("the directory cannot be read: " + userfile.Reason(err).Error())
		case entry.Type()&fs.ModeSymlink != 0:
			if info, err := os.Stat(path); isJSON || err == nil && info.IsDir() {
				leave("it is a link, which is not followed: name the file or directory itself")
			}
		case entry.IsDir() || !isJSON:
		case !entry.Type().IsRegular():
			leave("it is no regular file, and was not read")
		default:
			found = true
			e.addTarget(Target{Kind: File, Value: []string{path}}, ".")
		}
		return nil
	})
	if !found {
		e.leave(name, "the directory holds no file of JSON")
	}
}

func (e *expansion) addList(name string) {
	file := within(filepath.Dir(e.plan.File), name)
	text, err := userfile.ReadText(file, nil, maxListText)
	if err != nil {
		e.leave(name, "%s", userfile.Reason(err))
		return
	}
	targets, problems := ParseList(text)
	for _, p := range problems {
		e.leave(fmt.Sprintf("%s:%d", name, p.Line), "%s", p.Msg)
	}
	for _, t := range targets {
		e.addTarget(t, filepath.Dir(file))
	}
	if len(targets)+len(problems) == 0 {
		e.leave(name, "the list names no target")
	}
}

// addRegistry takes the servers of a registry page by page: from its URL, where every cursor is followed once; or from a file,
// which holds one page.
func (e *expansion) addRegistry(ctx context.Context, name string) {
	seen, address := map[string]bool{}, name
	for page := 1; ; page++ {
		next, err := e.addPage(ctx, name, address)
		switch {
		case err != nil:
			e.leave(name, "page %d: %s: the rest was not read", page, err)
			return
		case next == nil || seen[*next]:
			return
		case !fetch.IsWeb(name):
			e.leave(name, "it is one page of a longer list, as its nextCursor says: the rest was not read; name the registry by its URL")
			return
		case page == maxPages:
			e.leave(name, "it has more than %d pages: the rest was not read", maxPages)
			return
		}
		seen[*next] = true
		address = withCursor(name, *next)
	}
}

func (e *expansion) addPage(ctx context.Context, name, address string) (next *string, err error) {
	var text string
	if fetch.IsWeb(address) {
		var answer []byte
		answer, err = fetch.Get(ctx, address, "application/json", maxPage)
		text = string(answer)
	} else if text, err = userfile.ReadText(within(filepath.Dir(e.plan.File), address), nil, maxListText); err != nil {
		err = userfile.Reason(err)
	}
	if err != nil {
		return nil, err
	}
	page, err := ParseRegistry(text)
	if err != nil {
		return nil, err
	}
	for _, p := range page.Problems {
		e.leave(name, "%s", p)
	}
	for _, t := range page.Targets {
		e.addTarget(t, ".")
	}
	return page.Next, nil
}

func withCursor(address, cursor string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // it was fetched
	}
	q := u.Query()
	q.Set("cursor", cursor)
	u.RawQuery = q.Encode()
	return u.String()
}

// A RegistryPage is one answer of an MCP registry to GET /v0/servers: its remotes are targets of the kind url, its npm and PyPI packages
// of the kind package.
type RegistryPage struct {
	Targets  []Target
	Problems []string // what it cannot be used for, each with the name of the server
	Next     *string  // the cursor of the next page, nil after the last
}

// ParseRegistry reads one answer of a registry.
func ParseRegistry(text string) (*RegistryPage, error) {
	var doc struct {
		Servers  []json.RawMessage `json:"servers"`
		Metadata struct {
			Next *string `json:"nextCursor"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Servers == nil {
		return nil, errors.New("it is no answer of a registry: want an object with servers, and in metadata a nextCursor that is a string")
	}
	p := &RegistryPage{Next: doc.Metadata.Next}
	for i, raw := range doc.Servers {
		p.addServer(i, raw)
	}
	return p, nil
}

func (p *RegistryPage) addServer(i int, raw json.RawMessage) {
	s, err := fetch.ReadServer(raw)
	if err != nil {
		p.Problems = append(p.Problems, fmt.Sprintf("server %d: it has another form", i+1))
		return
	}
	add := func(kind Kind, value string) {
		t := Target{Kind: kind, Value: []string{value}, Name: s.Name}
		if err := t.Check(); err != nil {
			p.Problems = append(p.Problems, fmt.Sprintf("server %d, %q: %s", i+1, s.Name, err))
			return
		}
		p.Targets = append(p.Targets, t)
	}
	for _, r := range s.Remotes {
		add(URL, r.URL)
	}
	for j := range s.Packages {
		add(Package, s.Packages[j].Target())
	}
	if len(s.Remotes)+len(s.Packages) == 0 {
		p.Problems = append(p.Problems, fmt.Sprintf("server %d, %q: it has neither a remote nor a package", i+1, s.Name))
	}
}
