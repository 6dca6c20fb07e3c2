package mcpserver

import (
	"context"
	"net/http"

	"gauntlet/internal/runtime/wire"
)

// talk is the name under which tests of single messages know a conversation.
type talk = Session

// answer says what there is to say to a single message.
func (s *Server) answer(ctx context.Context, t *Session, m wire.Message, header http.Header) reply {
	return s.answerMessage(ctx, t, s.decideIncoming(ctx, t, readIncoming(m, header)), nil)
}
