package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	mcpwords "gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
)

// serveSDK is a server by other people: the official Go SDK.
func serveSDK(s *mcp.Server) {
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
	}
}

// sdkServer has five definitions of each kind, two a page.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1.2.3"}, &mcp.ServerOptions{Instructions: "<b>Ask & tell</b>", PageSize: 2})
	type input struct {
		Path string `json:"path" jsonschema:"where"`
	}
	tool := func(context.Context, *mcp.CallToolRequest, input) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	}
	read := func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, nil }
	prompt := func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, nil }
	for i := range 5 {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprint("tool", i), Description: "reads"}, tool)
		s.AddPrompt(&mcp.Prompt{Name: fmt.Sprint("prompt", i)}, prompt)
		s.AddResource(&mcp.Resource{Name: "r", URI: fmt.Sprint("file:///", i)}, read)
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "rt", URITemplate: fmt.Sprintf("file:///%d/{x}", i)}, read)
	}
	return s
}

// The SDK's own client over another copy of the server is the judge of what it serves.
func TestCaptureEqualsWhatTheSDKServes(t *testing.T) {
	p := start(t, "go-sdk", 1, wire.Limits{})
	s, err := Capture(t.Context(), p, Options{Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	wantGaps(t, s, nil)
	readsBack(t, s)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envServer+"=go-sdk")
	sameLists(t, s, sdkLists(t, &mcp.CommandTransport{Command: cmd}))
	var init struct{ Instructions string }
	if err := json.Unmarshal([]byte(s.Init), &init); err != nil || init.Instructions != "<b>Ask & tell</b>" {
		t.Errorf("instructions %q, %v", init.Instructions, err)
	}
}

// sameLists checks that s holds what another client was given, five of each kind.
func sameLists(t *testing.T, s *Snapshot, judge [4][]any) {
	t.Helper()
	for i, want := range judge {
		var got []any
		for _, raw := range s.Lists[i].Items {
			var v any
			if err := json.Unmarshal([]byte(raw), &v); err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		if len(got) != 5 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: captured\n%v\nthe SDK's client sees\n%v", mcpwords.Lists[i].Member, got, want)
		}
	}
}

// sdkLists is what the SDK's client reads over transport.
func sdkLists(t *testing.T, transport mcp.Transport) [4][]any {
	t.Helper()
	ctx := t.Context()
	client := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var out [4][]any
	add := func(i int, item any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(item)
		var v any
		_ = json.Unmarshal(text, &v)
		out[i] = append(out[i], v)
	}
	for item, err := range session.Tools(ctx, nil) {
		add(0, item, err)
	}
	for item, err := range session.Prompts(ctx, nil) {
		add(1, item, err)
	}
	for item, err := range session.Resources(ctx, nil) {
		add(2, item, err)
	}
	for item, err := range session.ResourceTemplates(ctx, nil) {
		add(3, item, err)
	}
	return out
}
