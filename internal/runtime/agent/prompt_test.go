package agent

import (
	"strings"
	"testing"
)

// What a document has the user say stays what the user says.
func TestPromptsStayPrompts(t *testing.T) {
	const code, harmless = `-cimport os; os.system("id")`, "Add 2 and 3."
	for _, tt := range []struct {
		name, command, prompt string
		refused               string // "" where it is started
	}{
		{"a prompt in its place", "agent {prompt}", harmless, ""},
		{"an option in its place", "agent {prompt}", code, "would be an option"},
		{"a file that an interpreter runs", "python3 {prompt}", "/tmp/evil.py", "takes the file or module"},
		{"such a file behind options", "node --no-warnings -- {prompt}", "evil.js", "takes the file or module"},
		{"such a file behind run", "deno run -A {prompt}", "https://evil.example/a.ts", "takes the file or module"},
		{"a module that an interpreter runs", "python3 -m {prompt}", "http.server", "takes the file or module"},
		{"behind a module", "python3 -m agent {prompt}", harmless, ""},
		{"behind a file", "node agent.js {prompt}", harmless, ""},
		{"an option behind others", "agent --mcp {config} {prompt}", "--yolo", "would be an option"},
		{"an option as the value of one", "agent --message {prompt}", "--yolo", "would be an option"},
		{"a single hyphen", "agent {prompt}", "-", "would be an option"},
		{"behind --", "agent -- {prompt}", code, ""},
		{"behind -- and a word", "agent -- run {prompt}", code, ""},
		{"in front of --", "agent {prompt} --", code, "would be an option"},
		{"a part of an option", "agent --message={prompt}", code, ""},
		{"with words before it", "agent 'say {prompt}'", code, ""},
		{"a word of its own begins with it", "agent {prompt}!", code, "would be an option"},
		{"the program", "{prompt} {config}", "rm", "stands for the program"},
		{"a part of the program", "./{prompt}", "rm", "stands for the program"},
		{"a script", "sh -c 'agent {prompt}'", harmless, "stands in a script"},
		{"a script of a shell at login", "/bin/bash -lc 'agent {prompt}'", harmless, "stands in a script"},
		{"a script of python", "python3.12 -c {prompt}", harmless, "stands in a script"},
		{"behind a script", `sh -c 'agent "$1"' sh {prompt}`, harmless, ""},
		{"an agent that has an option -c", "claude -c {prompt}", harmless, ""},
		{"no place for it", "agent {config}", code, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			words, err := Words(tt.command)
			if err != nil {
				t.Fatal(err)
			}
			err = checkPrompt(words, tt.prompt)
			if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s with %q: %v, want %q", tt.command, tt.prompt, err, tt.refused)
			}
			if err != nil && strings.Contains(err.Error(), tt.prompt) && len(tt.prompt) > 2 {
				t.Errorf("the error quotes the prompt: %v", err)
			}
		})
	}
}
