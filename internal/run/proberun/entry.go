package proberun

import (
	"encoding/json"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// An entry is an entry point other than a tool: a resource template, a prompt, or reading any resource. It is probed like a tool
// with a parameter for each variable or argument. The zero entry is a tool.
type entry struct {
	template string // URI template filled by its parameters
	prompt   string // prompt name
	anyURI   bool   // its parameter is the whole URI
	files    bool   // its URIs are file URIs
	guessed  bool   // the template was derived from a listed resource
}

// request returns the method and params that call the tool or entry with arguments.
func (t *tool) request(arguments string) (method, params string) {
	switch {
	case t.entry.template != "":
		return mcp.ResourcesRead, `{"uri":` + rawjson.Quote(expandTemplate(t.entry.template, arguments)) + `}`
	case t.entry.anyURI:
		return mcp.ResourcesRead, arguments
	case t.entry.prompt != "":
		return mcp.PromptsGet, `{"name":` + rawjson.Quote(t.entry.prompt) + `,"arguments":` + arguments + `}`
	}
	return mcp.ToolsCall, `{"name":` + rawjson.Quote(t.Name) + `,"arguments":` + arguments + `}`
}

// setRoles derives roles of a template's variables: what follows file:// is a path.
func (e *entry) setRoles(roles map[string]capability.RoleLabel) {
	if !e.files {
		return
	}
	if e.anyURI {
		roles["uri"] = capability.RoleLabel{Role: capability.Path, Confidence: capability.High}
	}
	for _, name := range templateNames(e.template) {
		roles[name] = capability.RoleLabel{Role: capability.Path, Confidence: capability.High}
	}
}

// mostAlike bounds the listed resources used as examples of a template.
const mostAlike = 2

// templatesOf derives templates from a listed URI, which servers often build from table or file names: each part in turn becomes a
// variable.
func templatesOf(uri string) (out []string) {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || strings.ContainsAny(uri, "{}") || len(uri) > 200 {
		return nil
	}
	parts := strings.Split(rest, "/")
	for i, p := range parts {
		if p != "" && len(out) < 3 {
			with := slices.Clone(parts)
			with[i] = "{part}"
			out = append(out, scheme+"://"+strings.Join(with, "/"))
		}
	}
	return out
}

// mostEntries bounds the templates, and the prompts, that are probed.
const mostEntries = 50

// pretended is the tool that represents an entry for classification.
type pretended struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"inputSchema"`
	Annotations map[string]any `json:"annotations"`
}

// addEntries adds a server's resource templates, prompts and resources.
func (r *run) addEntries(server *catalog.Server) error {
	var tools []pretended
	var entries []entry
	add := func(e entry, name, description string, properties map[string]any, required []string) {
		schema := map[string]any{"type": "object", "properties": properties, "required": required}
		tools = append(tools, pretended{name, description, schema, map[string]any{"readOnlyHint": true}})
		entries = append(entries, e)
	}
	prompts, resources, templates := server.Lists[1].Items, server.Lists[2].Items, server.Lists[3].Items // in the order of catalog.Kinds
	var tree rawjson.Tree
	files := false
	for i, it := range templates {
		template := it.Parse(server, &tree).Get("uriTemplate").Text()
		names := templateNames(template)
		isFile := strings.HasPrefix(template, "file:")
		files = files || isFile
		if i < mostEntries && len(names) > 0 {
			properties := map[string]any{}
			for _, n := range names {
				properties[n] = map[string]any{"type": "string"}
			}
			add(entry{template: template, files: isFile}, "resource template "+template, tree.Root().Get("description").Text(), properties, names)
		}
	}
	for i, it := range resources {
		uri := it.Parse(server, &tree).Get("uri").Text()
		files = files || strings.HasPrefix(uri, "file:")
		if i < mostAlike {
			for _, template := range templatesOf(uri) {
				add(entry{template: template, guessed: true}, "resource template "+template, "", map[string]any{"part": map[string]any{"type": "string"}}, []string{"part"})
			}
		}
	}
	if len(resources)+len(templates) > 0 {
		add(entry{anyURI: true, files: files}, mcp.ResourcesRead, "", map[string]any{"uri": map[string]any{"type": "string"}}, []string{"uri"})
	}
	for i, it := range prompts {
		prompt := it.Parse(server, &tree)
		properties, required := promptArguments(prompt)
		if i < mostEntries && len(properties) > 0 {
			add(entry{prompt: it.Name()}, "prompt "+it.Name(), prompt.Get("description").Text(), properties, required)
		}
	}
	if tools == nil {
		return nil
	}
	text, err := json.Marshal(map[string]any{"server": map[string]string{"name": server.Name}, "tools": tools})
	if err != nil {
		return err
	}
	c, err := catalog.Parse("", string(text), r.Limits)
	if err != nil || len(c.Servers[0].Tools()) != len(entries) {
		return err
	}
	r.addTools(c.Servers[0], entries)
	return nil
}

func promptArguments(prompt rawjson.Value) (properties map[string]any, required []string) {
	properties, required = map[string]any{}, []string{}
	for _, a := range prompt.Get("arguments").Elements() {
		name := strings.Clone(a.Get("name").Text())
		if name == "" || len(properties) >= mostEntries {
			continue
		}
		properties[name] = map[string]any{"type": "string", "description": strings.Clone(a.Get("description").Text())}
		if a.Get("required").Raw() == "true" {
			required = append(required, name)
		}
	}
	return properties, required
}

// templateExpression matches an RFC 6570 expression: operator, names, modifiers.
var templateExpression = lazyregexp.New(`\{([+#./;?&]?)([\w.,*:-]{1,200})\}`)

func templateNames(template string) (out []string) {
	for _, m := range templateExpression.FindAllStringSubmatch(template, 20) {
		for name := range strings.SplitSeq(m[2], ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// expandTemplate inserts arguments, a JSON object, into a URI template without encoding: what an honest client would encode is what
// is tested.
func expandTemplate(template, arguments string) string {
	var values map[string]any
	_ = json.Unmarshal([]byte(arguments), &values) // ours
	return templateExpression.ReplaceAllStringFunc(template, func(expression string) string {
		m := templateExpression.FindStringSubmatch(expression)
		var parts []string
		for name := range strings.SplitSeq(m[2], ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			value, _ := values[name].(string)
			if m[1] == "?" || m[1] == "&" || m[1] == ";" {
				value = name + "=" + value
			}
			parts = append(parts, value)
		}
		switch m[1] {
		case "", "+":
			return strings.Join(parts, ",")
		case "?", "&":
			return m[1] + strings.Join(parts, "&")
		}
		return m[1] + strings.Join(parts, m[1])
	})
}
