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
	name      string
	conn      wire.Conn
	session   *mcpclient.Session
	says      []string // what the server tells of itself: its instructions, its title
	tools     []*tool
	resources []listedItem
	prompts   []listedItem
}

// A listedItem is a resource or a prompt as its list has it.
type listedItem struct {
	method string // that gets it
	name   string // of a prompt, or the URI of a resource
	about  string // name, title and description
	says   []string
	params []param
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
	l.tools, l.resources, l.prompts = nil, nil, nil
	if snap.Init != "" {
		var tree rawjson.Tree
		if tree.Parse(snap.Init, 0) == nil {
			l.says = sentences(tree.Root())
		}
	}
	for _, raw := range snap.Lists[0].Items { // the order of catalog.Kinds
		if t := readTool(l, raw); t != nil && len(l.tools) < mostTools {
			l.tools = append(l.tools, t)
		}
	}
	for _, raw := range snap.Lists[1].Items {
		l.prompts = append(l.prompts, readListed(raw, "name", mcp.PromptsGet)...)
	}
	for _, raw := range snap.Lists[2].Items {
		l.resources = append(l.resources, readListed(raw, "uri", mcp.ResourcesRead)...)
	}
}

func readListed(raw, id, method string) []listedItem {
	var tree rawjson.Tree
	if tree.Parse(raw, 0) != nil || tree.Root().Get(id).Text() == "" {
		return nil
	}
	root := tree.Root()
	d := listedItem{method: method, name: strings.Clone(root.Get(id).Text())}
	for _, member := range [...]string{"name", "title", "description"} {
		if s := root.Get(member).Text(); s != "" && s != d.name {
			d.about += s + ". "
		}
	}
	d.says = sentences(root)
	for _, a := range root.Get("arguments").Elements() {
		required, _ := a.Get("required").Bool()
		name := strings.Clone(a.Get("name").Text())
		d.params = append(d.params, param{name: name, typ: "string", required: required, want: wantedValue(name, "string", a.Get("description").Text())})
	}
	return []listedItem{d}
}

// sentences returns the strings of a definition that could be more than a word, wherever
// they stand: hosts show all of it to a model.
func sentences(v rawjson.Value) []string {
	var out []string
	for s := range v.Strings() {
		if text := s.Value.Text(); !s.IsKey && strings.IndexByte(text, ' ') >= 0 {
			out = append(out, strings.Clone(text))
		}
	}
	return out
}

// A callAnswer is what a call brought, as a model is shown it.
type callAnswer struct {
	text  string
	links []string // URIs of resources that the answer points to
	err   error    // the call came to nothing; what the server said about it is in text
}

// callServer makes a request.
func (l *serverSession) callServer(ctx context.Context, method, params string) callAnswer {
	m, err := l.session.Call(ctx, method, params)
	var refused *wire.AnswerError
	switch {
	case errors.As(err, &refused):
		return callAnswer{text: refused.Message, err: fmt.Errorf("error %d", refused.Code)}
	case err != nil:
		return callAnswer{err: err}
	}
	return readAnswer(m.Result)
}

// readAnswer takes the texts out of a result of tools/call, resources/read or prompts/get.
// Of a result that has none where they belong the whole is shown.
func readAnswer(result string) callAnswer {
	var tree rawjson.Tree
	if tree.Parse(result, 0) != nil {
		return callAnswer{text: strings.Clone(result)}
	}
	var a callAnswer
	var texts []string
	root := tree.Root()
	collect := func(v rawjson.Value) {
		if v.Kind() == rawjson.String {
			texts = append(texts, v.Text())
		}
		if s := v.Get("text").Text(); s != "" {
			texts = append(texts, s)
		}
		if s := v.Get("resource").Get("text").Text(); s != "" {
			texts = append(texts, s)
		}
		if v.Get("type").Is("resource_link") {
			a.links = append(a.links, strings.Clone(v.Get("uri").Text()))
		}
	}
	for _, list := range [...]string{"content", "contents", "messages"} {
		collect(root.Get(list))
		for _, v := range root.Get(list).Elements() {
			collect(v)
			collect(v.Get("content"))
			for _, inner := range v.Get("content").Elements() {
				collect(inner)
			}
		}
	}
	// Next to the texts that say the same: a host may show either.
	if v := root.Get("structuredContent"); v.Exists() && !slices.Contains(texts, v.Raw()) {
		texts = append(texts, flattenJSON(v.Raw()))
	}
	if texts == nil && a.links == nil {
		texts = append(texts, result)
	}
	a.text = strings.Clone(strings.Join(texts, "\n\n"))
	return a
}
