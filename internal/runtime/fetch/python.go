package fetch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"gauntlet/internal/runtime/unpack"
	"gauntlet/internal/runtime/wire"
)

// pipSafe are the arguments under which pip runs nothing of a package: wheels alone, which need no build.
var pipSafe = []string{"--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--quiet"}

// runPip runs pip in an empty folder: python -m takes modules of the working directory before its own, so that a
// checkout with a pip.py in it, or a package just installed, would run. It returns the standard output.
func (f *Fetcher) runPip(ctx context.Context, grows string, args ...string) ([]byte, error) {
	empty, err := f.scratch()
	if err != nil {
		return nil, err
	}
	defer removeTree(empty)
	return f.run(ctx, client{dir: empty, grows: grows, env: []string{"PYTHONSAFEPATH=1"}, args: append([]string{"python3", "-m", "pip"}, args...)})
}

// fetchPyPI gets the wheel of a package of Python. A package that has only sources would have to run its own code
// to be installed, and is not.
func (f *Fetcher) fetchPyPI(ctx context.Context, s Spec) (*Fetched, error) {
	dir, err := f.scratch()
	if err != nil {
		return nil, err
	}
	defer removeTree(dir)
	spec := s.Name
	if s.Version != "" {
		spec += "==" + s.Version
	}
	f.Progress("%s: loading the wheel", s.Text)
	_, err = f.runPip(ctx, dir, slices.Concat([]string{"download"}, pipSafe, []string{"--no-deps", "--dest", dir, spec})...)
	if err != nil {
		return nil, pipError(err)
	}
	wheel, err := onlyFile(dir, ".whl")
	if err != nil {
		return nil, err
	}
	name, version, ok := wheelName(filepath.Base(wheel))
	if !ok {
		return nil, errors.New("what pip loaded has no name of a wheel")
	}
	p := &Fetched{Kind: PyPI, Name: name, Version: version, Label: name + "@" + version, Ecosystem: "PyPI"}
	hash, err := f.unpackArchive(ctx, p, wheel, unpack.Options{})
	if err != nil {
		return nil, err
	}
	f.askIndex(ctx, p, filepath.Base(wheel), hash)
	p.noteWheel()
	kept := filepath.Join(f.Cache, "archives", hash, filepath.Base(wheel)) // pip reads the name of the file
	if err := keepFile(wheel, kept); err != nil {
		return nil, err
	}
	p.install = func(ctx context.Context) (*Start, error) { return f.installWheel(ctx, p, hash, kept) }
	return p, nil
}

// pipError explains what pip says where there is no wheel.
func pipError(err error) error {
	var failed *clientError
	if errors.As(err, &failed) && strings.Contains(failed.said, "No matching distribution") {
		return fmt.Errorf("the index has no wheel for this version and machine, and sources would have to run their own code to be installed: %w", err)
	}
	if errors.As(err, &failed) && strings.Contains(failed.said, "No module named pip") {
		return fmt.Errorf("pip %w", errMissingClient)
	}
	return err
}

// wheelName takes the name and version from the name of a wheel.
func wheelName(file string) (name, version string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(file, ".whl"), "-")
	if len(parts) < 5 {
		return "", "", false
	}
	return strings.ReplaceAll(parts[0], "_", "-"), parts[1], true
}

// maxIndexPage bounds what an index answers.
const maxIndexPage = 32 << 20

// askIndex asks the index for the hash of the wheel and when it came, in its JSON form (PEP 691, PEP 700). An index
// that does not speak it says nothing, and pip has compared what it had.
func (f *Fetcher) askIndex(ctx context.Context, p *Fetched, file, hash string) {
	index := f.variable("PIP_INDEX_URL")
	if index == "" {
		if out, err := f.runPip(ctx, "", "config", "get", "global.index-url"); err == nil {
			index = strings.TrimSpace(string(out))
		}
	}
	if index == "" {
		index = "https://pypi.org/simple"
	}
	address, err := url.JoinPath(index, normalName(p.Name), "/")
	if err != nil {
		return
	}
	text, err := get(ctx, address, "application/vnd.pypi.simple.v1+json", maxIndexPage)
	if err != nil {
		return
	}
	var page struct {
		Files []struct {
			Filename   string            `json:"filename"`
			Hashes     map[string]string `json:"hashes"`
			UploadTime string            `json:"upload-time"`
			Yanked     json.RawMessage   `json:"yanked"`
			Provenance string            `json:"provenance"`
		} `json:"files"`
	}
	if json.Unmarshal(text, &page) != nil {
		return
	}
	p.Facts.Origin = WithoutCredentials(address)
	for _, one := range page.Files {
		if one.Filename != file {
			continue
		}
		p.Facts.Published, p.Facts.Provenance = one.UploadTime, one.Provenance
		p.Facts.AgeDays = ageDays(one.UploadTime, f.Now())
		if json.Unmarshal(one.Yanked, &p.Facts.Deprecated) != nil && string(one.Yanked) == "true" {
			p.Facts.Deprecated = "yanked, without a reason"
		}
		if want := one.Hashes["sha256"]; want != "" {
			p.Facts.Integrity = "sha256 of the index"
			if want != hash {
				p.Facts.Mismatch = "the wheel is not the one that the index gives the hash of (sha256)"
			}
		}
	}
}

// get loads a small document.
func get(ctx context.Context, address, accept string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadedAt)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Accept", accept)
	transport := wire.NewTransport()
	transport.Proxy = http.ProxyFromEnvironment
	defer transport.CloseIdleConnections()
	a, err := (&http.Client{Transport: transport}).Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, limit+1))
	switch {
	case err != nil:
		return nil, err
	case a.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: the answer is %s", WithoutCredentials(address), a.Status)
	case int64(len(text)) > limit:
		return nil, fmt.Errorf("%s: the answer has more than %d bytes", WithoutCredentials(address), limit)
	}
	return text, nil
}

var separators = regexp.MustCompile(`[-_.]+`)

// normalName is a name of Python as indexes write it (PEP 503).
func normalName(name string) string { return strings.ToLower(separators.ReplaceAllString(name, "-")) }

// noteWheel notes what the metadata of an unpacked wheel say.
func (p *Fetched) noteWheel() {
	text, err := p.distInfo("METADATA")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == "" {
			return // the description follows
		}
		switch field, value, _ := strings.Cut(strings.TrimSpace(line), ":"); field {
		case "Requires-Dist":
			if !strings.Contains(value, "extra ==") {
				p.Facts.Direct++
			}
		case "Author", "Maintainer":
			if v := strings.TrimSpace(value); v != "" && len(p.Facts.Maintainers) < maxMaintainers {
				p.Facts.Maintainers = append(p.Facts.Maintainers, v)
			}
		}
	}
}

// distInfo reads a file of the metadata of a wheel.
func (p *Fetched) distInfo(name string) ([]byte, error) {
	found, err := filepath.Glob(filepath.Join(p.Dir, "*.dist-info", name))
	if err != nil || len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	return readSmall(found[0])
}

// installWheel installs the wheel with what it depends on, wheels alone, and says how it is started.
func (f *Fetcher) installWheel(ctx context.Context, p *Fetched, hash, wheel string) (*Start, error) {
	if err := p.checkRequirements(); err != nil {
		return nil, err
	}
	f.Progress("%s: installing what it depends on", p.Label)
	tree, err := f.keep("pypi-"+hash, func(dir string) error {
		_, err := f.runPip(ctx, dir, slices.Concat([]string{"install"}, pipSafe, []string{"--no-compile", "--target", dir, wheel})...)
		return pipError(err)
	})
	if err != nil {
		return nil, err
	}
	p.notePythonTree(tree)
	text, err := p.distInfo("entry_points.txt")
	if err != nil {
		return nil, fmt.Errorf("it %w: the wheel names no program (console_scripts)", ErrCannotStart)
	}
	return pythonStart(consoleScripts(text), p.Name, tree, []string{tree})
}

// checkRequirements refuses a wheel that depends on a file or an address: pip builds what lies there, whatever it
// was told about wheels, and building runs code. Metadata that cannot be read are refused as well.
func (p *Fetched) checkRequirements() error {
	text, err := p.distInfo("METADATA")
	if err != nil {
		return fmt.Errorf("it %w: the metadata of the wheel cannot be read: %w", ErrCannotStart, err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			return nil // the description follows
		}
		field, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(strings.TrimSpace(field), "Requires-Dist") {
			continue
		}
		if value = strings.TrimSpace(value); !requirement.MatchString(value) {
			return fmt.Errorf("it %w: it depends on %.100q, which is no package of an index", ErrCannotStart, value)
		}
	}
	return nil
}

// notePythonTree notes the packages that pip has installed.
func (p *Fetched) notePythonTree(tree string) {
	found, _ := filepath.Glob(filepath.Join(tree, "*.dist-info")) // the pattern is well-formed
	for _, at := range found {
		name, version, ok := strings.Cut(strings.TrimSuffix(filepath.Base(at), ".dist-info"), "-")
		if ok && normalName(name) != normalName(p.Name) {
			p.Packages = append(p.Packages, Dependency{"PyPI", strings.ReplaceAll(name, "_", "-"), version})
		}
	}
	p.Facts.Installed = len(p.Packages)
}

// consoleScripts reads the programs of entry_points.txt: module:function by name.
func consoleScripts(text []byte) map[string]string {
	out := map[string]string{}
	section := ""
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[]")
		} else if name, object, ok := strings.Cut(line, "="); ok && section == "console_scripts" {
			out[strings.TrimSpace(name)] = strings.TrimSpace(object)
		}
	}
	return out
}

// pythonObject is a reference to a function, module.path:function.
var pythonObject = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_.]*$`)

// pythonStart says how a program of Python is started: its function is called with folders on the path.
func pythonStart(scripts map[string]string, pkg, dir string, path []string) (*Start, error) {
	names := make([]string, 0, len(scripts))
	for n := range scripts {
		names = append(names, n)
	}
	name, others := chooseProgram(names, pkg)
	object, _, _ := strings.Cut(scripts[name], " ") // extras
	if !pythonObject.MatchString(object) {
		return nil, fmt.Errorf("it %w: it names no program", ErrCannotStart)
	}
	module, function, _ := strings.Cut(object, ":")
	first, _, _ := strings.Cut(function, ".")
	code := fmt.Sprintf("import sys; from %s import %s; sys.argv[0] = %q; sys.exit(%s())", module, first, name, function)
	s := &Start{Dir: dir, Command: []string{"python3", "-c", code}, Env: []string{"PYTHONPATH=" + strings.Join(path, string(os.PathListSeparator)), "PYTHONDONTWRITEBYTECODE=1"}, Read: path}
	if others > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("of %d programs %s was started", others+1, name))
	}
	return s, nil
}

// A pythonProject is a pyproject.toml, as far as it is needed here.
type pythonProject struct {
	Project struct {
		Name         string            `toml:"name"`
		Version      any               `toml:"version"`
		Dependencies []string          `toml:"dependencies"`
		Scripts      map[string]string `toml:"scripts"`
	} `toml:"project"`
}

func readPythonProject(dir string) (*pythonProject, error) {
	text, err := readSmall(filepath.Join(dir, "pyproject.toml"))
	if err != nil {
		return nil, err
	}
	var m pythonProject
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("pyproject.toml: %w", err)
	}
	return &m, nil
}

// requirement is a dependency that names a package of an index, and no file or address.
var requirement = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[A-Za-z0-9._, -]*\])?\s*[()0-9A-Za-z.,<>=!~* -]*(;.*)?$`)

// installPythonProject installs what a project depends on, wheels alone. The project itself is not built: its
// modules are found where they lie.
func (f *Fetcher) installPythonProject(ctx context.Context, p *Fetched, m *pythonProject) (*Start, error) {
	path := []string{p.Dir}
	if src := filepath.Join(p.Dir, "src"); isDir(src) {
		path = []string{src, p.Dir}
	}
	if len(m.Project.Dependencies) > 0 {
		for _, d := range m.Project.Dependencies {
			if !requirement.MatchString(d) {
				return nil, fmt.Errorf("it depends on %.100q, which is no package of an index and is not installed", d)
			}
		}
		f.Progress("%s: installing what it depends on", p.Label)
		tree, err := f.scratch()
		if err != nil {
			return nil, err
		}
		p.temporary = append(p.temporary, tree)
		if _, err := f.runPip(ctx, tree, slices.Concat([]string{"install"}, pipSafe, []string{"--no-compile", "--target", tree}, m.Project.Dependencies)...); err != nil {
			return nil, pipError(err)
		}
		p.notePythonTree(tree)
		path = append(path, tree)
	}
	return pythonStart(m.Project.Scripts, m.Project.Name, p.Dir, path)
}
