package model

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestResolve(t *testing.T) {
	env := map[string]string{"ANTHROPIC_API_KEY": "secret-a", "OPENAI_API_KEY": "secret-o", "OPENAI_ORG_ID": "org", "GOOGLE_API_KEY": "secret-g", "MISTRAL_API_KEY": "secret-m", KeyForURL: "secret-u"}
	for _, tt := range []struct {
		name, id, address string
		env               map[string]string
		url, key, fails   string
		form              Form
	}{
		{name: "Claude", id: "claude-sonnet-4-5", env: env, url: "https://api.anthropic.com/v1/messages", key: "ANTHROPIC_API_KEY", form: Messages},
		{name: "GPT", id: "gpt-5", env: env, url: "https://api.openai.com/v1/chat/completions", key: "OPENAI_API_KEY", form: ChatCompletions},
		{name: "o and a digit", id: "o3-mini", env: env, url: "https://api.openai.com/v1/chat/completions", key: "OPENAI_API_KEY", form: ChatCompletions},
		{name: "o and a letter", id: "olmo", env: env, fails: "no provider is known"},
		{name: "Gemini by its second variable", id: "models/gemini-2.5-pro", env: env, url: "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", key: "GOOGLE_API_KEY", form: ChatCompletions},
		{name: "Mistral", id: "open-mistral-nemo", env: env, url: "https://api.mistral.ai/v1/chat/completions", key: "MISTRAL_API_KEY", form: ChatCompletions},
		{name: "no key", id: "claude-opus-4-1", fails: "ANTHROPIC_API_KEY is not set"},
		{name: "no key of two", id: "gemini-2.5-pro", fails: "GEMINI_API_KEY or GOOGLE_API_KEY is not set"},
		{name: "a base with its version", id: "claude-x", env: map[string]string{"ANTHROPIC_BASE_URL": "https://proxy.example/v1/"}, url: "https://proxy.example/v1/messages", form: Messages},
		{name: "Ollama by the variable", id: "llama3.2", env: map[string]string{"OPENAI_BASE_URL": "http://localhost:11434/v1"}, url: "http://localhost:11434/v1/chat/completions", form: ChatCompletions},
		{name: "an address without key", id: "llama3.2", address: "http://127.0.0.1:8000/v1", url: "http://127.0.0.1:8000/v1/chat/completions", form: ChatCompletions},
		{name: "an address gets its own key only", id: "gpt-5", address: "https://vllm.example/v1", env: env, url: "https://vllm.example/v1/chat/completions", key: KeyForURL, form: ChatCompletions},
		{name: "an address of the other form", id: "x", address: "https://host.example/v1/messages", url: "https://host.example/v1/messages", form: Messages},
		{name: "a key in the clear", id: "x", address: "http://host.example/v1", env: env, fails: "without encryption"},
		{name: "no URL", id: "x", address: "host.example", fails: "no URL"},
		{name: "a key in the URL", id: "x", address: "https://u:secret-p@host.example/", fails: "has a user"},
		{name: "no id", id: " ", fails: "needs an id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Resolve(tt.id, tt.address, func(name string) string { return tt.env[name] })
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || strings.Contains(err.Error(), "secret-") {
					t.Fatalf("error %v, want %q and no secret", err, tt.fails)
				}
				return
			}
			if err != nil || p.URL != tt.url || p.Form != tt.form || p.Key != tt.env[tt.key] {
				t.Errorf("%+v %v, want %s %s with the key of %q", p, err, tt.form, tt.url, tt.key)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Thu, 01 Jan 2026 00:00:30 GMT", 30 * time.Second},
		{"Retry-After", "Wed, 31 Dec 2025 00:00:30 GMT", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "1e300", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Retry-After", "soon", 0},
	} {
		if got := retryAfter(http.Header{tt.name: {tt.value}}, now); got != tt.want {
			t.Errorf("%s: %s gives %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
	if _, ok := pauseBefore(1, &HTTPError{Status: 429, after: 2 * time.Minute}); ok {
		t.Error("a provider may have us wait for two minutes")
	}
	if d, ok := pauseBefore(3, &HTTPError{Status: 500}); !ok || d != 4*time.Second {
		t.Errorf("the third pause is %v", d)
	}
}

func TestPrices(t *testing.T) {
	p := BuiltInPrices()
	for _, tt := range []struct {
		id string
		ok bool
	}{
		{"claude-sonnet-4-5", true}, {"claude-sonnet-4-5-20250929", true}, {"gpt-4o-2024-08-06", true}, {"models/gemini-2.5-pro", true},
		{"gpt-5-of-somebody-else", false}, {"llama3.2", false}, {"gpt-5-pro", false},
	} {
		if _, ok := p.Of(tt.id); ok != tt.ok {
			t.Errorf("the price of %s is known: %v", tt.id, ok)
		}
	}
	for _, bad := range []string{``, `{}`, `{"as_of":"today"}`, `{"as_of":"2026-01-01","currency":"EUR","per_tokens":1000000}`, `{"as_of":"2026-01-01","currency":"USD","per_tokens":1000000,"models":{"m":{"input":-1}}}`} {
		if _, err := ParsePrices(bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// How an answer ended is what its provider says, and a word that nobody knows ends none.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		text, finish string
		stop         Stop
		said         string
	}{
		{"Done.", "stop", Ended, "Done."},
		{"Done.", "", Ended, "Done."},
		{"Done.", "STOP", Ended, "Done."},
		{"Done.", "content_filter", Refused, "Done."},
		{"Done.", "length", Truncated, "Done."},
		{"Error: rate limit exceeded", "error", "", ""},
		{"Done.", "abort", "", ""},
		{"<think>The user wants", "stop", Truncated, ""},
		{" <think>The user wants</think> Done.", "stop", Ended, "Done."},
		{"<think>The user wants</think>", "stop", Ended, ""},
		{"Write <think> first.", "stop", Ended, "Write <think> first."},
	} {
		body, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": tt.text}, "finish_reason": tt.finish}}})
		a, err := decodeChat(body)
		if a.Stop != tt.stop || a.Text != tt.said || (err != nil) != (tt.stop == "") {
			t.Errorf("%q, ended by %q: %+v, %v", tt.text, tt.finish, a, err)
		}
	}
	for finish, fails := range map[string]bool{`,"finish_reason":null`: true, ``: false} {
		if a, err := decodeChat([]byte(`{"choices":[{"message":{"content":"x"}` + finish + `}]}`)); (err != nil) != fails {
			t.Errorf("an answer with %q: %+v, %v", finish, a, err)
		}
	}
	if _, err := decodeMessages([]byte(`{"content":[{"type":"text","text":"x"}],"stop_reason":"error"}`), false); err == nil {
		t.Error("a message that ended with an error is an answer")
	}
}

// The text of a chat completion is a string, null, or the texts of a list of parts, also behind a byte order mark.
func TestChatContent(t *testing.T) {
	for _, tt := range []struct {
		content, said string
		fails         bool
	}{
		{`"Done."`, "Done.", false},
		{`null`, "", false},
		{`[]`, "", false},
		{`[{"type":"text","text":"Done."}]`, "Done.", false},
		{`[{"type":"thinking","thinking":[{"type":"text","text":"The user wants"}]},{"type":"text","text":"All "},{"type":"text","text":"done."}]`, "All done.", false},
		{`[{"type":"image_url","image_url":{"url":"x"}}]`, "", false},
		{`[{"type":"text","text":5}]`, "", true},
		{`["Done."]`, "", true},
		{`{"text":"Done."}`, "", true},
	} {
		for _, mark := range []string{"", "\ufeff"} {
			a, err := decodeChat([]byte(mark + `{"choices":[{"message":{"content":` + tt.content + `},"finish_reason":"stop"}]}`))
			if (err != nil) != tt.fails || a.Text != tt.said {
				t.Errorf("%q%s: %q, %v", mark, tt.content, a.Text, err)
			}
		}
	}
	if a, err := decodeMessages([]byte("\ufeff"+`{"content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`), false); err != nil || a.Text != "x" {
		t.Errorf("a message behind a byte order mark: %+v, %v", a, err)
	}
	if _, err := decodeChat([]byte("\ufeff\ufeff{}")); err == nil {
		t.Error("two byte order marks are JSON")
	}
}

// FuzzAnswers holds both readers to their promise: an error, or an answer that has a stop and whose
// calls are told by it.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`))
	f.Add([]byte(`{"choices":[{"message":{"content":"x","tool_calls":[{"id":"1","function":{"name":"a","arguments":{"b":1}}}]},"finish_reason":"length"}]}`))
	f.Add([]byte(`{"type":"message","content":[{"type":"thinking"},{"type":"tool_use","id":"1","name":"answer","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":-5}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for i, decode := range []func() (Answer, error){
			func() (Answer, error) { return decodeChat(body) },
			func() (Answer, error) { return decodeMessages(body, true) },
			func() (Answer, error) { return decodeMessages(body, false) },
		} {
			a, err := decode()
			if err != nil {
				continue
			}
			if a.Stop == "" || a.Usage.Input < 0 || a.Usage.Output < 0 {
				t.Errorf("reader %d: %+v", i, a)
			}
			if a.Stop == Truncated && a.Calls != nil || a.Stop == Calls && a.Calls == nil || a.Stop == Ended && a.Calls != nil {
				t.Errorf("reader %d: the stop %s and the calls %v", i, a.Stop, a.Calls)
			}
		}
	})
}
