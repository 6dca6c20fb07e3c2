// Package discover finds and reads the configurations in which MCP clients keep their
// servers. It launches nothing, asks nobody and changes no file.
//
// One broken entry never sinks its file and one broken file never sinks the rest: what
// could not be read is a Problem, so that it does not look as if it were not there.
package discover

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
)

// An FS is what is asked of a file system. Paths are absolute and in the manner of the
// Host's operating system; links are followed. A path that is not there is an error for
// which errors.Is(err, fs.ErrNotExist) holds.
type FS interface {
	Mode(path string) (fs.FileMode, error)
	// ReadFile returns at most limit bytes.
	ReadFile(path string, limit int) ([]byte, error)
	// ReadDir returns the names in a folder, sorted.
	ReadDir(path string) ([]string, error)
}

// A Host is the machine and the user whose clients are looked for.
type Host struct {
	FS   FS
	OS   string // as runtime.GOOS: "linux", "darwin", "windows"; any other is taken for a Unix
	Home string
	// Cwd is the project whose own configurations are read too; "" for none.
	Cwd string
	// Env looks up an environment variable; nil for none.
	Env func(name string) (string, bool)
}

// ThisHost is this machine and its user as the clients see them, with the variables that env looks up.
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

// maxNames is how many files of one folder are read.
const maxNames = 500

// All reads every configuration of every known client, in the order of the clients.
// Files that are not there are not reported.
func All(h Host) []config.File {
	var out []config.File
	seen := map[string]bool{}
	for _, w := range configurationPaths(h) {
		for _, p := range h.files(w) {
			if seen[p] {
				continue
			}
			seen[p] = true
			if f, ok := h.readConfiguration(p, w.hint); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// files are the paths of a place: itself, or what is in the folder that it is.
func (h Host) files(w configurationPath) []string {
	dir, pattern, ok := strings.Cut(w.path, "*")
	if !ok {
		return []string{w.path}
	}
	dir = strings.TrimRight(dir, `/\`)
	names, err := h.FS.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range names {
		if strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, `\`) {
			out = append(out, h.joinPath(dir, name)+pattern)
		} else if slices.ContainsFunc([]string{".json", ".yaml", ".yml"}, func(ext string) bool { return strings.HasSuffix(strings.ToLower(name), ext) }) {
			out = append(out, h.joinPath(dir, name))
		}
		if len(out) == maxNames {
			break
		}
	}
	return out
}

// ReadFile reads one configuration from the host's disk, for a user who named it.
func (h Host) ReadFile(path string, hint Hint) config.File {
	f, ok := h.readConfiguration(path, hint)
	if !ok {
		return failed(path, hint, "there is no such file")
	}
	return f
}

// readConfiguration reads a file, false if it is not there.
func (h Host) readConfiguration(path string, hint Hint) (config.File, bool) {
	mode, err := h.FS.Mode(path)
	if missing(err) {
		return config.File{}, false
	}
	if err != nil {
		return failed(path, hint, "it cannot be read: "+reasonWithoutPath(err)), true
	}
	// A device or a pipe would make a reader wait for ever.
	if !mode.IsRegular() {
		return failed(path, hint, "it is not a file"), true
	}
	data, err := h.FS.ReadFile(path, MaxBytes+1)
	if missing(err) {
		return config.File{}, false
	}
	if err != nil {
		return failed(path, hint, "it cannot be read: "+reasonWithoutPath(err)), true
	}
	f := Read(path, data, hint)
	f.Access = h.access(path, mode)
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
	return f, true
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// reasonWithoutPath is an error without the path in it, which the report names anyway.
func reasonWithoutPath(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

func failed(path string, hint Hint, why string) config.File {
	client := hint.Client
	if client == "" {
		client = clientOfName(path)
	}
	return config.File{Client: client, Path: path, Project: hint.Project, Entries: []config.Entry{}, Problems: []finding.Problem{
		{Kind: finding.Unread, Message: why, Location: finding.Location{File: path}},
	}}
}

// access says who may write a file. The mode bits of Windows say nothing about that.
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

// program is the absolute path of an entry's command, if it has one.
func (h Host) program(e *config.Entry) (string, bool) {
	p := h.tilde(e.Command)
	return p, h.OS != "windows" && strings.HasPrefix(p, "/")
}

// tilde replaces a leading ~ by the user's home.
func (h Host) tilde(p string) string {
	if p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`) {
		return h.Home + p[1:]
	}
	return p
}

// joinPath joins a folder and a path in the manner of the host. The path has slashes.
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
