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
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/wire"
	"gauntlet/result"
)

// pipSafe are the arguments of every run of pip; onlyWheels those under which it runs nothing of a package where it is not sealed.
var (
	pipSafe    = []string{"--no-input", "--disable-pip-version-check", "--progress-bar=off"}
	onlyWheels = []string{"--only-binary=:all:", "--no-deps", "--no-cache-dir"}
)

// A pip is how pip is run for a package: in a sandbox with the user's indexes.
type pip struct {
	*Fetcher
	sealed  *seal
	indexes []string
}

func (f *Fetcher) newPip(ctx context.Context) (*pip, error) {
	s, indexes, err := f.pipSeal(ctx)
	return &pip{f, s, indexes}, err
}

// run runs pip in an empty folder: python -m takes modules of the working directory before its own, so that a
// checkout with a pip.py in it, or a package just installed, would run.
func (c *pip) run(ctx context.Context, s *seal, args ...string) (said []byte, err error) {
	said, err = c.Fetcher.run(ctx, client{env: c.pipSealed(c.indexes), args: append([]string{"python3", "-m", "pip"}, args...), seal: s})
	return said, pipError(err)
}

// download loads what an installation would: a wheel or the source. Where there is no sandbox it loads a wheel, since
// asking a source for its name already runs its code.
func (c *pip) download(ctx context.Context, spec, dir string) error {
	args := slices.Concat([]string{"download"}, pipSafe, []string{"--no-deps"})
	_, err := c.run(ctx, c.sealed.taking(taken{workDir, dir}), append(args, "--dest", workDir+"/got", "--", spec)...)
	if !errors.Is(err, ErrUnsealed) {
		return err
	}
	_, err = c.Fetcher.run(ctx, client{dir: dir, grows: dir, env: []string{"PYTHONSAFEPATH=1"}, args: slices.Concat([]string{"python3", "-m", "pip"}, args, onlyWheels, []string{"--dest", filepath.Join(dir, "got"), "--", spec})})
	return pipError(err)
}

// install installs packages with what they depend on, and notes what that is. What has to be built is built in the sandbox.
func (c *pip) install(ctx context.Context, p *Fetched, dir string, specs ...string) (tree string, err error) {
	s := c.sealed.taking(taken{workDir, dir})
	said, err := c.run(ctx, s, slices.Concat([]string{"install"}, pipSafe, []string{"--no-compile", "--target", workDir + "/tree", "--report", workDir + "/report.json", "--"}, specs)...)
	if err := p.led(s, err); err != nil {
		for _, m := range collected.FindAllSubmatch(said, maxOdd) {
			p.odd(result.OddAddress, string(m[1]), "a package asks for it as "+strconv.Quote(excerpt.Clip(WithoutCredentials(string(m[2])), 100))+", and not by its name from the index")
		}
		return "", err
	}
	tree = filepath.Join(dir, "tree")
	p.noteStartup(tree)
	return tree, p.notePythonTree(filepath.Join(dir, "report.json"))
}

// collected is how pip says that it loads a package from an address.
var collected = regexp.MustCompile(`(?m)^\s*Collecting ([A-Za-z0-9._\[\],-]+) ?@ (\S+)`)

// fetchPyPI gets a package of Python, as a wheel or as a source.
func (f *Fetcher) fetchPyPI(ctx context.Context, s Spec) (*Fetched, error) {
	dir, err := f.scratch()
	if err != nil {
		return nil, err
	}
	defer removeTree(dir)
	c, err := f.newPip(ctx)
	if err != nil {
		return nil, err
	}
	spec := s.Name
	if s.Version != "" {
		spec += "==" + s.Version
	}
	f.Progress("%s: loading the package", s.Text)
	if err := c.download(ctx, spec, dir); err != nil {
		return nil, err
	}
	archive, err := onlyFile(filepath.Join(dir, "got"), "")
	if err != nil {
		return nil, err
	}
	file := filepath.Base(archive)
	name, version, wheel := archiveName(file)
	if name == "" {
		return nil, fmt.Errorf("what pip loaded, %q, has no name of a package", file)
	}
	p := &Fetched{Kind: PyPI, Name: name, Version: version, Label: name + "@" + version, Ecosystem: "PyPI"}
	options := unpackOptions{}
	if !wheel {
		options.Strip = 1
		p.Facts.Scripts = append(p.Facts.Scripts, result.InstallScript{Package: p.Label, Event: "build", Own: true})
	}
	hash, err := f.unpackArchive(ctx, p, archive, options)
	if err != nil {
		return nil, err
	}
	if wheel {
		p.noteStartup(p.Dir)
	}
	f.askIndex(ctx, p, c.indexes[0], file, hash)
	p.install = func(ctx context.Context) (*Start, error) { return f.installPyPI(ctx, c, p, hash) }
	return p, nil
}

// pipError explains what pip says where it loads wheels alone and there is none, and where it is missing.
func pipError(err error) error {
	var failed *clientError
	if errors.As(err, &failed) && strings.Contains(failed.stderr, "No matching distribution") {
		return fmt.Errorf("the index has nothing for this version and machine (sources are built in a sandbox only): %w", err)
	}
	if errors.As(err, &failed) && strings.Contains(failed.stderr, "No module named pip") {
		return fmt.Errorf("pip %w", errMissingClient)
	}
	return err
}

// archiveName takes the name and version from the name of a wheel, or of the archive of a source; "" for another file.
func archiveName(file string) (name, version string, wheel bool) {
	if rest, ok := strings.CutSuffix(file, ".whl"); ok {
		if parts := strings.Split(rest, "-"); len(parts) >= 5 {
			return strings.ReplaceAll(parts[0], "_", "-"), parts[1], true
		}
		return "", "", true
	}
	for _, ending := range []string{".tar.gz", ".zip", ".tgz"} {
		if rest, ok := strings.CutSuffix(file, ending); ok {
			name, version, _ = cutLast(rest, "-")
			return strings.ReplaceAll(name, "_", "-"), version, false
		}
	}
	return "", "", false
}

// maxIndexPage bounds what an index answers.
const maxIndexPage = 32 << 20

// askIndex asks the index for the hash of the archive and when it came, in its JSON form (PEP 691, PEP 700). An index
// that does not speak it says nothing, and pip has compared what it had.
func (f *Fetcher) askIndex(ctx context.Context, p *Fetched, index, file, hash string) {
	address, err := url.JoinPath(index, normalName(p.Name), "/")
	if err != nil {
		return
	}
	text, err := Get(ctx, address, "application/vnd.pypi.simple.v1+json", maxIndexPage)
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
				p.Facts.Mismatch = "the archive is not the one that the index gives the hash of (sha256)"
			}
		}
	}
}

// Get loads a document of at most limit bytes over HTTP.
func Get(ctx context.Context, address, accept string, limit int64) ([]byte, error) {
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

// installPyPI installs the package by its name and version, as a user would, and says how it is started.
func (f *Fetcher) installPyPI(ctx context.Context, c *pip, p *Fetched, hash string) (*Start, error) {
	f.Progress("%s: installing it with what it depends on", p.Label)
	dir, err := f.temporaryOf(p)
	if err != nil {
		return nil, err
	}
	tree, err := c.install(ctx, p, dir, p.Name+"=="+p.Version)
	if err != nil {
		return nil, err
	}
	if p.installed != "" && p.installed != hash {
		p.Facts.Mismatch = "the archive that pip installs is not the one that it loads (sha256)"
		return nil, errors.New(p.Facts.Mismatch)
	}
	found, _ := filepath.Glob(filepath.Join(tree, "*.dist-info", "entry_points.txt")) // the pattern is well-formed
	for _, at := range found {
		name, _, _ := strings.Cut(filepath.Base(filepath.Dir(at)), "-")
		if text, err := readSmall(at); err == nil && normalName(name) == normalName(p.Name) {
			return pythonStart(consoleScripts(text), p.Name, tree, []string{tree})
		}
	}
	return nil, fmt.Errorf("it %w: it names no program (console_scripts)", ErrCannotStart)
}

// notePythonTree notes what pip says it has installed, and what of that is no version of a package of an index.
func (p *Fetched) notePythonTree(report string) error {
	text, err := readSmall(report)
	if err != nil {
		return fmt.Errorf("what pip says it installed: %w", err)
	}
	var all struct {
		Install []struct {
			Download struct {
				URL     string `json:"url"`
				Archive struct {
					Hashes map[string]string `json:"hashes"`
				} `json:"archive_info"`
			} `json:"download_info"`
			Direct   bool `json:"is_direct"`
			Metadata struct {
				Name       string   `json:"name"`
				Version    string   `json:"version"`
				Author     string   `json:"author"`
				Maintainer string   `json:"maintainer"`
				Requires   []string `json:"requires_dist"`
			} `json:"metadata"`
		} `json:"install"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("what pip says it installed: %w", err)
	}
	here := map[string]bool{}
	for _, one := range all.Install {
		here[normalName(one.Metadata.Name)] = true
	}
	var absent []string
	for _, one := range all.Install {
		own := normalName(one.Metadata.Name) == normalName(p.Name)
		label := strings.ReplaceAll(one.Metadata.Name, "_", "-") + "@" + one.Metadata.Version
		if one.Direct {
			p.odd(result.OddAddress, label, "it comes from "+strconv.Quote(WithoutCredentials(one.Download.URL))+", and not by its name from the index")
		} else if one.Download.Archive.Hashes["sha256"] == "" {
			p.odd(result.OddUnverified, label, "the index gives no hash of it")
		}
		if file := path.Base(one.Download.URL); !strings.HasSuffix(file, ".whl") && !own {
			p.addScripts(result.InstallScript{Package: label, Event: "build"})
		}
		for _, r := range one.Metadata.Requires {
			name := requiredName.FindString(r)
			if name == "" || strings.Contains(r, "extra ==") {
				continue
			}
			if own {
				p.Facts.Direct++
			}
			if !here[normalName(name)] {
				absent = append(absent, name)
			}
		}
		if own {
			p.installed = one.Download.Archive.Hashes["sha256"]
			p.Facts.Maintainers = slices.DeleteFunc([]string{one.Metadata.Author, one.Metadata.Maintainer}, func(s string) bool { return s == "" })
			continue
		}
		p.Packages = append(p.Packages, Dependency{"PyPI", strings.ReplaceAll(one.Metadata.Name, "_", "-"), one.Metadata.Version})
	}
	p.noteSome(result.OddAbsent, notInstalled, absent)
	p.Facts.Installed = len(p.Packages)
	return nil
}

// requiredName is the name at the beginning of what a package requires.
var requiredName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*`)

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
func pythonStart(scripts map[string]string, pkg, dir string, where []string) (*Start, error) {
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
	s := &Start{Dir: dir, Command: []string{"python3", "-c", code}, Env: []string{"PYTHONPATH=" + strings.Join(where, string(os.PathListSeparator)), "PYTHONDONTWRITEBYTECODE=1"}, Read: where}
	s.noteOthers(name, others)
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
	Build struct {
		Path []string `toml:"backend-path"` // folders of the project that hold what builds it
	} `toml:"build-system"`
	Tool struct {
		Hatch  map[string]any `toml:"hatch"`
		Poetry struct {
			Build any `toml:"build"` // a program, or a table that names one
		} `toml:"poetry"`
	} `toml:"tool"`
}

// notePythonBuild notes that pip runs code of a project's author to build it: a setup.py, a backend of its own, or a program that
// hatch or poetry is told to run.
func (p *Fetched) notePythonBuild(m *pythonProject, setup bool) {
	s := result.InstallScript{Package: p.Label, Event: "build", Own: true, File: "pyproject.toml"}
	switch {
	case setup:
		s.Command, s.File = "setup.py", "setup.py"
	case len(m.Build.Path) > 0:
		s.Command = "a build backend in " + strings.Join(m.Build.Path, ", ")
	case hasHook(m.Tool.Hatch):
		s.Command = "a build hook of hatch"
	case m.Tool.Poetry.Build != nil:
		s.Command = "a build script of poetry"
	default:
		return
	}
	p.Facts.Scripts = append(p.Facts.Scripts, s)
}

// hasHook reports whether settings of hatch have it run a file of the project, for whatever it builds.
func hasHook(settings map[string]any) bool {
	for name, v := range settings {
		inner, _ := v.(map[string]any)
		if _, custom := inner["custom"]; name == "hooks" && custom || hasHook(inner) {
			return true
		}
	}
	return false
}

// readPythonProject reads the pyproject.toml of a project; one that has a setup.py alone says nothing.
func readPythonProject(dir string) (*pythonProject, error) {
	text, err := readSmall(filepath.Join(dir, "pyproject.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return &pythonProject{}, nil
	}
	if err != nil {
		return nil, err
	}
	var m pythonProject
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("pyproject.toml: %w", err)
	}
	return &m, nil
}

// installPythonProject installs what a project depends on. The project itself is not built: its
// modules are found where they lie.
func (f *Fetcher) installPythonProject(ctx context.Context, p *Fetched, m *pythonProject) (*Start, error) {
	where := []string{p.Dir}
	if src := filepath.Join(p.Dir, "src"); isDir(src) {
		where = []string{src, p.Dir}
	}
	if len(m.Project.Dependencies) > 0 {
		f.Progress("%s: installing what it depends on", p.Label)
		c, err := f.newPip(ctx)
		if err != nil {
			return nil, err
		}
		dir, err := f.temporaryOf(p)
		if err != nil {
			return nil, err
		}
		tree, err := c.install(ctx, p, dir, m.Project.Dependencies...)
		if err != nil {
			return nil, err
		}
		where = append(where, tree)
	}
	return pythonStart(m.Project.Scripts, m.Project.Name, p.Dir, where)
}
