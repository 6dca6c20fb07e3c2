package attackmcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// Where other executors of attack documents went wrong, and the test that holds ours to it.
// What judges fall for (verdicts from quoted payloads, surfaces that are ignored, one failed
// message that spoils all, documents without indicators that pass) is in oatf/indicator.
var _ = []struct {
	trap string
	test func(*testing.T)
}{
	{"a trigger by time waits for traffic", TestSleeperWakesWithoutTraffic},
	{"messages that go out are counted as events", TestOnlyWhatComesInCounts},
	{"a call that is sent again with an answer counts twice", TestSDKClientIsPulled},
	{"the answer that ends a phase comes from the next one", TestRugPull},
	{"resources are listed and their content is not served", TestDefaults},
	{"default capabilities depend on what is in the lists", TestDefaults},
	{"a server's identity is mixed with a default one", TestDefaults},
	{"an unknown method is answered with success", TestDefaults},
	{"a URI template breaks on what is not ASCII, or swallows what follows", TestURITemplates},
	{"one of the two shapes of responses comes out wrong", TestAnswers},
	{"an entry without when hides those behind it", TestAnswers},
	{"synthesize gives an empty answer", TestSynthesizeIsSaidAloud},
	{"requests on entry go out without an id", TestRequestsOnEntryAreTrueAndMarked},
	{"elicitations have no mode, or one for forms has a URL's members", TestElicitations},
	{"answers to elicitations are events with their envelope", TestElicitation},
	{"messages are lost while a question waits", TestElicitation},
	{"messages are lost while a client's own request waits", TestClientAttacks},
	{"a client says another name and other capabilities than the document's", TestClientAttacks},
	{"actions of the form {method, params} are skipped", TestClientAttacks},
	{"an elicitation is answered without an action", TestClientAttacks},
	{"a question goes into another client's stream", TestQuestionsStayWithTheirClient},
	{"actors wait for each other for ever", TestActorsReferToEachOther},
	{"four actors at once", TestFourActors},
	{"a grace period in ISO 8601 is not understood", TestGrace},
	{"a document captures what makes its messages endless", TestExpansionIsBounded},
	{"conditions that each cost little cost a run its time together", TestConditionsAreBounded},
	{"a client that floods, or never reads, keeps the run from its end", TestHostileAgents},
	{"what is captured is read as a template", TestCapturesAreNoTemplates},
}

func TestOnlyWhatComesInCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := play(t, rugPull, playOptions{})
		d := s.servers["default"]
		d.hello(`{}`)
		for range 2 {
			d.ask("tools/call", `{"name":"add","arguments":{}}`)
		}
		d.ask("ping", `{}`)
		if sum := s.end(); len(sum.Actors[0].Phases) != 1 {
			t.Errorf("phases %q after two of three calls", sum.Actors[0].Phases)
		}
	})
}

func TestCapturesAreNoTemplates(t *testing.T) {
	captures := map[string]string{"x": "{{y}} \x00 {{request.k}}", "y": "never"}
	x := &attack.Expander{Scope: match.Scope{Captures: captures, Request: parse(t, `{"k":"never"}`)}}
	if got, err := x.ExpandValue(parse(t, `"<{{x}}>"`)); err != nil || got != `"<{{y}} \u0000 {{request.k}}>"` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFourActors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var execution strings.Builder
		execution.WriteString("actors:\n")
		for i := range 4 {
			fmt.Fprintf(&execution, `
  - name: a%d
    mode: mcp_server
    phases:
      - {name: one, state: {tools: [{name: t}]}, extractors: [{name: v, source: request, type: json_path, selector: $.arguments.v}], trigger: {event: tools/call, count: 10}}
      - {name: two, state: {instructions: "{{a%d.v}}"}, on_enter: [{send: {method: notifications/tools/list_changed}}], x-gauntlet-await: [{actor: a%d, extractors: [v]}]}
`, i, (i+1)%4, (i+1)%4)
		}
		s := play(t, execution.String(), playOptions{})
		var all sync.WaitGroup
		for i := range 4 {
			d := s.servers[fmt.Sprintf("a%d", i)]
			all.Go(func() {
				d.hello(`{}`)
				for range 10 {
					d.ask("tools/call", fmt.Sprintf(`{"name":"t","arguments":{"v":"from %d"}}`, i))
				}
				d.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				if got, want := d.hello(`{}`), fmt.Sprintf(`"instructions":"from %d"`, (i+1)%4); !strings.Contains(got, want) {
					t.Errorf("actor %d: %s, want %s", i, got, want)
				}
			})
		}
		all.Wait()
	})
}

// Two clients of one server: what one is asked never reaches the other, however many calls
// are under way.
func TestQuestionsStayWithTheirClient(t *testing.T) {
	base, end := onHTTP(t, strings.Replace(forSDK, "count: 4", "count: 1000", 1), playOptions{})
	connect := func(answer mcp.ElicitResult, asked *int) *mcp.ClientSession {
		client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				*asked++
				return &answer, nil
			},
		})
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + mcpserver.Path, HTTPClient: &http.Client{}}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	var first, second int
	a := connect(mcp.ElicitResult{Action: "accept", Content: map[string]any{"pw": "a"}}, &first)
	b := connect(mcp.ElicitResult{Action: "decline"}, &second)
	const calls = 20
	var all sync.WaitGroup
	for _, session := range []*mcp.ClientSession{a, b} {
		for _, name := range []string{"login", "add"} {
			all.Go(func() {
				for range calls {
					if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if first != calls || second != calls {
		t.Errorf("asked %d and %d times, want %d each", first, second, calls)
	}
	_, tr := end()
	owner := map[int]string{}
	for _, m := range tr.Messages {
		owner[m.Seq] = m.Session
		if m.ReplyTo != 0 && owner[m.ReplyTo] != m.Session {
			t.Errorf("message %d of session %s answers one of %s", m.Seq, m.Session, owner[m.ReplyTo])
		}
	}
}

func TestHostileAgents(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(d *desk)
	}{
		{"never reads", func(d *desk) {
			for i := 0; i < 100_000; i++ {
				if _, err := fmt.Fprintf(d.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i); err != nil {
					return
				}
			}
		}},
		{"sends garbage and reads", func(d *desk) {
			go func() { _, _ = io.Copy(io.Discard, d.out) }() // ends with the server
			for i := 0; i < 2000; i++ {
				if _, err := io.WriteString(d.in, "\x00{\"id\":[]}\n[[[\n[]\n{}\nnull\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"); err != nil {
					return
				}
			}
		}},
		{"says nothing at all", func(*desk) {}},
		{"begins a line and never ends it", func(d *desk) { _, _ = io.WriteString(d.in, `{"jsonrpc":`) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := play(t, rugPull, playOptions{Limit: time.Minute})
				d := s.servers["default"]
				go tt.do(d) // ends with the server
				sum := <-s.done
				s.done <- sum
				if sum.Ended != attack.EndedLimit || sum.Duration > time.Minute+5*time.Second {
					t.Errorf("ended %q after %s, want its limit of 1m", sum.Ended, sum.Duration)
				}
			})
		})
	}
}

// A document within its own limits may have 5,000 phases, each with the one state of 5,000
// tools, or more actors than there are ports.
func TestHostileDocuments(t *testing.T) {
	var phases, actors strings.Builder
	phases.WriteString("mode: mcp_server\nphases:\n  - {state: {tools: [")
	phases.WriteString(strings.Repeat(`{name: "t"},`, 5000))
	phases.WriteString("]}, trigger: {event: e}}\n")
	phases.WriteString(strings.Repeat("  - {trigger: {event: e}}\n", 5000))
	r, err := newRun(load(t, phases.String()), playOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Player("default").(*server).states; s[0] != s[len(s)-1] {
		t.Error("every phase was read by itself")
	}
	actors.WriteString("actors:\n")
	for i := range 101 {
		fmt.Fprintf(&actors, "  - {name: a%d, mode: mcp_server, phases: [{state: {}}]}\n", i)
	}
	if _, err := newRun(load(t, actors.String()), playOptions{}); err == nil {
		t.Error("more actors are played than may be")
	}
}

// Whatever an agent sends, the run goes on and ends.
func FuzzAgent(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"a":"x"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"pw":"{{pw}}"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"add","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := play(t, forSDK, playOptions{})
		d := s.servers["default"]
		go func() { // ends with the server
			_, _ = io.WriteString(d.in, text+"\n")
			_ = d.in.Close()
		}()
		for lines := bufio.NewReader(d.out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				break
			}
			var tree rawjson.Tree
			if err := tree.Parse(strings.TrimSuffix(line, "\n"), 0); err != nil {
				t.Errorf("no JSON went out: %v: %q", err, line)
			}
		}
		s.end()
	})
}
