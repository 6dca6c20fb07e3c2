package suiterun

import (
	"errors"
	"strings"
	"testing"

	"gauntlet/internal/runtime/wire"
	"gauntlet/suite"
	"gauntlet/trace"
)

func TestCheck(t *testing.T) {
	yes, no := true, false
	const ok, bad = `{"content":[{"type":"text","text":"three rows"}],"structuredContent":{"rows":3,"ids":[1,2.0]}}`, `{"content":[{"type":"text","text":"no such table"}],"isError":true}`
	refused := &wire.AnswerError{Method: "tools/call", Code: -32602, Message: "Unknown tool"}
	for _, tt := range []struct {
		name    string
		expect  suite.Expect
		result  string
		refused error
		want    string // a part of the complaint, "" for none
	}{
		{"nothing is expected", suite.Expect{}, ok, nil, ""},
		{"a text that is there", suite.Expect{Contains: []string{"rows", "three"}}, ok, nil, ""},
		{"a text that is not", suite.Expect{Contains: []string{"four"}}, ok, nil, `"four" does not stand in`},
		{"the word for a block is no text of it", suite.Expect{Contains: []string{"text"}}, ok, nil, `"text" does not stand in`},
		{"a text that may not be there", suite.Expect{Lacks: []string{"three"}}, ok, nil, `"three" stands in`},
		{"a pattern", suite.Expect{Matches: `^three \w+`}, ok, nil, ""},
		{"a pattern that does not match", suite.Expect{Matches: `^\d+ rows`}, ok, nil, "does not match"},
		{"a value", suite.Expect{At: "/structuredContent/rows", Equals: "3.0"}, ok, nil, ""},
		{"another value", suite.Expect{At: "/structuredContent/ids", Equals: "[1,3]"}, ok, nil, `at "/structuredContent/ids" is [1,2.0], want [1,3]`},
		{"a place that is not there", suite.Expect{At: "/structuredContent/id", Equals: "1"}, ok, nil, "nothing stands at"},
		{"an error that is wanted", suite.Expect{Error: &yes, Contains: []string{"table"}}, bad, nil, ""},
		{"an error that is not", suite.Expect{Error: &no}, bad, nil, "the result is an error: no such table"},
		{"no error where one is wanted", suite.Expect{Error: &yes}, ok, nil, "the result is no error"},
		{"a refusal counts as an error", suite.Expect{Error: &yes, Contains: []string{"Unknown tool"}}, "", refused, ""},
		{"a refusal is no result", suite.Expect{Contains: []string{"rows"}}, "", refused, "there is no result"},
		{"silence is no error", suite.Expect{Error: &yes}, "", errors.New("the server has gone"), "there is no result"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := checkExpectations(&tt.expect, tt.result, tt.refused)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestValue(t *testing.T) {
	d := &stepRunner{values: map[string]string{
		"page":  `{"content":[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two"}],"structuredContent":{"a":[{"b":"deep"}],"n":1.50}}`,
		"empty": "",
	}}
	for ref, want := range map[string]string{
		"page": "one\ntwo", "page.content.0.text": "one", "page.structuredContent.a.0.b": "deep",
		"page.structuredContent.n": "1.50", "page.structuredContent.a": `[{"b":"deep"}]`,
	} {
		if got, err := d.resolveReference(ref); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", ref, got, err, want)
		}
	}
	for _, ref := range []string{"other", "page.nothing", "page.content.7", "empty"} {
		if got, err := d.resolveReference(ref); err == nil {
			t.Errorf("%s is %q, want an error", ref, got)
		}
	}
}

// What a result says between braces is text and refers to nothing.
func TestArguments(t *testing.T) {
	d := &stepRunner{values: map[string]string{"page": `{"content":[{"type":"text","text":"{{secret}} \"quoted\""}]}`, "secret": `{"content":[{"type":"text","text":"s3"}]}`}}
	got, err := d.expandArguments(&suite.Step{Arguments: `{"q":"about {{ page }}","n":1.0,"deep":[{"x":"\\{{page}}"}]}`})
	if want := `{"q":"about {{secret}} \"quoted\"","n":1.0,"deep":[{"x":"{{page}}"}]}`; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if _, err := d.expandArguments(&suite.Step{Arguments: `{"q":"{{nobody}}"}`}); err == nil {
		t.Error("a reference to nothing is no error")
	}
}

func TestCalls(t *testing.T) {
	tr := &trace.Trace{}
	r := trace.NewRecorder(func(m *trace.Message) error {
		tr.Messages = append(tr.Messages, *m)
		return nil
	}, trace.RecorderOptions{})
	for _, m := range []trace.Message{
		{Server: "a", Direction: trace.ToServer, Kind: trace.Request, ID: "1", Method: "tools/call", Raw: `{"params":{"name":"x"}}`},
		{Server: "b", Direction: trace.ToServer, Kind: trace.Request, ID: "1", Method: "tools/call", Raw: `{"params":{"name":"x"}}`},
		{Server: "b", Direction: trace.ToClient, Kind: trace.Error, ID: "1", Raw: `{"error":{"message":"no"}}`},
		{Server: "a", Direction: trace.ToClient, Kind: trace.Response, ID: "1", Raw: `{"result":{"content":[]}}`},
		{Server: "a", Direction: trace.ToServer, Kind: trace.Request, ID: "2", Method: "tools/call", Raw: `{"params":{"name":"x"}}`},
	} {
		if _, err := r.Record(m); err != nil {
			t.Fatal(err)
		}
	}
	calls := callsIn(tr)
	mine := ofSteps(calls, &suite.Expect{Call: "a.x"})
	if len(calls) != 3 || len(mine) != 2 || mine[0].Result != `{"content":[]}` || mine[1].Err == nil {
		t.Errorf("calls %+v, of them a.x %+v", calls, mine)
	}
	if other := ofSteps(calls, &suite.Expect{Call: "b.x"}); len(other) != 1 || !strings.Contains(other[0].Err.Error(), "no") {
		t.Errorf("b.x %+v", other)
	}
}
