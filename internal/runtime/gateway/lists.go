package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

const (
	tools = iota
	prompts
	resources
	templates
)

// Limits on one list of one server.
const (
	maxListPages = 1_000
	maxListItems = 100_000
	maxListBytes = 64 << 20 // plus one page
)

// mergeList reads a list from all servers concurrently and merges them in the servers' order. A server that does not answer in time
// is represented by its last answer.
func (cs *clientSession) mergeList(ctx context.Context, l int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cs.gateway.opt.Connect)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range cs.upstreams {
		all.Go(func() { s.readUpstreamList(ctx, l) })
	}
	all.Wait()
	if err := cs.ctx.Err(); err != nil {
		return "", err
	}
	items := cs.mergeItems(l)
	return `{` + rawjson.Quote(mcp.Lists[l].Member) + `:[` + strings.Join(items, ",") + `]}`, nil
}

// passList passes on a page of a single server's list, unchanged unless it has a name that cannot stay. While the server is away, the
// last known list is returned. A list that the server does not declare is its if it answers as a scan wants it to, the first time and
// soon: what no scan has seen reaches no client.
func (cs *clientSession) passList(ctx context.Context, l int, c mcpserver.Call) (string, error) {
	s := cs.upstreams[0]
	first := rawjson.LastMember(c.Params, "cursor") == ""
	init := s.initResult()
	undeclared := init != "" && !offersList(init, l)
	if undeclared {
		if s.unoffered[l].Load() {
			return "", mcpserver.ErrUnhandled
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, mcpclient.UnpromisedWait)
		defer cancel()
	}
	result, err := cs.forwardRequest(ctx, s, c, c.Params)
	var own *mcpserver.Error
	if err != nil && undeclared {
		s.unoffered[l].Store(true)
		cs.noteOnce("%s of %s is refused from now on: the server does not declare it, and did not answer with a list within %s", mcp.Lists[l].Method, s.up.Name, mcpclient.UnpromisedWait)
		if ctx.Err() != nil {
			err = mcpserver.ErrUnhandled
		}
		return "", err
	}
	if err != nil {
		s.mu.Lock()
		known := s.lists[l] != nil
		s.mu.Unlock()
		if !first || !known || !errors.As(err, &own) || own.Code != codeUnreachable {
			return "", err
		}
		cs.noteEvent("%s of %s is the last one known: %v", mcp.Lists[l].Method, s.up.Name, err)
		return `{` + rawjson.Quote(mcp.Lists[l].Member) + `:[` + strings.Join(cs.mergeItems(l), ",") + `]}`, nil
	}
	w := &mcpclient.Walk{List: mcp.Lists[l], Items: maxListItems, Note: func(gap string) { cs.noteOnce("%s of %s: %s", mcp.Lists[l].Method, s.up.Name, gap) }}
	page := append([]string{}, w.Page(result)...) // an empty list is known
	items := page
	s.mu.Lock()
	s.mirrorHeaders(s.conn, l, items, first)
	if !first {
		items = append(s.lists[l], items...)
	}
	s.lists[l] = items[:min(len(items), maxListItems)]
	s.mu.Unlock()
	if l >= resources {
		return result, nil
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if named := cs.nameList(l, [][]string{page}, first); !slices.Equal(named, page) {
		result = rawjson.Replace(result, mcp.Lists[l].Member, "["+strings.Join(named, ",")+"]")
	}
	return result, nil
}

// mirrorsOf returns the arguments of a tool that its client must repeat in headers.
func (cs *clientSession) mirrorsOf(ctx context.Context, name string) []wire.Mirror {
	r, err := cs.routeByName(ctx, mcp.ToolsCall, name)
	if err != nil {
		return nil // the call reports why
	}
	r.upstream.mu.Lock()
	known := r.upstream.lists[tools] != nil
	r.upstream.mu.Unlock()
	if !known {
		r.upstream.readUpstreamList(ctx, tools)
	}
	r.upstream.mu.Lock()
	defer r.upstream.mu.Unlock()
	return r.upstream.mirrors[r.name]
}

// readUpstreamList reads one list of the server, page by page.
func (s *upstream) readUpstreamList(ctx context.Context, l int) {
	link, done, err := s.awaitConn(ctx)
	if err != nil {
		s.session.noteEvent("%s of %s is the last one known, or missing: %v", mcp.Lists[l].Method, s.up.Name, err)
		return
	}
	defer done()
	if !offersList(link.init, l) {
		return
	}
	method := mcp.Lists[l].Method
	w := &mcpclient.Walk{List: mcp.Lists[l], Pages: maxListPages, Items: maxListItems, Bytes: maxListBytes,
		Note: func(gap string) { s.session.noteOnce("%s of %s: %s", method, s.up.Name, gap) },
		Ask: func(ctx context.Context, members string) (wire.Message, error) {
			m, err := s.session.callGuarded(ctx, link, method, "{"+members+"}")
			if err == nil && m.Kind == wire.Error {
				err = wire.AnswerErrorOf(method, m)
			}
			return m, err
		}}
	err = w.Read(ctx)
	var failed *mcpclient.PageError
	switch {
	case errors.As(err, &failed):
		s.session.noteEvent("%s of %s is the last one known, or missing: %v", method, s.up.Name, err)
		return
	case err != nil:
		s.session.noteOnce("%s of %s is not handed on whole: %v", method, s.up.Name, err)
	}
	items := w.Found
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists[l] = append([]string{}, items...)
	s.mirrorHeaders(link, l, items, true)
}

// offersList reports whether a server's opening answer declares the list.
func offersList(init string, l int) bool {
	return rawjson.LastMember(rawjson.LastMember(init, "capabilities"), mcp.Lists[l].Capability) != ""
}

// mirrorHeaders records the arguments mirrored in headers in the stateless era, and tells such a connection. s.mu is held.
func (s *upstream) mirrorHeaders(l *upstreamConn, list int, items []string, anew bool) {
	if list != tools {
		return
	}
	var web interface{ Mirror(string, []wire.Mirror) }
	if l != nil && l.meta != "" {
		web, _ = l.conn.(interface{ Mirror(string, []wire.Mirror) })
	}
	if anew || s.mirrors == nil {
		s.mirrors = map[string][]wire.Mirror{}
	}
	for _, item := range items {
		tool := rawjson.Read(item)
		m, err := wire.Mirrors(tool.Get("inputSchema"))
		if err != nil || m == nil {
			continue
		}
		name := strings.Clone(tool.Get("name").Text())
		if s.mirrors[name] = m; web != nil {
			web.Mirror(name, m)
		}
	}
}

// mergeItems merges the servers' lists and records where each name leads.
func (cs *clientSession) mergeItems(l int) []string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	lists := make([][]string, len(cs.upstreams))
	for i, s := range cs.upstreams {
		s.mu.Lock()
		lists[i] = s.lists[l]
		s.mu.Unlock()
	}
	if l >= resources {
		return cs.mergeResources(l, lists)
	}
	return cs.nameList(l, lists, true)
}

// nameList gives the items of the servers their front names and records where each leads, anew or beside those of earlier pages. cs.mu is held.
func (cs *clientSession) nameList(l int, lists [][]string, anew bool) (out []string) {
	if anew || cs.routes[l] == nil {
		cs.routes[l] = map[string]route{}
	}
	taken, listed := map[string]bool{}, map[route]bool{}
	for name, r := range cs.routes[l] {
		taken[strings.ToLower(name)], listed[r] = true, true
	}
	ids := make([][]string, len(lists))
	for i := range lists {
		for _, item := range lists[i] {
			ids[i] = append(ids[i], idOf(item, l))
		}
	}
	names, kind := nameItems(cs.gateway.opt.Upstreams, cs.gateway.prefixes, ids, taken), mcp.Lists[l].Item
	for i, s := range cs.upstreams {
		for n, item := range lists[i] {
			id := ids[i][n]
			front := names[i][id]
			switch {
			case rawjson.LastMember(item, "name") == "": // nobody can call it
			case listed[route{s, id}]:
				cs.noteOnce("%s lists the %s %q more than once: only the first is handed on, since a call could mean any", s.up.Name, kind, id)
				continue
			case front.why != "":
				cs.noteOnce("the %s %q of %s is called %q: %s", kind, id, s.up.Name, front.name, front.why)
				item = rawjson.Replace(item, "name", rawjson.Quote(front.name))
			}
			cs.routes[l][front.name] = route{s, id}
			listed[route{s, id}] = true
			out = append(out, item)
		}
	}
	return out
}

// mergeResources does so for lists with URIs: the first server that has a URI is asked for it. cs.mu is held.
func (cs *clientSession) mergeResources(l int, lists [][]string) (out []string) {
	uris := map[string]*upstream{}
	for i, s := range cs.upstreams {
		for _, item := range lists[i] {
			id := idOf(item, l)
			if first := uris[id]; first != nil && first != s {
				cs.noteOnce("%s and %s both have %s: it is read from %[1]s", first.up.Name, s.up.Name, id)
				continue
			}
			uris[id] = s
			out = append(out, item)
		}
	}
	cs.resourceOwners[l-resources] = uris
	return out
}

// routeByName returns where a tool's or prompt's name leads. Servers are asked for their lists if that was not done, or the name is
// new.
func (cs *clientSession) routeByName(ctx context.Context, method, name string) (route, error) {
	l := mcp.CallIndex(method)
	for fresh := false; ; fresh = true {
		cs.mu.Lock()
		r, ok := cs.routes[l][name]
		cs.mu.Unlock()
		switch {
		case ok:
			return r, nil
		case len(cs.upstreams) == 1 && (fresh || beginsLike(cs.gateway.prefixes, name) < 0):
			return route{cs.upstreams[0], name}, nil // it knows its own names
		case fresh:
			return route{}, &mcpserver.Error{Code: mcp.CodeInvalidParams, Message: "Unknown " + mcp.Lists[l].Item + ": " + name}
		}
		if _, err := cs.mergeList(ctx, l); err != nil {
			return route{}, err
		}
	}
}
