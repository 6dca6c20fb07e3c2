package vet

import (
	"fmt"
	"strings"
)

// A tool of a server in a test: its definition, and what it does, in the language of the server.
type tool struct{ name, description, parameter, body string }

func (t tool) definition() string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{%q:{"type":"string"}},"required":[%q]}}`, t.name, t.description, t.parameter, t.parameter)
}

func definitions(tools []tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.definition())
	}
	return "[" + strings.Join(out, ",") + "]"
}

// echo is an honest tool.
var echo = tool{"echo", "Returns the text that it is given.", "text", `return args.text`}

// nodeServer is an MCP server in JavaScript without dependencies. head runs first.
func nodeServer(head string, tools ...tool) string {
	calls := ""
	for _, t := range tools {
		calls += fmt.Sprintf("  if (name === %q) { %s }\n", t.name, t.body)
	}
	return `#!/usr/bin/env node
` + head + `
const tools = ` + definitions(tools) + `;
const send = m => process.stdout.write(JSON.stringify(m) + '\n');
function call(name, args) {
` + calls + `  throw new Error('unknown tool');
}
require('readline').createInterface({input: process.stdin}).on('line', line => {
  let q;
  try { q = JSON.parse(line); } catch { return send({jsonrpc: '2.0', id: null, error: {code: -32700, message: 'no JSON'}}); }
  if (!q || q.id === undefined) return;
  const ok = result => send({jsonrpc: '2.0', id: q.id, result});
  if (q.method === 'initialize') return ok({protocolVersion: q.params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 'fixture', version: '1.0.0'}});
  if (q.method === 'tools/list') return ok({tools});
  if (q.method !== 'tools/call') return send({jsonrpc: '2.0', id: q.id, error: {code: -32601, message: 'unknown method'}});
  try { ok({content: [{type: 'text', text: String(call(q.params.name, q.params.arguments || {}))}]}); }
  catch (e) { ok({isError: true, content: [{type: 'text', text: String(e.message)}]}); }
});
`
}

// pythonServer is an MCP server in Python without dependencies: the module with a function main.
func pythonServer(head string, tools ...tool) string {
	return head + `
import json, sys
TOOLS = json.loads(r'''` + definitions(tools) + `''')
def main():
    for line in sys.stdin:
        q = json.loads(line)
        if "id" not in q:
            continue
        a = {"jsonrpc": "2.0", "id": q["id"]}
        if q["method"] == "initialize":
            a["result"] = {"protocolVersion": q["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "fixture", "version": "1.0.0"}}
        elif q["method"] == "tools/list":
            a["result"] = {"tools": TOOLS}
        elif q["method"] == "tools/call":
            a["result"] = {"content": [{"type": "text", "text": str(q["params"].get("arguments"))}]}
        else:
            a["error"] = {"code": -32601, "message": "unknown method"}
        print(json.dumps(a), flush=True)
`
}

// goServer is an MCP server in Go without dependencies.
func goServer(tools ...tool) string {
	return `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

const tools = ` + "`" + definitions(tools) + "`" + `

func main() {
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		var q struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if json.Unmarshal(s.Bytes(), &q) != nil || q.ID == nil {
			continue
		}
		answer := ` + "`\"error\":{\"code\":-32601,\"message\":\"unknown method\"}`" + `
		switch q.Method {
		case "initialize":
			answer = fmt.Sprintf(` + "`\"result\":{\"protocolVersion\":%q,\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"fixture\",\"version\":\"1.0.0\"}}`" + `, q.Params.ProtocolVersion)
		case "tools/list":
			answer = ` + "`\"result\":{\"tools\":`+tools+`}`" + `
		case "tools/call":
			answer = ` + "`\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}`" + `
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", q.ID, answer)
	}
}
`
}
