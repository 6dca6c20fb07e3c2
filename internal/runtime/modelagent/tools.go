package modelagent

import (
	"context"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/model"
	"gauntlet/rawjson"
)

const (
	// mostTools bounds the tools offered to a model: providers accept no more.
	mostTools = 128
	// mostWords bounds the values shown of one member of a definition.
	mostWords = 500
	// longestName is providers' limit, in bytes.
	longestName = 64
)

// offerTools rebuilds the list of all servers' tools, plus the host's if servers have resources or prompts.
func (a *agent) offerTools() {
	a.tools, a.offered = map[string]*offeredTool{}, nil
	owners := map[string]int{}
	for _, s := range a.servers {
		for _, raw := range s.lists[0] {
			owners[rawjson.LastText(raw, "name")]++
		}
	}
	for _, s := range a.servers {
		for _, raw := range s.lists[0] {
			tool := rawjson.Read(raw)
			name := tool.Get("name").Text()
			shown := name
			if owners[name] > 1 {
				shown = s.Name + "__" + name
			}
			a.offer(shown, toolText(tool), tool.Get("inputSchema").Raw(), offeredTool{s, name, mcp.ToolsCall})
		}
	}
	a.offerListed(resourceTool, "Reads a resource of a connected server. The resources are, one a line:", 2, mcp.ResourcesRead, `{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"]}`)
	a.offerListed(promptTool, "Gets a prompt of a connected server. The prompts are, one a line:", 1, mcp.PromptsGet, `{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"]}`)
}

// offer adds a tool under a valid, unused name.
func (a *agent) offer(name, description, schema string, t offeredTool) {
	name = providerName(name)
	for n := 2; a.tools[name] != nil; n++ {
		suffix := fmt.Sprintf("_%d", n)
		name = name[:min(len(name), longestName-len(suffix))] + suffix
	}
	if len(a.offered) == mostTools {
		return
	}
	a.tools[name] = &t
	a.offered = append(a.offered, model.Tool{Name: name, Description: clipResult(description), Schema: schema})
}

// providerName replaces characters that providers reject in names.
func providerName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "tool"
	}
	return name[:min(len(name), longestName)]
}

// toolText returns a tool's description with all other text of its definition.
func toolText(root rawjson.Value) string {
	parts := []string{root.Get("description").Text()}
	if t := root.Get("title").Text(); t != "" {
		parts = append(parts, "Title: "+t)
	}
	for m := range root.Members() {
		switch m.Key.Text() {
		case "name", "title", "description", "inputSchema", "icons", "execution":
		default:
			parts = append(parts, wordsOf(m.Key.Text(), m.Value))
		}
	}
	return strings.Join(parts, "\n")
}

// wordsOf returns a value's strings and numbers, one per line with its path.
func wordsOf(name string, v rawjson.Value) string {
	var lines []string
	for inner := range v.All() {
		switch inner.Kind() {
		case rawjson.Object, rawjson.Array:
		case rawjson.String:
			lines = append(lines, name+strings.ReplaceAll(strings.TrimPrefix(inner.Pointer(), v.Pointer()), "/", ".")+": "+inner.Text())
		default:
			lines = append(lines, name+strings.ReplaceAll(strings.TrimPrefix(inner.Pointer(), v.Pointer()), "/", ".")+": "+inner.Raw())
		}
		if len(lines) == mostWords {
			break
		}
	}
	return strings.Join(lines, "\n")
}

// offerListed adds a host tool that lists its subjects in its description.
func (a *agent) offerListed(name, about string, list int, method, schema string) {
	var lines strings.Builder
	for _, s := range a.servers {
		for _, raw := range s.lists[list] {
			if lines.Len() < longestResult {
				lines.WriteString("\n" + rawjson.Read(raw).Compact())
			}
		}
	}
	if lines.Len() > 0 {
		a.offer(name, about+lines.String(), schema, offeredTool{nil, "", method})
	}
}

func (a *agent) makeCall(ctx context.Context, c model.ToolCall) (text string, failed bool) {
	t := a.tools[c.Name]
	switch {
	case t == nil:
		return "there is no such tool", true
	case len(c.Arguments) > longestArguments:
		return "the arguments are too long", true
	}
	arguments := rawjson.Read(c.Arguments)
	if arguments.Kind() != rawjson.Object {
		return "the arguments are no JSON object", true
	}
	server := t.server
	if server == nil {
		server = a.ownerOf(t.method, arguments)
	}
	return server.callServer(ctx, t.method, t.params(arguments))
}

// ownerOf returns the server that lists the requested resource or prompt, or the first one.
func (a *agent) ownerOf(method string, arguments rawjson.Value) *session {
	list, id := 2, "uri"
	if method == mcp.PromptsGet {
		list, id = 1, "name"
	}
	for _, s := range a.servers {
		for _, raw := range s.lists[list] {
			if rawjson.LastText(raw, id) == arguments.Get(id).Text() {
				return s
			}
		}
	}
	return a.servers[0]
}

// systemPrompt introduces the host, and quotes the front end's input and the servers' instructions.
func (a *agent) systemPrompt() string {
	var b strings.Builder
	b.WriteString(a.opt.System)
	for _, s := range a.opt.Shown {
		b.WriteString("\n\n# From the front end: " + s.Where + "\n" + clipResult(s.Text))
	}
	for _, s := range a.servers {
		init := rawjson.Read(s.init)
		if !init.Exists() {
			continue
		}
		b.WriteString("\n\n# Server " + s.Name)
		if info := init.Get("serverInfo"); info.Exists() {
			b.WriteString("\n" + clipResult(wordsOf("server", info)))
		}
		if said := init.Get("instructions").Text(); said != "" {
			b.WriteString("\n" + clipResult(said))
		}
	}
	return b.String()
}
