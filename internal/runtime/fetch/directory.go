package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// fetchDirectory takes a package that lies on this machine. Nothing in the directory is changed.
func (f *Fetcher) fetchDirectory(ctx context.Context, s Spec) (*Fetched, error) {
	dir, err := filepath.Abs(s.Name)
	if err != nil {
		return nil, err
	}
	p := &Fetched{Kind: Directory, Name: filepath.Base(dir), Label: filepath.Base(dir), Dir: dir}
	return p, f.recognise(p)
}

// recognise finds out what kind of project an unpacked directory is, and how it is installed.
func (f *Fetcher) recognise(p *Fetched) error {
	has := func(name string) bool {
		info, err := os.Lstat(filepath.Join(p.Dir, name))
		return err == nil && info.Mode().IsRegular()
	}
	switch {
	case has("package.json"):
		m, err := readNodeManifest(p.Dir)
		if err != nil {
			return err
		}
		if m.Name != "" {
			p.Name, p.Version, p.Label = m.Name, m.Version, m.Name+"@"+m.Version
		}
		p.Ecosystem = "npm"
		p.install = func(ctx context.Context) (*Start, error) { return f.installNodeProject(ctx, p, m) }
		return noteNode(p)
	}
	switch {
	case has("manifest.json") && f.isBundle(p.Dir):
		return f.recogniseBundle(p)
	case has("pyproject.toml"), has("setup.py"):
		m, err := readPythonProject(p.Dir)
		if err != nil {
			return err
		}
		p.Ecosystem = "PyPI"
		if m.Project.Name != "" {
			p.Name, p.Label = m.Project.Name, m.Project.Name
			if v, ok := m.Project.Version.(string); ok {
				p.Version, p.Label = v, p.Name+"@"+v
			}
		}
		p.Facts.Direct = len(m.Project.Dependencies)
		p.notePythonBuild(m, has("setup.py"))
		p.install = func(ctx context.Context) (*Start, error) { return f.installPythonProject(ctx, p, m) }
		return nil
	case has("go.mod"):
		p.Ecosystem = "Go"
		p.install = func(ctx context.Context) (*Start, error) { return f.installGo(ctx, p, "") }
		return nil
	}
	p.install = func(context.Context) (*Start, error) {
		return nil, fmt.Errorf("it %w: there is no package.json, pyproject.toml, setup.py, go.mod or manifest.json at its top", ErrCannotStart)
	}
	return nil
}

// isBundle reports whether a manifest.json is that of an MCP bundle, and not of something else of that name.
func (f *Fetcher) isBundle(dir string) bool {
	text, err := readSmall(filepath.Join(dir, "manifest.json"))
	return err == nil && bytes.Contains(text, []byte(`"mcp_config"`))
}

// installNodeProject installs what a project depends on. Where its dependencies lie beside it already, they
// are used.
func (f *Fetcher) installNodeProject(ctx context.Context, p *Fetched, m *nodeManifest) (*Start, error) {
	if len(m.Dependencies)+len(m.Optional) == 0 || isDir(filepath.Join(p.Dir, "node_modules")) {
		_ = p.noteNodeTree(p.Dir, nil) // what another program than npm installed is not listed
		return nodeProjectStart(p.Dir, m)
	}
	f.Progress("%s: installing what it depends on", p.Label)
	sealed, registries, err := f.npmSeal(ctx)
	if err != nil {
		return nil, err
	}
	build := needsBuild(p.Dir, m)
	dir, err := f.temporaryOf(p)
	if err != nil {
		return nil, err
	}
	if err := copyTree(ctx, p.Dir, dir); err != nil {
		return nil, err
	}
	// A project's own settings could choose another registry or program; those of the user count.
	for _, name := range []string{".npmrc", ".yarnrc", ".yarnrc.yml"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	args := []string{"npm", "install", "--ignore-scripts"}
	if _, err := os.Lstat(filepath.Join(dir, "package-lock.json")); err == nil {
		args[1] = "ci"
	}
	if !build {
		args = append(args, "--omit=dev")
	}
	written, err := f.temporaryOf(p)
	if err != nil {
		return nil, err
	}
	s := sealed.taking(taken{dir, written})
	_, err = f.run(ctx, client{dir: dir, env: f.npmSealed(), args: args, seal: s})
	if err := p.led(s, err); err != nil {
		return nil, err
	}
	for _, name := range []string{"node_modules", "package-lock.json"} {
		if err := os.Rename(filepath.Join(written, name), filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := p.noteNodeTree(dir, registries); err != nil {
		return nil, err
	}
	return nodeProjectStart(dir, m)
}

// temporaryOf makes a directory that is removed with the package.
func (f *Fetcher) temporaryOf(p *Fetched) (string, error) {
	dir, err := f.scratch()
	if err == nil {
		p.temporary = append(p.temporary, dir)
	}
	return dir, err
}

// entryOf is the file that a project is started by, "" for none.
func entryOf(m *nodeManifest) string {
	if name, _ := m.program(); name != "" {
		return filepath.FromSlash(m.bins[name])
	}
	return filepath.FromSlash(m.Main)
}

// needsBuild reports whether the file that starts the project has to be made first.
func needsBuild(dir string, m *nodeManifest) bool {
	entry := entryOf(m)
	_, err := os.Stat(filepath.Join(dir, entry))
	return entry != "" && err != nil && m.Scripts["build"] != ""
}

func nodeProjectStart(dir string, m *nodeManifest) (*Start, error) {
	entry := entryOf(m)
	switch {
	case entry == "" && m.Scripts["start"] == "":
		return nil, fmt.Errorf("it %w: package.json names no program (bin, main)", ErrCannotStart)
	case entry == "":
		return &Start{Dir: dir, Command: []string{"npm", "run", "--silent", "start"}}, nil
	case !filepath.IsLocal(entry):
		return nil, fmt.Errorf("it %w: its program is outside of the package", ErrCannotStart)
	}
	file := filepath.Join(dir, entry)
	info, missing := os.Stat(file)
	if missing == nil && !liesWithin(file, dir) {
		return nil, fmt.Errorf("it %w: a link leads its program out of the package", ErrCannotStart)
	}
	s := &Start{Dir: dir, Command: []string{"node", file}}
	if name, others := m.program(); others > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("of %d programs %s was started", others+1, name))
	}
	if missing == nil && info.Mode().IsRegular() && !runsInNode(file) {
		s.Command = s.Command[1:]
	}
	if needsBuild(dir, m) {
		s.Command = []string{"sh", "-c", `npm run build >&2 && exec node "$0"`, file}
		s.Notes = append(s.Notes, "it was built in the sandbox, by its script \"build\"")
	} else if missing != nil {
		return nil, fmt.Errorf("it %w: the file of its program is not there", ErrCannotStart)
	}
	return s, nil
}

// runsInNode reports whether a program, a regular file, is one for Node: its first line names that, or nothing.
func runsInNode(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return true // node will say so
	}
	defer f.Close()
	head := make([]byte, 128)
	n, _ := io.ReadFull(f, head) // a shorter file is one, too
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return !bytes.HasPrefix(line, []byte("\x7fELF")) && (!bytes.HasPrefix(line, []byte("#!")) || bytes.Contains(line, []byte("node")))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// The bounds on a copy of a directory.
const (
	maxCopied      = 1 << 30
	maxCopiedFiles = 50_000
)

var errTooLarge = errors.New("it is too large to be copied: more than 1 GiB or 50,000 files")
