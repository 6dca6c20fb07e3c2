// Package discover finds and reads the configurations in which MCP clients keep their servers. It starts nothing, uses no network
// and changes no file.
//
// A broken entry never hides the rest of its file, nor a broken file the others: what could not be read is a Problem, so that it
// does not look absent.
package discover

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
)

// An FS is a file system. Paths are absolute, in the style of the Host's operating system; links are followed. A missing path is an
// error matching fs.ErrNotExist.
type FS interface {
	Mode(path string) (fs.FileMode, error)
	// ReadFile returns at most limit bytes.
	ReadFile(path string, limit int) ([]byte, error)
	// ReadDir returns the names in a folder, sorted.
	ReadDir(path string) ([]string, error)
	// Resolve returns the path with links resolved.
	Resolve(path string) (string, error)
}

// A Host is the machine and the user whose clients are searched.
type Host struct {
	FS   FS
	OS   string // as runtime.GOOS: "linux", "darwin", "windows"; others are treated as Unix
	Home string
	// Cwd is the project whose configurations are read too; "" for none.
	Cwd string
	// Env looks up an environment variable; nil for none.
	Env func(name string) (string, bool)
}

// ThisHost returns this machine and its user as the clients see them; env looks up variables.
func ThisHost(env func(name string) (string, bool)) Host {
	h := Host{FS: Disk{}, OS: runtime.GOOS, Env: env}
	home := "HOME"
	if h.OS == "windows" {
		home = "USERPROFILE"
	}
	h.Home, _ = env(home)
	h.Cwd, _ = os.Getwd() // "" for none
	return h
}

// maxNames bounds the files read of one folder.
const maxNames = 2_000

// All reads every configuration of every known client and every file its agent reads, in client order, and the servers of clients that
// nobody knows. Missing files are not
// reported.
func All(h Host) []config.File {
	s := &source{Host: h, seen: map[string]bool{}, looked: map[string]bool{}}
	for _, w := range configurationPaths(h) {
		for _, p := range h.glob(w.path, func(t *walk) { s.tree(t, w.hint) }) {
			s.read(p, w.hint)
		}
	}
	s.knownProjects()
	s.unknownClients()
	s.follow(h.Home)
	return s.out
}

// knownProjects reads the files of projects in which a client has worked, according to its configuration.
func (s *source) knownProjects() {
	seen := map[string]bool{"": true, s.Cwd: true, s.Home: true}
	var folders []string
	for i := range s.out {
		for _, p := range s.out[i].Projects {
			if !seen[p] {
				seen[p] = true
				folders = append(folders, p)
			}
		}
	}
	for _, dir := range folders {
		if mode, err := s.FS.Mode(dir); err != nil || !mode.IsDir() {
			continue
		}
		h := s.Host
		h.Cwd = dir
		for _, w := range configurationPaths(h) {
			if w.hint.Project == "" {
				continue
			}
			for _, p := range h.glob(w.path, func(t *walk) { s.tree(t, w.hint) }) {
				s.read(p, w.hint)
			}
		}
	}
}

// ReadFile reads one configuration from disk that the user named.
func (h Host) ReadFile(path string, hint Hint) []config.File {
	files := h.readFiles(path, hint)
	if len(files) == 0 {
		return []config.File{failed(path, hint, "there is no such file")}
	}
	return files
}

// readFiles reads a file, and its contents if it is an archive; nothing if it does not exist.
func (h Host) readFiles(path string, hint Hint) []config.File {
	mode, err := h.FS.Mode(path)
	if missing(err) {
		return nil
	}
	if err != nil {
		return []config.File{failed(path, hint, "it cannot be read: "+reasonWithoutPath(err))}
	}
	// A device or pipe could block for ever.
	if !mode.IsRegular() {
		return []config.File{failed(path, hint, "it is not a file")}
	}
	data, err := h.FS.ReadFile(path, MaxBytes+1)
	if missing(err) {
		return nil
	}
	if err != nil {
		return []config.File{failed(path, hint, "it cannot be read: "+reasonWithoutPath(err))}
	}
	if packed(path, data) {
		return readArchive(path, data, hint, 0)
	}
	f := Read(path, data, hint)
	f.Access = h.access(path, mode)
	h.accessOfPrograms(&f)
	return []config.File{f}
}

// accessOfPrograms reports who may write the programs that a file's entries start.
func (h Host) accessOfPrograms(f *config.File) {
	programs := map[string]config.Access{}
	for i := range f.Entries {
		e := &f.Entries[i]
		p, ok := h.program(e)
		if !ok {
			continue
		}
		if _, known := programs[p]; !known {
			if mode, err := h.FS.Mode(p); err == nil {
				programs[p] = h.access(p, mode)
			} else {
				programs[p] = config.Access{}
			}
		}
		e.CommandAccess = programs[p]
	}
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// reasonWithoutPath returns an error's text without the path, which the report shows anyway.
func reasonWithoutPath(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

func failed(path string, hint Hint, why string) config.File {
	return failedAs(finding.Unread, path, hint, why)
}

func failedAs(kind finding.ProblemKind, path string, hint Hint, why string) config.File {
	client := hint.Client
	if client == "" {
		client = clientOfName(path)
	}
	return config.File{Client: client, Path: path, Project: hint.Project, Role: hint.Role, Entries: []config.Entry{}, Problems: []finding.Problem{
		{Kind: kind, Message: why, Location: finding.Location{File: path}},
	}}
}

// access returns who may write a file. Windows mode bits do not tell.
func (h Host) access(path string, mode fs.FileMode) config.Access {
	if h.OS == "windows" {
		return config.Access{}
	}
	a := config.Access{Known: true, Mode: mode}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		if dir, err := h.FS.Mode(path[:max(i, 1)]); err == nil {
			a.Dir = dir
		}
	}
	return a
}

// program returns the absolute path of an entry's command, if it has one.
func (h Host) program(e *config.Entry) (string, bool) {
	p := h.tilde(e.Command)
	return p, h.OS != "windows" && strings.HasPrefix(p, "/")
}

func (h Host) tilde(p string) string {
	if p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`) {
		return h.Home + p[1:]
	}
	return p
}

// joinPath joins a folder and a slash-separated path in the host's style.
func (h Host) joinPath(dir, path string) string {
	if h.OS == "windows" {
		return strings.TrimRight(dir, `\/`) + `\` + strings.ReplaceAll(path, "/", `\`)
	}
	return strings.TrimRight(dir, "/") + "/" + path
}

func (h Host) env(name string) string {
	if h.Env == nil {
		return ""
	}
	v, _ := h.Env(name)
	return v
}

// Disk is this machine's file system.
type Disk struct{}

// Mode returns a file's mode, links followed.
func (Disk) Mode(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// ReadFile reads the first limit bytes of a file.
func (Disk) ReadFile(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}

// ReadDir returns the names in a folder, sorted.
func (Disk) ReadDir(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Resolve returns the absolute path with links resolved: only those can be compared with each other.
func (Disk) Resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}
