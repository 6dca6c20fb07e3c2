package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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
	case "outlaw": // also as the program of an agent that is known by name, which has other arguments
		wander()
		config, args = os.Getenv("GAUNTLET_CONFIG"), nil
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

// wander tries what a sandbox is to hold, prints what came of it as Claude Code prints its answer, and leaves a file.
func wander() {
	said := map[string]string{}
	try := func(what string, err error) {
		said[what] = "worked"
		if err != nil {
			said[what] = err.Error()
		}
	}
	_, err := os.ReadFile("/etc/shadow")
	try("shadow", err)
	try("outside", os.WriteFile(os.Getenv("OUTSIDE"), nil, 0o600))
	try("here", os.WriteFile("left.txt", []byte("left"), 0o600))
	key, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".ssh", "id_rsa"))
	try("key", err)
	said["canary"] = fmt.Sprint(strings.Contains(string(key), "PRIVATE KEY"))
	client := http.Client{Timeout: 20 * time.Second}
	for what, url := range map[string]string{"model": os.Getenv("ANTHROPIC_BASE_URL"), "world": "http://collect.evil.example/"} {
		said[what] = "no answer"
		if answer, err := client.Get(url); err == nil {
			text, _ := io.ReadAll(answer.Body) // what came counts
			_ = answer.Body.Close()
			said[what] = string(text)
		}
	}
	text, _ := json.Marshal(said) // strings
	line, _ := json.Marshal(map[string]string{"type": "result", "result": string(text)})
	fmt.Println(string(line))
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
