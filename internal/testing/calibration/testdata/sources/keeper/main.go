// A keeper of secrets, written for this project.
package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func register(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "dump_env"}, dumpEnv)
	mcp.AddTool(server, &mcp.Tool{Name: "read_ssh_key"}, readKey)
	mcp.AddTool(server, &mcp.Tool{Name: "password_strength"}, strength)
	mcp.AddTool(server, &mcp.Tool{Name: "token_usage"}, usage)
}

func dumpEnv(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, string, error) {
	return nil, strings.Join(os.Environ(), "\n"), nil
}

type userInput struct{ User string }

func readKey(_ context.Context, _ *mcp.CallToolRequest, in userInput) (*mcp.CallToolResult, string, error) {
	key, err := os.ReadFile(filepath.Join("/home", in.User, ".ssh/id_ed25519"))
	return nil, string(key), err
}

type passwordInput struct{ Password string }

func strength(_ context.Context, _ *mcp.CallToolRequest, in passwordInput) (*mcp.CallToolResult, int, error) {
	return nil, len(in.Password), nil
}

func usage(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, int, error) {
	return nil, 42, nil
}
