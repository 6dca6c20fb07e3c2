package attackmcp

// §7.1.6: what a phase does first.
var entryClauses = []clause{
	{
		section: "7.1.6", name: "send-a-notification", says: "send sends a message of this method with these params verbatim",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: []}, trigger: {event: tools/list}}, {name: b, on_enter: [{send: {method: notifications/resources/updated, params: {uri: "a:b", n: 1.0}}}]}]}`,
		steps: `
			hello
			> call 1 tools/list {}
			< result 1 {"tools":[]}
			< tell notifications/resources/updated {"uri":"a:b","n":1.0}`,
	}, {
		section: "7.1.6", name: "params-of-any-shape", says: "of whatever shape",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: []}, trigger: {event: tools/list}}, {name: b, on_enter: [{send: {method: notifications/x, params: [1, {a: b}]}}]}]}`,
		steps: `
			hello
			> call 1 tools/list {}
			< result 1 {"tools":[]}
			< tell notifications/x [1,{"a":"b"}]`,
	}, {
		section: "7.1.6", name: "list-changed-pulls-the-rug", says: "A list_changed on entry has the client read the list of the new phase",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: [{name: t}]}, trigger: {event: tools/call}}, {name: b, on_enter: [{send: {method: notifications/tools/list_changed}}], state: {tools: [{name: u}]}}]}`,
		steps: `
			hello
			> call 1 tools/call {"name":"t"}
			< result 1 …
			< tell notifications/tools/list_changed
			> call 2 tools/list {}
			< result 2 {"tools":[{"name":"u"}]}`,
	}, {
		section: "7.1.6", name: "before-any-interaction", says: "Entry actions are done before anything of the client is answered in that phase",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: [{name: t}]}, trigger: {event: tools/call}}, {name: b, on_enter: [{send: {method: notifications/message, params: {n: 1}}}], state: {tools: [{name: u}]}}]}`,
		steps: `
			hello
			> call 1 tools/call {"name":"t"}
			> call 2 tools/list {}
			< result 1 …
			< tell notifications/message {"n":1}
			< result 2 {"tools":[{"name":"u"}]}
			quiet`,
	}, {
		section: "7.1.6", name: "entry-actions-in-order", says: "in the order of the document, requests and notifications mixed",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: []}, trigger: {event: tools/list}}, {name: b, on_enter: [{send: {method: notifications/a}}, {send: {method: ping}}, {send: {method: notifications/b}}, {send: {method: acme/c, params: {n: 1}}}, {send: {method: notifications/d}}]}]}`,
		steps: `
			hello
			> call 1 tools/list {}
			> call 2 prompts/list {}
			< result 1 {"tools":[]}
			< tell notifications/a
			< call 1 ping…
			< tell notifications/b
			< call 2 acme/c {"n":1}
			< tell notifications/d
			< result 2 {"prompts":[]}
			quiet`,
	}, {
		section: "7.1.6", name: "entry-of-the-first-phase", says: "also those of the first phase: they go out before the first request behind the handshake is answered",
		execution: `{mode: mcp_server, phases: [{name: a, on_enter: [{send: {method: notifications/message, params: {n: 1}}}, {send: {method: ping}}], state: {tools: []}}]}`,
		steps: `
			hello
			< tell notifications/message {"n":1}
			< call 1 ping…
			> call 1 tools/list {}
			< result 1 {"tools":[]}
			quiet`,
	}, {
		section: "7.1.6", name: "request-on-entry", says: "A request on entry is a true request, whose answer is an event",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: []}, on_enter: [{send: {method: roots/list}}], trigger: {event: roots/list, match: {roots: {exists: true}}}}, {name: b, state: {tools: [{name: t}]}}]}`,
		steps: `
			hello {"roots":{}}
			< call 1 roots/list…
			> result 1 {"roots":[]}
			> call 1 tools/list {}
			< result 1 {"tools":[{"name":"t"}]}
			quiet`,
	}, {
		section: "7.1.6", name: "standalone-requests-are-violations", says: "Standalone elicitation, sampling and roots requests break SEP-2260: they are sent, and that is said",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: []}, on_enter: [{send: {method: sampling/createMessage, params: {messages: []}}}]}]}`,
		steps: `
			hello {"sampling":{}}
			< call 1 sampling/createMessage {"messages":[]}
			said SEP-2260`,
	}, {
		section: "7.1.6", name: "conformant-elicitation", says: "A state's elicitations break nothing: they belong to the client's request",
		execution: `{mode: mcp_server, state: {tools: [{name: t}], elicitations: [{message: "?", requestedSchema: {}}]}}`,
		steps: `
			hello {"elicitation":{}}
			> call 1 tools/call {"name":"t"}
			< call 1 elicitation/create {"mode":"form","message":"?","requestedSchema":{}}
			> result 1 {"action":"cancel"}
			< result 1 …`,
	}, {
		section: "7.1.6", name: "entry-actions-of-clients", says: "A client's entry actions go out before its actions",
		execution: `{mode: mcp_client, phases: [{name: a, state: {actions: [{method: one}]}, trigger: {event: one}}, {name: b, on_enter: [{send: {method: notifications/cancelled, params: {requestId: 7}}}, {send: {method: ping}}], state: {actions: [{method: two}]}}]}`,
		steps: `
			welcome
			< call 2 one {}
			> result 2 {}
			< tell notifications/cancelled {"requestId":7}
			< call 3 ping {}
			> result 3 {}
			< call 4 two {}`,
	}, {
		section: "7.1.6", name: "templates-on-entry", says: "{{request.*}} and {{response.*}} on entry are the exchange that moved the phase on (§5.6)",
		execution: `{mode: mcp_server, phases: [{name: a, state: {tools: [{name: t, responses: [{content: {told: yes}}]}]}, trigger: {event: tools/call}}, {name: b, on_enter: [{send: {method: notifications/message, params: {asked: "{{request.arguments.a}}", told: "{{response.told}}"}}}]}]}`,
		steps: `
			hello
			> call 1 tools/call {"name":"t","arguments":{"a":"x"}}
			< result 1 {"told":"yes"}
			< tell notifications/message {"asked":"x","told":"yes"}`,
	},
}
