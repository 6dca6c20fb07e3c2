package mcpserver

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// answerLegacy answers a request of the era that begins with initialize.
func (s *Server) answerLegacy(ctx context.Context, t *Session, p *Prepared, r *request) reply {
	if e := r.checkParams(); e != nil {
		return failReply(r.ID, 0, e)
	}
	revision := t.agreedRevision()
	var result string
	var e *Error
	switch {
	case r.Method == mcp.Initialize:
		return s.initialize(p, t, r)
	case r.Method == mcp.Ping:
		result = "{}"
	case revision == "" && slices.Contains(statelessOnly, r.Method):
		e = unknownMethod(r.Method)
	case revision == "":
		e = &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: the conversation has not begun with initialize"}
		if len(s.stateless) > 0 {
			e = &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: neither was there initialize, nor has _meta the member " + rawjson.Quote(mcp.MetaProtocolVersion)}
		}
	default:
		result, e = s.answerLegacyMethod(ctx, p, revision, r)
	}
	if e != nil {
		return failReply(r.ID, 0, e)
	}
	return resultReply(r.ID, result)
}

// statelessOnly lists the methods by which a client detects a server's era.
var statelessOnly = []string{mcp.Discover, mcp.SubscriptionsListen}

func (s *Server) answerLegacyMethod(ctx context.Context, p *Prepared, revision string, r *request) (string, *Error) {
	if result, e, ok := p.answerByRelay(ctx, r); ok {
		return result, e
	}
	switch r.Method {
	case mcp.LoggingSetLevel:
		if !p.declares("logging") {
			return "", unknownMethod(r.Method)
		}
		if level, ok := r.stringParam("level"); !ok || !slices.Contains(levels, level) {
			return "", &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: level is none of " + strings.Join(levels, ", ")}
		}
		return "{}", nil
	case mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe:
		if !p.declares("resources", "subscribe") {
			return "", unknownMethod(r.Method)
		}
		if _, ok := r.stringParam("uri"); !ok {
			return "", &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: uri is not a string"}
		}
		return "{}", nil // nothing ever changes
	case mcp.CompletionComplete:
		// The first revision had the method but no capability for it.
		return completion(r, p.declares("completions") || !mcp.CompletionsCapability.In(revision))
	}
	return s.answerCommon(ctx, p, r, "", mcp.CodeResourceNotFound)
}

// levels lists the levels of RFC 5424, least severe first.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func (s *Server) initialize(p *Prepared, t *Session, r *request) reply {
	asked, ok := r.stringParam("protocolVersion")
	if !ok {
		return failReply(r.ID, http.StatusBadRequest, &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: protocolVersion is not a string"})
	}
	revision := s.handshake[len(s.handshake)-1]
	if slices.Contains(s.handshake, asked) {
		revision = asked
	}
	version := revision
	if p.Version != "" {
		if version = p.Version; mcp.HasHandshake(version) {
			revision = version
		}
	}
	if !t.setRevision(revision, version, s.opt.Interceptor != nil) {
		return failReply(r.ID, http.StatusBadRequest, &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: the conversation has begun already"})
	}
	if p.Initialized != "" {
		return resultReply(r.ID, p.Initialized)
	}
	return resultReply(r.ID, joinedObject(`"protocolVersion":`+rawjson.Quote(version), repeatMember("capabilities", p.Capabilities),
		repeatMember("serverInfo", p.Identity), repeatMember("instructions", p.Instructions)))
}
