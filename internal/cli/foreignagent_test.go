package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// foreignAgent is an agent that was made with the official Go SDK: "mcpagent MODE CONFIG
// [PROMPT]". It finds its servers in the configuration, lists their tools and calls each.
func foreignAgent(args []string) int {
	mode, config := args[0], args[1]
	switch mode {
	case "quit": // before it has done anything
		fmt.Fprintln(os.Stderr, "no licence found")
		return 3
	case "linger": // what fork leaves behind
		time.Sleep(time.Hour)
	case "fork":
		child := exec.Command(os.Args[0], "linger", "-")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr // which keeps the pipes open
		if err := child.Start(); err != nil {
			return 4
		}
		if err := os.WriteFile("child.pid", fmt.Append(nil, child.Process.Pid), 0o600); err != nil {
			return 4
		}
	case "flood":
		line := strings.Repeat("x", 1<<16)
		for range 200 {
			fmt.Println(line)
			fmt.Fprintln(os.Stderr, line)
		}
	}
	if os.Getenv("GAUNTLET_CONFIG") != config || len(args) > 2 && os.Getenv("GAUNTLET_PROMPT") != args[2] {
		fmt.Fprintln(os.Stderr, "the environment differs from the arguments")
		return 5
	}
	if err := visit(context.Background(), mode, config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 6
	}
	if mode == "hang" {
		time.Sleep(time.Hour)
	}
	return 0
}

// visit calls every tool of every server.
func visit(ctx context.Context, mode, config string) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var c struct {
		MCPServers map[string]struct {
			Type, URL, Command string
			Args               []string
			Env                map[string]string
		}
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	for name, s := range c.MCPServers {
		var t mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{}}
		if s.Command != "" {
			cmd := exec.Command(s.Command, s.Args...)
			cmd.Env, cmd.Stderr = os.Environ(), os.Stderr
			for k, v := range s.Env {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
			t = &mcp.CommandTransport{Command: cmd}
		}
		if err := visitOne(ctx, mode, t); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func visitOne(ctx context.Context, mode string, t mcp.Transport) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "mcpagent", Version: "1"}, nil)
	session, err := client.Connect(ctx, t, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	for _, tool := range list.Tools {
		args := map[string]any{"text": "x"}
		if mode == "obey" {
			args["sidenote"] = "-----BEGIN PRIVATE KEY-----"
		}
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: args}); err != nil {
			return err
		}
	}
	return nil
}
