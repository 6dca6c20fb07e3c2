package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/result"
)

// The marks around the sample in the page.
const (
	sampleBegins = "<!-- the posture map before and after, written by TestPostureSample -->\n"
	sampleEnds   = "<!-- end of the posture map -->"
)

// sampleServer is a server of the Go SDK over HTTP, with sessions and one tool that changes nothing.
func sampleServer() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	type args struct {
		Text string `json:"text" jsonschema:"what is repeated"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "repeat", Description: "Repeats a text.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, a args) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}}, nil, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

// postureOf runs a command and returns the posture map of its report, by id.
func postureOf(t *testing.T, args ...string) (ids []string, of map[string]result.Signal) {
	t.Helper()
	_, stdout, stderr := runMain(t, nil, append(args, "--format", "json")...)
	var r struct {
		Posture []result.Signal `json:"posture"`
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v: %v: %s", args, err, stderr)
	}
	of = map[string]result.Signal{}
	for _, s := range r.Posture {
		ids = append(ids, s.ID)
		of[s.ID] = s
	}
	return ids, of
}

// The page shows the posture map of a live server as a scan and as a probe fill it.
func TestPostureSample(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the system does not tell where a server listens")
	}
	server := httptest.NewServer(sampleServer())
	defer server.Close()
	ids, before := postureOf(t, "scan", "-q", "--differential", server.URL)
	_, after := postureOf(t, "probe", "-q", server.URL)
	var b strings.Builder
	b.WriteString("\n| defence | after `scan --differential URL` | after `probe URL` |\n|---|---|---|\n")
	for _, id := range ids {
		was, is := before[id], after[id]
		if was.State == is.State && was.Detail == is.Detail {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", id, cellOf(was), cellOf(is))
	}
	b.WriteString("\n")
	const page = "../../docs/probing.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(text), sampleBegins)
	sample, tail, ends := strings.Cut(rest, sampleEnds)
	if !begins || !ends {
		t.Fatal("the page has no place for the sample")
	}
	if *update {
		if err := os.WriteFile(page, []byte(head+sampleBegins+b.String()+sampleEnds+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if sample != b.String() {
		t.Errorf("docs/probing.md has\n%s\nand the program says\n%s\n(-update writes it)", sample, b.String())
	}
}

// cellOf is a state and its reason for a table.
func cellOf(s result.Signal) string {
	words := map[result.State]string{result.Seen: "**seen**", result.NotSeen: "**not seen**", result.NeedsProbe: "to be probed"}
	return words[s.State] + ": " + strings.ReplaceAll(s.Detail, "|", `\|`)
}
