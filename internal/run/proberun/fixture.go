package proberun

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/runtime/sandbox"
)

// notesDB is a small SQLite database with one table, notes.
//
//go:embed notes.db
var notesDB []byte

// planted maps the names of planted places to their random content.
type planted map[string]string

// plantedEndings are the file types that tools ask for. All contain text.
var plantedEndings = []string{"md", "xml", "html", "htm", "csv", "tsv", "yaml", "yml", "toml", "ini", "log", "sql", "py", "js", "ts", "go", "java", "pdf", "docx", "xlsx", "pptx", "png", "jpg", "svg", "tmx", "drawio", "mmd", "tex", "ipynb", "srt", "vtt", "env", "conf", "cfg"}

// standIns are programs that servers call and that are rarely installed or would act on real systems. Ours record their arguments
// and do nothing.
var standIns = []string{
	"docker", "podman", "kubectl", "helm", "aws", "az", "gcloud", "terraform", "ssh", "scp", "rsync", "adb", "xcrun", "osascript", "uv", "uvx",
	"ffmpeg", "gh", "pandoc", "psql", "mysql", "redis-cli", "mongosh", "open", "xdg-open", "pbcopy",
}

// rareStandIns replace only programs that are not installed: they are harmless, but otherwise nothing would be called.
var rareStandIns = []string{
	"git", "glab", "svn", "hg", "vault", "nmap", "ping", "traceroute", "dig", "nslookup", "whois", "convert", "magick", "identify", "ffprobe", "yt-dlp", "tesseract",
	"libreoffice", "soffice", "wkhtmltopdf", "pdftotext", "code", "rg", "fd", "ag", "jq", "make", "cmake", "cargo", "rustc", "go", "gofmt", "java", "mvn", "gradle", "dotnet", "pytest",
	"ruff", "black", "mypy", "eslint", "prettier", "ansible", "ansible-playbook", "packer", "pulumi", "oc", "k9s", "minikube", "kind", "istioctl", "argocd", "flux", "heroku", "vercel", "netlify",
	"firebase", "wrangler", "supabase", "sqlite3", "mongo", "mongodump", "pg_dump", "mysqldump", "screencapture", "xclip", "say", "espeak", "idb", "ios", "fastboot", "emulator", "swift",
	"xcodebuild", "gdb", "lldb", "radare2", "r2", "strings", "objdump", "exiftool", "curl", "wget", "nc", "telnet", "snyk", "trivy", "semgrep", "nuclei", "sqlmap", "gobuster", "nikto", "hydra", "john", "ffuf",
}

// standIn is their script. printf terminates each argument with NUL.
const standIn = "#!/bin/sh\n{ printf '%%s\\0' %q \"$@\"; printf '\\n'; } >> %q 2>/dev/null\n" + `case "$(basename "$0") $1 $2" in
"adb devices"*) printf 'List of devices attached\nemulator-5554\tdevice\n' ;;
"xcrun simctl list") printf '%%s\n' '{"devices":{"com.apple.CoreSimulator.SimRuntime.iOS-17-0":[{"udid":"11111111-2222-4333-8444-555555555555","name":"iPhone 15","state":"Booted","isAvailable":true}]}}' ;;
"kubectl config current-context"*) echo example ;;
"kubectl config get-contexts"*) echo example ;;
*" --version "*|*" version "*|*" -version "*|*" -v "*) echo "1.0.0" ;;
*) echo '{}' ;;
esac
`

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
	l := &layout{base: base, content: planted{}, programs: slices.Clone(standIns)}
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
	l.addProject(root)
	l.files = append(l.files, sandbox.File{Path: root + "/shortcut", Link: base + "/elsewhere"})
	for _, name := range rareStandIns {
		if installed == nil || !installed(name) {
			l.programs = append(l.programs, name)
		}
	}
	for _, name := range l.programs {
		l.files = append(l.files, sandbox.File{Path: base + "/bin/" + name, Mode: 0o755, Data: fmt.Appendf(nil, standIn, name, base+"/drop/"+programLog)})
	}
	return l
}

// addProject adds a small project with what tools typically look for.
func (l *layout) addProject(root string) {
	const readme = "# Example\n\nA small project.\n"
	l.addFile(root+"/README.md", readme)
	l.addFile(root+"/notes.txt", "an ordinary note\n")
	l.addFile(root+"/data.json", "{\"name\": \"example\", \"items\": [1, 2, 3]}\n")
	l.addFile(root+"/package.json", "{\"name\": \"example\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"true\"}}\n")
	l.addFile(root+"/src/index.js", "module.exports = 1;\n")
	l.addFile(root+"/pyproject.toml", "[project]\nname = \"example\"\nversion = \"1.0.0\"\n")
	l.addFile(root+"/go.mod", "module example.com/example\n\ngo 1.22\n")
	l.addFile(root+"/docker-compose.yml", "services:\n  web:\n    image: example\n")
	l.addFile(root+"/main.tf", "terraform {}\n")
	l.addRepository(root, l.base+"/remote.git", map[string]string{"README.md": readme, "notes.txt": "an ordinary note\n"})
	l.files = append(l.files, sandbox.File{Path: root + "/notes.db", Mode: 0o644, Data: notesDB})
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

// A programCall is a recorded call of a stand-in.
type programCall struct {
	Name string
	Args []string
}

// entryEnd terminates a recorded call; mostProgramCalls bounds the calls kept.
const (
	entryEnd         = "\x00\n"
	mostProgramCalls = 10_000
)

func readProgramLog(text string) (out []programCall) {
	for line := range strings.SplitSeq(text, entryEnd) {
		parts := strings.Split(line, "\x00")
		if parts[0] != "" && len(out) < mostProgramCalls {
			out = append(out, programCall{Name: parts[0], Args: parts[1:]})
		}
	}
	return out
}
