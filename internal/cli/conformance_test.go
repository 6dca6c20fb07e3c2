package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/peertest"
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

// attackOn runs attack run with one document that has one server, for as long as the test
// lasts, and returns where it serves.
func attackOn(t *testing.T, document string, args ...string) (url string) {
	t.Helper()
	address := filepath.Join(t.TempDir(), "address")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var errs bytes.Buffer
	go func() { // ends with ctx
		defer close(ended)
		all := append([]string{"attack", "run", "--listen", "127.0.0.1:0", "--address-file", address}, args...)
		Main(ctx, append(all, document), Host{Stdin: strings.NewReader(""), Stdout: &errs, Stderr: &errs, Environ: []string{"HOME=" + t.TempDir()}})
	}()
	t.Cleanup(func() { stop(); <-ended })
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ended:
			t.Fatalf("attack run %s ended: %s", document, errs.String())
		case <-look.C:
		}
		if text, err := os.ReadFile(address); err == nil && strings.HasSuffix(string(text), "\n") {
			_, url, _ = strings.Cut(strings.TrimSpace(string(text)), " ")
			return url
		}
	}
}
