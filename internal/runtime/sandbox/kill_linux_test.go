package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// daemons leaves processes behind in sessions of their own that hold its output and ignore
// every signal that can be ignored.
var _ = addServer("daemons", func() int {
	cmd := exec.Command("/bin/sh", "-c", `trap '' HUP TERM INT; (setsid sh -c 'trap "" HUP TERM INT; while :; do sleep 100; done' &) ; (sh -c 'sleep 1000' &) ; echo ready; while :; do sleep 100; done`)
	cmd.Stdout = os.Stdout
	return map[bool]int{true: 0, false: 1}[cmd.Run() == nil]
})

// holder starts daemons in a sandbox and waits to be killed.
var _ = addServer("holder", func() int {
	s, err := New(Config{Environ: os.Environ()})
	if err != nil {
		fmt.Println(err)
		return 0
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stdout = append(os.Environ(), envServer+"=daemons"), os.Stdout
	started, err := s.Wrap(cmd)
	if err == nil {
		err = started(cmd.Start())
	}
	if err != nil {
		fmt.Println(err)
		return 0
	}
	_ = cmd.Wait()
	return 0
})

// Everything in the sandbox held the pipe; when it ends, nothing is left.
func awaitEnd(t *testing.T, output *os.File) {
	t.Helper()
	_ = output.SetReadDeadline(time.Now().Add(30 * time.Second))
	if rest, err := io.ReadAll(output); err != nil {
		t.Errorf("something in the sandbox still runs: %v, %q", err, rest)
	}
}

func TestNothingIsLeftWhenWeAreKilled(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stdout = append(os.Environ(), envServer+"=holder", "GOCOVERDIR="+t.TempDir()), w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	_ = r.SetReadDeadline(time.Now().Add(60 * time.Second))
	line, err := bufio.NewReaderSize(r, 16).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "ready" {
		t.Fatalf("the server did not start: %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	awaitEnd(t, r)
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	s := newSandbox(t, Config{})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stdout = append(os.Environ(), envServer+"=daemons"), w
	started, err := s.Wrap(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := started(cmd.Start()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	_ = r.SetReadDeadline(time.Now().Add(60 * time.Second))
	if line, err := bufio.NewReaderSize(r, 16).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatal(line, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	awaitEnd(t, r)
}

// What starting a server in a sandbox costs beside starting it.
func BenchmarkStart(b *testing.B) {
	if err := Available(); err != nil {
		b.Skip(err)
	}
	command := func() *exec.Cmd {
		cmd := exec.Command("/bin/true")
		cmd.Env = os.Environ()
		return cmd
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := command().Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sandbox", func(b *testing.B) {
		for b.Loop() {
			s := newSandbox(b, Config{})
			if out, err := s.run(b, command()); err != nil {
				b.Fatal(err, out)
			}
			s.Close()
		}
	})
}

var _ = addServer("echo", func() int {
	_, _ = io.Copy(os.Stdout, os.Stdin)
	return 0
})

// What a call costs, as a line that goes there and back.
func BenchmarkCall(b *testing.B) {
	for _, sealed := range []bool{false, true} {
		b.Run(fmt.Sprintf("sandbox=%t", sealed), func(b *testing.B) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), envServer+"=echo", "GOCOVERDIR=/tmp")
			in, err := cmd.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			started := func(err error) error { return err }
			if sealed {
				if started, err = newSandbox(b, Config{}).Wrap(cmd); err != nil {
					b.Fatal(err)
				}
			}
			if err := started(cmd.Start()); err != nil {
				b.Skip(err)
			}
			lines := bufio.NewReader(out)
			for b.Loop() {
				if _, err := io.WriteString(in, "hello\n"); err != nil {
					b.Fatal(err)
				}
				if _, err := lines.ReadString('\n'); err != nil {
					b.Fatal(err)
				}
			}
			in.Close()
			_ = cmd.Wait()
		})
	}
}
