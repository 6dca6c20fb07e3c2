package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/testing/peertest"
)

// TestConformanceOfAttackRun plays a benign document with attack run to the scenarios for servers
// of both eras. What a document has no words for is expected to fail, with its reason, and
// passes on the same engine in TestConformance of internal/runtime/attackmcp.
func TestConformanceOfAttackRun(t *testing.T) {
	suite := peertest.Conformance(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			url := attackOn(t, "../runtime/attackmcp/testdata/conformance.yaml")
			suite.Run(t, nil, "server", "--url", url, "--requirements", revision, "--expected-failures", "testdata/conformance/"+revision+".yaml")
		})
	}
}

// TestConformanceThroughGateway puts a gateway between the suite and the same document: a recorder changes nothing that the
// suite sees, so that exactly the same is expected to fail.
func TestConformanceThroughGateway(t *testing.T) {
	suite := peertest.Conformance(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "mcp.json")
			behind := attackOn(t, "../runtime/attackmcp/testdata/conformance.yaml")
			if err := os.WriteFile(config, []byte(`{"mcpServers":{"suite":{"type":"http","url":"`+behind+`"}}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			url := serveOn(t, "gateway", "--config", config, "--transport", "http", "--no-auth")
			suite.Run(t, nil, "server", "--url", url, "--requirements", revision, "--expected-failures", "testdata/conformance/"+revision+".yaml")
		})
	}
}

// attackOn runs attack run with one document that has one server, for as long as the test
// lasts, and returns where it serves.
func attackOn(t *testing.T, document string, args ...string) (url string) {
	t.Helper()
	return serveOn(t, slices.Concat([]string{"attack", "run", "--listen", "127.0.0.1:0"}, args, []string{document})...)
}

// serveOn runs a command that serves, for as long as the test lasts, and returns where it does.
func serveOn(t *testing.T, command ...string) (url string) {
	t.Helper()
	address := filepath.Join(t.TempDir(), "address")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var errs bytes.Buffer
	go func() { // ends with ctx
		defer close(ended)
		Main(ctx, append(command, "--address-file", address), Host{Stdin: strings.NewReader(""), Stdout: &errs, Stderr: &errs, Environ: []string{"HOME=" + t.TempDir()}})
	}()
	t.Cleanup(func() { stop(); <-ended })
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ended:
			t.Fatalf("%s ended: %s", command, errs.String())
		case <-look.C:
		}
		if text, err := os.ReadFile(address); err == nil && strings.HasSuffix(string(text), "\n") {
			words := strings.Fields(string(text)) // a name may stand before the URL
			return words[len(words)-1]
		}
	}
}
