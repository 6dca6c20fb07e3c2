package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gauntlet/internal/runtime/agent"
)

// repository is the directory of the project, seen from this package.
const repository = "../.."

// A codeLine is a line of code of a document: in a fence, or indented by four columns or more.
type codeLine struct {
	number int
	fence  string // the word behind the opening fence, "" for indented code
	text   string // without indentation
}

// codeLines returns the code of a Markdown document. Lines that end in a backslash are joined.
func codeLines(text string) (out []codeLine) {
	fence, fenced, joined := "", false, false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fenced, fence, joined = !fenced, strings.TrimPrefix(trimmed, "```"), false
			continue
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			joined = false
			continue
		}
		more := strings.HasSuffix(trimmed, `\`) && fence != "console"
		content := strings.TrimSuffix(trimmed, `\`)
		if fence == "console" {
			content = line
		}
		if joined {
			out[len(out)-1].text += content
		} else {
			out = append(out, codeLine{i + 1, fence, content})
		}
		joined = more
	}
	return out
}

// ourCommand is how a line begins that starts gauntlet: perhaps a prompt, assignments of
// variables, and the program or how Go runs it.
var ourCommand = regexp.MustCompile(`^(?:- run: )?(?:\$ )?(?:[A-Z_]+=\S+ )*(?:go run \./cmd/gauntlet|(?:\./|dist/)?gauntlet)(?: |$)`)

// shellEnd is where a command ends and the shell goes on: a pipe, a redirection, a list, a comment.
var shellEnd = regexp.MustCompile(`(?:\s(?:\||\|\||&&|>|>>|2>|<|#)(?:\s|$)|;|\s\|\s)`)

// argumentsOf returns the arguments of a line that starts gauntlet, ok false for other lines and
// for a synopsis, which shows what may be left out.
func argumentsOf(line string) (args []string, ok bool) {
	at := ourCommand.FindStringIndex(line)
	if at == nil {
		return nil, false
	}
	rest := line[at[1]:]
	if end := shellEnd.FindStringIndex(" " + rest); end != nil {
		rest = rest[:max(0, end[0]-1)]
	}
	args, err := agent.Words(rest)
	if err != nil || strings.ContainsAny(rest, "[]…") {
		return nil, false
	}
	return args, true
}

// documents returns the names of the project's Markdown documents.
func documents(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(repository, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && len(e.Name()) > 2):
			return filepath.SkipDir
		case filepath.Ext(name) == ".md" && e.Name() != "CHANGELOG.md":
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Every command in the documents names commands and flags that exist. A page that was written
// for an earlier command line fails here.
func TestDocumentedCommandsParse(t *testing.T) {
	seen := 0
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range codeLines(string(text)) {
			args, ok := argumentsOf(l.text)
			if !ok {
				continue
			}
			seen++
			if err := parseOnly(args); err != nil {
				t.Errorf("%s:%d: %s: %v", name, l.number, l.text, err)
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d commands were found in the documents: the reader of this test no longer finds them", seen)
	}
}

// parseOnly finds the command and reads its flags; nothing is run.
func parseOnly(args []string) error {
	a := &app{host: Host{Stdin: strings.NewReader(""), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}}
	root := a.rootCommand()
	root.InitDefaultCompletionCmd(args...)
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	c.InitDefaultHelpFlag()
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if c == root && len(rest) > 0 && c.Flags().NArg() > 0 {
		return knownCommand(c, c.Flags().Args())
	}
	return nil
}

// A console block of a document shows commands behind "$ " and what they print. Each is run in
// a directory with the examples and what testdata/documented/PAGE holds, or in the project's. A line "…" stands for any number of lines, "…" within one for anything, and "exit N" behind the output
// for an exit code other than 0.
func TestConsoleBlocks(t *testing.T) {
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := sampleDirectory(t, strings.TrimSuffix(filepath.Base(name), ".md"))
		for _, c := range consoleBlocks(string(text)) {
			args, ok := argumentsOf("$ " + c.command)
			if !ok {
				t.Errorf("%s:%d: %s starts no command of this project", name, c.number, c.command)
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(name), c.number), func(t *testing.T) {
				if got := runSample(t, dir, args); !matchesOutput(c.output, got) {
					t.Errorf("$ %s\nthe page shows\n%s\nthe program prints\n%s", c.command, strings.Join(c.output, "\n"), got)
				}
			})
		}
	}
}

// A consoleBlock is one command of a document with its output.
type consoleBlock struct {
	number  int
	command string
	output  []string
}

func consoleBlocks(text string) (out []consoleBlock) {
	last := 0
	for _, l := range codeLines(text) {
		if l.fence != "console" {
			continue
		}
		if command, ok := strings.CutPrefix(l.text, "$ "); ok {
			out = append(out, consoleBlock{number: l.number, command: command})
		} else if n := len(out); n > 0 && l.number == last+1 {
			out[n-1].output = append(out[n-1].output, l.text)
		}
		last = l.number
	}
	return out
}

// sampleDirectory is where the console blocks of a page run.
func sampleDirectory(t *testing.T, page string) string {
	t.Helper()
	files := filepath.Join("testdata", "documented", page)
	if _, err := os.Stat(files); err != nil {
		return repository
	}
	dir := t.TempDir()
	for from, to := range map[string]string{files: dir, filepath.Join(repository, "examples"): filepath.Join(dir, "examples")} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runSample returns what a command prints, standard output and errors together, with the exit
// code behind if it is not 0.
func runSample(t *testing.T, dir string, args []string) string {
	t.Helper()
	t.Chdir(dir)
	var out bytes.Buffer
	code := Main(t.Context(), args, Host{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NO_COLOR=1", "GITHUB_TOKEN=t1", "SENTRY_TOKEN=t2"}})
	if code != 0 {
		out.WriteString("exit " + string(rune('0'+code)) + "\n")
	}
	return out.String()
}

// matchesOutput reports whether the lines that a page shows are those that were printed.
func matchesOutput(shown []string, printed string) bool {
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for _, line := range shown {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		quoted := regexp.QuoteMeta(strings.TrimRight(line, " "))
		pattern.WriteString(strings.ReplaceAll(quoted, "…", ".*") + ` *\n`)
	}
	pattern.WriteString(`$`)
	return regexp.MustCompile(pattern.String()).MatchString(printed)
}
