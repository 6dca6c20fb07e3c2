package simagent

import (
	"context"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/rawjson"
)

// A serverSession is the conversation with one server.
type serverSession struct {
	*mcpclient.Connection
	things []*thing    // the tools, then prompts and resources
	says   []shownText // all that it says of itself and of them
}

func (l *serverSession) readLists(ctx context.Context) {
	snap := l.Read(ctx)
	l.things, l.says = nil, nil
	var tree rawjson.Tree
	if snap.Init != "" && tree.Parse(strings.Clone(snap.Init), 0) == nil {
		l.say(tree.Root(), shownText{where: "the instructions of " + l.Name})
	}
	for kind, from := range [...]struct{ id, method string }{{"name", mcp.ToolsCall}, {"name", mcp.PromptsGet}, {"uri", mcp.ResourcesRead}} { // as catalog.Kinds
		items := snap.Lists[kind].Items
		for _, raw := range items[:min(len(items), mostThings)] {
			if t := l.readThing(raw, from.id, from.method); t != nil {
				l.things = append(l.things, t)
			}
		}
	}
}

// say keeps the strings of a definition that could be more than a word, wherever they are: hosts show all of it to a model.
func (l *serverSession) say(v rawjson.Value, shown shownText) {
	for s := range v.Strings() {
		if shown.text = s.Value.Text(); !s.IsKey && strings.IndexByte(shown.text, ' ') >= 0 {
			l.says = append(l.says, shown)
		}
	}
}

// flattenJSON writes a JSON text as one line a value, with its name before it; other texts stay as they are.
func flattenJSON(s string) string {
	trimmed := strings.TrimSpace(s)
	var tree rawjson.Tree
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || tree.Parse(trimmed, 0) != nil {
		return s
	}
	var b strings.Builder
	for v := range tree.Root().All() {
		if v.Kind() == rawjson.Object || v.Kind() == rawjson.Array {
			continue
		}
		if key := v.Key(); key.Exists() {
			b.WriteString(key.Text() + ": ")
		}
		if v.Kind() == rawjson.String {
			b.WriteString(v.Text())
		} else {
			b.WriteString(v.Raw())
		}
		b.WriteString("\n\n")
	}
	return b.String()
}
