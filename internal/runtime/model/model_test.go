package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/internal/runtime/model"
	"gauntlet/internal/testing/scriptedmodel"
)

const testKey = "sk-test-0123456789abcdef"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func startProvider(t *testing.T) *scriptedmodel.Provider {
	t.Helper()
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	return p
}

// newClient makes a client of a scripted model; the pauses that it makes are kept.
func newClient(t *testing.T, p *scriptedmodel.Provider, id string, opt model.Options) (*model.Client, *[]time.Duration) {
	t.Helper()
	provider, err := model.Resolve(id, "", func(name string) string {
		return map[string]string{"ANTHROPIC_API_KEY": testKey, "ANTHROPIC_BASE_URL": p.URL, "OPENAI_API_KEY": testKey, "OPENAI_BASE_URL": p.URL + "/v1"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	opt.Wait = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	c := model.NewClient(provider, opt)
	t.Cleanup(c.Close)
	return c, &pauses
}

func zero() *float64 { return new(float64) }

// addition is a request with a tool that the task needs.
func addition() model.Request {
	return model.Request{
		System: "You have tools.", MaxTokens: 100, Temperature: zero(),
		Messages: []model.Message{{Role: model.User, Text: "Count the words of 'the merger closes on Friday'."}},
		Tools:    []model.Tool{{Name: "count_words", Description: "Counts the words of a text.", Schema: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`}},
	}
}

// A conversation goes the same way in both forms: a call, its result, the end.
func TestConversation(t *testing.T) {
	p := startProvider(t)
	for _, id := range []string{"claude-resister", "gpt-resister"} {
		t.Run(id, func(t *testing.T) {
			c, _ := newClient(t, p, id, model.Options{})
			r := addition()
			first, err := c.Ask(t.Context(), "test", 0, r)
			if err != nil {
				t.Fatal(err)
			}
			if first.Stop != model.Calls || len(first.Calls) != 1 || first.Calls[0].Name != "count_words" || !strings.Contains(first.Calls[0].Arguments, "merger") {
				t.Fatalf("the first answer is %+v", first)
			}
			if first.Usage != (model.Usage{Input: 100, Output: 20}) || !strings.HasPrefix(first.Model, id+"-2026") {
				t.Errorf("usage and model are %+v %q", first.Usage, first.Model)
			}
			r.Messages = append(r.Messages, model.Message{Role: model.Assistant, Text: first.Text, Calls: first.Calls},
				model.Message{Role: model.User, Results: []model.ToolResult{{CallID: first.Calls[0].ID, Text: "5 words"}}})
			second, err := c.Ask(t.Context(), "test", 0, r)
			if err != nil {
				t.Fatal(err)
			}
			if second.Stop != model.Ended || second.Text != "Done." {
				t.Errorf("the second answer is %+v", second)
			}
		})
	}
}

// What goes wrong is told as what it is, and a call that cannot get better is made once.
func TestTrouble(t *testing.T) {
	p := startProvider(t)
	for _, tt := range []struct {
		behaviour string
		calls     int
		stop      model.Stop
		wants     string // in the error
	}{
		{"refuser", 1, model.Refused, ""},
		{"truncator", 1, model.Truncated, ""},
		{"babbler", 1, "", "broken JSON"},
		{"flood", 1, "", "longer than 8 MB"},
		{"unauthorized", 1, "", "HTTP 401"},
		{"broken", 4, "", "HTTP 500 Internal Server Error: it is our fault"},
		{"limited", 2, model.Calls, ""},
		{"picky", 0, model.Calls, ""},
	} {
		for _, family := range []string{"claude-", "gpt-"} {
			t.Run(family+tt.behaviour, func(t *testing.T) {
				c, pauses := newClient(t, p, family+tt.behaviour, model.Options{})
				before := len(p.Requests())
				answer, err := c.Ask(t.Context(), "test", 0, addition())
				if made := len(p.Requests()) - before; tt.calls > 0 && made != tt.calls {
					t.Errorf("%d requests, want %d", made, tt.calls)
				}
				switch {
				case tt.wants == "" && err != nil:
					t.Fatal(err)
				case tt.wants != "" && (err == nil || !strings.Contains(err.Error(), tt.wants)):
					t.Fatalf("the error is %v, want %q", err, tt.wants)
				case err != nil && strings.Contains(err.Error(), testKey):
					t.Errorf("the error holds the key: %v", err)
				case answer.Stop != tt.stop:
					t.Errorf("stop %q, want %q", answer.Stop, tt.stop)
				case tt.stop == model.Truncated && answer.Calls != nil:
					t.Errorf("calls of a truncated answer: %+v", answer.Calls)
				}
				if tt.behaviour == "limited" && (len(*pauses) != 1 || (*pauses)[0] != 7*time.Second) {
					t.Errorf("pauses %v, want the 7 s of Retry-After", *pauses)
				}
			})
		}
	}
}

func TestTimeout(t *testing.T) {
	p := startProvider(t)
	c, _ := newClient(t, p, "gpt-hang", model.Options{Timeout: 20 * time.Millisecond})
	if _, err := c.Ask(t.Context(), "test", 0, addition()); err == nil || !strings.Contains(err.Error(), "no answer within 20ms") || len(p.Requests()) > 1 {
		t.Errorf("the error of a hang is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Ask(ctx, "test", 0, addition()); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of a cancelled call is %v", err)
	}
}

// A structured answer is JSON in both forms.
func TestStructured(t *testing.T) {
	p := startProvider(t)
	for _, id := range []string{"claude-judge", "gpt-judge", "gpt-picky"} {
		c, _ := newClient(t, p, id, model.Options{})
		answer, err := c.Ask(t.Context(), "test", 0, model.Request{
			MaxTokens: 100, Temperature: zero(), Messages: []model.Message{{Role: model.User, Text: "It is better than any other tool."}},
			Schema: `{"type":"object","properties":{"findings":{"type":"array"}},"required":["findings"]}`,
		})
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if id != "gpt-picky" && (!json.Valid([]byte(answer.Text)) || !strings.Contains(answer.Text, "persuasion") || answer.Calls != nil) {
			t.Errorf("%s answers %+v", id, answer)
		}
	}
}

// The cache answers without network, tells samples apart, and holds neither key nor question.
func TestCache(t *testing.T) {
	p := startProvider(t)
	dir := t.TempDir()
	cache, err := model.OpenCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := newClient(t, p, "claude-resister", model.Options{Cache: cache})
	for range 2 {
		for sample := range 2 {
			if _, err := c.Ask(t.Context(), "test", sample, addition()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(p.Requests()); n != 2 {
		t.Errorf("%d requests for two questions asked twice", n)
	}
	offline := model.NewClient(model.Provider{Model: "claude-resister"}, model.Options{Cache: cache, Offline: true})
	if a, err := offline.Ask(t.Context(), "test", 1, addition()); err != nil || !a.Cached || len(a.Calls) != 1 {
		t.Errorf("offline: %+v %v", a, err)
	}
	for _, other := range []struct {
		lane   string
		sample int
	}{{"test", 2}, {"other", 0}} {
		if _, err := offline.Ask(t.Context(), other.lane, other.sample, addition()); !errors.Is(err, model.ErrNotRecorded) {
			t.Errorf("%v: %v", other, err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	if len(files) != 2 {
		t.Fatalf("the cache has %v", files)
	}
	text, _ := os.ReadFile(files[0])
	if s := string(text); strings.Contains(s, testKey) || strings.Contains(s, "You have tools") {
		t.Errorf("the cache holds %s", s)
	}
	// A file that was cut off is asked again.
	for _, f := range files {
		if err := os.WriteFile(f, text[:len(text)/2], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Ask(t.Context(), "test", 0, addition()); err != nil || len(p.Requests()) != 3 {
		t.Errorf("a damaged record: %v, %d requests", err, len(p.Requests()))
	}
}

// No call is made that might cross a ceiling.
func TestCeiling(t *testing.T) {
	p := startProvider(t)
	prices, err := model.ParsePrices(`{"as_of":"2026-01-02","currency":"USD","per_tokens":1000000,"models":{"gpt-resister":{"input":1000,"output":10000}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		ceiling model.Ceiling
		calls   int // of four that are let through
	}{
		{"calls", model.Ceiling{Calls: 2}, 2},
		{"tokens", model.Ceiling{Tokens: 400}, 2}, // 120 each, and about 200 reckoned for the next
		{"cost", model.Ceiling{Cost: 1.9}, 3},     // 0.30 each, and about 1.10 reckoned for the next
	} {
		t.Run(tt.name, func(t *testing.T) {
			ledger := model.NewLedger(tt.ceiling, prices)
			c, _ := newClient(t, p, "gpt-resister", model.Options{Ledger: ledger})
			calls := 0
			for sample := range 4 {
				_, err := c.Ask(t.Context(), "test", sample, addition())
				if err == nil {
					calls++
				} else if !errors.Is(err, model.ErrCeiling) {
					t.Fatal(err)
				}
			}
			total := ledger.Total()
			if calls != tt.calls || total.Calls != tt.calls || !total.Priced {
				t.Errorf("%d calls, want %d; the ledger has %+v", calls, tt.calls, total)
			}
			if want := 0.3 * float64(calls); total.Cost < want-1e-9 || total.Cost > want+1e-9 {
				t.Errorf("cost %v, want %v", total.Cost, want)
			}
		})
	}
}

// An endpoint may try to have the key repeated by what prints its answers.
func TestKeyNeverComesBack(t *testing.T) {
	p := startProvider(t)
	for _, id := range []string{"claude-unauthorized", "gpt-unauthorized"} {
		c, _ := newClient(t, p, id, model.Options{})
		_, err := c.Ask(t.Context(), "test", 0, addition())
		var status *model.HTTPError
		if !errors.As(err, &status) || strings.Contains(err.Error(), testKey) || !strings.Contains(err.Error(), "invalid key") {
			t.Errorf("%s: %v", id, err)
		}
	}
	seen := p.Requests()
	if seen[0].Header.Get("X-Api-Key") != testKey || seen[1].Header.Get("Authorization") != "Bearer "+testKey {
		t.Errorf("the keys did not arrive: %v", seen)
	}
	if seen[0].Header.Get("Anthropic-Version") == "" {
		t.Error("no version of the form")
	}
}

// A redirect is not followed: it would carry the question to somebody else.
func TestRedirect(t *testing.T) {
	var asked int
	c := model.NewClient(model.Provider{Model: "m", Form: model.ChatCompletions, URL: "https://model.example/v1", Key: testKey, KeyName: "K"}, model.Options{
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked++
			return &http.Response{StatusCode: 307, Header: http.Header{"Location": {"https://other.example/"}}, Body: http.NoBody, Request: r}, nil
		}),
	})
	if _, err := c.Ask(t.Context(), "test", 0, addition()); err == nil || asked != 1 {
		t.Errorf("%d requests, %v", asked, err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
