package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The secrets of these tests: the key of the provider, what the server is given, and what stands in definitions.
const (
	keyCanary    = "mk-canary-9d41c07b52aa66f0"
	tokenCanary  = "tk-canary-0c8e55d1b7f23946"
	storedCanary = "AKIAQX7ZRT5MWN2LBV4K"
)

// manyStored are more secrets than are found in one go.
func manyStored() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "AKIAQX7ZRT5MWN2L%c%c4K ", 'A'+i%26, 'A'+i/26)
	}
	return b.String()
}

// echo is a provider that repeats everything that it was sent, its key included: as prose, as arguments of the first tool, in the model's id.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		Model    string
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct{ Role string }
	}
	_ = json.Unmarshal(body, &in)
	said := string(body) + r.Header.Get("Authorization")
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(in.Model, "angry") {
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": said}})
		return
	}
	message, finish := map[string]any{"role": "assistant", "content": said}, "stop"
	if len(in.Tools) > 0 && len(in.Messages) < 6 {
		arguments, _ := json.Marshal(map[string]any{"note": said})
		message["tool_calls"] = []any{map[string]any{"id": "c" + fmt.Sprint(len(in.Messages)), "type": "function", "function": map[string]any{"name": in.Tools[0].Function.Name, "arguments": string(arguments)}}}
		finish = "tool_calls"
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": said, "choices": []any{map[string]any{"message": message, "finish_reason": finish}}, "usage": map[string]any{"prompt_tokens": 1, "completion_tokens": 1}})
}

// leaky is a server whose definitions hold secrets and that repeats what it is given.
func leaky(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     json.RawMessage
		Method string
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &q)
	text, _ := json.Marshal(tokenCanary + " " + r.Header.Get("X-Key"))
	about, _ := json.Marshal("Does it. Its key is " + storedCanary + " or " + manyStored() + ". " + tokenCanary)
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"leaky","version":"1"},"instructions":` + string(about) + `}`,
		"tools/list": `{"tools":[{"name":"do_it","description":` + string(about) + `,"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"note":{"type":"string","default":` + string(about) + `}},"required":["note"]}}]}`,
		"tools/call": `{"content":[{"type":"text","text":` + string(text) + `}]}`,
	}[q.Method]
	switch {
	case q.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case result == "":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":%s}}`, q.ID, text)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
	}
}

// No key of a provider, nothing that a server was given and no secret of a definition stands in what any command with a model says, keeps or
// records, although provider and server repeat all they know.
func TestSecretsStayOutOfModels(t *testing.T) {
	provider := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(provider.Close)
	server := httptest.NewServer(http.HandlerFunc(leaky))
	t.Cleanup(server.Close)
	document := filepath.Join(t.TempDir(), "made.yaml")
	if err := os.WriteFile(document, []byte(strings.ReplaceAll(leakyDocument, "KEY", storedCanary)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"gpt-echo", "gpt-angry"} {
		models := []string{"--model", id, "--model-url", provider.URL + "/v1"}
		from := []string{"--header", "X-Key=" + tokenCanary}
		for name, args := range map[string][]string{
			"scan":     append([]string{"scan", "--verbose", "--llm-classifier=all", server.URL}, from...),
			"json":     append([]string{"scan", "--format", "json", server.URL}, from...),
			"html":     append([]string{"scan", "--format", "html", server.URL}, from...),
			"classify": append([]string{"classify", "--llm-classifier=all", "--format", "json", server.URL}, from...),
			"redteam":  append([]string{"redteam", "--url", server.URL, "--agent-idle", "1ms", "--record", "RECORD", "--turns", "3"}, from...),
			"as json":  append([]string{"redteam", "--url", server.URL, "--agent-idle", "1ms", "--format", "json", "--turns", "3"}, from...),
			"as html":  append([]string{"redteam", "--url", server.URL, "--agent-idle", "1ms", "--format", "html", "--turns", "3"}, from...),
			"attack":   {"attack", "run", "--agent", "builtin:victim", "--agent-idle", "1ms", "--prompt", "Use the tool weather with place set to '" + storedCanary + "'.", document},
			"semantic": {"attack", "run", "--agent", "builtin:victim", "--agent-idle", "1ms", "--semantic", "--prompt", "Use the tool weather with place set to '" + storedCanary + "'.", document},
		} {
			t.Run(id+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				cache, record := filepath.Join(dir, "cache"), filepath.Join(dir, "record")
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "RECORD", record)
				}
				_, stdout, stderr := runMain(t, append(os.Environ(), "GAUNTLET_MODEL_KEY="+keyCanary), append(append(args[:len(args):len(args)], models...), "--model-cache", cache)...)
				texts := map[string]string{"stdout": stdout, "stderr": stderr}
				_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						text, err := os.ReadFile(path)
						if err != nil {
							t.Error(err)
						}
						texts[path] = string(text)
					}
					return nil
				})
				if id == "gpt-echo" && len(texts) == 2 {
					t.Fatalf("nothing was kept: %s %s", stdout, stderr)
				}
				for where, text := range texts {
					for _, canary := range []string{keyCanary, tokenCanary, storedCanary, strings.Fields(manyStored())[29]} {
						// A check of its own shows what stands in a definition, and the user's task is shown to the user.
						own := strings.HasPrefix(canary, "AKIA") && (args[0] == "scan" && where == "stdout" || args[0] == "attack" && where == "stderr")
						if at := strings.Index(text, canary); at >= 0 && !own {
							t.Errorf("%s holds %s: …%s…", where, canary, text[max(0, at-200):min(len(text), at+60)])
							break
						}
					}
				}
			})
		}
	}
}

const leakyDocument = `
oatf: "0.1"
attack:
  name: Made up
  execution:
    mode: mcp_server
    state:
      tools:
        - name: weather
          description: Tells the weather.
          inputSchema: {type: object, properties: {place: {type: string}}, required: [place]}
          responses: [{synthesize: {prompt: "Write what the weather is in {{request.arguments.place}}."}}]
  indicators:
    - {surface: tools/call, direction: request, target: arguments.other, pattern: {contains: other}}
    - {surface: tools/call, direction: request, target: arguments.place, semantic: {intent: Exfiltration of keys.}}
`
