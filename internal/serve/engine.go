package serve

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"gauntlet/internal/wire"
)

// mostParts is how many messages of a batch are answered: each may ask for a whole list.
const mostParts = 50

// reply says what there is to say to a message of any kind: one answer to a request, none
// to a notification. run is nil for a message that is answered at once.
func (s *Server) reply(ctx context.Context, t *Talk, h heard, run *running) reply {
	switch {
	case h.req != nil:
		h.req.run = run
		return s.request(ctx, t, h.turn.State, h.req)
	case h.Kind == wire.Request:
		return fail(h.ID, http.StatusBadRequest, &Error{Code: invalidRequest, Message: "Invalid Request: " + h.Note})
	case h.Kind == wire.Batch:
		return s.batch(ctx, t, h, run)
	case h.Kind == wire.Invalid:
		return refuse(h.Message)
	}
	return reply{} // a notification, or an answer
}

// refuse answers what is no message.
func refuse(m wire.Message) reply {
	if strings.Trim(m.Raw, space) == "" {
		return reply{}
	}
	e := &Error{Code: invalidRequest, Message: "Invalid Request: " + m.Note}
	id := ""
	if _, err := Compact(m.Raw); err != nil {
		// An id may have been read, but of a text that breaks off nobody knows whether
		// it would have been the last one.
		e = &Error{Code: parseError, Message: "Parse error: " + m.Note}
	} else if m.ID != "" && strings.IndexByte(`"-0123456789`, m.ID[0]) >= 0 {
		id = m.ID
	}
	return fail(id, http.StatusBadRequest, e)
}

// checkBatch says why a batch is refused, nil if it is not: by the revision, or its length.
func checkBatch(t *Talk, m wire.Message) *reply {
	why := ""
	if r := t.agreed(); r == "" || r > lastWithBatches {
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
	r := fail("", http.StatusBadRequest, &Error{Code: invalidRequest, Message: "Invalid Request: " + why})
	return &r
}

// batch answers an array of messages where the revision has them.
func (s *Server) batch(ctx context.Context, t *Talk, h heard, run *running) reply {
	if h.refused != nil {
		return *h.refused
	}
	var answers []string
	for _, part := range h.parts {
		if a := s.eraless(ctx, t, part, run); a.body != "" {
			answers = append(answers, a.body)
		}
	}
	if answers == nil {
		return reply{}
	}
	return reply{body: "[" + strings.Join(answers, ",") + "]"}
}

// eraless answers a message where only the legacy era can be meant, whatever the message
// carries of another.
func (s *Server) eraless(ctx context.Context, t *Talk, h heard, run *running) reply {
	if h.req != nil {
		h.req.run = run
		return s.legacyRequest(ctx, t, h.turn.State, h.req)
	}
	return s.reply(ctx, t, h, run)
}

// request answers a request of either era.
func (s *Server) request(ctx context.Context, t *Talk, p *Prepared, r *request) reply {
	switch {
	case s.modernEra(r):
		return s.modernRequest(ctx, p, r)
	case len(s.legacy) == 0 && r.Method == "initialize":
		// Old clients know no way forward; the message is all that a user gets to see.
		requested := r.param("protocolVersion")
		return fail(r.ID, http.StatusBadRequest, s.unsupported(requested))
	case len(s.legacy) == 0 && r.header != nil && len(r.header.Values(headerVersion)) == 0:
		return fail(r.ID, http.StatusBadRequest, &Error{Code: headerMismatch, Message: "Header mismatch: the header " + headerVersion + " is missing"})
	case len(s.legacy) == 0:
		return fail(r.ID, http.StatusBadRequest, missingMeta(metaVersion))
	}
	return s.legacyRequest(ctx, t, p, r)
}

// modernEra decides by what the request itself says, never by what came before it.
func (s *Server) modernEra(r *request) bool {
	if len(s.modern) == 0 || r.old {
		return false
	}
	if r.isModern() {
		return true
	}
	return r.header != nil && slices.Contains(modern, r.header.Get(headerVersion))
}

func (s *Server) unsupported(requested string) *Error {
	if requested == "" || requested[0] != '"' {
		requested = `""`
	}
	return &Error{
		Code:    unsupportedVersion,
		Message: "Unsupported protocol version; this server speaks " + strings.Join(s.supported(), ", "),
		Data:    `{"supported":` + quoteAll(s.supported()) + `,"requested":` + requested + `}`,
	}
}

func missingMeta(key string) *Error {
	return &Error{Code: invalidParams, Message: "Invalid params: _meta has no valid " + quote(key)}
}

// checkParams refuses parameters that have no one meaning.
func (r *request) checkParams() *Error {
	switch {
	case r.bad:
		return &Error{Code: invalidParams, Message: "Invalid params: params is not an object"}
	case r.badMeta:
		return &Error{Code: invalidParams, Message: "Invalid params: _meta is not an object"}
	case r.twice != "":
		return &Error{Code: invalidParams, Message: "Invalid params: more than one member " + quote(clip(r.twice))}
	}
	return nil
}
