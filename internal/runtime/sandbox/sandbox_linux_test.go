package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The servers of these tests are this binary, started again with the name of one in its environment.
const envServer = "SANDBOX_TEST_SERVER"

func TestMain(m *testing.M) {
	if code, ran := RunChild(os.Environ()); ran {
		os.Exit(code)
	}
	if name := os.Getenv(envServer); name != "" {
		os.Exit(servers[name]())
	}
	goleak.VerifyTestMain(m)
}

// servers are filled by the files of tests.
var servers = map[string]func() int{}

func addServer(name string, run func() int) bool {
	servers[name] = run
	return true
}

// newSandbox skips the test where this machine forbids sandboxes.
func newSandbox(t testing.TB, c Config) *Sandbox {
	t.Helper()
	if c.Environ == nil {
		c.Environ = os.Environ()
	}
	s, err := New(c)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// run runs a program in a sandbox to its end and returns what it wrote.
func (s *Sandbox) run(t testing.TB, cmd *exec.Cmd) (output string, err error) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	started, err := s.Wrap(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := started(cmd.Start()); err != nil {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		if strings.Contains(err.Error(), ErrUnavailable.Error()) {
			t.Skip(err)
		}
		t.Fatal(err, out.String())
	}
	err = cmd.Wait()
	return out.String(), err
}

// runServer runs a server of the tests in a sandbox.
func runServer(t testing.TB, c Config, name string, args ...string) (s *Sandbox, output string) {
	t.Helper()
	s = newSandbox(t, c)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), envServer+"="+name, "GOCOVERDIR=/tmp")
	output, err := s.run(t, cmd)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, output)
	}
	return s, output
}

var _ = addServer("hello", func() int {
	fmt.Println("hello from", os.Getpid(), os.Getuid())
	return 0
})

func TestAServerRuns(t *testing.T) {
	s, out := runServer(t, Config{}, "hello")
	if !strings.HasPrefix(out, "hello from") {
		t.Errorf("got %q", out)
	}
	for _, p := range s.Report().Protections {
		t.Log(p)
	}
}

func TestProgramStartsAreEvents(t *testing.T) {
	s := newSandbox(t, Config{})
	cmd := exec.Command("/bin/sh", "-c", "/bin/echo one two; nowhere-to-be-found; true")
	cmd.Env = os.Environ()
	out, err := s.run(t, cmd)
	if err != nil {
		t.Fatal(err, out)
	}
	var starts [][]string
	for _, e := range s.Events(1) {
		if e.Kind == Start {
			starts = append(starts, append([]string{e.Path}, e.Args...))
		}
	}
	if want := "[[/bin/echo /bin/echo one two]]"; fmt.Sprint(starts) != want {
		t.Errorf("got %v, want %s", starts, want)
	}
}

var _ = addServer("look", func() int {
	_, err := os.Stat(os.Getenv("LOOK_FOR"))
	fmt.Print(err == nil)
	return 0
})

// What arguments and variables name is shown to a server, but not where they come from a stranger.
func TestNamedFilesAreShown(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LOOK_FOR", dir+"/file")
	for _, tt := range []struct {
		own, read bool
		arg, env  string
		want      string
	}{
		{false, false, dir, "", "true"}, {true, false, dir, "", "false"},
		{false, false, "--file=" + dir + "/file", "", "true"}, {true, false, "--file=" + dir + "/file", "", "false"},
		{false, false, "", dir, "true"}, {true, false, "", dir, "false"},
		{true, true, dir, "", "true"},
	} {
		c := Config{OwnFiles: tt.own, Environ: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}}
		if tt.read {
			c.Read = []string{dir}
		}
		s := newSandbox(t, c)
		cmd := exec.Command(os.Args[0], tt.arg)
		cmd.Env = append(os.Environ(), envServer+"=look", "GOCOVERDIR=/tmp", "PYTHONPATH="+tt.env)
		if out, err := s.run(t, cmd); err != nil || out != tt.want {
			t.Errorf("%+v: %q, %v", tt, out, err)
		}
	}
}
