package gateway

import (
	"context"
	"errors"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/rawjson"
)

// readResource sends a request about a resource to the server that lists it, else to each with a matching template, else to each
// with resources, until one knows it.
func (cs *clientSession) readResource(ctx context.Context, c mcpserver.Call, uri string) (string, error) {
	if cs.isUnlisted(uri) {
		for _, l := range []int{resources, templates} {
			if _, err := cs.mergeList(ctx, l); err != nil {
				return "", err
			}
		}
	}
	var last error = &mcpserver.Error{Code: mcp.CodeResourceNotFound, Message: "Resource not found", Data: `{"uri":` + rawjson.Quote(uri) + `}`}
	readers := cs.upstreamsFor(uri)
	for _, s := range readers {
		result, err := cs.tryUpstream(ctx, s, c, len(readers) == 1)
		var own *mcpserver.Error
		switch known := errors.As(err, &own); {
		case err == nil || ctx.Err() != nil:
			return result, err
		case known && own.Code != mcp.CodeResourceNotFound && own.Code != mcp.CodeInvalidParams && own.Code != codeUnreachable:
			return "", err
		}
		last = err
	}
	return "", last
}

// tryUpstream asks a server for a resource. One that may be the wrong one gets only the connection timeout, so that the next is
// asked.
func (cs *clientSession) tryUpstream(ctx context.Context, s *upstream, c mcpserver.Call, only bool) (string, error) {
	if only {
		return cs.forwardRequest(ctx, s, c, c.Params)
	}
	ctx, cancel := context.WithTimeout(ctx, cs.gateway.opt.Connect)
	defer cancel()
	return cs.forwardRequest(ctx, s, c, c.Params)
}

func (cs *clientSession) isUnlisted(uri string) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return len(cs.upstreams) > 1 && cs.resourceOwners[0][uri] == nil && cs.resourceOwners[1][uri] == nil
}

// upstreamsFor returns the servers to ask for a resource, likeliest first.
func (cs *clientSession) upstreamsFor(uri string) []*upstream {
	if len(cs.upstreams) == 1 {
		return cs.upstreams
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, uris := range cs.resourceOwners {
		if s := uris[uri]; s != nil {
			return []*upstream{s}
		}
	}
	var fits, rest []*upstream
	for _, s := range cs.upstreams {
		switch {
		case s.matchesTemplate(uri):
			fits = append(fits, s)
		case rawjson.LastMember(rawjson.LastMember(s.initResult(), "capabilities"), "resources") != "":
			rest = append(rest, s)
		}
	}
	return append(fits, rest...)
}

// matchesTemplate reports whether the fixed beginning of a server's template matches the URI.
func (s *upstream) matchesTemplate(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, item := range s.lists[templates] {
		fixed, _, ok := strings.Cut(rawjson.LastText(item, "uriTemplate"), "{")
		if ok && fixed != "" && strings.HasPrefix(uri, fixed) {
			return true
		}
	}
	return false
}

// routeCompletion returns the server that completes an argument, and its params.
func (cs *clientSession) routeCompletion(ctx context.Context, params string) (route, error) {
	ref := rawjson.LastMember(params, "ref")
	if uri := rawjson.LastText(ref, "uri"); uri != "" {
		for _, s := range cs.upstreamsFor(uri) {
			return route{s, params}, nil
		}
		return route{}, mcpserver.ErrUnhandled
	}
	name := rawjson.LastText(ref, "name")
	r, err := cs.routeByName(ctx, mcp.PromptsGet, name)
	if err != nil {
		return r, err
	}
	if r.name != name {
		params = rawjson.Replace(params, "ref", rawjson.Replace(ref, "name", rawjson.Quote(r.name)))
	}
	return route{r.upstream, params}, nil
}
