// Package mock reads files that describe a well-behaved MCP server: its tools with what they
// answer. A mock is played by the runtime of attack documents, with a document of one phase
// and no ill will, so that answers may depend on requests by the same templates and
// conditions.
package mock

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/leaf/yamltext"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// MaxBytes is the longest file.
const MaxBytes = 4 << 20

// lists are the members of a file that hold definitions, with the capability for each.
var lists = []struct{ key, capability string }{
	{"tools", "tools"}, {"prompts", "prompts"}, {"resources", "resources"}, {"resource_templates", "resources"},
}

// keys are the members of a file.
var keys = []string{"name", "version", "instructions", "tools", "prompts", "resources", "resource_templates"}

// listKeys are members of the answer to tools/list that say nothing about the server.
var listKeys = []string{"nextCursor", "_meta", "resultType", "ttlMs", "cacheScope"}

// unwrap returns what a file is about: the member mock_server of one in the form of mcptest, or
// the result of a JSON-RPC response.
func unwrap(root *yaml.Node) *yaml.Node {
	if root.Kind != yaml.MappingNode {
		return root
	}
	members := map[string]*yaml.Node{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		members[root.Content[i].Value] = root.Content[i+1]
	}
	switch {
	case len(members) == 1 && members["mock_server"] != nil:
		return members["mock_server"]
	case members["jsonrpc"] != nil && members["result"] != nil:
		return members["result"]
	}
	return root
}

// Parse reads a file: a mapping, under mock_server or by itself, the list of its tools alone, or
// the answer to tools/list. It returns the document that
// plays the server, or what is wrong.
func Parse(file, text string) (*oatf.Document, *yamltext.Fault) {
	root, err := yamltext.Document(text, "a mock", MaxBytes)
	switch {
	case err != nil:
		return nil, yamltext.Placed(err)
	case root == nil:
		return nil, &yamltext.Fault{Msg: "the file is empty: want a list of tools, or a mapping with tools"}
	}
	root = unwrap(root)
	members := map[string]*yaml.Node{"tools": root}
	if root.Kind != yaml.SequenceNode {
		var fault *yamltext.Fault
		if members, fault = yamltext.Members(root, slices.Concat(keys, listKeys)...); fault != nil {
			return nil, fault
		}
	}
	state, fault := stateOf(strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), path.Ext(file)), members)
	if fault != nil {
		return nil, fault
	}
	tree := new(rawjson.Tree)
	if err := tree.Parse(state, 0); err != nil {
		return nil, &yamltext.Fault{Msg: err.Error()}
	}
	doc := oatf.Normalize(&oatf.Document{OATF: oatf.Version, Attack: oatf.Attack{
		Name: "mock", Execution: oatf.Execution{Mode: "mcp_server", State: tree.Root()},
	}})
	if r := oatf.Validate(doc); len(r.Errors) > 0 {
		return nil, &yamltext.Fault{Msg: r.Errors[0].Path + ": " + r.Errors[0].Message}
	}
	return doc, nil
}

// stateOf makes the state of a server of the members of a file.
func stateOf(name string, members map[string]*yaml.Node) (string, *yamltext.Fault) {
	version := "1.0.0"
	for key, to := range map[string]*string{"name": &name, "version": &version} {
		if n := members[key]; n != nil {
			s, fault := yamltext.Scalar(key, n)
			if fault != nil {
				return "", fault
			}
			*to = s
		}
	}
	parts := []string{`"server_info":{"name":` + rawjson.Quote(escapeTemplates(name)) + `,"version":` + rawjson.Quote(escapeTemplates(version)) + `}`}
	if n := members["instructions"]; n != nil {
		s, fault := yamltext.Scalar("instructions", n)
		if fault != nil {
			return "", fault
		}
		parts = append(parts, `"instructions":`+rawjson.Quote(escapeTemplates(s)))
	}
	var capabilities []string
	for _, l := range lists {
		n := members[l.key]
		if n == nil {
			continue
		}
		items, fault := itemsOf(l.key, n)
		if fault != nil {
			return "", fault
		}
		parts = append(parts, rawjson.Quote(l.key)+":["+strings.Join(items, ",")+"]")
		if c := rawjson.Quote(l.capability) + ":{}"; !slices.Contains(capabilities, c) {
			capabilities = append(capabilities, c)
		}
	}
	if capabilities == nil {
		return "", &yamltext.Fault{Msg: "the file has no tools, prompts or resources"}
	}
	parts = append(parts, `"capabilities":{`+strings.Join(capabilities, ",")+`}`)
	return "{" + strings.Join(parts, ",") + "}", nil
}

// escapeTemplates keeps what is no template from being taken for one.
func escapeTemplates(s string) string { return strings.ReplaceAll(s, "{{", `\{{`) }

func itemsOf(list string, n *yaml.Node) ([]string, *yamltext.Fault) {
	if n.Kind != yaml.SequenceNode {
		return nil, yamltext.Wrong(n, "%s is a list", list)
	}
	var out []string
	for _, item := range n.Content {
		text, fault := itemOf(list, item)
		if fault != nil {
			return nil, fault
		}
		out = append(out, text)
	}
	return out, nil
}

// shorthands are members of a tool that stand for its responses.
var shorthands = []string{"result", "error"}

// toolMembers are the members of a tool: MCP's, and those that say what it answers. Others go out
// as they stand, since definitions carry members of their makers.
var toolMembers = []string{
	"name", "title", "description", "inputSchema", "input_schema", "outputSchema", "annotations", "icons", "execution", "_meta",
	"result", "error", "responses",
}

// misspelled returns the member of a tool that a key is most likely meant to be, "" for none. An
// answer under a key that nobody reads would go out as part of the definition, and the tool
// would answer with nothing.
func misspelled(key string) string {
	if slices.Contains(toolMembers, key) || strings.HasPrefix(key, "x-") {
		return ""
	}
	if near := suggest.Names(key, toolMembers); len(near) > 0 {
		return near[0]
	}
	return ""
}

// itemOf writes one definition: what it says goes out as it stands, save result and error.
func itemOf(list string, n *yaml.Node) (string, *yamltext.Fault) {
	if n.Kind != yaml.MappingNode {
		return "", yamltext.Wrong(n, "an entry of %s is a mapping with a name", list)
	}
	var parts []string
	var responses string
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		seen[key] = true
		if meant := misspelled(key); list == "tools" && meant != "" {
			return "", yamltext.Wrong(n.Content[i], "a tool has no member %q; did you mean %s?", key, meant)
		}
		value, fault := yamltext.JSON(n.Content[i+1])
		if fault != nil {
			return "", fault
		}
		switch {
		case list == "tools" && key == "result":
			responses = resultOf(value, false)
		case list == "tools" && key == "error":
			responses = resultOf(value, true)
		case list == "tools" && key == "input_schema":
			key = "inputSchema"
			fallthrough
		default:
			parts = append(parts, rawjson.Quote(key)+":"+value)
		}
	}
	switch {
	case seen["result"] && seen["error"] && list == "tools":
		return "", yamltext.Wrong(n, "a tool has either a result or an error")
	case responses != "" && seen["responses"]:
		return "", yamltext.Wrong(n, "a tool has either responses or one of %s", strings.Join(shorthands, ", "))
	case list == "tools" && !seen["inputSchema"] && !seen["input_schema"]:
		parts = append(parts, `"inputSchema":{"type":"object"}`)
	}
	if id := map[string]string{"resources": "uri", "resource_templates": "uriTemplate"}[list]; id != "" && !seen[id] {
		return "", yamltext.Wrong(n, "an entry of %s has a %s", list, id)
	} else if id == "" && !seen["name"] {
		return "", yamltext.Wrong(n, "an entry of %s has a name", list)
	}
	if responses != "" {
		parts = append(parts, `"responses":[{"content":`+responses+`}]`)
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}

// resultOf makes a whole result of what a tool answers: an object with content or
// structuredContent is one, a string is text, and anything else is structured.
func resultOf(value string, failed bool) string {
	suffix := ""
	if failed {
		suffix = `,"isError":true`
	}
	var tree rawjson.Tree
	if tree.Parse(value, 0) != nil {
		return value // JSON of ours can be read
	}
	root := tree.Root()
	switch {
	case root.Kind() == rawjson.Object && (root.Get("content").Exists() || root.Get("structuredContent").Exists()):
		return strings.TrimSuffix(value, "}") + suffix + "}"
	case root.Kind() == rawjson.String:
		return `{"content":[{"type":"text","text":` + value + `}]` + suffix + `}`
	case root.Kind() == rawjson.Object:
		return `{"content":[{"type":"text","text":` + rawjson.Quote(value) + `}],"structuredContent":` + value + suffix + `}`
	}
	return `{"content":[{"type":"text","text":` + rawjson.Quote(value) + `}]` + suffix + `}`
}
