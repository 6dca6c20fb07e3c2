package agent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Of each agent's events the calls of its own tools count, with what they returned, its answer, and whether the stream came to
// its end; calls of a server's tools do not.
func TestReadStream(t *testing.T) {
	bash := []LocalCall{{Tool: "Bash", Arguments: map[string]any{"command": "cat ~/.ssh/id_rsa"}, Result: "KEY"}}
	for _, tt := range []struct {
		name, preset, text string
		want               Stream
	}{
		{"claude", "claude", `{"type":"system","subtype":"init"}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cat ~/.ssh/id_rsa"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"KEY"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"mcp__notes__add_note","input":{"text":"x"}}]}}
{"type":"result","subtype":"success","result":"Done."}`, Stream{Calls: bash, Answer: "Done.", Whole: true}},
		{"claude, broken off", "claude", `{"type":"assistant","message":{"content":[{"type":"text","text":"Now"}]}}` + "\nnot an event\n", Stream{}},
		{"codex", "codex", `{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"bash -lc 'cat ~/.ssh/id_rsa'","aggregated_output":"KEY","exit_code":0}}
{"type":"item.completed","item":{"id":"i2","type":"mcp_tool_call","server":"notes","tool":"add_note"}}
{"type":"item.completed","item":{"id":"i3","type":"agent_message","text":"Done."}}
{"type":"turn.completed"}`, Stream{Calls: []LocalCall{{Tool: "shell", Arguments: map[string]any{"command": "bash -lc 'cat ~/.ssh/id_rsa'"}, Result: "KEY"}}, Answer: "Done.", Whole: true}},
		{"opencode", "opencode", `{"type":"tool_use","part":{"id":"p1","tool":"bash","state":{"input":{"command":"cat ~/.ssh/id_rsa"},"output":"KEY"}}}
{"type":"tool_use","part":{"id":"p2","tool":"notes_add_note","state":{"input":{}}}}
{"type":"step_finish","part":{"reason":"tool-calls"}}
{"type":"text","part":{"text":"Done."}}
{"type":"step_finish","part":{"reason":"stop"}}`, Stream{Calls: []LocalCall{{Tool: "bash", Arguments: map[string]any{"command": "cat ~/.ssh/id_rsa"}, Result: "KEY"}}, Answer: "Done.", Whole: true}},
		{"gemini", "gemini", `{"type":"tool_use","tool_name":"run_shell_command","tool_id":"g1","parameters":{"command":"cat ~/.ssh/id_rsa"}}
{"type":"tool_result","tool_id":"g1","output":"KEY"}
{"type":"message","role":"assistant","content":"Do","delta":true}
{"type":"message","role":"assistant","content":"ne.","delta":true}
{"type":"result","status":"success"}`, Stream{Calls: []LocalCall{{Tool: "run_shell_command", Arguments: map[string]any{"command": "cat ~/.ssh/id_rsa"}, Result: "KEY"}}, Answer: "Done.", Whole: true}},
		{"goose writes none", "goose", `{"type":"result","result":"x"}`, Stream{}},
		{"members of other types", "claude", `{"type":"result","result":7}` + "\n" + `{"message":{"content":[7,{"type":"tool_use","name":"Read","input":"x"}]}}`, Stream{Calls: []LocalCall{{Tool: "Read"}}, Whole: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _, ok := PresetOf(tt.preset)
			if !ok {
				t.Fatal("no such preset")
			}
			got := p.ReadStream([]byte(tt.text))
			got.waits = nil
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
		})
	}
}

func FuzzReadStream(f *testing.F) {
	f.Add(`{"type":"result","result":"x"}`)
	f.Add(`{"message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":["a"]}}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for i := range Presets {
			for _, c := range Presets[i].ReadStream([]byte(text)).Calls {
				if _, err := json.Marshal(c); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// A name is a preset by itself; a command with placeholders, or another program, is none.
func TestPresetOf(t *testing.T) {
	for line, want := range map[string]string{"claude": "claude", "codex /opt/codex": "codex", "claude -p {prompt}": "", "my-claude": "", "": ""} {
		p, rest, ok := PresetOf(line)
		if ok != (want != "") || ok && (p.Name != want || strings.Contains(line, " ") != (len(rest) > 0)) {
			t.Errorf("PresetOf(%q) = %v, %q, %v, want %q", line, p, rest, ok, want)
		}
	}
}

// Every preset finds the servers and the prompt, and with an address for its model a home that is not the user's, with decoys in it.
func TestPresetsStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a script of a shell")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	// It writes down what it was given.
	script := "#!/bin/sh\n{ echo \"$HOME\"; for a in \"$@\"; do echo \"$a\"; done; cat \"$HOME/.ssh/id_rsa\"; env; cat \"$CODEX_HOME/config.toml\" \"$OPENCODE_CONFIG\" \"$GEMINI_CLI_SYSTEM_SETTINGS_PATH\" \"$GAUNTLET_CONFIG\" \"$PWD/.cursor/mcp.json\"; } > " + filepath.Join(dir, "seen") + " 2>/dev/null\necho '{\"type\":\"result\",\"result\":\"Done.\"}'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range Presets {
		p := &Presets[i]
		t.Run(p.Name, func(t *testing.T) {
			exit, err := Run(context.Background(), Options{Preset: p, Command: []string{program}, Prompt: "--say hello", ModelURL: "http://127.0.0.1:9", Model: "m",
				Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, Servers: []Server{{Name: "notes", URL: "http://127.0.0.1:7/mcp"}}})
			if err != nil || exit.Stream == nil {
				t.Fatalf("%+v, %v", exit, err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "seen"))
			if err != nil {
				t.Fatal(err)
			}
			seen := string(text)
			for _, want := range []string{"--say hello", "http://127.0.0.1:7/mcp", "PRIVATE KEY"} {
				if !strings.Contains(seen, want) {
					t.Errorf("nothing of %q in\n%s", want, seen)
				}
			}
			if strings.HasPrefix(seen, dir+"\n") {
				t.Error("it works in the user's home")
			}
			if p.Tried && !strings.Contains(seen, "http://127.0.0.1:9") {
				t.Errorf("nothing of the model's address in\n%s", seen)
			}
		})
	}
	if slices.ContainsFunc(Presets, func(p Preset) bool { return p.OwnHome([]string{"HOME=/h"}, "") }) {
		t.Error("an agent without a key for its model has to find its log-in")
	}
}
