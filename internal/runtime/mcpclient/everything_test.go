package mcpclient

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/runtime/wire"
	"gauntlet/internal/testing/peertest"
)

func everything(t *testing.T) (node, script string) {
	t.Helper()
	dir := peertest.Everything(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	script = filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatal(err)
	}
	return node, script
}

// serveEverything starts the server in one of its HTTP modes and returns its origin.
func serveEverything(t *testing.T, mode string) string {
	t.Helper()
	for range 5 {
		if origin := tryEverything(t, mode); origin != "" {
			return origin
		}
	}
	t.Fatal("the server did not start")
	return ""
}

// tryEverything starts it on a port that was free, and returns "" if another test has taken that since.
func tryEverything(t *testing.T, mode string) string {
	t.Helper()
	node, script := everything(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	cmd := exec.Command(node, script, mode)
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	words, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	ready := make(chan bool, 1)
	// Ends with the process.
	go func() {
		for lines := bufio.NewScanner(words); lines.Scan(); {
			if line := lines.Text(); strings.Contains(line, "port") || strings.Contains(line, "in use") {
				ready <- !strings.Contains(line, "in use") && !strings.Contains(line, "EADDRINUSE")
				break
			}
		}
		close(ready)
	}()
	if !<-ready {
		return ""
	}
	return fmt.Sprint("http://127.0.0.1:", port)
}

// The official TypeScript server says the same over every transport and in every order.
func TestEverythingIsTheSameOverEveryTransport(t *testing.T) {
	node, script := everything(t)
	first := ""
	same := func(t *testing.T, conn wire.Conn, era Era) {
		t.Helper()
		s, err := Capture(t.Context(), conn, Options{Era: era})
		if err != nil {
			t.Fatal(err)
		}
		wantGaps(t, s, nil)
		readsBack(t, s)
		if s.Era != Legacy || s.Revision != "2025-11-25" || len(s.Lists[0].Items) < 10 {
			t.Errorf("%v in %s with %s items", s.Era, s.Revision, counts(s))
		}
		// The times in its dynamic resources are its own affair.
		text := fmt.Sprint(s.Lists[0], s.Lists[1], s.Lists[3])
		if first == "" {
			first = text
		} else if text != first {
			t.Errorf("over this transport\n%s\nand over the first\n%s", clip(text, 3000), clip(first, 3000))
		}
	}
	for _, era := range []Era{Auto, DiscoverFirst, Legacy} {
		t.Run("stdio, "+era.String(), func(t *testing.T) {
			p, err := wire.Start(wire.Command{Args: []string{node, script, "stdio"}, Environ: os.Environ()})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			same(t, p, era)
		})
	}
	t.Run("streamableHttp", func(t *testing.T) {
		url := serveEverything(t, "streamableHttp") + "/mcp"
		for _, era := range []Era{Auto, InitializeFirst, Legacy} {
			same(t, dial(t, wire.Endpoint{URL: url}), era)
		}
	})
	t.Run("sse", func(t *testing.T) {
		url := serveEverything(t, "sse") + "/sse"
		same(t, dial(t, wire.Endpoint{URL: url}), Auto)
		same(t, dial(t, wire.Endpoint{URL: url, SSE: true}), Auto)
	})
}
