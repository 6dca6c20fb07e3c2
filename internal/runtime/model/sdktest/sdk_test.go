package sdktest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"gauntlet/internal/runtime/model"
	"gauntlet/internal/testing/scriptedmodel"
)

const schema = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`

// conversation has every kind of message that package model writes.
func conversation() model.Request {
	return model.Request{
		System: "You have tools.", MaxTokens: 100, Temperature: new(float64),
		Messages: []model.Message{
			{Role: model.User, Text: "Count the words of 'the merger closes on Friday'."},
			{Role: model.Assistant, Text: "I will.", Calls: []model.ToolCall{{ID: "call_1", Name: "count_words", Arguments: `{"text":"the merger closes on Friday"}`}}},
			{Role: model.User, Results: []model.ToolResult{{CallID: "call_1", Text: "5 words"}}},
		},
		Tools: []model.Tool{{Name: "count_words", Description: "Counts words.", Schema: schema}},
	}
}

// askOurs sends a request with package model and returns its body as the provider got it.
func askOurs(t *testing.T, p *scriptedmodel.Provider, id string, r model.Request) (map[string]any, model.Answer) {
	t.Helper()
	provider, err := model.Resolve(id, "", func(name string) string {
		return map[string]string{"ANTHROPIC_API_KEY": "k-ours", "ANTHROPIC_BASE_URL": p.URL, "OPENAI_API_KEY": "k-ours", "OPENAI_BASE_URL": p.URL + "/v1"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	c := model.NewClient(provider, model.Options{})
	defer c.Close()
	answer, err := c.Ask(t.Context(), "test", 0, r)
	if err != nil {
		t.Fatal(err)
	}
	return lastBody(t, p), answer
}

func lastBody(t *testing.T, p *scriptedmodel.Provider) map[string]any {
	t.Helper()
	seen := p.Requests()
	var body map[string]any
	if err := json.Unmarshal([]byte(seen[len(seen)-1].Body), &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// same compares two bodies member by member.
func same(t *testing.T, ours, theirs map[string]any) {
	t.Helper()
	for _, name := range union(ours, theirs) {
		if !reflect.DeepEqual(ours[name], theirs[name]) {
			a, _ := json.Marshal(ours[name])
			b, _ := json.Marshal(theirs[name])
			t.Errorf("%s: ours is %s, theirs %s", name, a, b)
		}
	}
}

func union(a, b map[string]any) (names []string) {
	for n := range a {
		names = append(names, n)
	}
	for n := range b {
		if _, ok := a[n]; !ok {
			names = append(names, n)
		}
	}
	return names
}

func TestMessages(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	ours, answer := askOurs(t, p, "claude-resister", conversation())
	client := anthropic.NewClient(anthropicoption.WithBaseURL(p.URL), anthropicoption.WithAPIKey("k-theirs"))
	var properties map[string]any
	if err := json.Unmarshal([]byte(`{"text":{"type":"string"}}`), &properties); err != nil {
		t.Fatal(err)
	}
	message, err := client.Messages.New(t.Context(), anthropic.MessageNewParams{
		Model: "claude-resister", MaxTokens: 100, Temperature: anthropic.Float(0),
		System: []anthropic.TextBlockParam{{Text: "You have tools."}},
		Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(anthropic.NewTextBlock("Count the words of 'the merger closes on Friday'.")),
			anthropic.NewAssistantMessage(anthropic.NewTextBlock("I will."), anthropic.NewToolUseBlock("call_1", map[string]any{"text": "the merger closes on Friday"}, "count_words")),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock("call_1", "5 words", false)),
		},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: "count_words", Description: anthropic.String("Counts words."), InputSchema: anthropic.ToolInputSchemaParam{Properties: properties, Required: []string{"text"}},
		}}},
	})
	// The scripted provider reads the short spelling of a system prompt and of a result only. The client sends the
	// long one, which says the same.
	theirs := lastBody(t, p)
	theirs["system"] = theirs["system"].([]any)[0].(map[string]any)["text"]
	result := theirs["messages"].([]any)[2].(map[string]any)["content"].([]any)[0].(map[string]any)
	result["content"] = result["content"].([]any)[0].(map[string]any)["text"]
	if failed, ok := result["is_error"]; ok && failed == false {
		delete(result, "is_error")
	}
	same(t, ours, theirs)
	if err == nil {
		t.Logf("their client reads %s", message.StopReason)
	}

	// What the client makes of a body of ours, sent through it unchanged.
	raw, _ := json.Marshal(ours)
	var params anthropic.MessageNewParams
	if err := json.Unmarshal(raw, &params); err != nil {
		t.Fatalf("their types do not read our request: %v", err)
	}
	if len(params.Messages) != 3 || params.Messages[1].Content[1].OfToolUse == nil || params.Messages[2].Content[0].OfToolResult == nil || params.Tools[0].OfTool.Name != "count_words" {
		t.Errorf("their types read %+v", params)
	}
	if answer.Stop == model.Refused || answer.Stop == model.Truncated {
		t.Errorf("our answer is %+v", answer)
	}
}

func TestChatCompletions(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	ours, answer := askOurs(t, p, "gpt-4-resister", conversation())
	client := openai.NewClient(openaioption.WithBaseURL(p.URL+"/v1"), openaioption.WithAPIKey("k-theirs"))
	var parameters map[string]any
	if err := json.Unmarshal([]byte(schema), &parameters); err != nil {
		t.Fatal(err)
	}
	assistant := openai.ChatCompletionAssistantMessageParam{ToolCalls: []openai.ChatCompletionMessageToolCallUnionParam{{
		OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: "call_1", Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "count_words", Arguments: `{"text":"the merger closes on Friday"}`}},
	}}}
	assistant.Content.OfString = openai.String("I will.")
	completion, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "gpt-4-resister", MaxTokens: openai.Int(100), Temperature: openai.Float(0),
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("You have tools."),
			openai.UserMessage("Count the words of 'the merger closes on Friday'."),
			{OfAssistant: &assistant},
			openai.ToolMessage("5 words", "call_1"),
		},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "count_words", Description: openai.String("Counts words."), Parameters: parameters})},
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, ours, lastBody(t, p))
	if got := completion.Choices[0].Message.Content; got != answer.Text {
		t.Errorf("their client reads %q, ours %q", got, answer.Text)
	}
}

// Answers of every kind are read alike.
func TestAnswersAreReadAlike(t *testing.T) {
	p := scriptedmodel.Start()
	t.Cleanup(p.Close)
	question := conversation()
	question.Messages = question.Messages[:1]
	claude := anthropic.NewClient(anthropicoption.WithBaseURL(p.URL), anthropicoption.WithAPIKey("k"))
	gpt := openai.NewClient(openaioption.WithBaseURL(p.URL+"/v1"), openaioption.WithAPIKey("k"))
	for _, tt := range []struct {
		behaviour string
		stop      model.Stop
		claude    anthropic.StopReason
		gpt       string
	}{
		{"resister", model.Calls, anthropic.StopReasonToolUse, "tool_calls"},
		{"idler", model.Ended, anthropic.StopReasonEndTurn, "stop"},
		{"truncator", model.Truncated, anthropic.StopReasonMaxTokens, "length"},
		{"refuser", model.Refused, anthropic.StopReasonRefusal, "stop"},
	} {
		body, ours := askOurs(t, p, "claude-"+tt.behaviour, question)
		var params anthropic.MessageNewParams
		raw, _ := json.Marshal(body)
		// The wire's short spelling of the system prompt is no type of theirs.
		delete(body, "system")
		raw, _ = json.Marshal(body)
		if err := json.Unmarshal(raw, &params); err != nil {
			t.Fatal(err)
		}
		message, err := claude.Messages.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		if ours.Stop != tt.stop || message.StopReason != tt.claude {
			t.Errorf("claude-%s: ours %s, theirs %s", tt.behaviour, ours.Stop, message.StopReason)
		}
		var calls []string
		for _, b := range message.Content {
			if b.Type == "tool_use" && tt.stop == model.Calls {
				calls = append(calls, fmt.Sprint(b.ID, b.Name, string(b.Input)))
			}
		}
		compareCalls(t, ours, calls)

		body, ours = askOurs(t, p, "gpt-4-"+tt.behaviour, question)
		raw, _ = json.Marshal(body)
		var chat openai.ChatCompletionNewParams
		if err := json.Unmarshal(raw, &chat); err != nil {
			t.Fatal(err)
		}
		completion, err := gpt.Chat.Completions.New(t.Context(), chat)
		if err != nil {
			t.Fatal(err)
		}
		first := completion.Choices[0]
		if ours.Stop != tt.stop || first.FinishReason != tt.gpt || (first.Message.Refusal != "") != (tt.stop == model.Refused) {
			t.Errorf("gpt-4-%s: ours %s, theirs %s %q", tt.behaviour, ours.Stop, first.FinishReason, first.Message.Refusal)
		}
		calls = nil
		for _, c := range first.Message.ToolCalls {
			if tt.stop == model.Calls {
				calls = append(calls, fmt.Sprint(c.ID, c.Function.Name, c.Function.Arguments))
			}
		}
		compareCalls(t, ours, calls)
	}
}

func compareCalls(t *testing.T, ours model.Answer, theirs []string) {
	t.Helper()
	var mine []string
	for _, c := range ours.Calls {
		mine = append(mine, fmt.Sprint(c.ID, c.Name, c.Arguments))
	}
	if !reflect.DeepEqual(mine, theirs) {
		t.Errorf("calls: ours %v, theirs %v", mine, theirs)
	}
}
