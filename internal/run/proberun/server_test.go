package proberun

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/testing/carelesstest"
)

// serverKind is the variable that makes this test binary a server on stdio: "careless" or "careful".
const serverKind = "GAUNTLET_TEST_PROBED"

func TestMain(m *testing.M) {
	if code, ran := sandbox.RunChild(os.Environ()); ran {
		os.Exit(code)
	}
	if kind := os.Getenv(serverKind); kind != "" {
		switch kind {
		case "lookalikes":
			serveLookalikes()
			return
		case "conditions":
			serveConditions()
			return
		case "structures", "careful structures":
			serveStructures(kind != "structures")
			return
		case "listens", "listens for streams":
			serveHTTP(kind != "listens")
			return
		case "changes", "announces a change":
			serveChange(kind == "changes")
			return
		case "two steps", "two careful steps":
			serveTwoSteps(kind != "two steps")
			return
		}
		probed{carelesstest.Tools{Careful: kind == "careful"}}.serve()
		return
	}
	os.Exit(m.Run())
}

// probed is a server with one fault a tool, or with none.
type probed struct{ carelesstest.Tools }

type pathArgs struct {
	Path string `json:"path" jsonschema:"the file to read"`
}
type urlArgs struct {
	URL string `json:"url" jsonschema:"the address of the page to download"`
}
type diskArgs struct {
	Unit string `json:"unit" jsonschema:"one of: KB, MB"`
	Path string `json:"path" jsonschema:"the folder whose disk usage is measured by running du"`
}
type hostArgs struct {
	HostAlias string `json:"hostAlias" jsonschema:"the host to run the command uptime on over SSH"`
}
type wantsArgs struct {
	Path  string `json:"path" jsonschema:"the file to read"`
	Token string `json:"token,omitempty" jsonschema:"the token of an account"`
}

func (p probed) serve() {
	s := mcp.NewServer(&mcp.Implementation{Name: "probed", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "read_file", Description: "Reads a file of the project."}, func(_ context.Context, _ *mcp.CallToolRequest, a pathArgs) (*mcp.CallToolResult, any, error) {
		return text(p.Read(a.Path))
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fetch_page", Description: "Downloads a web page from a URL."}, func(_ context.Context, _ *mcp.CallToolRequest, a urlArgs) (*mcp.CallToolResult, any, error) {
		return text(p.Fetch(a.URL))
	})
	mcp.AddTool(s, &mcp.Tool{Name: "disk_usage", Description: "Runs the shell command du and returns the disk usage of a folder."}, func(_ context.Context, _ *mcp.CallToolRequest, a diskArgs) (*mcp.CallToolResult, any, error) {
		return text(p.usage(a))
	})
	mcp.AddTool(s, &mcp.Tool{Name: "remote_uptime", Description: "Executes the command uptime on an SSH host."}, func(_ context.Context, _ *mcp.CallToolRequest, a hostArgs) (*mcp.CallToolResult, any, error) {
		return text(p.uptime(a.HostAlias))
	})
	mcp.AddTool(s, &mcp.Tool{Name: "read_account_file", Description: "Reads a file of the account."}, func(context.Context, *mcp.CallToolRequest, wantsArgs) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("no account is open: log in first")
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", URITemplate: "file:///{+path}"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		content, err := p.Read("/" + strings.TrimPrefix(r.Params.URI, "file:///"))
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: content}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "review", Description: "Asks for a review of a file.", Arguments: []*mcp.PromptArgument{{Name: "file_path", Required: true}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		content, err := p.Read(r.Params.Arguments["file_path"])
		if err != nil {
			return nil, err
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: content}}}}, nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{}) // the end of the conversation is its regular end
}

func text(s string, err error) (*mcp.CallToolResult, any, error) {
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}, nil, nil
}

var hostName = regexp.MustCompile(`^[a-z0-9.]+$`)

// usage wants one of its units first.
func (p probed) usage(a diskArgs) (string, error) {
	if a.Unit != "KB" && a.Unit != "MB" {
		return "", errors.New("unit must be one of: KB, MB")
	}
	return p.DiskUsage(a.Path)
}

func (p probed) uptime(host string) (string, error) {
	if p.Careful && !hostName.MatchString(host) {
		return "", errors.New("no such host: " + host)
	}
	b, err := exec.Command("ssh", host, "uptime").CombinedOutput()
	return strings.TrimSpace(string(b)), err
}
