//go:build unix

package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

const envAddr = "GAUNTLET_TEST_ADDR"

var _ = add("term", func() {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGTERM)
	fmt.Println("ready")
	<-ch
	os.Exit(7)
})

var _ = add("stubborn", func() {
	signal.Ignore(syscall.SIGTERM)
	fmt.Println("ready")
	time.Sleep(time.Hour) // select {} alone is a deadlock to a runtime without cgo, which ends the process
})

// daemon leaves a child behind that holds its stdout in a session of its own, where no
// signal to the group reaches it.
var _ = add("daemon", func() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), envServer+"=orphan")
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if child.Start() != nil {
		os.Exit(9)
	}
	fmt.Println("ready")
	os.Exit(2)
})

// orphan lives until the test hangs up.
var _ = add("orphan", func() {
	if c, err := net.Dial("tcp", os.Getenv(envAddr)); err == nil {
		_, _ = io.Copy(io.Discard, c)
	}
})

func add(name string, run func()) bool {
	servers[name] = run
	return true
}

func TestClosingSequence(t *testing.T) {
	for _, tt := range []struct {
		server, want string
		least        time.Duration // a lower bound: each step waits its grace
	}{
		{"term", "exited with status 7", 100 * time.Millisecond},
		{"stubborn", "was ended by signal: killed", 200 * time.Millisecond},
	} {
		t.Run(tt.server, func(t *testing.T) {
			c := command(tt.server)
			c.Grace = 100 * time.Millisecond
			p := start(t, c)
			if m, err := p.Receive(t.Context()); err != nil || m.Raw != "ready" {
				t.Fatal(m.Raw, err)
			}
			begin := time.Now()
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if got := describeExit(p.cmd); got != tt.want {
				t.Errorf("the server %s, want %s", got, tt.want)
			}
			if d := time.Since(begin); d < tt.least {
				t.Errorf("it was given %v, want at least %v", d, tt.least)
			}
		})
	}
}

func TestKillDoesNotWait(t *testing.T) {
	c := command("stubborn")
	c.Grace = time.Hour
	p := start(t, c)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := describeExit(p.cmd); got != "was ended by signal: killed" {
		t.Errorf("the server %s", got)
	}
}

func TestADaemonThatHoldsThePipesHoldsNobodyUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := command("daemon")
	c.Env = append(c.Env, envAddr+"="+l.Addr().String())
	p := start(t, c)
	orphan, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // where it is out of Close's reach it ends when we hang up
		_ = orphan.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, orphan)
		orphan.Close()
	}()
	if m, err := p.Receive(t.Context()); err != nil || m.Raw != "ready" {
		t.Fatal(m.Raw, err)
	}
	var end *EndError
	if _, err := p.Receive(t.Context()); !errors.As(err, &end) || end.How != "exited with status 2" {
		t.Errorf("Receive: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
