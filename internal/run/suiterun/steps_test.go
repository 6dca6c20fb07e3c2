package suiterun

import (
	"errors"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/suite"
	"gauntlet/trace"
)

// closing counts the connections that were closed.
type closing struct {
	wire.Conn
	closed *int
}

func (c closing) Close() error {
	*c.closed++
	return c.Conn.Close()
}

// opener opens servers of snapshots, which answer every call of a tool that they have in the same way, and counts.
func opener(t *testing.T, opened map[string]int, closed *int) func(string) (wire.Conn, error) {
	return func(name string) (wire.Conn, error) {
		opened[name]++
		if name == "gone" {
			return nil, errors.New("no such program")
		}
		c, err := catalog.Parse(name, `{"server":{"name":"`+name+`","version":"1"},"capabilities":{"tools":{}},"tools":[{"name":"now","inputSchema":{"type":"object"}}]}`, catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		server, err := mcpserver.New(mcpserver.FromSnapshot(c.Servers[0]), mcpserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return closing{mcpserver.ConnectInMemory(server, nil), closed}, nil
	}
}

// A call that a server refuses is a result like any other; one that cannot be made ends the steps.
func TestSteps(t *testing.T) {
	now := suite.Step{Server: "w", Tool: "now", As: "first"}
	unknown := suite.Step{Server: "w", Tool: "nothing", As: "refused"}
	for _, tt := range []struct {
		name  string
		steps []suite.Step
		want  string // of each result: its text, a refusal, or why it could not be made
	}{
		{"none", nil, ""},
		{"two calls", []suite.Step{now, now}, "text text"},
		{"a refusal goes on", []suite.Step{unknown, now}, "refused text"},
		{"a server that cannot be reached ends them", []suite.Step{now, {Server: "gone", Tool: "now"}, now}, "text gone cannot be reached: no such program"},
		{"a result that was given a name", []suite.Step{now, {Server: "v", Tool: "now", Arguments: `{"q":"{{first}}"}`}}, "text text"},
		{"a result that nobody gave", []suite.Step{now, {Server: "v", Tool: "now", Arguments: `{"q":"{{second}}"}`}, now}, `text {{second}}: no earlier step is called "second"`},
		{"the result of a refusal is none", []suite.Step{unknown, {Server: "w", Tool: "now", Arguments: `{"q":"{{refused}}"}`}}, `refused {{refused}}: the step "refused" has no result`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opened, closed := map[string]int{}, 0
			runner := stepRunner{open: opener(t, opened, &closed), options: mcpclient.Options{Version: "1"}}
			results, lists := runner.runSteps(t.Context(), tt.steps, false)
			var got []string
			for i, r := range results {
				var refused *wire.AnswerError
				switch {
				case errors.As(r.Err, &refused):
					got = append(got, "refused")
				case r.Err != nil:
					got = append(got, r.Err.Error())
				case strings.Contains(r.Result, `"content"`):
					got = append(got, "text")
				}
				if r.Step != &tt.steps[i] {
					t.Errorf("result %d is of another step", i)
				}
			}
			if line := strings.Join(got, " "); line != tt.want {
				t.Errorf("%s, want %s", line, tt.want)
			}
			connected := 0
			for name, n := range opened {
				if n != 1 {
					t.Errorf("%s was opened %d times", name, n)
				}
				if name != "gone" {
					connected++
				}
			}
			if closed != connected || len(lists) > 0 {
				t.Errorf("%d connections, %d closed; lists of %d servers were read and nobody asked", connected, closed, len(lists))
			}
		})
	}
	runner := stepRunner{open: opener(t, map[string]int{}, new(int))}
	_, lists := runner.runSteps(t.Context(), []suite.Step{now, {Server: "v", Tool: "now"}}, true)
	for _, name := range []string{"w", "v"} {
		if s := lists[name]; s == nil || !strings.Contains(string(s.Bytes()), `"now"`) {
			t.Errorf("the lists of %s: %v", name, s)
		}
	}
}

// A pattern, forbidden texts and values are judged also where an error was wanted.
func TestCheckOrder(t *testing.T) {
	yes, no := true, false
	refused := &wire.AnswerError{Message: "no table"}
	const result = `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"text","text":"one"},{"type":"resource","resource":{"text":"two"}}],"isError":false}`
	for _, tt := range []struct {
		name   string
		expect suite.Expect
		result string
		err    error
		want   string
	}{
		{"a refusal with another text", suite.Expect{Error: &yes, Contains: []string{"row"}}, "", refused, `"row" does not stand in`},
		{"a refusal that says what may not be said", suite.Expect{Error: &yes, Lacks: []string{"table"}}, "", refused, `"table" stands in`},
		{"a refusal and its pattern", suite.Expect{Error: &yes, Matches: `no \w+"$`}, "", refused, ""},
		{"a refusal where none was wanted", suite.Expect{Error: &no}, "", refused, "there is no result"},
		{"no JSON", suite.Expect{}, "x", nil, "the result cannot be read"},
		{"no error was wanted", suite.Expect{Error: &no}, result, nil, ""},
		{"a media type is no text", suite.Expect{Contains: []string{"image/png"}}, result, nil, "does not stand in"},
		{"data is", suite.Expect{Contains: []string{"AAAA", "one", "two"}}, result, nil, ""},
		{"names of members are none", suite.Expect{Lacks: []string{"resource", "isError"}}, result, nil, ""},
		{"all that is wanted", suite.Expect{Contains: []string{"one", "three"}}, result, nil, `"three" does not stand in`},
		{"the text before the value", suite.Expect{Contains: []string{"three"}, At: "/isError", Equals: "true"}, result, nil, "does not stand in"},
		{"the value", suite.Expect{Contains: []string{"one"}, At: "/isError", Equals: "true"}, result, nil, `at "/isError" is false, want true`},
		{"the whole", suite.Expect{At: "", Equals: "{}"}, "{}", nil, ""},
		{"a place in a list", suite.Expect{At: "/content/1/text", Equals: `"one"`}, result, nil, ""},
		{"a pattern over lines", suite.Expect{Matches: "AAAA\none"}, result, nil, ""},
		{"a pattern that is none", suite.Expect{Matches: "("}, result, nil, "missing closing"},
		{"a value that is none", suite.Expect{Equals: "{"}, result, nil, "unexpected"},
	} {
		got := checkExpectations(&tt.expect, tt.result, tt.err)
		if (got == "") != (tt.want == "") || tt.name != "a value that is none" && !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestArgumentsOfAStep(t *testing.T) {
	d := &stepRunner{values: map[string]string{"a": `{"content":[{"type":"text","text":"x"}],"list":["p","q"],"none":null,"name":"v"}`}}
	for args, want := range map[string]string{
		"": "{}", `{"{{a}}":1}`: `{"{{a}}":1}`, `{"q":"{{a.list.1}} and {{a.name}}"}`: `{"q":"q and v"}`, `{"q":"{{ a }}"}`: `{"q":"x"}`,
	} {
		if got, err := d.expandArguments(&suite.Step{Arguments: args}); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", args, got, err, want)
		}
	}
	for _, args := range []string{`{"q":"{{a.list.2}}"}`, `{"q":"{{a.list.-1}}"}`, `{"q":"{{a.list.x}}"}`, `{"q":"{{a.name.x}}"}`, `{`} {
		if got, err := d.expandArguments(&suite.Step{Arguments: args}); err == nil {
			t.Errorf("%s: %s, want an error", args, got)
		}
	}
}

// Only answers to calls are taken, a call that is not answered says so, and a message that cannot be read spoils no other.
func TestCallsOfATrace(t *testing.T) {
	call := func(seq int, server, tool string) trace.Message {
		return trace.Message{Seq: seq, Server: server, Direction: trace.ToServer, Kind: trace.Request, Method: "tools/call", Raw: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `"}}`}
	}
	answer := func(kind trace.Kind, to int, raw string) trace.Message {
		return trace.Message{Seq: 90 + to, Server: "w", Direction: trace.ToClient, Kind: kind, Method: "tools/call", ReplyTo: to, Raw: raw}
	}
	other := call(3, "w", "list")
	other.Method = "tools/list"
	broken := call(4, "w", "x")
	broken.Raw = "{"
	got := callsIn(&trace.Trace{Messages: []trace.Message{
		call(1, "w", "a"), call(2, "v", "b"), other, broken, call(5, "w", "c"), call(6, "w", "d"),
		answer(trace.Response, 2, `{"jsonrpc":"2.0","id":1,"result":{"n":2}}`), answer(trace.Response, 4, `{"jsonrpc":"2.0","id":1,"result":{"n":4}}`),
		answer(trace.Response, 77, `{"jsonrpc":"2.0","id":1,"result":{"n":77}}`), answer(trace.Response, 1, "{"),
		answer(trace.Error, 5, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no such tool"}}`),
	}})
	want := []struct{ name, result, err string }{{"w.a", "", "it was not answered"}, {"v.b", `{"n":2}`, ""}, {"w.c", "", "no such tool"}, {"w.d", "", "it was not answered"}}
	if len(got) != len(want) {
		t.Fatalf("%d calls: %+v", len(got), got)
	}
	for i, w := range want {
		c := got[i]
		if c.Server+"."+c.Tool != w.name || c.Result != w.result || (c.Err == nil) != (w.err == "") || c.Err != nil && !strings.Contains(c.Err.Error(), w.err) {
			t.Errorf("call %d is %+v, want %+v", i, c, w)
		}
	}
}
