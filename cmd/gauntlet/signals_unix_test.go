//go:build unix

package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whatever asks gauntlet to end, its server ends too; SIGKILL leaves gauntlet no say, and on
// Linux the kernel ends the server.
func TestSignalsEndTheServer(t *testing.T) {
	dir := t.TempDir()
	bin, mock := filepath.Join(dir, "gauntlet"), filepath.Join(dir, "mock")
	for to, from := range map[string]string{bin: ".", mock: "./testdata/mock"} {
		if out, err := exec.Command("go", "build", "-o", to, from).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
		code   int // -1: ended by the signal
	}{
		{"SIGINT", syscall.SIGINT, 2},
		{"SIGTERM", syscall.SIGTERM, 2},
		{"SIGHUP", syscall.SIGHUP, 2},
		{"SIGQUIT", syscall.SIGQUIT, 2},
		{"SIGKILL", syscall.SIGKILL, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.signal == syscall.SIGKILL && runtime.GOOS != "linux" {
				t.Skip("no parent-death signal on " + runtime.GOOS)
			}
			gate, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer gate.Close()
			_ = gate.(*net.TCPListener).SetDeadline(time.Now().Add(20 * time.Second))
			var said strings.Builder
			cmd := exec.Command(bin, "capture", "--", mock, gate.Addr().String(), "0")
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			server, err := gate.Accept() // the server waits for us before it answers
			if err != nil {
				t.Fatal(err, said.String())
			}
			defer server.Close()
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != tt.code {
				t.Errorf("exit code %d, want %d\n%s", got, tt.code, said.String())
			}
			_ = server.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := server.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the server still runs")
			}
		})
	}
}
