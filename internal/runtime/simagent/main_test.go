package simagent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/rawjson"
)

// envStdio makes this program the server of a test.
const envStdio = "PUPPET_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(envStdio) != "" {
		w := &world{}
		_ = w.server("stdio").Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	goleak.VerifyTestMain(m)
}

// A world is what the servers of a test offer and what they were asked.
type world struct {
	instructions string
	tools        []fake
	resources    map[string]string // URI and name, parted by a space, to the text
	prompts      map[string]string // name and description, parted by a space, to the text

	mu   sync.Mutex
	seen []string
}

// A fake is a tool of a test.
type fake struct {
	name, about string
	title       string
	params      string // "path*: where to read" a line; * for required
	answer      string
	do          func(ctx context.Context, s *mcp.Server, r *mcp.CallToolRequest) string // instead of answer
}

func (f fake) schema() json.RawMessage {
	var properties, required []string
	for line := range strings.Lines(f.params) {
		name, about, _ := strings.Cut(strings.TrimSpace(line), ": ")
		name, must := strings.CutSuffix(name, "*")
		typ := "string"
		if n, ok := strings.CutSuffix(name, "#"); ok {
			name, typ = n, "number"
		}
		properties = append(properties, fmt.Sprintf(`%s:{"type":%q,"description":%s}`, rawjson.Quote(name), typ, rawjson.Quote(about)))
		if must {
			required = append(required, rawjson.Quote(name))
		}
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`)
}

func (w *world) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, s)
}

func (w *world) server(string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "world", Version: "1"}, &mcp.ServerOptions{Instructions: w.instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}})
	for _, f := range w.tools {
		w.add(s, f)
	}
	for id, text := range w.resources {
		uri, name, _ := strings.Cut(id, " ")
		s.AddResource(&mcp.Resource{URI: uri, Name: name}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			w.note("resources/read " + r.Params.URI)
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: text}}}, nil
		})
	}
	for id, text := range w.prompts {
		name, about, _ := strings.Cut(id, " ")
		s.AddPrompt(&mcp.Prompt{Name: name, Description: about}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			w.note("prompts/get " + name)
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
	}
	return s
}

func (w *world) add(s *mcp.Server, f fake) {
	s.AddTool(&mcp.Tool{Name: f.name, Description: f.about, Title: f.title, InputSchema: f.schema()}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		w.note(f.name + " " + string(r.Params.Arguments))
		text := f.answer
		if f.do != nil {
			text = f.do(ctx, s, r)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
}

// serve plays a world over HTTP until the end of the test.
func (w *world) serve(t testing.TB) mcpclient.Server {
	t.Helper()
	s := w.server("http")
	ts := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return mcpclient.Server{Name: "world", URL: ts.URL}
}

// run lets a puppet meet a world and returns what the world was asked.
func (w *world) run(t *testing.T, who Behaviour, prompt string, opt Options) (asked []string, r Result) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w.seen = nil
	opt.Servers, opt.Prompt, opt.Behaviour = append(opt.Servers, w.serve(t)), prompt, who
	if opt.Idle == 0 {
		opt.Idle = -1
	}
	r, err := Run(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen, r
}
