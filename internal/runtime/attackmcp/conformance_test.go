package attackmcp

import (
	"context"
	"fmt"
	"os"
	"testing"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/internal/testing/peertest"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// TestConformance plays a benign document to the scenarios for servers of both eras. What a
// document has no words for is answered by test code on the same engine (see beyond); internal/cli
// has the test of the document alone.
func TestConformance(t *testing.T) {
	suite := peertest.Conformance(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			base, end := runOnHTTP(t, everything(t))
			suite.Run(t, nil, "server", "--url", base+mcpserver.Path, "--requirements", revision)
			if sum := end(); sum.Ended != "the test is over" {
				t.Errorf("the run ended by itself: %s", sum.Ended)
			}
		})
	}
}

// everything is a run of the document, whose engine asks test code first.
func everything(t *testing.T) *attack.Run {
	t.Helper()
	text, err := os.ReadFile("testdata/conformance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := oatf.Load(string(text))
	if err != nil {
		t.Fatal(err)
	}
	sink := func(*trace.Message) error { return nil }
	r, err := newRun(doc, playOptions{Recorder: trace.NewRecorder(sink, trace.RecorderOptions{})})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Player("everything").(*server)
	state := mcpserver.State{
		Name: "everything", Identity: []string{`{"name":"conformance","version":"1.0.0"}`}, Unlisted: true, Call: beyond,
	}
	state.Lists[tools].Present = true
	more, err := mcpserver.Prepare(state)
	if err != nil {
		t.Fatal(err)
	}
	s.engine, err = mcpserver.New(state, mcpserver.Options{Interceptor: prompter{s, more}, Tap: s.recordTapped, IdleStream: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A prompter is a server actor that has test code answer what its document cannot.
type prompter struct {
	*server
	more *mcpserver.Prepared
}

func (p prompter) Intercept(ctx context.Context, t *mcpserver.Session, m wire.Message) mcpserver.Decision {
	turn := p.server.Intercept(ctx, t, m)
	if m.Method != "tools/call" {
		return turn
	}
	asked := parseParams(m)
	switch asked.Get("name").Text() {
	case "test_tool_with_logging", "test_tool_with_progress", "test_sampling", "test_missing_capability":
		turn.State = p.more
	case "test_input_required_result_tampered_state":
		if state := asked.Get("requestState"); state.Exists() && state.Text() != "untouched" {
			turn.State = p.more
		}
	}
	return turn
}

// beyond answers what a document has no words for: messages within a call, requests but
// elicitations within a call, and errors of JSON-RPC.
func beyond(ctx context.Context, c mcpserver.Call) (string, error) {
	asked := parseParams(wire.Message{Params: c.Params})
	switch c.Name {
	case "test_tool_with_logging":
		for _, text := range []string{"started", "processing data", "completed"} {
			if err := c.Notify(ctx, "notifications/message", `{"level":"info","data":"Tool `+text+`"}`); err != nil {
				return "", err
			}
		}
	case "test_tool_with_progress":
		for _, done := range []int{0, 50, 100} {
			progress := fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":100}`, asked.Get("_meta").Get("progressToken").Raw(), done)
			if err := c.Notify(ctx, "notifications/progress", progress); err != nil {
				return "", err
			}
		}
	case "test_sampling":
		prompt := asked.Get("arguments").Get("prompt").Raw()
		a, err := c.Ask(ctx, "sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":`+prompt+`}}],"maxTokens":100}`)
		if err != nil {
			return "", err
		}
		return said("LLM response: " + parseAnswer(a).Get("content").Get("text").Text()), nil
	case "test_missing_capability":
		var claims rawjson.Tree
		if claims.Parse(c.Client, 0) != nil || !claims.Root().Get("sampling").Exists() {
			return "", &mcpserver.Error{Code: -32021, Message: "Missing required client capability", Data: `{"requiredCapabilities":{"sampling":{}}}`}
		}
	default:
		return "", &mcpserver.Error{Code: -32602, Message: "Invalid params: requestState is none of ours"}
	}
	return said("done"), nil
}

func said(text string) string {
	return `{"content":[{"type":"text","text":` + rawjson.Quote(text) + `}]}`
}
