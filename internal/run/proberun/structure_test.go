package proberun

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/sandbox"
)

type (
	keepArgs struct {
		Preferences map[string]any `json:"preferences"`
	}
	noArgs    struct{}
	parseArgs struct {
		Text string `json:"text"`
	}
	unpackArgs struct {
		ArchivePath string `json:"archive_path" jsonschema:"path of the tar archive"`
		Destination string `json:"destination" jsonschema:"the folder"`
	}
)

// serveStructures is a server whose faults lie in what values are made of. A careful one has no faults.
func serveStructures(careful bool) {
	s := mcp.NewServer(&mcp.Implementation{Name: "structures", Version: "1"}, nil)
	kept, inherited := map[string]any{}, map[string]any{}
	mcp.AddTool(s, &mcp.Tool{Name: "set_preferences", Description: "Merges preferences."}, func(_ context.Context, _ *mcp.CallToolRequest, a keepArgs) (*mcp.CallToolResult, any, error) {
		for name, v := range a.Preferences {
			below, ok := v.(map[string]any)
			if name == "__proto__" && ok && !careful {
				inherited = below // as a merge in JavaScript does
				continue
			}
			kept[name] = v
		}
		return text("saved", nil)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "get_profile", Description: "Returns the profile."}, func(context.Context, *mcp.CallToolRequest, noArgs) (*mcp.CallToolResult, any, error) {
		profile := map[string]any{"preferences": kept}
		for name, v := range inherited {
			profile[name] = v
		}
		b, err := json.Marshal(profile)
		return text(string(b), err)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "parse_text", Description: "Parses a text."}, func(_ context.Context, _ *mcp.CallToolRequest, a parseArgs) (*mcp.CallToolResult, any, error) {
		if strings.HasPrefix(a.Text, "[[") && !careful {
			os.Exit(1) // as a stack that is too deep does
		}
		return text(fmt.Sprint(len(a.Text)), nil)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "count_elements", Description: "Counts the elements of a text."}, func(_ context.Context, _ *mcp.CallToolRequest, a parseArgs) (*mcp.CallToolResult, any, error) {
		expanded := []byte(a.Text)
		if strings.HasPrefix(a.Text, "<?xml") && !careful {
			expanded = bytes.Repeat(expanded, (2*swelling)/len(expanded)) // as entities of entities do
		}
		return text(fmt.Sprint(bytes.Count(expanded, []byte("<"))), nil)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "extract_archive", Description: "Extracts a tar archive into a folder."}, func(_ context.Context, _ *mcp.CallToolRequest, a unpackArgs) (*mcp.CallToolResult, any, error) {
		return text("extracted", extract(a.ArchivePath, careful))
	})
	s.AddTool(&mcp.Tool{Name: "describe", Description: "Reads a file.", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a map[string]string
		_ = json.Unmarshal(q.Params.Arguments, &a) // no object has no file
		result := func(s string, failed bool) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}, IsError: failed}, nil
		}
		if a["source_path"] == "" {
			return result("missing parameter: source_path", true)
		}
		if careful && !filepath.IsLocal(a["source_path"]) {
			return result("not in the project: "+a["source_path"], true)
		}
		b, err := os.ReadFile(a["source_path"])
		if err != nil {
			return result(err.Error(), true)
		}
		return result(string(b), false)
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{}) // the end of the conversation is its regular end
}

// extract unpacks a tar archive into a folder of its own. A careful one takes local names alone.
func extract(archive string, careful bool) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	folder, err := os.MkdirTemp("", "extracted")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // the sandbox ends with its files
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if careful && !filepath.IsLocal(h.Name) {
			return errors.New("the entry " + h.Name + " leads out of the folder")
		}
		content, err := io.ReadAll(io.LimitReader(r, 1<<20))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, h.Name), content, 0o600); err != nil {
			return err
		}
	}
}

// What values are made of proves its faults as well: members that objects inherit, archives that lead out, nesting,
// and parameters that only errors name.
func TestFaultsInStructures(t *testing.T) {
	sealed := func(o *Options) {
		o.Dialer.Sandbox, o.Stall = sandbox.On, time.Minute
		o.Dialer.SandboxConfig.Read = []string{o.Server.Command[0]}
	}
	got := probeSelf(t, "structures", sealed)
	if !got.Sealed {
		t.Skip("no sandbox here: ", got.Protections.Missing)
	}
	faulty := outcomes(&got.Evidence)
	for name, kind := range map[string]probe.Kind{
		"set_preferences.preferences prototype pollution": probe.Kept,
		"extract_archive.archive_path archive escape":     probe.File,
		"parse_text.text resource exhaustion":             probe.Stopped,
		"count_elements.text resource exhaustion":         probe.Swollen,
		"describe.source_path path traversal":             probe.Content,
	} {
		if p := faulty[name]; p.Proof == nil || p.Proof.Kind != kind {
			t.Errorf("%s: %+v, %+v, want it proved by %s", name, faulty[name], faulty[name].Proof, kind)
		}
	}
	for name, o := range outcomes(&probeSelf(t, "careful structures", sealed).Evidence) {
		if p := o; p.Proof != nil {
			t.Errorf("careful: %s: proved: %s", name, p.Proof.Observed)
		}
	}
}
