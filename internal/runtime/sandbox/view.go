package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A view is what of this machine's files a server sees beside the system: every path with its
// content, at the place where it stands here.
type view struct {
	home  string
	dirs  []string // are shown as copies that can be written to
	files []string // are shown as they are, read-only
	notes []string
}

// systemFolders are shown as they are, read-only. What is not in them, and not needed by the
// command, is not shown.
var systemFolders = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "opt", "nix", "gnu", "snap"}

// toolFolders are places in HOME where managers of versions and packages keep programs.
// Credentials are beside them, not in them.
var toolFolders = []string{
	".nvm", ".volta", ".fnm", ".asdf", ".pyenv", ".rbenv", ".sdkman", ".rustup", ".cargo/bin", ".deno/bin", ".bun", ".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx", ".local/share/fnm",
	".local/share/mise", ".local/pipx", ".cache/uv", ".cache/pip", ".cache/node", ".npm/_npx", ".npm/_cacache", "go/bin", "miniconda3", "anaconda3", ".conda/envs", ".node_modules",
}

// pathVariables name folders that a program reads code from.
var pathVariables = []string{"PATH", "PYTHONPATH", "PYTHONHOME", "NODE_PATH", "VIRTUAL_ENV", "JAVA_HOME", "GOROOT", "LD_LIBRARY_PATH", "GEM_PATH", "PERL5LIB"}

// newView works out what the command needs to see. program is the path that was found for it.
func newView(program string, args []string, dir string, env, more []string) *view {
	v := &view{home: filepath.Clean(valueOf(env, "HOME"))}
	if v.home == "." {
		v.home = "/root"
	}
	v.addDir(dir, "the working directory")
	for _, path := range more {
		v.addPath(path)
	}
	v.addProgram(program)
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, path := range []string{arg, value} {
			if path != "" && !strings.HasPrefix(path, "-") {
				v.addArgument(dir, path)
			}
		}
	}
	for _, name := range pathVariables {
		for _, path := range filepath.SplitList(valueOf(env, name)) {
			if filepath.IsAbs(path) {
				v.addPathEntry(path)
			}
		}
	}
	for _, name := range toolFolders {
		if path := filepath.Join(v.home, name); isDir(path) {
			v.addDir(path, "")
		}
	}
	v.dirs = withoutNested(v.dirs)
	v.files = slices.DeleteFunc(v.files, func(f string) bool { return slices.ContainsFunc(v.dirs, func(d string) bool { return within(f, d) }) })
	slices.Sort(v.files)
	v.files = slices.Compact(v.files)
	return v
}

func (v *view) addPath(path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if isDir(path) {
		v.addDir(path, path)
	} else {
		v.addFile(path)
	}
}

// addDir adds a folder unless all of the system or of HOME would show through it. what names
// it in a note, "" for none.
func (v *view) addDir(path, what string) {
	path = filepath.Clean(path)
	if inSystem(path) || path == "/etc" || strings.HasPrefix(path, "/etc/") {
		return
	}
	if within(v.home, path) || path == "/" || isMachineFolder(path) {
		if what != "" {
			v.notes = append(v.notes, what+" is not shown: all of the home folder or of the machine would be")
		}
		return
	}
	v.dirs = append(v.dirs, path)
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		v.addDir(real, what)
	}
}

func (v *view) addFile(path string) {
	if !inSystem(path) {
		v.files = append(v.files, path)
	}
}

// addProgram adds the program with everything that it is installed with, at every link on the
// way to it.
func (v *view) addProgram(path string) {
	for range 20 { // the kernel follows 40 links
		if !filepath.IsAbs(path) {
			return
		}
		v.addWithInstallation(path)
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		v.addWithInstallation(real)
	}
}

// addArgument adds a file or folder that an argument names.
func (v *view) addArgument(dir, path string) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		v.addDir(path, "")
	case info.Mode().IsRegular():
		v.addProgram(path)
	}
}

func (v *view) addPathEntry(path string) {
	if !isDir(path) {
		return
	}
	v.addInstallationOf(path)
	v.addDir(path, "")
}

// addInstallationOf adds what stands beside a folder of programs, unless that is a folder of HOME
// which holds more than programs.
func (v *view) addInstallationOf(bin string) {
	base, above := filepath.Base(bin), filepath.Dir(bin)
	if base != "bin" && base != "shims" && base != "condabin" || filepath.Dir(above) == v.home && !hasAny(above, []string{"pyvenv.cfg"}) {
		return
	}
	v.addDir(above, "")
}

// projectMarks are files that stand at the top of a project.
var projectMarks = []string{"package.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "Gemfile", "deno.json", "pyvenv.cfg", ".git", "node_modules"}

// addWithInstallation adds a file and the project or installation that it is a part of.
func (v *view) addWithInstallation(path string) {
	if inSystem(path) {
		return
	}
	v.addFile(path)
	if i := strings.Index(path, "/node_modules/"); i > 0 { // all of the packages beside it
		v.addDir(path[:i], "")
	}
	dir := filepath.Dir(path)
	v.addInstallationOf(dir)
	for up, n := dir, 0; n < 12 && !within(v.home, up) && up != "/" && !isMachineFolder(up); up, n = filepath.Dir(up), n+1 {
		if hasAny(up, projectMarks) {
			v.addDir(up, "")
			return
		}
	}
	v.addDir(dir, "")
}

// isMachineFolder reports whether a folder is one of those that hold everybody's files.
func isMachineFolder(path string) bool {
	return slices.Contains([]string{"/home", "/root", "/var", "/tmp", "/run", "/mnt", "/media", "/srv", "/dev", "/proc", "/sys", "/boot", "/etc", "/var/tmp", "/var/lib", "/var/run"}, path) || strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") || strings.HasPrefix(path, "/dev/")
}

func inSystem(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains(systemFolders, first)
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// withoutNested leaves out folders that stand in others of the list.
func withoutNested(dirs []string) []string {
	slices.Sort(dirs)
	var out []string
	for _, d := range dirs {
		if !slices.ContainsFunc(out, func(o string) bool { return within(d, o) }) {
			out = append(out, d)
		}
	}
	return out
}

func hasAny(dir string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		_, err := os.Lstat(filepath.Join(dir, n))
		return err == nil
	})
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// valueOf returns the value of a variable; the last entry of a name counts.
func valueOf(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}
