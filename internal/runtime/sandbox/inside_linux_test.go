package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// listener listens on the loopback address, says so, and answers one connection with where it came from. It
// ends when its stdin does: the sandbox ends with it.
var _ = addServer("listener", func() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(l.Addr())
	c, err := l.Accept()
	if err != nil {
		return 1
	}
	fmt.Fprintln(c, "hello", c.RemoteAddr().(*net.TCPAddr).IP)
	_ = c.Close()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
})

// A server that listens in a sandbox is found and spoken to from inside; this machine has no such port, and
// names lead nowhere.
func TestDialInside(t *testing.T) {
	s := newSandbox(t, Config{})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envServer+"=listener", "GOCOVERDIR=/tmp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started, err := s.Wrap(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := started(cmd.Start()); err != nil {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		t.Skip(err)
	}
	at, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at = strings.TrimSpace(at)
	sockets, err := s.Listening()
	if err != nil || len(sockets) != 1 || sockets[0].String() != at {
		t.Errorf("it listens at %v (%v), want %s alone", sockets, err, at)
	}
	if _, err := s.Dial(t.Context(), "tcp", "example.com:80"); err == nil {
		t.Error("a name was connected to")
	}
	if _, err := s.Dial(t.Context(), "tcp", "127.0.0.1:1"); err == nil {
		t.Error("a port at which nobody listens was connected to")
	}
	c, err := s.Dial(t.Context(), "tcp", "localhost"+at[strings.LastIndex(at, ":"):])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if said, err := io.ReadAll(c); err != nil || string(said) != "hello 127.0.0.1\n" {
		t.Errorf("it said %q (%v)", said, err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if got := s.eventsOf(Connection); len(got) > 0 {
		t.Errorf("our own connections are events: %+v", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Dial(t.Context(), "tcp", at); err == nil {
		t.Error("a sandbox that has ended was connected to")
	}
}
