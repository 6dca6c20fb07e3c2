// Command clients is two of the matrix's clients: clients go-sdk|mcp-go CONFIG. It makes the tour that
// clients.mjs makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	mark "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	markmcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	patience = 5 * time.Second
	stay     = 2500 * time.Millisecond
)

// A client is what a tour needs of one; lists are of names, with the schemas of tools.
type client interface {
	tools(context.Context) (map[string]any, error)
	call(ctx context.Context, tool string, arguments map[string]any) error
	prompts(context.Context) (map[string]map[string]string, error)
	get(ctx context.Context, prompt string, arguments map[string]string) error
	resources(context.Context) ([]string, error)
	read(ctx context.Context, uri string) error
	close() error
}

func main() {
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	var config struct {
		Servers map[string]struct{ URL string } `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		panic(err)
	}
	for _, s := range config.Servers {
		tour(os.Args[1], s.URL)
	}
	if failed {
		os.Exit(1)
	}
}

// failed says that a request failed.
var failed bool

// attempt bounds one request and tells what fails.
func attempt[T any](what string, work func(context.Context) (T, error)) T {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := work(ctx)
	if err != nil {
		failed = true
		fmt.Fprintf(os.Stderr, "%s: %.200s\n", what, err)
	}
	return out
}

func do(what string, work func(context.Context) error) {
	attempt(what, func(ctx context.Context) (any, error) { return nil, work(ctx) })
}

func tour(which, url string) {
	changed := make(chan struct{}, 1)
	tell := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	// The connection outlives the attempt to make it.
	c := attempt("connect", func(context.Context) (client, error) {
		if which == "go-sdk" {
			return openSDK(url, tell)
		}
		return openMark(url, tell)
	})
	if c == nil {
		return
	}
	tools := attempt("tools/list", c.tools)
	for range 3 {
		for name, schema := range tools {
			do("tools/call", func(ctx context.Context) error { return c.call(ctx, name, argumentsFor(schema)) })
		}
	}
	for name, arguments := range attempt("prompts/list", c.prompts) {
		do("prompts/get", func(ctx context.Context) error { return c.get(ctx, name, arguments) })
	}
	for _, uri := range attempt("resources/list", c.resources) {
		do("resources/read", func(ctx context.Context) error { return c.read(ctx, uri) })
	}
	select {
	case <-changed:
	case <-time.After(stay):
	}
	attempt("tools/list", c.tools)
	do("close", func(context.Context) error { return c.close() })
}

// argumentsFor gives every parameter a value of its kind.
func argumentsFor(schema any) map[string]any {
	text, _ := json.Marshal(schema)
	var s struct {
		Properties map[string]struct {
			Type any
			Enum []any
		}
	}
	_ = json.Unmarshal(text, &s)
	out := map[string]any{}
	for name, p := range s.Properties {
		switch {
		case len(p.Enum) > 0:
			out[name] = p.Enum[0]
		case p.Type == "number", p.Type == "integer":
			out[name] = 1
		case p.Type == "boolean":
			out[name] = true
		case p.Type == "array":
			out[name] = []any{}
		case p.Type == "object":
			out[name] = map[string]any{}
		default:
			out[name] = "a"
		}
	}
	return out
}

type sdkClient struct{ *mcp.ClientSession }

func openSDK(url string, changed func()) (client, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "matrix", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed() },
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "none", Role: "assistant", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
	})
	s, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return nil, err
	}
	return sdkClient{s}, nil
}

func (c sdkClient) tools(ctx context.Context) (map[string]any, error) {
	l, err := c.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, t := range l.Tools {
		out[t.Name] = t.InputSchema
	}
	return out, nil
}

func (c sdkClient) call(ctx context.Context, tool string, arguments map[string]any) error {
	_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	return err
}

func (c sdkClient) prompts(ctx context.Context) (map[string]map[string]string, error) {
	l, err := c.ListPrompts(ctx, nil)
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]string{}
	for _, p := range l.Prompts {
		out[p.Name] = map[string]string{}
		for _, a := range p.Arguments {
			out[p.Name][a.Name] = "a"
		}
	}
	return out, nil
}

func (c sdkClient) get(ctx context.Context, prompt string, arguments map[string]string) error {
	_, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: prompt, Arguments: arguments})
	return err
}

func (c sdkClient) resources(ctx context.Context) (out []string, err error) {
	l, err := c.ListResources(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range l.Resources {
		out = append(out, r.URI)
	}
	return out, nil
}

func (c sdkClient) read(ctx context.Context, uri string) error {
	_, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	return err
}

func (c sdkClient) close() error { return c.Close() }

type markClient struct{ *mark.Client }

type answers struct{}

func (answers) Elicit(context.Context, markmcp.ElicitationRequest) (*markmcp.ElicitationResult, error) {
	return &markmcp.ElicitationResult{ElicitationResponse: markmcp.ElicitationResponse{Action: markmcp.ElicitationResponseActionAccept, Content: map[string]any{}}}, nil
}

func (answers) CreateMessage(context.Context, markmcp.CreateMessageRequest) (*markmcp.CreateMessageResult, error) {
	return &markmcp.CreateMessageResult{Model: "none", SamplingMessage: markmcp.SamplingMessage{Role: markmcp.RoleAssistant, Content: markmcp.TextContent{Type: "text", Text: "sampled"}}}, nil
}

func openMark(url string, changed func()) (client, error) {
	t, err := transport.NewStreamableHTTP(url, transport.WithContinuousListening())
	if err != nil {
		return nil, err
	}
	c := mark.NewClient(t, mark.WithElicitationHandler(answers{}), mark.WithSamplingHandler(answers{}))
	c.OnNotification(func(n markmcp.JSONRPCNotification) {
		if n.Method == "notifications/tools/list_changed" {
			changed()
		}
	})
	if err := c.Start(context.Background()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	hello := markmcp.InitializeRequest{}
	hello.Params.ProtocolVersion = markmcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = markmcp.Implementation{Name: "matrix", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		_ = c.Close()
		return nil, err
	}
	return markClient{c}, nil
}

func (c markClient) tools(ctx context.Context) (map[string]any, error) {
	l, err := c.ListTools(ctx, markmcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, t := range l.Tools {
		out[t.Name] = t.InputSchema
	}
	return out, nil
}

func (c markClient) call(ctx context.Context, tool string, arguments map[string]any) error {
	r := markmcp.CallToolRequest{}
	r.Params.Name, r.Params.Arguments = tool, arguments
	_, err := c.CallTool(ctx, r)
	return err
}

func (c markClient) prompts(ctx context.Context) (map[string]map[string]string, error) {
	l, err := c.ListPrompts(ctx, markmcp.ListPromptsRequest{})
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]string{}
	for _, p := range l.Prompts {
		out[p.Name] = map[string]string{}
		for _, a := range p.Arguments {
			out[p.Name][a.Name] = "a"
		}
	}
	return out, nil
}

func (c markClient) get(ctx context.Context, prompt string, arguments map[string]string) error {
	r := markmcp.GetPromptRequest{}
	r.Params.Name, r.Params.Arguments = prompt, arguments
	_, err := c.GetPrompt(ctx, r)
	return err
}

func (c markClient) resources(ctx context.Context) (out []string, err error) {
	l, err := c.ListResources(ctx, markmcp.ListResourcesRequest{})
	if err != nil {
		return nil, err
	}
	for _, r := range l.Resources {
		out = append(out, r.URI)
	}
	return out, nil
}

func (c markClient) read(ctx context.Context, uri string) error {
	r := markmcp.ReadResourceRequest{}
	r.Params.URI = uri
	_, err := c.ReadResource(ctx, r)
	return err
}

func (c markClient) close() error { return c.Close() }
