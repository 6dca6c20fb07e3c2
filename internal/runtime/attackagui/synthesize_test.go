package attackagui

import (
	"context"
	"strings"
	"testing"

	"gauntlet/internal/runtime/attack"
	"gauntlet/rawjson"
)

type writes func(attack.Synthesis) string

func (w writes) Synthesize(_ context.Context, s attack.Synthesis) (string, error) { return w(s), nil }

// A model writes the messages that begin a run and the results of the front end's tools. What does not fit begins no run.
func TestSynthesizedRuns(t *testing.T) {
	const text = `
  execution:
    mode: ag_ui_client
    state:
      run_agent_input: {synthesize: {prompt: Ask for it.}}
      tool_responses: [{synthesize: {prompt: "Say {{request.toolCallName}}."}}]
  indicators: [{protocol: ag_ui, surface: run_agent_input, target: id, pattern: {contains: x}}]
`
	run := func(begin string) ([]string, attack.Summary) {
		agent := &agentStub{run: func(n int, _ rawjson.Value, say func(...string)) {
			if n == 1 {
				say(`{"type":"TOOL_CALL_START","toolCallId":"1","toolCallName":"pay"}`, `{"type":"TOOL_CALL_END","toolCallId":"1"}`)
			}
			say(`{"type":"RUN_FINISHED"}`)
		}}
		sum, _, _, _ := playWith(t, text, agent, Options{}, writes(func(s attack.Synthesis) string {
			if strings.HasPrefix(s.Prompt, "Say") {
				return `{"content":"` + s.Prompt + `"}`
			}
			return begin
		}))
		return agent.inputs, sum
	}
	inputs, sum := run(`{"messages":[{"role":"user","content":"Pay."}]}`)
	if len(inputs) != 2 || !strings.Contains(inputs[0], `"messages":[{"id":"message-1","role":"user","content":"Pay."}]`) || strings.Contains(inputs[0], "synthesize") ||
		!strings.Contains(inputs[1], `"content":"Say pay."`) || sum.Unwritten != "" {
		t.Errorf("%q, %+v", inputs, sum)
	}
	inputs, sum = run(`{"messages":[{"role":"tool","content":"Pay."}]}`)
	if len(inputs) != 0 || sum.Unwritten == "" || sum.Actors[0].Failed == "" {
		t.Errorf("%q, %+v", inputs, sum)
	}
}
