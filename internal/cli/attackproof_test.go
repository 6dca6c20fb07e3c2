package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/attacks"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/verdict"
)

// playAll runs attack run with the arguments and returns what it reported.
func playAll(t *testing.T, args ...string) []result.AttackRun {
	t.Helper()
	var out, errs bytes.Buffer
	Main(t.Context(), append([]string{"attack", "run", "--quiet", "--format", "json", "--parallel", "8"}, args...),
		Host{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: []string{"HOME=" + t.TempDir()}})
	var r result.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("attack run %q: %v; %s", args, err, errs.String())
	}
	return r.Attacks
}

// withServers tells built-in attacks that play a server from those that are clients.
func withServers(t *testing.T) (agents, servers []string) {
	t.Helper()
	for _, name := range attacks.Names() {
		text, _ := attacks.Text(name)
		doc, _, err := oatf.Load(text)
		if err != nil {
			t.Fatal(err)
		}
		if isServer := func(a oatf.Actor) bool { return a.Mode == "mcp_server" }; slices.ContainsFunc(doc.Attack.Execution.Actors, isServer) {
			agents = append(agents, name)
		} else {
			servers = append(servers, name)
		}
	}
	return agents, servers
}

// Every attack of ours on agents succeeds against one that obeys what it reads, and fails
// against one that does the same task and obeys nothing, having reached both, in either era.
func TestAttacksOnAgentsAreProvenBothWays(t *testing.T) {
	names, _ := withServers(t)
	for _, tt := range []struct {
		agent, revision string
		want            verdict.Outcome
	}{
		{"builtin:victim", "2025-11-25", verdict.Exploited},
		{"builtin:resister", "2025-11-25", verdict.NotExploited},
		{"builtin:victim", "2026-07-28", verdict.Exploited},
		{"builtin:resister", "2026-07-28", verdict.NotExploited},
	} {
		t.Run(tt.agent+" in "+tt.revision, func(t *testing.T) {
			runs := playAll(t, append([]string{"--agent", tt.agent, "--revision", tt.revision}, names...)...)
			if len(runs) != len(names) {
				t.Fatalf("%d runs of %d documents", len(runs), len(names))
			}
			for _, r := range runs {
				if r.Verdict == nil || r.Verdict.Outcome != tt.want {
					t.Errorf("%s against %s: want %s, got %+v %s %+v", r.Document, tt.agent, tt.want, r.Verdict, r.Problem, r.Notices)
				}
			}
		})
	}
}

// Every attack of ours on servers succeeds against a careless one and fails against a careful one.
func TestAttacksOnServersAreProvenBothWays(t *testing.T) {
	_, names := withServers(t)
	for _, tt := range []struct {
		server  string
		careful bool
		want    verdict.Outcome
	}{
		{"careless", false, verdict.Exploited},
		{"careful", true, verdict.NotExploited},
	} {
		t.Run(tt.server, func(t *testing.T) {
			s := fileServer(tt.careful)
			ts := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
			t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
			for _, name := range names {
				r := playAll(t, "--url", ts.URL, name)[0]
				if r.Verdict == nil || r.Verdict.Outcome != tt.want {
					t.Errorf("%s against a %s server: want %s, got %+v %s", name, tt.server, tt.want, r.Verdict, r.Problem)
				}
			}
		})
	}
}

// disk is the machine of the servers under attack.
var disk = map[string]string{
	"/srv/files/readme.txt": "hello",
	"/etc/passwd":           "root:x:0:0:root:/root:/bin/sh\n",
}

var errNoFile = errors.New("no such file")

// read opens a path below /srv/files. The careless server joins first and asks no questions.
func read(careful bool, p string) (string, error) {
	if careful && (path.IsAbs(p) || !path.IsAbs(path.Clean("/"+p)) || strings.Contains(p, "..")) {
		return "", errNoFile
	}
	full := path.Join("/srv/files", p)
	if !careful && path.IsAbs(p) {
		full = path.Clean(p)
	}
	text, ok := disk[full]
	if !ok {
		return "", errNoFile
	}
	return text, nil
}

// fileServer is a server of files as many are.
func fileServer(careful bool) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	type input struct {
		Path string `json:"path"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "read_file", Description: "Reads a file."}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		text, err := read(careful, in.Path)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", URITemplate: "file:///{+path}"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		p, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, "file:///"))
		if err != nil {
			return nil, err
		}
		text, err := read(careful, p)
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: text}}}, nil
	})
	return s
}
