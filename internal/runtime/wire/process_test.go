package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/internal/leaf/redact"
)

// The servers of these tests are this binary, started again with the name of a server in
// its environment.
const envServer = "GAUNTLET_TEST_SERVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(envServer); name != "" {
		servers[name]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// servers is filled by the declarations below and by those of process_unix_test.go.
var servers = map[string]func(){
	// echo sends every line back and says goodbye when its stdin ends.
	"echo": func() {
		_, _ = io.Copy(os.Stdout, os.Stdin)
		fmt.Fprintln(os.Stderr, "goodbye")
	},
	"environment": func() {
		dir, _ := os.Getwd()
		params, _ := json.Marshal(append(os.Environ(), "dir="+dir))
		fmt.Printf(`{"jsonrpc":"2.0","method":"environment","params":%s}`+"\n", params)
	},
	"silent": func() {
		os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	// babble writes more than a pipe holds before it looks at its stdin.
	"babble": func() {
		w := bufio.NewWriter(os.Stdout)
		for range 1_000_000 {
			w.WriteString("babble babble\n")
		}
		w.Flush()
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(5)
	},
}

func command(server string) Command {
	return Command{Args: []string{os.Args[0]}, Environ: os.Environ(), Env: []string{envServer + "=" + server}}
}

func start(t *testing.T, c Command) *Process {
	t.Helper()
	c.Env = append(c.Env, "GOCOVERDIR="+t.TempDir()) // or a build with -cover writes to stderr
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return p
}

func TestProcessCarriesLines(t *testing.T) {
	p := start(t, command("echo"))
	const line = `{"jsonrpc":"2.0",  "method":"x"}`
	if err := p.Send(t.Context(), []byte(line)); err != nil {
		t.Fatal(err)
	}
	if m, err := p.Receive(t.Context()); err != nil || m.Raw != line {
		t.Errorf("got %q, %v, want %q", m.Raw, err, line)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if text, before := p.Stderr(); text != "goodbye\n" || before != 0 {
		t.Errorf("stderr %q and %d bytes before it: the server was not asked to end by closing its stdin", text, before)
	}
	if _, err := p.Receive(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Receive after Close: %v", err)
	}
}

func TestAServerThatIsStuckWritingStillEndsPolitely(t *testing.T) {
	c := command("babble")
	c.Grace = 20 * time.Second
	p := start(t, c)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := describeExit(p.cmd); got != "exited with status 5" {
		t.Errorf("the server %s", got)
	}
}

func TestClosedStdoutIsToldFromExit(t *testing.T) {
	c := command("silent")
	c.Grace = 100 * time.Millisecond
	p := start(t, c)
	var end *EndError
	if _, err := p.Receive(t.Context()); !errors.As(err, &end) || end.How != "closed its stdout" {
		t.Errorf("Receive: %v", err)
	}
}

func TestOnlyWhatIsNeededIsInherited(t *testing.T) {
	dir := t.TempDir()
	c := command("environment")
	c.Dir = dir
	c.Environ = []string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=x", "SSH_AUTH_SOCK=x", "HOME=/home/me", "LC_TIME=C", "LANGUAGE=x", "SHELL=() { :; }", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	c.Env = append(c.Env, "HOME=/other", "TOKEN=a=b")
	p := start(t, c)
	m, err := p.Receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal([]byte(m.Params), &got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"PATH=/bin", "HOME=/other", "LC_TIME=C", "TOKEN=a=b"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	for _, entry := range got {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "LANGUAGE", "SHELL"}, name) {
			t.Errorf("the server got %s", name)
		}
		if real, _ := filepath.EvalSymlinks(dir); name == "dir" && value != dir && value != real {
			t.Errorf("working directory %s, want %s", value, dir)
		}
	}
}

func TestStartErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		c    Command
		want string
	}{
		{"nothing", Command{}, "no command was given"},
		{"not on PATH", Command{Args: []string{"gauntlet-no-such"}}, `command "gauntlet-no-such" not found: is it installed and on PATH?`},
		{"no such file", Command{Args: []string{"./gauntlet-no-such"}, Dir: dir}, `command "./gauntlet-no-such" not found: there is no such file`},
		{"not executable", Command{Args: []string{"./plain", "--key=hunter2"}, Dir: dir}, `command "./plain" cannot be run: the file is not executable`},
		{"no directory", Command{Args: []string{os.Args[0]}, Dir: plain}, "working directory " + fmt.Sprintf("%q", plain) + " is not a directory"},
		{"missing directory", Command{Args: []string{os.Args[0]}, Dir: plain + "x"}, "working directory " + fmt.Sprintf("%q", plain+"x") + ": no such file or directory"},
		{"a value without a name", Command{Args: []string{os.Args[0]}, Env: []string{"A=1", "hunter2"}}, "environment variable 2 is not of the form NAME=VALUE"},
		{"a NUL", Command{Args: []string{os.Args[0]}, Env: []string{"A=hunter2\x00"}}, "environment variable 1 contains a NUL byte"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Start(tt.c)
			if err == nil {
				p.Close()
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("Start = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	p := &Process{secret: redact.New([]string{"A=hunter2", "B=hunter2-long", "C=no", "D="})}
	if got, want := p.Redact("hunter2-long hunter2 no"), "[B] [A] no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReceiveHeedsItsContext(t *testing.T) {
	p := start(t, command("echo"))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrNoProgress)
	if _, err := p.Receive(ctx); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Receive = %v, want the cause of the context's end", err)
	}
}
