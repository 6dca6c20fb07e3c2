package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// scripts runs lines of scripts in this process where that makes no difference: starting the program
// costs more than most lines do. The working directory belongs to the whole process, so one line runs at a time.
type scripts struct {
	working   sync.Mutex
	variables map[string][]string // that a script sets, by its name
}

var (
	variableLine = regexp.MustCompile(`(?m)^(?:\[[^\]]*\] *)*env (.+)$`)
	assignment   = regexp.MustCompile(`([A-Za-z_]\w*)=`)
)

func readScripts(t *testing.T, dir string) *scripts {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("scripts in %s: %v, %d files", dir, err, len(files))
	}
	s := &scripts{variables: map[string][]string{}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, line := range variableLine.FindAllSubmatch(text, -1) {
			for _, m := range assignment.FindAllSubmatch(line[1], -1) {
				s.variables[name] = append(s.variables[name], string(m[1]))
			}
		}
	}
	return s
}

// own are the commands that start this program's file again, which here is the test's, or that wait for clients. They run as users run them.
var own = []string{"attack agent", "attack authorization", "attack run", "attack replay", "attack wire", "gateway", "guard", "login", "logout", "mcp", "mock", "probe", "redteam", "serve", "test", "vet", "view"}

// suits reports whether a command line can run in this process.
func suits(ts *testscript.TestScript, args []string) bool {
	line := strings.Join(args, " ") + " "
	return ts.Getenv("HTTP_PROXY") == "" && // read once in the life of a process
		!slices.ContainsFunc(args, apart) && !slices.ContainsFunc(own, func(c string) bool { return strings.HasPrefix(line, c+" ") })
}

// apart reports whether an argument wants a process of its own: for standard input, for a page that stays open, and for
// servers that are started, since who starts them collects all ended children of its process.
func apart(arg string) bool {
	flag, _, _ := strings.Cut(arg, "=")
	return slices.Contains([]string{"-", "--", "--config", "--discover", "--sandbox", "--view", "--yes", "__complete"}, flag)
}

// run runs a command line in the script's directory and returns its exit code.
func (s *scripts) run(t *testing.T, ts *testscript.TestScript, vars, args []string) int {
	s.working.Lock()
	defer s.working.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() {
		if err := os.Chdir(before); err != nil {
			t.Error(err)
		}
	}()
	var environ []string
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		environ = append(environ, name+"="+ts.Getenv(name))
	}
	for _, name := range s.variables[ts.Name()] {
		environ = append(environ, name+"="+ts.Getenv(name))
	}
	return Main(t.Context(), args, Host{Stdin: strings.NewReader(""), Stdout: ts.Stdout(), Stderr: ts.Stderr(), Environ: environ})
}
