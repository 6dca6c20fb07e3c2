package gateway

import (
	"context"
	"errors"
	"strings"

	"gauntlet/internal/serve"
	"gauntlet/rawjson"
)

// readResource makes a request about a resource: of the server that lists it, else of each
// that has a template whose beginning fits, else of each that has resources, until one
// knows it.
func (h *house) readResource(ctx context.Context, c serve.Call, uri string) (string, error) {
	if h.unknown(uri) {
		for _, l := range []int{resources, templates} {
			if _, err := h.list(ctx, l); err != nil {
				return "", err
			}
		}
	}
	var last error = &serve.Error{Code: -32002, Message: "Resource not found", Data: `{"uri":` + quote(uri) + `}`}
	readers := h.readers(uri)
	for _, s := range readers {
		result, err := h.guess(ctx, s, c, len(readers) == 1)
		var own *serve.Error
		switch known := errors.As(err, &own); {
		case err == nil || ctx.Err() != nil:
			return result, err
		case known && own.Code != -32002 && own.Code != -32602 && own.Code != away:
			return "", err
		}
		last = err
	}
	return "", last
}

// guess asks a server for a resource. One that may not be the right one has as long as it may
// take to connect, so that the next one is asked.
func (h *house) guess(ctx context.Context, s *seat, c serve.Call, only bool) (string, error) {
	if only {
		return h.forward(ctx, s, c, c.Params)
	}
	ctx, cancel := context.WithTimeout(ctx, h.gateway.opt.Connect)
	defer cancel()
	return h.forward(ctx, s, c, c.Params)
}

func (h *house) unknown(uri string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.seats) > 1 && h.uris[0][uri] == nil && h.uris[1][uri] == nil
}

// readers returns the servers to be asked for a resource, the likeliest first.
func (h *house) readers(uri string) []*seat {
	if len(h.seats) == 1 {
		return h.seats
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, uris := range h.uris {
		if s := uris[uri]; s != nil {
			return []*seat{s}
		}
	}
	var fits, rest []*seat
	for _, s := range h.seats {
		switch {
		case s.fits(uri):
			fits = append(fits, s)
		case rawjson.LastMember(rawjson.LastMember(s.opening(), "capabilities"), "resources") != "":
			rest = append(rest, s)
		}
	}
	return append(fits, rest...)
}

// fits reports whether a template of the server begins like the URI.
func (s *seat) fits(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, item := range s.lists[templates] {
		fixed, _, ok := strings.Cut(rawjson.UnquoteString(rawjson.LastMember(item, "uriTemplate")), "{")
		if ok && fixed != "" && strings.HasPrefix(uri, fixed) {
			return true
		}
	}
	return false
}

// completes returns which server completes an argument, and the params for it.
func (h *house) completes(ctx context.Context, params string) (route, error) {
	ref := rawjson.LastMember(params, "ref")
	if uri := rawjson.UnquoteString(rawjson.LastMember(ref, "uri")); uri != "" {
		for _, s := range h.readers(uri) {
			return route{s, params}, nil
		}
		return route{}, serve.ErrUnhandled
	}
	name := rawjson.UnquoteString(rawjson.LastMember(ref, "name"))
	r, err := h.route(ctx, "prompts/get", name)
	if err != nil {
		return r, err
	}
	if r.name != name {
		params = replaced(params, "ref", replaced(ref, "name", quote(r.name)))
	}
	return route{r.seat, params}, nil
}

// eachMember yields the members of an object, raw: the name with its quotes, and the value.
func eachMember(object string, yield func(key, value string) bool) {
	if object == "" || object[0] != '{' {
		return
	}
	_ = rawjson.EachMember(object, 0, func(key, value rawjson.Span) bool {
		return yield(object[key.Start:key.End], object[value.Start:value.End])
	})
}
