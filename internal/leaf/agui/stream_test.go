package agui

import (
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func value(t testing.TB, text string) rawjson.Value {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return tree.Root()
}

// What belongs to an event and stands in others is beside it; the whole text and the open calls are put
// together.
func TestStream(t *testing.T) {
	var s Stream
	for _, e := range []struct{ in, want string }{
		{`{"type":"RUN_STARTED","threadId":"t"}`, `{"type":"RUN_STARTED","threadId":"t"}`},
		{`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`, ``},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hel"}`, ``},
		{`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"pay"}`, ``},
		{`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"to\":"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"to\":","toolCallName":"pay"}`},
		{`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\"x\"}"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\"x\"}","toolCallName":"pay"}`},
		{`{"type":"TOOL_CALL_END","toolCallId":"c"}`, `{"type":"TOOL_CALL_END","toolCallId":"c","arguments":{"to":"x"},"toolCallName":"pay"}`},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo"}`, ``},
		{`{"type":"TEXT_MESSAGE_END","messageId":"m"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m","content":"Hello"}`},
		{`{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","delta":"And "}`, ``},
		{`{"type":"TEXT_MESSAGE_CHUNK","delta":"more"}`, ``},
		{`{"type":"TOOL_CALL_CHUNK","toolCallId":"d","toolCallName":"own","delta":"no JSON"}`, ``},
		{`{"type":"TOOL_CALL_RESULT","toolCallId":"d","content":"done"}`, `{"type":"TOOL_CALL_RESULT","toolCallId":"d","content":"done","toolCallName":"own"}`},
		{`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"Hello"},{"id":"u","role":"user","content":"no"},{"id":"z","role":"assistant","content":"Late"}]}`, ``},
	} {
		if e.want == "" {
			e.want = e.in
		}
		if got := s.Add(value(t, e.in)); got != e.want {
			t.Errorf("got  %s\nwant %s", got, e.want)
		}
	}
	if got := s.Text(); got != "Hello\n\nAnd more\n\nLate" {
		t.Errorf("text %q", got)
	}
	if open := s.Open(); len(open) != 1 || open[0].Name != "pay" || open[0].ArgsJSON() != `{"to":"x"}` {
		t.Errorf("open calls %+v", open)
	}
}

// An agent that never ends fills no memory, and it is said that something is missing.
func TestStreamIsBounded(t *testing.T) {
	var s Stream
	event := value(t, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"`+strings.Repeat("x", 1<<20)+`"}`)
	for range mostKept>>20 + 2 {
		s.Add(event)
	}
	if !s.Cut() || len(s.Text()) > mostKept {
		t.Errorf("cut %v, %d bytes", s.Cut(), len(s.Text()))
	}
}

// Whatever an agent sends: no panic, and what comes back is JSON that holds the event.
func FuzzStream(f *testing.F) {
	f.Add(`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"pay"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`)
	f.Add(`{"type":"TEXT_MESSAGE_CHUNK","delta":"a"}`, `{}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var s Stream
		for _, text := range []string{a, b, a} {
			var tree, out rawjson.Tree
			if tree.Parse(text, 0) != nil {
				continue
			}
			got := s.Add(tree.Root())
			if err := out.Parse(got, 0); err != nil {
				t.Fatalf("%v in %s", err, got)
			}
			if root := tree.Root(); root.Kind() == rawjson.Object && out.Root().Len() < root.Len() {
				t.Fatalf("%s lost members of %s", got, text)
			}
		}
		_, _ = s.Text(), s.Open()
	})
}

// What was begun has to be ended, by its own event; chunks end themselves.
func TestUnfinished(t *testing.T) {
	start, end := `{"type":"TEXT_MESSAGE_START","messageId":"m"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m"}`
	call, over := `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"pay"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`
	for _, tt := range []struct {
		events []string
		want   bool
	}{
		{[]string{start}, true}, {[]string{start, end}, false}, {[]string{call}, true}, {[]string{call, over}, false}, {[]string{start, end, call}, true},
		{[]string{`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x"}`, `{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"pay"}`}, false},
	} {
		var s Stream
		for _, e := range tt.events {
			s.Add(value(t, e))
		}
		if got := s.Unfinished(); got != tt.want {
			t.Errorf("%v: unfinished %t, want %t", tt.events, got, tt.want)
		}
	}
}
