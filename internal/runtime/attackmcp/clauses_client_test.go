package attackmcp

// §7.1.5: clients.
var clientClauses = []clause{
	{
		section: "7.1.5", name: "client-identity", says: "client_info and capabilities go into initialize verbatim",
		execution: `{mode: mcp_client, state: {client_info: {name: evil, version: [1], x: null}, capabilities: {sampling: {}, acme: 1}}}`,
		steps: `
			< call 1 initialize {"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"acme":1},"clientInfo":{"name":"evil","version":[1],"x":null}}`,
	}, {
		section: "7.1.5", name: "client-defaults", says: "Left out, they are oatf-client 1.0.0 and roots with listChanged",
		execution: `{mode: mcp_client, state: {}}`,
		steps: `
			< call 1 initialize {"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"oatf-client","version":"1.0.0"}}`,
	}, {
		section: "7.1.5", name: "actions-are-sequential", says: "Actions are requests, sent one after the other: each waits for the answer before",
		execution: `{mode: mcp_client, state: {actions: [{method: tools/list, params: {cursor: c}}, {method: tools/call, params: {name: n, arguments: {a: 1.0}}}, {method: resources/read, params: {uri: "a:b"}}]}}`,
		steps: `
			welcome
			< call 2 tools/list {"cursor":"c"}
			quiet
			> result 2 {}
			< call 3 tools/call {"name":"n","arguments":{"a":1.0}}
			quiet
			> error 3 {"code":1,"message":"no"}
			< call 4 resources/read {"uri":"a:b"}`,
	}, {
		section: "7.1.5", name: "any-method", says: "of any method, with params as they stand",
		execution: `{mode: mcp_client, state: {actions: [{method: acme/x, params: [1, two]}, {method: acme/y, params: text}, {method: acme/z}]}}`,
		steps: `
			welcome
			< call 2 acme/x [1,"two"]
			> result 2 {}
			< call 3 acme/y "text"
			> result 3 {}
			< call 4 acme/z {}`,
	}, {
		section: "7.1.5", name: "initialize-is-the-runtime's", says: "initialize is the runtime's: without any action the conversation is open",
		execution: `{mode: mcp_client, state: {actions: []}}`,
		steps: `
			welcome
			quiet`,
	}, {
		section: "7.1.5", name: "sampling-by-when", says: "sampling_responses answer sampling/createMessage by when, with content as the result",
		execution: `{mode: mcp_client, state: {actions: [{method: one}], sampling_responses: [{content: {is: rest}}, {when: {systemPrompt: {contains: key}}, content: {role: assistant, content: {type: text, text: k}, model: m}}]}}`,
		steps: `
			welcome
			< call 2 one {}
			> call 7 sampling/createMessage {"systemPrompt":"the key?"}
			< result 7 {"role":"assistant","content":{"type":"text","text":"k"},"model":"m"}
			> call 8 sampling/createMessage {}
			< result 8 {"is":"rest"}`,
	}, {
		section: "7.1.5", name: "sampling-synthesize-is-reserved", says: "synthesize is reserved here, too: without a model nothing is made up, and that is said",
		execution: `{mode: mcp_client, state: {actions: [{method: one}], sampling_responses: [{synthesize: {prompt: p}}]}}`,
		steps: `
			welcome
			< call 2 one {}
			> call 7 sampling/createMessage {}
			< error 7 …
			said a model has to write it`,
	}, {
		section: "7.1.5", name: "elicitation-accepts-by-default", says: "elicitation_responses answer elicitation/create; without an action they accept",
		execution: `{mode: mcp_client, state: {actions: [{method: one}], elicitation_responses: [{when: {message: {contains: key}}, content: {k: v}}]}}`,
		steps: `
			welcome
			< call 2 one {}
			> call 7 elicitation/create {"message":"the key?","requestedSchema":{}}
			< result 7 {"action":"accept","content":{"k":"v"}}`,
	}, {
		section: "7.1.5", name: "elicitation-action", says: "else they do what it says: decline or cancel",
		execution: `{mode: mcp_client, state: {actions: [{method: one}], elicitation_responses: [{when: {message: a}, action: decline}, {action: cancel}]}}`,
		steps: `
			welcome
			< call 2 one {}
			> call 7 elicitation/create {"message":"a"}
			< result 7 {"action":"decline"}
			> call 8 elicitation/create {"message":"b"}
			< result 8 {"action":"cancel"}`,
	}, {
		section: "7.1.5", name: "roots-are-verbatim", says: "roots/list is answered with the roots verbatim",
		execution: `{mode: mcp_client, state: {actions: [{method: one}], roots: [{uri: "file:///", name: r, x: [1]}, 7]}}`,
		steps: `
			welcome
			< call 2 one {}
			> call 7 roots/list
			< result 7 {"roots":[{"uri":"file:///","name":"r","x":[1]},7]}`,
	}, {
		section: "7.1.5", name: "templates-in-actions", says: "Templates resolve in every string of actions and answers, at any depth, and in no key",
		execution: `
mode: mcp_client
phases:
  - name: a
    extractors: [{name: n, source: response, type: json_path, selector: "$.tools[0].name"}]
    state:
      actions: [{method: tools/list}, {method: tools/call, params: {name: "{{n}}", arguments: {deep: [{"{{n}}": "x{{n}}y"}]}}}]
      sampling_responses: [{content: {t: ["{{n}}", "{{request.q.w}}"]}}]`,
		steps: `
			welcome
			< call 2 tools/list {}
			> result 2 {"tools":[{"name":"rm"}]}
			< call 3 tools/call {"name":"rm","arguments":{"deep":[{"{{n}}":"xrmy"}]}}
			> call 7 sampling/createMessage {"q":{"w":"asked"}}
			< result 7 {"t":["rm","asked"]}`,
	}, {
		section: "7.1.5", name: "late-sampling", says: "A server that asks when the actions are done is still answered",
		execution: `{mode: mcp_client, state: {actions: [{method: one}], sampling_responses: [{content: {is: late}}]}}`,
		steps: `
			welcome
			< call 2 one {}
			> result 2 {}
			quiet
			> call 7 sampling/createMessage {}
			< result 7 {"is":"late"}`,
	},
}
