package proberun

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/engine/probeplan"
	"gauntlet/internal/runtime/sandbox"
)

// notesDB is a small SQLite database with one table, notes.
//
//go:embed notes.db
var notesDB []byte

// planted is the random content behind the places that payloads lead to, by probeplan's names.
type planted map[string]string

// standIns are programs that servers call and that are rarely there, or would act on something
// real. Ours write down how they were called and answer nothing of interest.
var standIns = []string{
	"docker", "podman", "kubectl", "helm", "aws", "az", "gcloud", "terraform", "ssh", "scp", "rsync", "adb", "xcrun", "osascript", "uv", "uvx",
	"ffmpeg", "gh", "pandoc", "psql", "mysql", "redis-cli", "mongosh", "open", "xdg-open", "pbcopy",
}

// standIn is their script. printf keeps each argument apart by a NUL.
const standIn = "#!/bin/sh\n{ printf '%%s\\0' %q \"$@\"; printf '\\n'; } >> %q 2>/dev/null\necho '{}'\n"

// A layout is what is put around a server: a project, files outside of it, programs.
type layout struct {
	base    string // a folder of our own
	place   probeplan.Place
	content planted
	files   []sandbox.File
}

const programLog = "programs.log"

// newLayout makes the layout below base, with random content.
func newLayout(base string, random func(n int) string) *layout {
	l := &layout{base: base, content: planted{}}
	for _, leads := range []string{"outside", "sibling", "symlink", "service", "page", "metadata"} {
		l.content[leads] = random(24)
	}
	root := base + "/project"
	l.place = probeplan.Place{
		Root: root, Outside: base + "/private/canary.txt", OutsideJS: base + "/private/canary.json", Sibling: root + "-private/canary.txt",
		Linked: root + "/shortcut/linked.txt", WriteDir: base + "/drop",
	}
	outside := l.content["outside"]
	l.addFolder(base+"/private", 0o755)
	l.addFolder(base+"/drop", 0o777|fs.ModeSticky)
	l.addFolder(base+"/bin", 0o755)
	l.addFile(l.place.Outside, outside+"\nsecond line "+outside+"\n")
	l.addFile(l.place.OutsideJS, fmt.Sprintf("{%q: %q}\n", outside, outside))
	l.addFile(l.place.Sibling, l.content["sibling"]+"\n")
	l.addFile(base+"/elsewhere/linked.txt", l.content["symlink"]+"\n")
	l.addProject(root)
	l.files = append(l.files, sandbox.File{Path: root + "/shortcut", Link: base + "/elsewhere"})
	for _, name := range standIns {
		l.files = append(l.files, sandbox.File{Path: base + "/bin/" + name, Mode: 0o755, Data: fmt.Appendf(nil, standIn, name, base+"/drop/"+programLog)})
	}
	return l
}

// addProject adds a small project: what tools that want one look for.
func (l *layout) addProject(root string) {
	l.addFile(root+"/README.md", "# Example\n\nA small project.\n")
	l.addFile(root+"/notes.txt", "an ordinary note\n")
	l.addFile(root+"/data.json", "{\"name\": \"example\", \"items\": [1, 2, 3]}\n")
	l.addFile(root+"/package.json", "{\"name\": \"example\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"true\"}}\n")
	l.addFile(root+"/src/index.js", "module.exports = 1;\n")
	l.addFile(root+"/.git/HEAD", "ref: refs/heads/main\n")
	l.addFile(root+"/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = https://git.example.net/example.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n")
	l.addFolder(root+"/.git/objects", 0o755)
	l.addFolder(root+"/.git/refs/heads", 0o755)
	l.files = append(l.files, sandbox.File{Path: root + "/notes.db", Mode: 0o644, Data: notesDB})
}

func (l *layout) addFile(path, text string) {
	l.files = append(l.files, sandbox.File{Path: path, Mode: 0o644, Data: []byte(text)})
}

func (l *layout) addFolder(path string, mode fs.FileMode) {
	l.files = append(l.files, sandbox.File{Path: path, Mode: mode | fs.ModeDir})
}

// write puts the layout into the file system of this machine.
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

// A programCall is how a stand-in was called.
type programCall struct {
	Name string
	Args []string
}

// readProgramLog reads what the stand-ins wrote.
func readProgramLog(text string) (out []programCall) {
	for line := range strings.SplitSeq(text, "\x00\n") {
		parts := strings.Split(line, "\x00")
		if parts[0] != "" && len(out) < 10_000 {
			out = append(out, programCall{Name: parts[0], Args: parts[1:]})
		}
	}
	return out
}
