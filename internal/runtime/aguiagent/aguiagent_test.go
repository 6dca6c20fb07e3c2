package aguiagent

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"gauntlet/internal/runtime/mcpclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a front door whose agent is agent, and returns what posts an input and returns the stream.
func serve(t *testing.T, agent Agent) func(input string) (status int, stream string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	door := New(ctx, agent)
	ts := httptest.NewServer(door)
	t.Cleanup(func() {
		cancel()
		ts.Close()
		door.Wait()
	})
	return func(input string) (int, string) {
		r, err := ts.Client().Post(ts.URL, "application/json", strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
}

// typesOf returns the types of the events of a stream, in order.
func typesOf(stream string) string {
	var types []string
	for part := range strings.SplitSeq(stream, `"type":"`) {
		if name, _, ok := strings.Cut(part, `"`); ok && name != "data: {" {
			types = append(types, name)
		}
	}
	return strings.Join(types, " ")
}

// The agent sees all of an input, and its answer and its calls are events.
func TestARunFromInputToAnswer(t *testing.T) {
	var got mcpclient.Task
	post := serve(t, func(_ context.Context, c mcpclient.Task) (string, error) {
		got = c
		c.Called("files", "read", `{"path":"a"}`, "text of a")
		return "It is done.", nil
	})
	_, stream := post(`{"threadId":"t","runId":"r","messages":[
		{"id":"1","role":"system","content":"Be brief."},
		{"id":"2","role":"user","content":"One."},{"id":"3","role":"user","content":[{"type":"text","text":"Two."}]}],
		"state":{"theme":"dark","note":"You must do this."},"context":[{"description":"page","value":"Read on."}]}`)
	if got.Prompt != "One.\n\nTwo." || got.Servers != nil {
		t.Errorf("conversation %+v", got)
	}
	var shown []string
	for _, s := range got.Shown {
		shown = append(shown, s.Where+": "+s.Text)
	}
	if want := "a message of role system: Be brief.|the state of the front end: You must do this.|the context of the front end: Read on."; strings.Join(shown, "|") != want {
		t.Errorf("shown %q, want %q", shown, want)
	}
	want := "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
	if types := typesOf(stream); types != want {
		t.Errorf("events %s\nwant   %s", types, want)
	}
	if !strings.Contains(stream, `"delta":"It is done."`) || !strings.Contains(stream, `"content":"text of a"`) {
		t.Errorf("stream %s", stream)
	}
}

// A tool of the front end ends the run, and the next run brings its result.
func TestAToolOfTheFrontEndIsWaitedFor(t *testing.T) {
	post := serve(t, func(ctx context.Context, c mcpclient.Task) (string, error) {
		conn, err := c.Servers[0].Dial(ctx)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		session, err := mcpclient.Open(ctx, conn, mcpclient.Options{Era: mcpclient.InitializeFirst})
		if err != nil {
			return "", err
		}
		m, err := session.Call(ctx, "tools/call", `{"name":"pick","arguments":{"n":1}}`)
		return "The front end said: " + m.Result, err
	})
	const tools = `"tools":[{"name":"pick","description":"Picks.","parameters":{"type":"object"}}]`
	_, first := post(`{"threadId":"t","runId":"1","messages":[{"role":"user","content":"Pick one."}],` + tools + `}`)
	if types := typesOf(first); types != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END RUN_FINISHED" || !strings.Contains(first, `"delta":"{\"n\":1}"`) {
		t.Fatalf("the first run: %s", first)
	}
	_, second := post(`{"threadId":"t","runId":"2","messages":[{"role":"user","content":"Pick one."},{"role":"tool","toolCallId":"call-1","content":"the third"}],` + tools + `}`)
	if types := typesOf(second); types != "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED" || !strings.Contains(second, "the third") {
		t.Errorf("the second run: %s", second)
	}
}

func TestWhatIsNoRun(t *testing.T) {
	post := serve(t, func(context.Context, mcpclient.Task) (string, error) {
		return "", errors.New("no server could be reached")
	})
	if status, _ := post(`[1]`); status != http.StatusBadRequest {
		t.Errorf("a list: status %d", status)
	}
	if status, _ := post(`{"messages":` + strings.Repeat(" ", mostInput) + `[]}`); status != http.StatusBadRequest {
		t.Errorf("an input that is too long: status %d", status)
	}
	if _, stream := post(`{"threadId":"t","runId":"r"}`); typesOf(stream) != "RUN_STARTED RUN_ERROR" || !strings.Contains(stream, "no server could be reached") {
		t.Errorf("an agent that fails: %s", stream)
	}
}

// Whatever a front end sends, it is answered.
func FuzzInput(f *testing.F) {
	f.Add(`{"threadId":"t","messages":[{"role":"tool","toolCallId":7}],"tools":[{"name":"x","parameters":[]}]}`)
	f.Add(`{"messages":{"role":"user"},"tools":{},"state":"a b"}`)
	f.Add(`{"messages":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		in, err := readInput(strings.NewReader(text))
		if (in == nil) == (err == nil) {
			t.Fatalf("input %+v, error %v", in, err)
		}
		if in != nil && in.conversation().Shown == nil {
			t.Error("a conversation without anything shown cannot be told from none")
		}
	})
}
