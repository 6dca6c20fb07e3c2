package attackmcp

import (
	"context"
	"gauntlet/rawjson"
	"strings"
	"testing"
	"testing/synctest"

	"gauntlet/internal/runtime/attack"
)

// writes is a model that writes what it is told.
type writes func(attack.Synthesis) string

func (w writes) Synthesize(_ context.Context, s attack.Synthesis) (string, error) { return w(s), nil }

// What a model writes for a server goes out if it is an answer of the protocol, with what the document has beside; else nothing of it does, and the run
// says that it said less than the document wants.
func TestSynthesizedAnswers(t *testing.T) {
	const text = `{"type":"text","text":"{{no template}}"}`
	for _, tt := range []struct{ name, method, params, written, want string }{
		{"text", "tools/call", `{"name":"plain"}`, `{"content":[` + text + `]}`, `{"content":[` + text + `],"isError":true}`},
		{"between fences", "tools/call", `{"name":"plain"}`, "```json\n" + `{"content":[` + text + `]}` + "\n```", `{"content":[` + text + `],"isError":true}`},
		{"an image", "tools/call", `{"name":"plain"}`, `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":true}`},
		{"a link", "tools/call", `{"name":"plain"}`, `{"content":[{"type":"resource_link","uri":"a://b","name":"n"}]}`, `{"content":[{"type":"resource_link","uri":"a://b","name":"n"}],"isError":true}`},
		{"an image that is no base64", "tools/call", `{"name":"plain"}`, `{"content":[{"type":"image","data":"!","mimeType":"image/png"}]}`, ""},
		{"a kind that nobody knows", "tools/call", `{"name":"plain"}`, `{"content":[{"type":"video","text":"x"}]}`, ""},
		{"text without text", "tools/call", `{"name":"plain"}`, `{"content":[{"type":"text"}]}`, ""},
		{"nothing", "tools/call", `{"name":"plain"}`, `{"content":[]}`, ""},
		{"members of the envelope", "tools/call", `{"name":"plain"}`, `{"content":[` + text + `],"id":7}`, ""},
		{"prose", "tools/call", `{"name":"plain"}`, `Certainly! Here is it:`, ""},
		{"more than is sent", "tools/call", `{"name":"plain"}`, `{"content":[{"type":"text","text":"` + strings.Repeat("x", 300_000) + `"}]}`, ""},
		{"structure", "tools/call", `{"name":"typed"}`, `{"content":[` + text + `],"structuredContent":{"n":1}}`, `{"content":[` + text + `],"structuredContent":{"n":1}}`},
		{"structure of another type", "tools/call", `{"name":"typed"}`, `{"content":[` + text + `],"structuredContent":{"n":"1"}}`, ""},
		{"no structure", "tools/call", `{"name":"typed"}`, `{"content":[` + text + `]}`, ""},
		{"a schema with references", "tools/call", `{"name":"refers"}`, `{"content":[` + text + `],"structuredContent":{}}`, ""},
		{"a schema that is none", "tools/call", `{"name":"broken"}`, `{"content":[` + text + `],"structuredContent":{}}`, ""},
		{"a prompt", "prompts/get", `{"name":"p"}`, `{"messages":[{"role":"user","content":` + text + `}]}`, `{"messages":[{"role":"user","content":` + text + `}],"description":"d"}`},
		{"a prompt of the system", "prompts/get", `{"name":"p"}`, `{"messages":[{"role":"system","content":` + text + `}]}`, ""},
		{"a resource", "resources/read", `{"uri":"r://r"}`, `{"contents":[{"uri":"r://r","text":"t"}]}`, `{"contents":[{"uri":"r://r","text":"t"}]}`},
		{"a resource of neither kind", "resources/read", `{"uri":"r://r"}`, `{"contents":[{"uri":"r://r"}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked attack.Synthesis
				s := play(t, `
mode: mcp_server
state:
  tools:
    - {name: plain, responses: [{synthesize: {prompt: "for {{request.name}}"}, isError: true}]}
    - {name: typed, outputSchema: {type: object, properties: {n: {type: integer}}}, responses: [{synthesize: {prompt: p}}]}
    - {name: refers, outputSchema: {type: object, properties: {n: {$ref: "#/x"}}}, responses: [{synthesize: {prompt: p}}]}
    - {name: broken, outputSchema: {type: 7}, responses: [{synthesize: {prompt: p}}]}
  prompts: [{name: p, responses: [{synthesize: {prompt: p}, description: d}]}]
  resources: [{uri: "r://r", name: r, responses: [{synthesize: {prompt: p}}]}]
`, playOptions{Synthesizer: writes(func(s attack.Synthesis) string { asked = s; return tt.written })})
				d := s.servers["default"]
				d.hello(`{}`)
				got := d.ask(tt.method, tt.params)
				if tt.want != "" && got != d.result(tt.want) || tt.want == "" && !strings.Contains(got, "-32603") {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
				if strings.Contains(tt.params, "plain") && (asked.Prompt != "for plain" || !strings.Contains(asked.About, `"definition":{"name":"plain"}`)) {
					t.Errorf("asked %+v", asked)
				}
				sum := s.end()
				if events := s.messages(attack.SynthesisEvent); (sum.Unwritten == "") != (tt.want != "") || len(events) == 1 != (tt.want != "") {
					t.Errorf("%q, events %+v", sum.Unwritten, events)
				}
				if tt.want == "" {
					s.wantNotice(attack.Synthesized, "what the model wrote is not sent: ")
				}
			})
		})
	}
}

// A client of a document answers in the same way what a server asks it.
func TestSynthesizedClientAnswers(t *testing.T) {
	const sample = `{"role":"assistant","content":{"type":"text","text":"t"},"model":"m"}`
	const asks = `{"message":"m","requestedSchema":{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}}`
	for _, tt := range []struct{ name, method, params, written, want string }{
		{"a sample", "sampling/createMessage", `{}`, sample, sample},
		{"a sample of the user's", "sampling/createMessage", `{}`, strings.Replace(sample, "assistant", "user", 1), ""},
		{"a form", "elicitation/create", asks, `{"content":{"age":7}}`, `{"action":"accept","content":{"age":7}}`},
		{"a form with another type", "elicitation/create", asks, `{"content":{"age":"7"}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, v := attackOn(t, `
mode: mcp_client
state:
  actions: [{method: tools/list}]
  sampling_responses: [{synthesize: {prompt: p}}]
  elicitation_responses: [{synthesize: {prompt: p}}]`, playOptions{Synthesizer: writes(func(attack.Synthesis) string { return tt.written })})
				v.welcome("")
				v.want("tools/list", "{}")
				v.say(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, tt.method, tt.params)
				if m := v.next(); m.Result != tt.want || tt.want == "" && m.Error == "" {
					t.Errorf("%s, want %s", m.Raw, tt.want)
				}
				if sum := s.end(); (sum.Unwritten == "") != (tt.want != "") {
					t.Errorf("%q", sum.Unwritten)
				}
			})
		})
	}
}

// Whatever a model writes, what an agent gets is an answer to its call: one that fits the form, or an error.
func FuzzSynthesized(f *testing.F) {
	for _, s := range []string{`{"content":[{"type":"text","text":"x"}]}`, `{"content":[{"type":"text","text":"x"}],"structuredContent":{"n":1}}`, "```\n{}", `[`, `{"content":{}}`, "\x00", `{"content":[{"type":"resource","resource":{"uri":"","text":""}}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, written string) {
		s := play(t, `
mode: mcp_server
state: {tools: [{name: a, responses: [{synthesize: {prompt: p}}]}]}`, playOptions{Synthesizer: writes(func(attack.Synthesis) string { return written })})
		d := s.servers["default"]
		d.hello(`{}`)
		got := rawjson.Read(d.ask("tools/call", `{"name":"a"}`))
		if items := got.Get("result").Get("content"); items.Len() == 0 && !got.Get("error").Exists() {
			t.Errorf("%q became %s", written, got.Raw())
		} else if sum := s.end(); (sum.Unwritten == "") != (items.Len() > 0) {
			t.Errorf("%q: %s and %q", written, got.Raw(), sum.Unwritten)
		}
	})
}
