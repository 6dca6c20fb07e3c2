package mock

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a list of tools", "- {name: add, result: \"3\"}",
			`"tools":[{"name":"add","inputSchema":{"type":"object"},"responses":[{"content":{"content":[{"type":"text","text":"3"}]}}]}]`},
		{"a server", "name: calc\nversion: '2'\ninstructions: Be {{brief}}.\ntools:\n  - {name: add, error: too big}",
			`"server_info":{"name":"calc","version":"2"},"instructions":"Be \\{{brief}}.","tools":[{"name":"add","inputSchema":{"type":"object"},"responses":[{"content":{"content":[{"type":"text","text":"too big"}],"isError":true}}]}],"capabilities":{"tools":{}}`},
		{"a structured result", "- {name: add, input_schema: {type: object, x: 1.50}, result: {sum: 3}}",
			`{"name":"add","inputSchema":{"type":"object","x":1.50},"responses":[{"content":{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}}]}`},
		{"a whole result", "- {name: add, result: {content: [], structuredContent: {n: 1}}}",
			`"responses":[{"content":{"content":[],"structuredContent":{"n":1}}}]`},
		{"what else a definition says", "- {name: add, annotations: {readOnlyHint: true}, responses: [{when: {arguments.a: 1}, content: {content: []}}]}",
			`{"name":"add","annotations":{"readOnlyHint":true},"responses":[{"when":{"arguments.a":1},"content":{"content":[]}}],"inputSchema":{"type":"object"}}`},
		{"resources", "resources: [{uri: 'doc://a', name: a, content: {text: hi}}]\nresource_templates: [{uriTemplate: 'doc://{x}', name: x}]",
			`"resources":[{"uri":"doc://a","name":"a","content":{"text":"hi"}}],"resource_templates":[{"uriTemplate":"doc://{x}","name":"x"}],"capabilities":{"resources":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, fault := Parse("dir/calc.yml", tt.text)
			if fault != nil {
				t.Fatalf("%+v", fault)
			}
			if got := doc.Attack.Execution.Actors[0].Phases[0].State.Raw(); !strings.Contains(got, tt.want) {
				t.Errorf("state\n%s, want\n%s", got, tt.want)
			}
		})
	}
	doc, fault := Parse(`C:\servers\web.yml`, "- {name: add}")
	if fault != nil || !strings.Contains(doc.Attack.Execution.Actors[0].Phases[0].State.Raw(), `"name":"web"`) {
		t.Errorf("a server without a name is not called after its file: %+v", fault)
	}
}

func TestParseFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "# only a comment", "the file is empty"},
		{"no definitions", "name: a", "no tools, prompts or resources"},
		{"an unknown key", "name: a\ntool: []", `"tool"`},
		{"tools that are no list", "tools: {name: a}", "tools is a list"},
		{"a tool that is no mapping", "- add", "is a mapping with a name"},
		{"a tool without a name", "- {description: a}", "has a name"},
		{"a result and an error", "- {name: a, result: x, error: y}", "either a result or an error"},
		{"a misspelled response", "- {name: a, response: x}", "did you mean responses?"},
		{"a misspelled schema", "- {name: a, inputschema: {}}", "did you mean inputSchema?"},
		{"a result and responses", "- {name: a, result: x, responses: []}", "either responses or"},
		{"an anchor", "- &a {name: a}\n- *a", ""},
		{"a condition that cannot be used", "- {name: a, responses: [{when: {'a[0]': 1}, content: {}}]}", "when"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, fault := Parse("a.yml", tt.text)
			if fault == nil {
				t.Fatalf("no fault, and %s", doc.Attack.Execution.Actors[0].Phases[0].State.Raw())
			}
			if !strings.Contains(fault.Msg, tt.want) {
				t.Errorf("%q, want %q in it", fault.Msg, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("- {name: add, result: {sum: 3}}")
	f.Add("name: a\ntools: [{name: b, error: c}]\nresources: [{uri: x, name: y, content: {text: z}}]")
	f.Fuzz(func(t *testing.T, text string) {
		doc, fault := Parse("a.yml", text)
		if (doc == nil) == (fault == nil) {
			t.Errorf("document %v, fault %v", doc, fault)
		}
	})
}
