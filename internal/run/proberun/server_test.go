package proberun

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverKind is the variable that makes this test binary a server on stdio: "careless" or "careful".
const serverKind = "GAUNTLET_TEST_PROBED"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serverKind); kind != "" {
		probed{careful: kind == "careful"}.serve()
		return
	}
	os.Exit(m.Run())
}

// probed is a server with one fault a tool, or with none.
type probed struct{ careful bool }

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
		return text(p.read(a.Path))
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fetch_page", Description: "Downloads a web page from a URL."}, func(_ context.Context, _ *mcp.CallToolRequest, a urlArgs) (*mcp.CallToolResult, any, error) {
		return text(p.fetch(a.URL))
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
		content, err := p.read("/" + strings.TrimPrefix(r.Params.URI, "file:///"))
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: content}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "review", Description: "Asks for a review of a file.", Arguments: []*mcp.PromptArgument{{Name: "file_path", Required: true}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		content, err := p.read(r.Params.Arguments["file_path"])
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

func (p probed) read(path string) (string, error) {
	if p.careful && (filepath.IsAbs(path) || !filepath.IsLocal(path)) {
		return "", errors.New("the path " + path + " is outside of the project")
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

func (p probed) fetch(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(u.Hostname()); p.careful && (ip == nil || !ip.IsGlobalUnicast() || ip.IsPrivate()) {
		return "", errors.New("the address " + address + " is not public")
	}
	res, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return string(b), err
}

func (p probed) usage(a diskArgs) (string, error) {
	if a.Unit != "KB" && a.Unit != "MB" {
		return "", errors.New("unit must be one of: KB, MB")
	}
	cmd := exec.Command("sh", "-c", "du -s \""+a.Path+"\"")
	if p.careful {
		cmd = exec.Command("du", "-s", "--", a.Path)
	}
	b, err := cmd.CombinedOutput()
	if err != nil {
		return "", errors.New(string(b))
	}
	return string(b), nil
}

var hostName = regexp.MustCompile(`^[a-z0-9.]+$`)

func (p probed) uptime(host string) (string, error) {
	if p.careful && !hostName.MatchString(host) {
		return "", errors.New("no such host: " + host)
	}
	b, err := exec.Command("ssh", host, "uptime").CombinedOutput()
	return strings.TrimSpace(string(b)), err
}
