//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
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

// 200 servers run at the same time, the scanner stays small, and none of them is left.
func TestManyServersSideBySide(t *testing.T) {
	if os.Getenv("GAUNTLET_HEAVY") == "" {
		t.Skip("it starts 200 processes: only with GAUNTLET_HEAVY=1, as .ci/full has it")
	}
	const servers, most = 200, 300e6
	dir := t.TempDir()
	bin := filepath.Join(dir, "gauntlet")
	mock := filepath.Join(dir, "mock")
	for to, from := range map[string]string{bin: ".", mock: "./testdata/mock"} {
		if out, err := exec.Command("go", "build", "-o", to, from).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	gate, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	entries := map[string]any{}
	for i := range servers {
		entries[fmt.Sprintf("s%03d", i)] = map[string]any{"command": mock, "args": []string{gate.Addr().String(), fmt.Sprint(i)}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	config, report := filepath.Join(dir, "mcp.json"), filepath.Join(dir, "report.json")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "scan", "-q", "--yes", "--parallel", fmt.Sprint(servers), "--timeout", "5m", "--format", "json", "--output", report, "--skip", "GNT-106", "--config", config)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait(); gate.Close() }() // ends with the scanner, which has its own limits
	// Nobody is answered before all are there.
	var running []net.Conn
	for range servers {
		c, err := gate.Accept()
		if err != nil {
			t.Fatalf("only %d servers came: %v\n%s", len(running), err, said.String())
		}
		defer c.Close()
		running = append(running, c)
	}
	for _, c := range running {
		if _, err := io.WriteString(c, "go\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; err != nil {
		t.Fatalf("scan: %v\n%s", err, said.String())
	}
	for i, c := range running {
		// The scanner has gone: a server that still ran would hold its connection open.
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.ReadAll(c); os.IsTimeout(err) {
			t.Errorf("server %d still runs", i)
		}
	}
	peak := float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS != "darwin" {
		peak *= 1024 // kilobytes everywhere but there
	}
	out, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(out), `"state":"scanned"`); n != servers {
		t.Errorf("%d servers were scanned", n)
	}
	t.Logf("%d servers at the same time: %.0f MB at most, %.1f s", servers, peak/1e6, time.Since(begin).Seconds())
	if peak > most {
		t.Errorf("the scanner took %.0f MB", peak/1e6)
	}
}
