package attackmcp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

const onSDK = `
mode: mcp_client
phases:
  - name: look
    state:
      client_info: {name: evil, version: "1"}
      capabilities: {elicitation: {}, sampling: {}}
      actions: [{method: tools/list}, {method: tools/call, params: {name: ask, arguments: {}}}, {method: no/such}, {method: tools/call, params: {name: ask, arguments: {}, _meta: {progressToken: 1}}}]
      elicitation_responses: [{content: {who: "{{first}}"}}]
      sampling_responses: [{content: {role: assistant, content: {type: text, text: sure}, model: m}}]
    extractors: [{name: first, source: response, type: json_path, selector: "$.tools[0].name"}]
    trigger: {event: tools/call, count: 2, match: {_request.name: ask}}
  - name: done
    state: {actions: [{method: ping}]}`

// victimSDK is a server of the official Go SDK that asks its client before it answers.
func victimSDK() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "victim", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		who, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"who": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, nil, err
		}
		//lint:ignore SA1019 the revisions before 2026-07-28 have it, and so has the client
		said, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "?"}}}})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: who.Content["who"].(string) + " says " + said.Content.(*mcp.TextContent).Text}}}, nil, nil
	})
	return server
}

func TestClientAttacksSDKServer(t *testing.T) {
	for name, dial := range map[string]func(t *testing.T, tap wire.Tap) wire.Conn{
		"stdio": func(t *testing.T, tap wire.Tap) wire.Conn {
			fromClient, toServer := io.Pipe()
			fromServer, toClient := io.Pipe()
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() { // ends with its input
				defer close(ended)
				_ = victimSDK().Run(ctx, &mcp.IOTransport{Reader: fromClient, Writer: toClient})
			}()
			t.Cleanup(func() { cancel(); _ = toServer.Close(); _ = fromServer.Close(); <-ended })
			return tapped{wire.NewStream(fromServer, toServer, wire.Limits{}, nil), tap}
		},
		"streamable HTTP": func(t *testing.T, tap wire.Tap) wire.Conn {
			server := victimSDK()
			web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
			t.Cleanup(web.Close)
			h, err := wire.Dial(wire.Endpoint{URL: web.URL})
			if err != nil {
				t.Fatal(err)
			}
			h.Tap(tap)
			return h
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, onSDK, playOptions{Dial: func(_ context.Context, _ string, tap wire.Tap) (wire.Conn, error) { return dial(t, tap), nil }})
			sum := <-s.done
			s.done <- sum
			if !sum.Actors[0].Through || len(sum.Actors[0].Phases) != 2 {
				t.Errorf("summary %+v", sum)
			}
			answers := 0
			for _, m := range s.messages("tools/call") {
				if m.Kind == trace.Response && strings.Contains(m.Raw, "ask says sure") {
					answers++
				}
			}
			if answers != 2 {
				t.Errorf("%d of 2 calls were answered with what the server was told: %+v, notices %+v", answers, s.messages("tools/call"), s.notices)
			}
		})
	}
}
