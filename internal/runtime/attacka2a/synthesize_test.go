package attacka2a

import (
	"context"
	"strings"
	"testing"

	"gauntlet/internal/runtime/attack"
)

type writes string

func (w writes) Synthesize(context.Context, attack.Synthesis) (string, error) { return string(w), nil }

// An answer that a model writes is a task or a message of the protocol, or is not sent.
func TestSynthesizedAnswers(t *testing.T) {
	const said = `{"kind":"message","role":"agent","messageId":"m1","parts":[{"kind":"text","text":"hi"}]}`
	for _, tt := range []struct{ name, written, want string }{
		{"a message", `{"answer":` + said + `}`, `"result":` + said},
		{"a task", `{"answer":{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}}`, `"state":"completed"`},
		{"a state that does not exist", `{"answer":{"kind":"task","id":"t","contextId":"c","status":{"state":"hacked"}}}`, `-32603`},
		{"a message of the user's", `{"answer":` + strings.Replace(said, `"agent"`, `"user"`, 1) + `}`, `-32603`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := playWith(t, `
  execution:
    mode: a2a_server
    state: {task_responses: [{synthesize: {prompt: p}}]}
  indicators: [{protocol: a2a, surface: message/send, target: id, pattern: {contains: x}}]
`, Options{}, writes(tt.written))
			if got := rpc(t, s.urls["default"], "message/send", message("1", "hello")); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if sum := s.end(); (sum.Unwritten != "") != (tt.want == "-32603") {
				t.Errorf("%q", sum.Unwritten)
			}
		})
	}
}
