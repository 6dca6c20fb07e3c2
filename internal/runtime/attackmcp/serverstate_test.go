package attackmcp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf/match"
)

func TestAnswers(t *testing.T) {
	s := readServerState(parse(t, `{
		"tools": [
			{"name": "whole", "responses": [
				{"when": {"arguments.q": "err"}, "content": {"content": [], "z": 1.0, "a": 2}, "isError": true, "a": 3},
				{"content": {"content": [{"type": "text", "text": "{{request.arguments.q}} {{who}} {{nobody}}"}]}}]},
			{"name": "list", "responses": [{"content": [{"type": "text", "text": "x"}], "isError": true, "_meta": {"k": 1}}]},
			{"name": "early", "responses": [{"content": {"content": [], "n": 1}}, {"when": {"arguments.q": "late"}, "content": {"content": [], "n": 2}}]},
			{"name": "none"},
			{"name": "nomatch", "responses": [{"when": {"arguments.q": "never"}, "content": []}]},
			{"name": "bare", "responses": [{"isError": true}]},
			{"name": "odd", "responses": [{"content": "a string"}]},
			{"name": "made", "responses": [{"synthesize": {"prompt": "p"}}]},
			{"name": "made or", "responses": [{"synthesize": {"prompt": "p"}, "content": {"content": []}}]}],
		"prompts": [
			{"name": "p", "responses": [{"messages": [{"role": "user"}], "description": "d"}]},
			{"name": "empty"}],
		"resources": [
			{"uri": "a://text", "name": "t", "mimeType": "text/plain", "content": {"text": "hi {{who}}"}},
			{"uri": "a://blob", "name": "b", "content": {"blob": "AA=="}},
			{"uri": "a://own", "name": "o", "mimeType": "x/y", "content": {"uri": "b://other", "mimeType": "z/z", "text": ""}},
			{"uri": "a://list", "name": "l", "content": [{"uri": "1"}, {"uri": "2"}]},
			{"uri": "a://string", "name": "s", "content": "text"},
			{"uri": "a://none", "name": "n", "content": null},
			{"uri": "a://when", "name": "w", "responses": [{"content": {"text": "dispatched"}}]}],
		"resource_templates": [{"uriTemplate": "t://{id}/x", "name": "t", "mimeType": "m", "content": {"text": "{{request.uri}}"}}]
	}`))
	if len(s.faults) > 0 {
		t.Fatalf("faults %q", s.faults)
	}
	for _, tt := range []struct {
		name    string
		list    int
		id, req string
		want    string
	}{
		{"an object is the whole result", tools, "whole", `{"arguments":{"q":"Q"}}`, `{"content":[{"type": "text", "text": "Q eve "}]}`},
		{"what stands beside it goes out, what it has itself counts", tools, "whole", `{"arguments":{"q":"err"}}`, `{"content":[],"z":1.0,"a":2,"isError":true}`},
		{"a list is the content", tools, "list", `{}`, `{"content":[{"type": "text", "text": "x"}],"isError":true,"_meta":{"k": 1}}`},
		{"the entry without when comes last wherever it stands", tools, "early", `{"arguments":{"q":"late"}}`, `{"content":[],"n":2}`},
		{"no responses is an empty answer", tools, "none", `{}`, `{"content":[]}`},
		{"no match is an empty answer", tools, "nomatch", `{}`, `{"content":[]}`},
		{"no content is an empty one", tools, "bare", `{}`, `{"content":[],"isError":true}`},
		{"what is no list goes out as it stands", tools, "odd", `{}`, `{"content":"a string"}`},
		{"what stands beside synthesize is given instead", tools, "made or", `{}`, `{"content":[]}`},
		{"messages", prompts, "p", `{}`, `{"messages":[{"role": "user"}],"description":"d"}`},
		{"no messages", prompts, "empty", `{}`, `{"messages":[]}`},
		{"text", resources, "a://text", `{}`, `{"contents":[{"uri":"a://text","mimeType":"text/plain","text":"hi eve"}]}`},
		{"blob without a type", resources, "a://blob", `{}`, `{"contents":[{"uri":"a://blob","blob":"AA=="}]}`},
		{"a URI of its own", resources, "a://own", `{}`, `{"contents":[{"uri":"b://other","mimeType":"z/z","text":""}]}`},
		{"several contents", resources, "a://list", `{}`, `{"contents":[{"uri": "1"}, {"uri": "2"}]}`},
		{"a content that is a string", resources, "a://string", `{}`, `{"contents":[{"uri":"a://string","text":"text"}]}`},
		{"no content of a resource", resources, "a://none", `{}`, `{"contents":[]}`},
		{"responses of a resource", resources, "a://when", `{}`, `{"contents":[{"uri":"a://when","text":"dispatched"}]}`},
		{"a template", resources, "t://7/x", `{"uri":"t://7/x"}`, `{"contents":[{"uri":"t://7/x","mimeType":"m","text":"t://7/x"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := &attack.Expander{Scope: match.Scope{Captures: map[string]string{"who": "eve"}, Request: parse(t, tt.req)}}
			p := s.findItem(tt.list, tt.id, x)
			if p == nil {
				t.Fatalf("%q is not there", tt.id)
			}
			entry, err := p.chooseEntry(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := replyFrom(tt.list, p, entry, tt.id, x); err != nil || got != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestDefinitionsGoOutAsTheyStand(t *testing.T) {
	s := readServerState(parse(t, `{"tools": [{"zeta": 1.50, "name": "n", "responses": [], "_meta": {"b": 1, "a": 2}, "inputSchema": {"content": 1, "responses": 2}}, 7],
		"resources": [{"uri": "u", "content": {"text": "secret"}, "name": "r"}], "capabilities": {"tools": {}}}`))
	for l, want := range map[int]string{
		tools:     `{"zeta":1.50,"name":"n","_meta":{"b": 1, "a": 2},"inputSchema":{"content": 1, "responses": 2}} 7`,
		resources: `{"uri":"u","name":"r"}`, prompts: ``,
	} {
		items, err := s.expandItems(l, &attack.Expander{})
		if got := strings.Join(items, " "); err != nil || got != want {
			t.Errorf("list %d: %s, %v\nwant %s", l, got, err, want)
		}
	}
	if !s.hasList(tools) || !s.hasList(resources) || s.hasList(prompts) {
		t.Errorf("tools %v, resources %v, prompts %v; want the first two: declared, and there", s.hasList(tools), s.hasList(resources), s.hasList(prompts))
	}
	if all := readServerState(parse(t, `{}`)); !all.hasList(tools) || !all.hasList(prompts) || !all.hasList(resources) || !all.hasList(uriTemplates) {
		t.Error("without capabilities every list is there")
	}
}

func TestElicitations(t *testing.T) {
	s := readServerState(parse(t, `{"elicitations": [
		{"when": {"name": "a"}, "message": "who are {{request.name}}?", "requestedSchema": {"type": "object"}, "_meta": {}},
		{"when": {"name": "b"}, "mode": "url", "message": "m", "url": "https://x"},
		{"when": {"name": "c"}, "mode": "url", "message": "m", "url": "https://x", "elicitationId": "own"},
		{"when": {"name": "d"}, "message": "m", "requestedSchema": null}]}`))
	for name, want := range map[string]string{
		"a": `{"mode":"form","message":"who are a?","requestedSchema":{"type": "object"},"_meta":{}}`,
		"b": `{"mode":"url","elicitationId":"new","message":"m","url":"https://x"}`,
		"c": `{"mode":"url","message":"m","url":"https://x","elicitationId":"own"}`,
		"d": `{"mode":"form","requestedSchema":{"type":"object","properties":{}},"message":"m"}`,
		"e": ``,
	} {
		x := &attack.Expander{Scope: match.Scope{Request: parse(t, `{"name":"`+name+`"}`)}}
		got, _, err := s.elicitationFor(t.Context(), x, func() string { return "new" })
		if err != nil || got != want {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, want)
		}
	}
	for _, name := range []string{"b", "c"} { // a revision without ids
		x := &attack.Expander{Scope: match.Scope{Request: parse(t, `{"name":"`+name+`"}`)}}
		if got, _, err := s.elicitationFor(t.Context(), x, nil); err != nil || got != `{"mode":"url","message":"m","url":"https://x"}` {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestURITemplates(t *testing.T) {
	for _, tt := range []struct {
		template, uri string
		want          bool
	}{
		{"file:///{name}.txt", "file:///a.txt", true},
		{"file:///{name}.txt", "file:///a/b.txt", false},
		{"file:///{+path}.txt", "file:///a/b.txt", true},
		{"file:///{name}.txt", "file:///.txt", false},
		{"{a}-{b}/x", "p-q-r/x", true},
		{"{a}{b}", "é", true},
		{"{a}{b}", "x", false},
		{"u://{a}/{b}", "u://ä/ö", true},
		{"u://{a}/{b}", "u://1/2/3", false},
		{"plain", "plain", true},
		{"plain", "plainer", false},
		{"{a}aa", "aaa", true},
		{"{a}aa", "aa", false},
		{"x{a}", "y", false},
	} {
		u, err := parseURITemplate(tt.template)
		if err != nil || u.matchesURI(tt.uri) != tt.want {
			t.Errorf("%q matches %q: %v, want %v (%v)", tt.template, tt.uri, !tt.want, tt.want, err)
		}
	}
	for _, bad := range []string{"{a", "{}", "{?q}", "{a*}", "{a,b}", "{a{b}}"} {
		if _, err := parseURITemplate(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	// Would be quadratic or worse for one that tries again.
	u, _ := parseURITemplate(strings.Repeat("{a}a", 5000) + "b")
	if u.matchesURI(strings.Repeat("a", 1<<20)) {
		t.Error("it matches what does not end with b")
	}
}

func TestATemplateThatNothingIsReadThroughIsSaid(t *testing.T) {
	s := readServerState(parse(t, `{"resource_templates": [{"uriTemplate": "u://{?q}", "name": "q"}]}`))
	if len(s.faults) != 1 || !strings.Contains(s.faults[0], `resource template "u://{?q}"`) {
		t.Errorf("faults %q, want one of the template", s.faults)
	}
}

func TestExpansionIsBounded(t *testing.T) {
	v := parse(t, `"`+strings.Repeat("{{request.x}}", 5000)+`"`)
	x := &attack.Expander{Scope: match.Scope{Request: parse(t, `{"x":"`+strings.Repeat("y", 1<<20)+`"}`)}}
	if _, err := x.ExpandValue(v); err == nil {
		t.Error("5,000 templates of 1 MiB each were expanded")
	}
	// Nor may the many parts of one message, each of which has room.
	s := readServerState(parse(t, `{"tools":[`+strings.Repeat(`{"name":"{{request.x}}","description":"`+strings.Repeat("{{request.x}}", 10)+`"},`, 19)+`{"name":"last"}]}`))
	if _, err := s.expandItems(tools, x); err == nil {
		t.Error("20 tools of 11 MiB each were expanded")
	}
}

// Ten thousand conditions may each cost little and all of them too much.
func TestConditionsAreBounded(t *testing.T) {
	s := readServerState(parse(t, `{"tools":[{"name":"t","responses":[{"when":{"name":"t"},"content":[]}]}],
		"elicitations":[{"when":{"name":"t"},"message":"m"}]}`))
	x := &attack.Expander{Scope: match.Scope{Request: parse(t, `{"name":"t"}`)}}
	late, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	if _, err := s.findItem(tools, "t", x).chooseEntry(late, x); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an answer was chosen behind its time, with the error %v", err)
	}
	if _, _, err := s.elicitationFor(late, x, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an elicitation was chosen behind its time, with the error %v", err)
	}
}

func FuzzURITemplate(f *testing.F) {
	f.Add("file:///{a}/{+b}.x", "file:///1/2/3.x")
	f.Fuzz(func(t *testing.T, template, value string) {
		u, err := parseURITemplate(template)
		if err != nil {
			return
		}
		u.matchesURI(value)
		// What plain values make of a template is matched by it.
		uri := u.texts[0]
		for i := range u.names {
			uri += "v" + u.texts[i+1]
		}
		if !u.matchesURI(uri) {
			t.Errorf("%q does not match %q, which it made", template, uri)
		}
	})
}
