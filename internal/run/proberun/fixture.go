package proberun

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/sandbox"
)

// projectZip holds a small project with what tools typically look for, a SQLite database notes.db with one table among it: a git
// repository with one commit and a tag, and its remote, a bare repository with the same. {base} in it is our own folder.
//
//go:embed project.zip
var projectZip string

// planted maps the names of planted places to their random content.
type planted map[string]string

// plantedEndings are the file types that tools ask for. All contain text.
var plantedEndings = []string{"md", "xml", "html", "htm", "csv", "tsv", "yaml", "yml", "toml", "ini", "log", "sql", "py", "js", "ts", "go", "java", "pdf", "docx", "xlsx", "pptx", "png", "jpg", "svg", "tmx", "drawio", "mmd", "tex", "ipynb", "srt", "vtt", "env", "conf", "cfg"}

// programTable names the programs that stand-ins replace.
//
//go:embed programs.txt
var programTable string

// standIn is their script: its name and its log are filled in. printf terminates each argument with NUL.
//
//go:embed standin.sh
var standIn string

// A layout is what surrounds a server: a project, files outside it, programs.
type layout struct {
	base    string // our own folder
	place   Place
	content planted
	files   []sandbox.File
	// programs are replaced by stand-ins.
	programs []string
}

const programLog = "programs.log"

// newLayout plans the layout below base, with random content. installed reports which programs this machine has; nil for none.
func newLayout(base string, random func(n int) string, installed func(program string) bool) *layout {
	l := &layout{base: base, content: planted{}}
	for _, leads := range []string{"outside", "sibling", "symlink", "service", "page", "metadata"} {
		l.content[leads] = random(24)
	}
	root := base + "/project"
	l.place = Place{
		Root: root, Outside: base + "/private/canary.txt", OutsideJS: base + "/private/canary.json", Sibling: root + "-private/canary.txt",
		Linked: root + "/shortcut/linked.txt", WriteDir: base + "/drop",
	}
	outside := l.content["outside"]
	l.addFolder(base+"/private", 0o755)
	l.addFolder(base+"/drop", 0o777|fs.ModeSticky)
	l.addFolder(base+"/bin", 0o755)
	l.addFile(l.place.Outside, outside+"\nsecond line "+outside+"\n")
	for _, ending := range plantedEndings {
		l.addFile(base+"/private/canary."+ending, outside+"\nsecond line "+outside+"\n")
	}
	l.addFile(l.place.OutsideJS, fmt.Sprintf("{%q: %q}\n", outside, outside))
	l.addFile(l.place.Sibling, l.content["sibling"]+"\n")
	l.addFile(base+"/elsewhere/linked.txt", l.content["symlink"]+"\n")
	l.addProject()
	l.files = append(l.files, sandbox.File{Path: root + "/shortcut", Link: base + "/elsewhere"})
	for line := range strings.Lines(programTable) {
		names := strings.Fields(line)
		for _, name := range names[1:] {
			if names[0] == "always" || names[0] == "missing" && (installed == nil || !installed(name)) {
				l.programs = append(l.programs, name)
			}
		}
	}
	for _, name := range l.programs {
		l.files = append(l.files, sandbox.File{Path: base + "/bin/" + name, Mode: 0o755, Data: fmt.Appendf(nil, standIn, name, base+"/drop/"+programLog)})
	}
	return l
}

func (l *layout) addProject() {
	z, err := zip.NewReader(strings.NewReader(projectZip), int64(len(projectZip)))
	if err != nil { // it is ours
		panic(err)
	}
	for _, f := range z.File {
		data, err := fs.ReadFile(z, f.Name)
		if err != nil {
			panic(err)
		}
		l.addFile(l.base+"/"+f.Name, strings.ReplaceAll(string(data), "{base}", l.base))
	}
}

func (l *layout) addFile(path, text string) {
	l.files = append(l.files, sandbox.File{Path: path, Mode: 0o644, Data: []byte(text)})
}

func (l *layout) addFolder(path string, mode fs.FileMode) {
	l.files = append(l.files, sandbox.File{Path: path, Mode: mode | fs.ModeDir})
}

// write creates the layout in this machine's file system.
func (l *layout) write() error {
	for _, f := range l.files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		var err error
		switch {
		case f.Mode.IsDir():
			if err = os.MkdirAll(f.Path, f.Mode.Perm()); err == nil {
				err = os.Chmod(f.Path, f.Mode)
			}
		case f.Link != "":
			err = os.Symlink(f.Link, f.Path)
		default:
			err = os.WriteFile(f.Path, f.Data, f.Mode.Perm())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entryEnd terminates a recorded call of a stand-in; mostProgramCalls bounds the calls kept.
const (
	entryEnd         = "\x00\n"
	mostProgramCalls = 10_000
)

func readProgramLog(text string) (out []sighting) {
	for line := range strings.SplitSeq(text, entryEnd) {
		parts := strings.Split(line, "\x00")
		if parts[0] != "" {
			out = append(out, sighting{Name: parts[0], Args: parts[1:]})
		}
	}
	return out
}

// plant creates a file where the server sees it, and reports whether it exists.
func (g *testbed) plant(f *Planted) bool {
	if g.box != nil {
		return g.box.WriteFile(sandbox.File{Path: f.Path, Mode: 0o644, Data: f.Data}) == nil
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return false
	}
	return os.WriteFile(f.Path, f.Data, 0o644) == nil
}

// plantBeside plants a sibling and a link in the sandbox's copy of the last folder in the start command, which is how servers
// without roots are told their folder.
func (g *testbed) plantBeside(server launch.Server) {
	folder := lastFolder(server)
	if folder == "" || g.folder != "" {
		return
	}
	sibling, link := folder+"-private", folder+"/shortcut"
	if taken(sibling) || taken(link) {
		return
	}
	g.place.Folder = folder
	g.files = append(g.files,
		sandbox.File{Path: sibling + "/canary.txt", Mode: 0o644, Data: []byte(g.content["sibling"] + "\n")},
		sandbox.File{Path: link, Link: g.base + "/elsewhere"})
}

// taken reports whether a path exists, or may exist.
func taken(path string) bool {
	_, err := os.Lstat(path)
	return !os.IsNotExist(err)
}

// readOnlyFolders are shown unchanged in the sandbox: nothing can be planted in them.
var readOnlyFolders = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "opt", "etc", "nix", "gnu", "snap", "proc", "sys", "dev"}

// lastFolder returns the last existing folder among a command's arguments, absolute, or "". The working directory does not count,
// since it holds the server itself; nor does a folder inside it or inside another one named by the command, since the server may be
// allowed to read its siblings.
func lastFolder(server launch.Server) string {
	if server.URL != "" || len(server.Command) < 2 {
		return ""
	}
	work, err := filepath.Abs(server.Dir)
	if err != nil {
		return ""
	}
	last, within := "", []string{work}
	for _, arg := range server.Command[1:] {
		if path := absoluteFolder(work, arg); path != "" {
			last, within = path, append(within, path)
		}
	}
	if slices.ContainsFunc(within, func(dir string) bool { return dir != last && strings.HasPrefix(last, dir+"/") }) {
		return ""
	}
	return last
}

// absoluteFolder returns the folder an argument names, or "" if nothing can be planted there.
func absoluteFolder(work, arg string) string {
	if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
		arg = value
	}
	path := filepath.Clean(arg)
	if !filepath.IsAbs(path) {
		path = filepath.Join(work, path)
	}
	first, _, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if arg == "" || !deeper || slices.Contains(readOnlyFolders, first) || strings.HasPrefix(work+"/", path+"/") {
		return ""
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeType != fs.ModeDir {
		return ""
	}
	return path
}
