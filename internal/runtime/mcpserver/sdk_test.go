package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	mcpwords "gauntlet/internal/leaf/mcp"
)

// friendly is a snapshot with everything that an honest client may ask for.
const friendly = `{"protocolVersion":"2025-11-25","server":{"name":"friendly","version":"1.2.3","title":"T"},
"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}},
"instructions":"<b>Ask & tell</b>",
"tools":[{"name":"one","description":"d","inputSchema":{"type":"object","properties":{"where":{"type":"string","x-mcp-header":"Where"},"n":{"type":"integer","x-mcp-header":"N"}}}},
 {"name":"two","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"drei ü","inputSchema":{"type":"object"}}],
"prompts":[{"name":"p","arguments":[{"name":"a","required":true}]}],
"resources":[{"uri":"file:///a","name":"a"},{"uri":"file:///b","name":"b"}],
"resourceTemplates":[{"uriTemplate":"file:///{x}","name":"t"}]}`

// An sdkWay is one transport of the official Go SDK's client.
type sdkWay struct {
	name, version string
	opt           Options
	open          func(t *testing.T, base, file string) mcp.Transport
}

var sdkWays = func() (out []sdkWay) {
	command := func(t *testing.T, _, file string) mcp.Transport {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s||2", envPlay, file), "GOCOVERDIR="+t.TempDir(), noRaceSleep)
		return &mcp.CommandTransport{Command: cmd}
	}
	streamable := func(_ *testing.T, base, _ string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: base + Path, HTTPClient: &http.Client{}}
	}
	sse := func(_ *testing.T, base, _ string) mcp.Transport {
		return &mcp.SSEClientTransport{Endpoint: base + PathSSE}
	}
	for _, v := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		out = append(out, sdkWay{"stdio", v, Options{}, command},
			sdkWay{"session, JSON", v, Options{PageSize: 2}, streamable},
			sdkWay{"session, streams", v, Options{Streams: true, IdleStream: true}, streamable},
			sdkWay{"sse", v, Options{}, sse})
	}
	return append(out, sdkWay{"stdio", "2026-07-28", Options{}, command},
		sdkWay{"stateless, JSON", "2026-07-28", Options{PageSize: 2}, streamable},
		sdkWay{"stateless, streams", "2026-07-28", Options{Streams: true}, streamable},
		sdkWay{"stateless only", "2026-07-28", Options{Revisions: []string{"2026-07-28"}}, streamable})
}()

// connect opens a conversation of the SDK's client with the snapshot.
func (w sdkWay) connect(t *testing.T, snapshot string) *mcp.ClientSession {
	t.Helper()
	file := filepath.Join(t.TempDir(), "snapshot.json")
	if err := os.WriteFile(file, []byte(snapshot), 0o600); err != nil {
		t.Fatal(err)
	}
	base, stop := listen(t, play(t, snapshot, w.opt))
	t.Cleanup(stop)
	client := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) {},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {},
	})
	session, err := client.Connect(t.Context(), w.open(t, base, file), &mcp.ClientSessionOptions{ProtocolVersion: w.version})
	if err != nil {
		t.Fatalf("%s %s: %v", w.name, w.version, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != w.version {
		t.Errorf("%s: spoke %s, want %s", w.name, got, w.version)
	}
	return session
}

// carried is what the SDK's types keep of a raw definition.
func carried[T any](t *testing.T, raws []string) []string {
	var out []string
	for _, raw := range raws {
		v := new(T)
		if err := json.Unmarshal([]byte(raw), v); err != nil {
			t.Fatal(err)
		}
		out = append(out, encoded(t, v))
	}
	return out
}

func encoded(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sdkRead compares what the SDK's client reads with what its types keep of the snapshot.
func sdkRead(t *testing.T, w sdkWay, snapshot string) {
	session := w.connect(t, snapshot)
	want := read(t, snapshot)
	ctx := t.Context()
	compare := func(name string, wanted []string, got []string, err error) {
		var rpc *jsonrpc.Error
		if errors.As(err, &rpc) && rpc.Code == mcpwords.CodeMethodNotFound && !want.present[name] {
			return
		}
		if err != nil {
			t.Errorf("%s %s: %s: %v", w.name, w.version, name, err)
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s %s: %s differ: got\n%s\nwant\n%s", w.name, w.version, name, got, wanted)
		}
	}
	var got []string
	var last error
	for v, err := range session.Tools(ctx, nil) {
		if last = err; err == nil {
			got = append(got, encoded(t, v))
		}
	}
	compare("tools", carried[mcp.Tool](t, want.lists["tools"]), got, last)
	got, last = nil, nil
	for v, err := range session.Prompts(ctx, nil) {
		if last = err; err == nil {
			got = append(got, encoded(t, v))
		}
	}
	compare("prompts", carried[mcp.Prompt](t, want.lists["prompts"]), got, last)
	got, last = nil, nil
	for v, err := range session.Resources(ctx, nil) {
		if last = err; err == nil {
			got = append(got, encoded(t, v))
		}
	}
	compare("resources", carried[mcp.Resource](t, want.lists["resources"]), got, last)
	got, last = nil, nil
	for v, err := range session.ResourceTemplates(ctx, nil) {
		if last = err; err == nil {
			got = append(got, encoded(t, v))
		}
	}
	compare("resourceTemplates", carried[mcp.ResourceTemplate](t, want.lists["resourceTemplates"]), got, last)
	init := session.InitializeResult()
	if len(want.instructions) == 1 {
		if text := encoded(t, init.Instructions); text != carried[string](t, want.instructions)[0] {
			t.Errorf("%s %s: instructions %s", w.name, w.version, text)
		}
	}
	if len(want.capabilities) == 1 {
		if text := encoded(t, init.Capabilities); text != carried[mcp.ServerCapabilities](t, want.capabilities)[0] {
			t.Errorf("%s %s: capabilities %s, want %s", w.name, w.version, text, want.capabilities)
		}
	}
}

// The official Go SDK's client is a peer that knows nothing of our ideas.
func TestSDKReadsCorpus(t *testing.T) {
	files := corpus(t)
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range sdkWays {
			if t.Run(filepath.Base(file)+"/"+w.name+" "+w.version, func(t *testing.T) { sdkRead(t, w, string(text)) }) {
				n++
			}
		}
	}
	t.Logf("%d snapshots, %d ways of the SDK's client, %d readings equal", len(files), len(sdkWays), n)
}

func TestSDKConversation(t *testing.T) {
	for _, w := range sdkWays {
		t.Run(w.name+" "+w.version, func(t *testing.T) {
			sdkRead(t, w, friendly)
			session := w.connect(t, friendly)
			if info := session.InitializeResult().ServerInfo; info == nil || info.Name != "friendly" || info.Version != "1.2.3" {
				t.Errorf("identity %+v", info)
			}
			sdkCalls(t, w, session)
		})
	}
}

func sdkCalls(t *testing.T, w sdkWay, session *mcp.ClientSession) {
	ctx := t.Context()
	modern := w.version == "2026-07-28"
	if !modern {
		if err := session.Ping(ctx, nil); err != nil {
			t.Errorf("ping: %v", err)
		}
		//lint:ignore SA1019 the revisions before 2026-07-28 have it, and so has the server
		if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Errorf("setLevel: %v", err)
		}
		if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: "file:///a"}); err != nil {
			t.Errorf("subscribe: %v", err)
		}
	}
	// The SDK mirrors arguments into headers for tools that it has listed.
	if _, err := session.ListTools(ctx, nil); err != nil {
		t.Errorf("tools/list: %v", err)
	}
	names := []string{"one"}
	if w.name == "stdio" || !modern {
		names = append(names, "drei ü") // which the SDK (v1.8.0) writes into Mcp-Name without encoding it
	}
	for _, name := range names {
		got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{"where": "Köln ", "n": 7}})
		if err != nil || !got.IsError || len(got.Content) != 1 {
			t.Errorf("tools/call: %+v, %v, want a result that is an error", got, err)
		}
	}
	code := func(what string, want int64, err error) {
		t.Helper()
		var rpc *jsonrpc.Error
		if !errors.As(err, &rpc) || rpc.Code != want {
			t.Errorf("%s: %v, want code %d", what, err, want)
		}
	}
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "none"})
	code("unknown tool", mcpwords.CodeInvalidParams, err)
	_, err = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "p"})
	code("prompt", mcpwords.CodeInternalError, err)
	_, err = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "q"})
	code("unknown prompt", mcpwords.CodeInvalidParams, err)
	_, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///a"})
	code("resource", mcpwords.CodeInternalError, err)
	_, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///c"})
	code("unknown resource", map[bool]int64{true: mcpwords.CodeInvalidParams, false: mcpwords.CodeResourceNotFound}[modern], err)
	done, err := session.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "p"}, Argument: mcp.CompleteParamsArgument{Name: "a"}})
	if err != nil || len(done.Completion.Values) != 0 {
		t.Errorf("complete: %+v, %v", done, err)
	}
}
