package serve

import (
	"context"
	"net/http"

	"gauntlet/internal/wire"
)

// talk is the name under which tests of single messages know a conversation.
type talk = Talk

// answer says what there is to say to a single message.
func (s *Server) answer(ctx context.Context, t *Talk, m wire.Message, header http.Header) reply {
	return s.reply(ctx, t, s.hear(ctx, t, open(m, header)), nil)
}
