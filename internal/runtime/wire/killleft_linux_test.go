package wire

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// leaver starts a process in a session of its own, which starts another one and ends, as
// daemons do; what is left has no tie to the server but its environment.
var _ = add("leaver", func() {
	child := again("between")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if child.Run() != nil {
		os.Exit(9)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
})

var _ = add("between", func() {
	child := again("orphan")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if child.Start() != nil {
		os.Exit(9)
	}
})

// again is this binary as another server of these tests, without our streams.
func again(server string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envServer+"="+server)
	return cmd
}

// Nothing that a server started outlives it, whatever it did to get away, and nothing of
// another server is touched.
func TestADaemonEndsWithItsServer(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*Process) error
	}{
		{"Close", (*Process).Close},
		{"Kill", (*Process).Kill},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			c := command("leaver")
			c.Env = append(c.Env, envAddr+"="+l.Addr().String())
			p := start(t, c)
			bystander := start(t, command("echo"))
			orphan, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer orphan.Close()
			if m, err := p.Receive(t.Context()); err != nil || m.Raw != "ready" {
				t.Fatal(m.Raw, err)
			}
			if err := tt.end(p); err != nil {
				t.Fatal(err)
			}
			// Ends when the orphan does: it waits for us to hang up, which we do not.
			_, _ = io.Copy(io.Discard, orphan)
			if err := bystander.Send(t.Context(), []byte(`{"jsonrpc":"2.0","method":"x"}`)); err != nil {
				t.Fatal(err)
			}
			if m, err := bystander.Receive(t.Context()); err != nil || m.Method != "x" {
				t.Errorf("the other server: %v, %v", m, err)
			}
		})
	}
}

// A part of a mark, or a mark inside a longer entry, is none.
func TestOnlyTheWholeMarkCounts(t *testing.T) {
	c := command("echo")
	p := start(t, c)
	for _, mark := range []string{p.mark[:len(p.mark)-1], p.mark[1:], markName + "=", ""} {
		if mark != "" && killIfMarked(p.Pid(), mark) {
			t.Fatalf("%q was enough", mark)
		}
	}
	if !strings.HasPrefix(p.mark, markName+"=") || len(p.mark) < len(markName)+20 {
		t.Errorf("the mark is %q", p.mark)
	}
	if err := p.Send(t.Context(), []byte(`{"jsonrpc":"2.0","method":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Receive(t.Context()); err != nil {
		t.Error(err)
	}
}
