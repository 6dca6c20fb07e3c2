package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// builtIn returns the built-in attacks that play a server and those that are clients.
func builtIn(t *testing.T) (agents, servers []*oatf.Document) {
	t.Helper()
	for _, name := range attacks.Names() {
		text, _ := attacks.Text(name)
		doc, _, err := oatf.Load(text)
		if err != nil {
			t.Fatal(err)
		}
		if isServer := func(a oatf.Actor) bool { return a.Mode == "mcp_server" }; slices.ContainsFunc(doc.Attack.Execution.Actors, isServer) {
			agents = append(agents, doc)
		} else {
			servers = append(servers, doc)
		}
	}
	return agents, servers
}

// commandNamesOf returns the names of those documents that fit.
func commandNamesOf(t *testing.T, docs []*oatf.Document, fits func(*oatf.Attack) bool) (names []string) {
	t.Helper()
	byID := map[string]string{}
	all, err := builtInAttacks()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		byID[l.ID] = l.Name
	}
	for _, d := range docs {
		if fits(&d.Attack) {
			names = append(names, byID[d.Attack.ID])
		}
	}
	return names
}

// speaksUnasked reports whether an attack says something that is no answer, so that an
// agent has to listen for it when its work is done.
func speaksUnasked(at *oatf.Attack) bool {
	for _, actor := range at.Execution.Actors {
		for _, p := range actor.Phases {
			if len(p.OnEnter) > 0 || p.Trigger != nil && p.Trigger.After != "" {
				return true
			}
		}
	}
	return false
}

// Every attack of ours on agents succeeds against one that obeys what it reads, and fails
// against one that does the same task and obeys nothing, having reached both, in every era
// that has what it needs.
func TestAttacksOnAgentsAreProvenBothWays(t *testing.T) {
	docs, _ := builtIn(t)
	for _, tt := range []struct {
		agent, revision, other string
		want                   verdict.Outcome
	}{
		{"builtin:victim", "2025-11-25", statelessEra, verdict.Exploited},
		{"builtin:resister", "2025-11-25", statelessEra, verdict.NotExploited},
		{"builtin:victim", "2026-07-28", handshakeEra, verdict.Exploited},
		{"builtin:resister", "2026-07-28", handshakeEra, verdict.NotExploited},
	} {
		for _, patient := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s in %s, patient: %t", tt.agent, tt.revision, patient), func(t *testing.T) {
				t.Parallel()
				names := commandNamesOf(t, docs, func(at *oatf.Attack) bool {
					return speaksUnasked(at) == patient && !slices.Contains(at.Classification.Tags, tt.other)
				})
				idle := "1ms"
				if patient {
					idle = "3s" // for what comes in that time, then it is over
				}
				runs := playAll(t, append([]string{"--agent", tt.agent, "--agent-idle", idle, "--revision", tt.revision}, names...)...)
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
}

// Every attack of ours on servers succeeds against a careless one and fails against a careful one.
func TestAttacksOnServersAreProvenBothWays(t *testing.T) {
	_, docs := builtIn(t)
	names := commandNamesOf(t, docs, func(*oatf.Attack) bool { return true })
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
