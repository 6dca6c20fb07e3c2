package gateway

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// listed are the lists of servers: methods, the member of the result, and what names an item.
var listed = [4]struct{ method, member, id string }{
	{"tools/list", "tools", "name"},
	{"prompts/list", "prompts", "name"},
	{"resources/list", "resources", "uri"},
	{"resources/templates/list", "resourceTemplates", "uriTemplate"},
}

const (
	tools = iota
	prompts
	resources
	templates
)

// What is taken of one list of one server.
const (
	mostPages = 1_000
	mostItems = 100_000
	mostBytes = 64 << 20 // and one page more
)

// list reads a list of all servers at the same time and makes one of them, in the order of
// the servers. One that does not answer in time is represented by what it said last.
func (h *house) list(ctx context.Context, l int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, h.gateway.opt.Connect)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range h.seats {
		all.Go(func() { s.read(ctx, l) })
	}
	all.Wait()
	if err := h.ctx.Err(); err != nil {
		return "", err
	}
	items := h.merge(l)
	return `{` + quote(listed[l].member) + `:[` + strings.Join(items, ",") + `]}`, nil
}

// read reads one list of the server, page by page.
func (s *seat) read(ctx context.Context, l int) {
	link, err := s.connected(ctx)
	if err != nil {
		s.house.note("%s of %s is as it was, or missing: %v", listed[l].method, s.up.Name, err)
		return
	}
	if !offers(link.init, l) {
		return
	}
	var items []string
	size := 0
	params, seen := "{}", map[string]bool{}
	for range mostPages {
		m, err := s.house.guarded(ctx, link, listed[l].method, params)
		if err != nil || m.Kind == wire.Error {
			if err != nil {
				s.house.note("%s of %s is as it was, or missing: %v", listed[l].method, s.up.Name, err)
			}
			return
		}
		if page := rawjson.LastMember(m.Result, listed[l].member); page != "" && page[0] == '[' {
			_ = rawjson.EachElement(page, 0, func(_ int, v rawjson.Span) bool {
				items = append(items, page[v.Start:v.End])
				return len(items) < mostItems
			})
		}
		size += len(m.Result)
		cursor := rawjson.LastMember(m.Result, "nextCursor")
		if cursor == "" || cursor == "null" || seen[cursor] {
			break
		}
		if len(items) >= mostItems || size >= mostBytes {
			s.house.once("%s of %s is longer than what is taken of it: the rest is missing", listed[l].method, s.up.Name)
			break
		}
		seen[cursor] = true
		params = `{"cursor":` + cursor + `}`
	}
	s.mirror(link, l, items)
	s.mu.Lock()
	s.lists[l] = items
	s.mu.Unlock()
}

// offers reports whether a server that introduced itself so has the list.
func offers(init string, l int) bool {
	return rawjson.LastMember(rawjson.LastMember(init, "capabilities"), [4]string{"tools", "prompts", "resources", "resources"}[l]) != ""
}

// mirror tells a connection of the stateless era which arguments go into headers.
func (s *seat) mirror(l *link, list int, items []string) {
	web, ok := l.conn.(interface{ Mirror(string, []wire.Mirror) })
	if !ok || l.meta == "" || list != tools {
		return
	}
	for _, item := range items {
		var tree rawjson.Tree
		if tree.Parse(item, 0) != nil {
			continue
		}
		if m, err := wire.Mirrors(tree.Root().Get("inputSchema")); err == nil {
			web.Mirror(tree.Root().Get("name").Text(), m)
		}
	}
}

// merge makes one list of what the servers said, and keeps where each name leads.
func (h *house) merge(l int) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	owners := map[string]int{} // servers that have a name
	lists := make([][]string, len(h.seats))
	for i, s := range h.seats {
		s.mu.Lock()
		lists[i] = s.lists[l]
		s.mu.Unlock()
		own := map[string]bool{}
		for _, item := range lists[i] {
			if id := rawjson.UnquoteString(rawjson.LastMember(item, listed[l].id)); !own[id] {
				own[id] = true
				owners[id]++
			}
		}
	}
	routes, uris, out := map[string]route{}, map[string]*seat{}, []string(nil)
	for i, s := range h.seats {
		for _, item := range lists[i] {
			id := rawjson.UnquoteString(rawjson.LastMember(item, listed[l].id))
			switch {
			case l >= resources:
				if first := uris[id]; first != nil && first != s {
					h.once("%s and %s both have %s: it is read from %[1]s", first.up.Name, s.up.Name, id)
					continue
				}
				uris[id] = s
			case owners[id] > 1:
				name := unique(routes, owners, s.up.Name+"__"+id, s, id)
				h.once("several servers have %q: that of %s is called %q", id, s.up.Name, name)
				item = replaced(item, "name", quote(name))
				routes[name] = route{s, id}
			default:
				if _, ok := routes[id]; !ok {
					routes[id] = route{s, id}
				}
			}
			out = append(out, item)
		}
	}
	if l < resources {
		h.names[l] = routes
	} else {
		h.uris[l-resources] = uris
	}
	return out
}

// unique returns a name that nothing else has.
func unique(routes map[string]route, owners map[string]int, name string, s *seat, id string) string {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try += "_" + strconv.Itoa(n)
		}
		r, taken := routes[try]
		if owners[try] == 0 && (!taken || r == route{s, id}) {
			return try
		}
	}
}

// route returns where the name of a tool or a prompt leads. Servers are asked for their
// lists where that has not been done, or the name is new.
func (h *house) route(ctx context.Context, method, name string) (route, error) {
	l := tools
	if method != "tools/call" {
		l = prompts
	}
	for fresh := false; ; fresh = true {
		h.mu.Lock()
		r, ok := h.names[l][name]
		h.mu.Unlock()
		switch {
		case ok:
			return r, nil
		case len(h.seats) == 1:
			return route{h.seats[0], name}, nil // it knows what it has
		case fresh:
			return route{}, &serve.Error{Code: -32602, Message: "Unknown " + [2]string{"tool", "prompt"}[l] + ": " + name}
		}
		if _, err := h.list(ctx, l); err != nil {
			return route{}, err
		}
	}
}
