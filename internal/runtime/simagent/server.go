package simagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A serverSession is the conversation with one server.
type serverSession struct {
	name    string
	conn    wire.Conn
	session *mcpclient.Session
	says    []string // what the server tells of itself: its instructions, its title
	things  []*thing // the tools, then prompts and resources
}

// openServer begins the conversation and reads what the server offers.
func openServer(ctx context.Context, s Server, opt mcpclient.Options) (*serverSession, error) {
	if s.Dial == nil {
		s.Dial = func() (wire.Conn, error) { return wire.Dial(wire.Endpoint{URL: s.URL}) }
	}
	conn, err := s.Dial()
	if err != nil {
		return nil, err
	}
	session, err := mcpclient.Open(ctx, conn, opt)
	if err != nil {
		conn.Close()
		return nil, err
	}
	l := &serverSession{name: s.Name, conn: conn, session: session}
	session.Hear(ctx)
	l.readLists(ctx)
	return l, nil
}

// readLists reads the lists anew.
func (l *serverSession) readLists(ctx context.Context) {
	snap := l.session.Read(ctx)
	l.things = nil
	var tree rawjson.Tree
	if snap.Init != "" && tree.Parse(snap.Init, 0) == nil {
		l.says = sentencesOf(tree.Root())
	}
	for kind, from := range [...]struct{ id, method string }{{"name", mcp.ToolsCall}, {"name", mcp.PromptsGet}, {"uri", mcp.ResourcesRead}} { // as catalog.Kinds
		items := snap.Lists[kind].Items
		for _, raw := range items[:min(len(items), mostThings)] {
			if t := readThing(l, raw, from.id, from.method); t != nil {
				l.things = append(l.things, t)
			}
		}
	}
}

// A callAnswer is what a call brought, as a model is shown it.
type callAnswer struct {
	text string
	err  error // the call came to nothing; what the server said about it is in text
}

// callServer makes a request.
func (l *serverSession) callServer(ctx context.Context, method, params string) callAnswer {
	m, err := l.session.Call(ctx, method, params)
	var refused *wire.AnswerError
	switch {
	case errors.As(err, &refused):
		return callAnswer{refused.Message, fmt.Errorf("error %d", refused.Code)}
	case err != nil:
		return callAnswer{err: err}
	}
	return callAnswer{text: readAnswer(m.Result)}
}

// readAnswer returns the texts of a result of tools/call, resources/read or prompts/get, and the whole of one that has none where
// they belong.
func readAnswer(result string) string {
	var tree rawjson.Tree
	if tree.Parse(result, 0) != nil {
		return strings.Clone(result)
	}
	root := tree.Root()
	var texts []string
	for _, list := range [...]string{"content", "contents", "messages"} {
		texts = append(texts, textsOf(root.Get(list))...)
	}
	// Next to the texts that say the same: a host may show either.
	if v := root.Get("structuredContent"); v.Exists() && !slices.Contains(texts, v.Raw()) {
		texts = append(texts, flattenJSON(v.Raw()))
	}
	if texts == nil {
		texts = append(texts, result)
	}
	return strings.Clone(strings.Join(texts, "\n\n"))
}

// textsOf returns the texts of content, of a list of it, or of messages that hold it.
func textsOf(v rawjson.Value) (out []string) {
	switch v.Kind() {
	case rawjson.String:
		return []string{v.Text()}
	case rawjson.Array:
		for _, one := range v.Elements() {
			out = append(out, textsOf(one)...)
		}
	case rawjson.Object:
		for _, s := range []string{v.Get("text").Text(), v.Get("resource").Get("text").Text()} {
			if s != "" {
				out = append(out, s)
			}
		}
		out = append(out, textsOf(v.Get("content"))...)
	}
	return out
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
