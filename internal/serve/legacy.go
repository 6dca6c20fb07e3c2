package serve

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// legacyRequest answers a request of the era that begins with initialize.
func (s *Server) legacyRequest(ctx context.Context, t *Talk, p *Prepared, r *request) reply {
	if e := r.checkParams(); e != nil {
		return fail(r.ID, 0, e)
	}
	revision := t.agreed()
	var result string
	var e *Error
	switch {
	case r.Method == "initialize":
		return s.initialize(p, t, r)
	case r.Method == "ping":
		result = "{}"
	case revision == "" && slices.Contains(modernOnly, r.Method):
		e = unknownMethod(r.Method)
	case revision == "":
		e = &Error{Code: invalidRequest, Message: "Invalid Request: the conversation has not begun with initialize"}
		if len(s.modern) > 0 {
			e = &Error{Code: invalidParams, Message: "Invalid params: neither was there initialize, nor has _meta the member " + quote(metaVersion)}
		}
	default:
		result, e = s.legacyMethod(ctx, p, revision, r)
	}
	if e != nil {
		return fail(r.ID, 0, e)
	}
	return succeed(r.ID, result)
}

// modernOnly are the methods by which a client finds out the era of a server.
var modernOnly = []string{"server/discover", "subscriptions/listen"}

func (s *Server) legacyMethod(ctx context.Context, p *Prepared, revision string, r *request) (string, *Error) {
	if result, e, ok := p.relay(ctx, r); ok {
		return result, e
	}
	switch r.Method {
	case "logging/setLevel":
		if !p.declares("logging") {
			return "", unknownMethod(r.Method)
		}
		if level, ok := r.text("level"); !ok || !slices.Contains(levels, level) {
			return "", &Error{Code: invalidParams, Message: "Invalid params: level is none of " + strings.Join(levels, ", ")}
		}
		return "{}", nil
	case "resources/subscribe", "resources/unsubscribe":
		if !p.declares("resources", "subscribe") {
			return "", unknownMethod(r.Method)
		}
		if _, ok := r.text("uri"); !ok {
			return "", &Error{Code: invalidParams, Message: "Invalid params: uri is not a string"}
		}
		return "{}", nil // nothing ever changes
	case "completion/complete":
		// The first revision had the method and no capability for it.
		return completion(r, p.declares("completions") || revision == legacy[0])
	}
	return s.ask(ctx, p, r, "", resourceNotFound)
}

// levels are those of RFC 5424, least severe first.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func (s *Server) initialize(p *Prepared, t *Talk, r *request) reply {
	asked, ok := r.text("protocolVersion")
	if !ok {
		return fail(r.ID, http.StatusBadRequest, &Error{Code: invalidParams, Message: "Invalid params: protocolVersion is not a string"})
	}
	revision := s.legacy[len(s.legacy)-1]
	if slices.Contains(s.legacy, asked) {
		revision = asked
	}
	version := revision
	if p.Version != "" {
		if version = p.Version; slices.Contains(legacy, version) {
			revision = version
		}
	}
	if !t.agree(revision) && s.opt.Player == nil {
		return fail(r.ID, http.StatusBadRequest, &Error{Code: invalidRequest, Message: "Invalid Request: the conversation has begun already"})
	}
	t.begin(revision, version)
	parts := []string{`"protocolVersion":` + quote(version)}
	for _, part := range []string{members("capabilities", p.Capabilities), members("serverInfo", p.Identity), members("instructions", p.Instructions)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return succeed(r.ID, "{"+strings.Join(parts, ",")+"}")
}
