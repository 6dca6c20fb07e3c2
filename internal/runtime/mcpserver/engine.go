package mcpserver

import (
	"context"
	"net/http"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// mostParts bounds the messages of a batch that are answered: each may ask for a whole list.
const mostParts = 50

// answerMessage returns the reply to a message of any kind: one answer to a request, none to a notification. run is nil for a
// message that is answered at once.
func (s *Server) answerMessage(ctx context.Context, t *Session, h incoming, run *runningRequest) reply {
	h.awaitReady(ctx)
	switch {
	case h.req != nil:
		h.req.run = run
		out := s.answerRequest(ctx, t, h.decision.State, h.req)
		if h.decision.Answered != nil && out.body != "" {
			h.decision.Answered(out.body)
		}
		return out
	case h.Kind == wire.Request:
		return failReply(h.ID, http.StatusBadRequest, &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: " + h.Note})
	case h.Kind == wire.Batch:
		return s.answerBatch(ctx, t, h, run)
	case h.Kind == wire.Invalid:
		return refuseInvalid(h.Message)
	}
	return reply{} // notification or answer
}

// refuseInvalid answers text that is no message.
func refuseInvalid(m wire.Message) reply {
	if strings.Trim(m.Raw, space) == "" {
		return reply{}
	}
	e := &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: " + m.Note}
	id := ""
	if _, err := Compact(m.Raw); err != nil {
		// An id may have been read, but in truncated text a later one could have replaced it.
		e = &Error{Code: mcp.CodeParseError, Message: "Parse error: " + m.Note}
	} else if m.ID != "" && strings.IndexByte(`"-0123456789`, m.ID[0]) >= 0 {
		id = m.ID
	}
	return failReply(id, http.StatusBadRequest, e)
}

// checkBatch returns the refusal of a batch, because of the revision or its length, or nil.
func checkBatch(t *Session, m wire.Message) *reply {
	why := ""
	if r := t.agreedRevision(); r == "" || !mcp.Batches.In(r) {
		why = "a batch is not allowed in this protocol revision"
	}
	n := 0
	for range m.Parts() {
		if n++; n > mostParts {
			why = "too many messages in a batch"
			break
		}
	}
	if why == "" {
		return nil
	}
	r := failReply("", http.StatusBadRequest, &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: " + why})
	return &r
}

// answerBatch answers an array of messages in revisions that allow it.
func (s *Server) answerBatch(ctx context.Context, t *Session, h incoming, run *runningRequest) reply {
	if h.refused != nil {
		return *h.refused
	}
	var answers []string
	for _, part := range h.parts {
		if a := s.answerLegacyOnly(ctx, t, part, run); a.body != "" {
			answers = append(answers, a.body)
		}
	}
	if answers == nil {
		return reply{}
	}
	return reply{body: "[" + strings.Join(answers, ",") + "]"}
}

// answerLegacyOnly answers a message that can only belong to the handshake era, whatever marks of the other era it carries.
func (s *Server) answerLegacyOnly(ctx context.Context, t *Session, h incoming, run *runningRequest) reply {
	if h.req != nil {
		h.req.handshake = true
	}
	return s.answerMessage(ctx, t, h, run)
}

func (s *Server) answerRequest(ctx context.Context, t *Session, p *Prepared, r *request) reply {
	switch {
	case s.isStatelessRequest(r) && p != nil && p.HandshakeOnly:
		return failReply(r.ID, http.StatusBadRequest, unsupported(r.meta[mcp.MetaProtocolVersion], []string{p.Version}))
	case s.isStatelessRequest(r):
		return s.answerStateless(ctx, p, r)
	case len(s.handshake) == 0 && r.Method == mcp.Initialize:
		// Old clients cannot fall back; their users see only this message.
		requested := r.rawParam("protocolVersion")
		return failReply(r.ID, http.StatusBadRequest, s.unsupportedVersion(requested))
	case len(s.handshake) == 0 && r.header != nil && len(r.header.Values(mcp.HeaderProtocolVersion)) == 0:
		return failReply(r.ID, http.StatusBadRequest, &Error{Code: mcp.CodeHeaderMismatch, Message: "Header mismatch: the header " + mcp.HeaderProtocolVersion + " is missing"})
	case len(s.handshake) == 0:
		return failReply(r.ID, http.StatusBadRequest, missingMeta(mcp.MetaProtocolVersion))
	}
	return s.answerLegacy(ctx, t, p, r)
}

// isStatelessRequest decides by the request alone, never by earlier ones.
func (s *Server) isStatelessRequest(r *request) bool {
	if len(s.stateless) == 0 || r.handshake {
		return false
	}
	if r.isStateless() {
		return true
	}
	return r.header != nil && mcp.IsStateless(r.header.Get(mcp.HeaderProtocolVersion))
}

func (s *Server) unsupportedVersion(requested string) *Error {
	return unsupported(requested, s.supported())
}

// unsupported refuses a revision and lists the supported ones.
func unsupported(requested string, spoken []string) *Error {
	if requested == "" || requested[0] != '"' {
		requested = `""`
	}
	return &Error{
		Code:    mcp.CodeUnsupportedVersion,
		Message: "Unsupported protocol version; this server speaks " + strings.Join(spoken, ", "),
		Data:    `{"supported":` + quoteAll(spoken) + `,"requested":` + requested + `}`,
	}
}

func missingMeta(key string) *Error {
	return &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: _meta has no valid " + rawjson.Quote(key)}
}

// checkParams refuses ambiguous parameters.
func (r *request) checkParams() *Error {
	switch {
	case r.bad:
		return &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: params is not an object"}
	case r.badMeta:
		return &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: _meta is not an object"}
	case r.twice != "":
		return &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: more than one member " + rawjson.Quote(excerpt.Clip(r.twice, mostQuoted))}
	}
	return nil
}
