package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// envPlay makes this program the agent of a test.
const envPlay = "AGENT_TEST_PLAY"

func TestMain(m *testing.M) {
	switch os.Getenv(envPlay) {
	case "":
		goleak.VerifyTestMain(m)
	case "tell": // what it was given
		config, err := os.ReadFile(os.Args[1])
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
			"config": string(config), "args": os.Args[1:], "err": fmt.Sprint(err), "env": []string{os.Getenv(EnvConfig), os.Getenv(EnvPrompt)},
		})
		os.Exit(7)
	case "stay":
		time.Sleep(time.Hour)
	}
}

func TestAgentGetsConfigAndPrompt(t *testing.T) {
	prompt := "a \"b\" $HOME\n{config}"
	exit, err := Run(t.Context(), Options{
		Command: []string{os.Args[0], "{config}", "--say={prompt}"}, Environ: append(os.Environ(), envPlay+"=tell"), Prompt: prompt,
		Servers: []Server{{Name: "a", URL: "http://127.0.0.1:1/mcp"}, {Name: "b", Command: []string{"g", "attack", "bridge"}, Env: map[string]string{"X": "1"}}},
	})
	if err != nil || exit.Code != 7 || exit.How != "exited with status 7" {
		t.Fatalf("%+v, %v", exit, err)
	}
	var got struct {
		Config    string
		Args, Env []string
		Err       string
	}
	if err := json.Unmarshal([]byte(exit.Stdout), &got); err != nil {
		t.Fatalf("%v in %q", err, exit.Stdout)
	}
	config := got.Env[0]
	if want := []string{config, "--say=" + prompt}; !slices.Equal(got.Args, want) || got.Env[1] != prompt {
		t.Errorf("arguments %q, want %q; environment %q", got.Args, want, got.Env)
	}
	const want = `{"mcpServers":{"a":{"type":"http","url":"http://127.0.0.1:1/mcp"},"b":{"command":"g","args":["attack","bridge"],"env":{"X":"1"}}}}`
	if compact := strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(got.Config); compact != want {
		t.Errorf("mcp.json is %s, want %s (%s)", compact, want, got.Err)
	}
	if _, err := os.Stat(filepath.Dir(config)); !os.IsNotExist(err) {
		t.Errorf("the folder of mcp.json is still there: %v", err)
	}
}

func TestAgentThatStaysIsEnded(t *testing.T) {
	exit, err := Run(t.Context(), Options{Command: []string{os.Args[0]}, Environ: append(os.Environ(), envPlay+"=stay"), Limit: 50 * time.Millisecond})
	if err != nil || !exit.Cut {
		t.Errorf("%+v, %v", exit, err)
	}
}

func TestAgentsThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  Options
		want string
	}{
		{"no command", Options{}, "no agent was named"},
		{"no such program", Options{Command: []string{"/nowhere/agent"}}, "there is no such file"},
		{"one name twice", Options{Command: []string{os.Args[0]}, Servers: []Server{{Name: "a"}, {Name: "a"}}}, `two servers are called "a"`},
		{"a prompt with a zero byte", Options{Command: []string{os.Args[0]}, Prompt: "a\x00"}, "zero byte"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Run(t.Context(), tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string
	}{
		{`a b  c`, []string{"a", "b", "c"}},
		{``, nil},
		{`run "two words" 'single "quoted"'`, []string{"run", "two words", `single "quoted"`}},
		{`a"b c"d`, []string{"ab cd"}},
		{`""`, []string{""}},
		{`a\ b \"c\" \\`, []string{"a b", `"c"`, `\`}},
		{`C:\bin\agent.exe 'C:\x'`, []string{`C:\bin\agent.exe`, `C:\x`}},
		{`{config} --p={prompt}`, []string{"{config}", "--p={prompt}"}},
	} {
		if got, err := Words(tt.line); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Words(%q) = %q, %v; want %q", tt.line, got, err, tt.want)
		}
	}
	if _, err := Words(`"a`); err == nil {
		t.Error("an open quotation mark was taken")
	}
}

// echo serves bridges by saying back each line behind the name that was asked for.
func echo(t *testing.T) *Hub {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h, err := OpenHub(ctx)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	// Ends with ctx.
	go func() {
		defer close(done)
		h.Serve(ctx, func(_ context.Context, name string, conn net.Conn) {
			for in := bufio.NewScanner(conn); in.Scan(); {
				fmt.Fprintf(conn, "%s: %s\n", name, in.Text())
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return h
}

func TestBridge(t *testing.T) {
	h := echo(t)
	s := h.Server("files", "gauntlet")
	if want := []string{"gauntlet", "attack", "bridge"}; !slices.Equal(s.Command, want) {
		t.Errorf("started by %q, want %q", s.Command, want)
	}
	env := func(change map[string]string) func(string) string {
		return func(name string) string {
			if v, ok := change[name]; ok {
				return v
			}
			return s.Env[name]
		}
	}
	for _, tt := range []struct {
		name   string
		change map[string]string
		want   string
		fails  string
	}{
		{"lines go both ways", nil, "files: one\nfiles: two\n", ""},
		{"a wrong token is shown the door", map[string]string{EnvToken: "guess"}, "", ""},
		{"no token", map[string]string{EnvToken: ""}, "", "finds no run"},
		{"an address of another machine", map[string]string{EnvAddress: "192.0.2.1:80"}, "", "no address of this machine"},
		{"nobody listens", map[string]string{EnvAddress: "127.0.0.1:1"}, "", "the run is over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			err := Bridge(t.Context(), env(tt.change), strings.NewReader("one\ntwo\n"), &out)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("%v, want %q", err, tt.fails)
				}
				return
			}
			if out.String() != tt.want {
				t.Errorf("got %q, want %q; %v", out.String(), tt.want, err)
			}
		})
	}
}

// What is no bridge is not served, however much it says.
func TestStrangersOfTheSocket(t *testing.T) {
	h := echo(t)
	for _, say := range []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 2*helloBytes), "\n", h.token[:5] + " files\n"} {
		conn, err := net.Dial("tcp", h.ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, say)
		if got, _ := io.ReadAll(conn); len(got) > 0 {
			t.Errorf("a client that said %.20q was answered %q", say, got)
		}
		conn.Close()
	}
}
