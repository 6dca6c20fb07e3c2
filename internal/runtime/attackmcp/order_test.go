package attackmcp

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gauntlet/internal/runtime/attack"
)

// A client that waits for nothing acts on what the server says at once, be it a notification or a
// request.
func TestIdleClientActsAtOnce(t *testing.T) {
	for event, line := range map[string]string{
		"notifications/message":  `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`,
		"sampling/createMessage": `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`,
	} {
		t.Run(event, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, v := attackOn(t, `
mode: mcp_client
phases:
  - {name: a, state: {actions: [{method: one}]}, trigger: {event: `+event+`, after: 60s}}
  - {name: b, on_enter: [{send: {method: notifications/b, params: {level: "{{request.level}}"}}}], state: {actions: [{method: two}]}}`, playOptions{})
				v.welcome(``)
				v.answer(v.want("one", "{}"), `{}`)
				<-time.After(5 * time.Second)
				start := time.Now()
				v.say("%s", line)
				level := ""
				if event == "sampling/createMessage" {
					if m := v.next(); m.ID != "7" || m.Result == "" {
						t.Errorf("the request was answered with %s", m.Raw)
					}
				} else {
					level = "info"
				}
				v.want("notifications/b", `{"level":"`+level+`"}`)
				v.answer(v.want("two", "{}"), `{}`)
				if took := time.Since(start); took != 0 {
					t.Errorf("the next phase began %s behind the event", took)
				}
			})
		})
	}
}

// What a phase says first goes out in the order of the document, requests and notifications mixed, and
// before anything is answered that belongs to that phase.
func TestEntryActionsKeepTheirOrder(t *testing.T) {
	var sends, want []string
	for i := range 6 {
		method := []string{"notifications/tools/list_changed", "ping"}[i%2]
		sends = append(sends, fmt.Sprintf(`{send: {method: %s, params: {n: %d}}}`, method, i))
		want = append(want, fmt.Sprintf(`%s {"n":%d}`, method, i))
	}
	execution := `
mode: mcp_server
phases:
  - name: a
    state: {tools: [{name: t, responses: [{content: {content: []}}]}]}
    trigger: {event: tools/call}
  - name: b
    on_enter: [` + strings.Join(sends, ", ") + `]
    state: {tools: [{name: u}]}`
	for range 50 {
		s := play(t, execution, playOptions{})
		d := s.servers["default"]
		d.hello("{}")
		go d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		d.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		for _, w := range want {
			line := d.next()
			if method, params, _ := strings.Cut(w, " "); !strings.Contains(line, `"method":"`+method+`","params":`+params) {
				t.Fatalf("got %s, want %s", line, w)
			}
		}
		d.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"u"}]}}`)
		s.end()
	}
}

// The first phase, too, says what it has to say before it answers.
func TestFirstPhaseSpeaksFirst(t *testing.T) {
	s := play(t, `
mode: mcp_server
phases: [{name: a, on_enter: [{send: {method: notifications/message, params: {n: 1}}}, {send: {method: ping}}], state: {tools: []}}]`, playOptions{})
	d := s.servers["default"]
	d.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	d.next()
	d.request("tools/list", "{}") // without notifications/initialized, as careless clients do
	for _, want := range []string{`"method":"notifications/message"`, `"method":"ping"`, `"result":{"tools":[]}`} {
		if line := d.next(); !strings.Contains(line, want) {
			t.Errorf("got %s, want %s", line, want)
		}
	}
}

// What a document gives as params, and as the answer of its model, goes out as it stands, whatever it is.
func TestVerbatim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, v := attackOn(t, `
mode: mcp_client
phases:
  - name: a
    on_enter: [{send: {method: notifications/x, params: [1, {a: 2}]}}]
    state:
      actions: [{method: one, params: [1, two]}, {method: two, params: text}, {method: three, params: 3}, {method: four}]
      sampling_responses: [{when: {n: 1}, content: just text}, {when: {n: 2}, content: [1]}, {when: {n: 3}, content: {type: text, text: bare}}, {content: {model: x}}]`, playOptions{})
		v.welcome(``)
		v.want("notifications/x", `[1,{"a":2}]`)
		v.answer(v.want("one", `[1,"two"]`), `{}`)
		v.answer(v.want("two", `"text"`), `{}`)
		v.answer(v.want("three", `3`), `{}`)
		id := v.want("four", `{}`)
		for n, want := range map[int]string{1: `"just text"`, 2: `[1]`, 3: `{"type":"text","text":"bare"}`, 4: `{"model":"x"}`} {
			v.say(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"n":%d}}`, n)
			if m := v.next(); m.Result != want {
				t.Errorf("sampling %d: %s, want %s", n, m.Result, want)
			}
		}
		v.answer(id, `{}`)
	})
}

// {{request.*}} and {{response.*}} are the exchange that a template belongs to.
func TestTemplatesOfAnExchange(t *testing.T) {
	t.Run("of a client", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, v := attackOn(t, `
mode: mcp_client
phases:
  - name: a
    state: {actions: [{method: one, params: {x: asked}}, {method: two, params: {then: "{{response.y}} {{request.x}}"}}]}
    trigger: {event: two}
  - name: b
    on_enter: [{send: {method: notifications/b, params: {r: "{{request.then}}", s: "{{response.z}}"}}}]
    state: {actions: []}`, playOptions{})
			v.welcome(``)
			v.answer(v.want("one", `{"x":"asked"}`), `{"y":"told"}`)
			v.answer(v.want("two", `{"then":"told asked"}`), `{"z":"end"}`)
			v.want("notifications/b", `{"r":"told asked","s":"end"}`)
		})
	})
	t.Run("of a server", func(t *testing.T) {
		s := play(t, `
mode: mcp_server
phases:
  - name: a
    state: {tools: [{name: t, responses: [{content: {content: [], structuredContent: {id: "{{request.arguments.id}}", same: "{{response.structuredContent.fixed}}", fixed: f}}}]}]}
    trigger: {event: tools/call}
  - name: b
    on_enter: [{send: {method: notifications/message, params: {asked: "{{request.arguments.id}}", told: "{{response.structuredContent.same}}"}}}]
    state: {tools: []}`, playOptions{})
		d := s.servers["default"]
		d.hello("{}")
		if got := d.ask("tools/call", `{"name":"t","arguments":{"id":"7"}}`); !strings.Contains(got, `{"id":"7","same":"f","fixed":"f"}`) {
			t.Errorf("the call was answered with %s", got)
		}
		d.want(`{"jsonrpc":"2.0","method":"notifications/message","params":{"asked":"7","told":"f"}}`)
	})
}

// What opens a client's conversation is an event, and extractors see both sides of it.
func TestInitializeIsAnEventOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v := attackOn(t, `
mode: mcp_client
phases:
  - name: a
    state: {client_info: {name: evil, version: "9"}, actions: [{method: never/sent}]}
    extractors:
      - {name: who, source: response, type: json_path, selector: "$.serverInfo.name"}
      - {name: own, source: request, type: json_path, selector: "$.clientInfo.name"}
    trigger: {event: initialize, match: {serverInfo.name: v}}
  - {name: b, state: {actions: [{method: two, params: {who: "{{who}}", own: "{{own}}"}}]}}`, playOptions{})
		v.welcome(``)
		v.answer(v.want("two", `{"who":"v","own":"evil"}`), `{}`)
		sum := <-s.done
		s.done <- sum
		if len(sum.Actors[0].Phases) != 2 {
			t.Errorf("phases %v", sum.Actors[0].Phases)
		}
	})
}

// Behind the last phase, too, calls are answered, each once, and a late question of a server is.
func TestTheLastPhaseEndsByTheDocument(t *testing.T) {
	t.Run("pipelined calls", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := play(t, `
mode: mcp_server
phases: [{name: a, state: {tools: [{name: t, responses: [{content: {content: []}}]}]}, trigger: {event: tools/call}}]`, playOptions{})
			d := s.servers["default"]
			d.hello("{}")
			const calls = 20
			go func() { // ends with the last line, which is read below
				for n := range calls {
					d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t"}}`, n+1))
				}
			}()
			for n := range calls {
				d.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, n+1))
			}
		})
	})
	t.Run("a late question", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, v := attackOn(t, `
mode: mcp_client
state: {actions: [{method: one}]}`, playOptions{})
			v.welcome(``)
			v.answer(v.want("one", "{}"), `{}`)
			<-time.After(attack.DefaultGrace / 2)
			v.say(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`)
			if m := v.next(); m.Result == "" {
				t.Errorf("got %s", m.Raw)
			}
			sum := <-s.done
			s.done <- sum
			if sum.Ended != attack.EndedThrough {
				t.Errorf("it ended: %s", sum.Ended)
			}
		})
	})
}
