package gateway

import (
	"cmp"
	"fmt"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// readError parses an error answer.
func readError(m wire.Message) *mcpserver.Error {
	e := wire.AnswerErrorOf("", m)
	return &mcpserver.Error{Code: int(cmp.Or(e.Code, mcp.CodeInternalError)), Message: cmp.Or(e.Message, "the server answered with an error without a message"), Data: e.Data}
}

func (cs *clientSession) noteEvent(format string, args ...any) {
	cs.gateway.opt.Note(fmt.Sprintf(format, args...))
}

const maxNotedOnce = 1_000

// noteOnce reports a note once that every listing would repeat. It uses its own lock, since callers may hold the session's.
func (cs *clientSession) noteOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	cs.notedMu.Lock()
	said := cs.noted[text] || len(cs.noted) >= maxNotedOnce
	if !said {
		cs.noted[text] = true
	}
	cs.notedMu.Unlock()
	if !said {
		cs.gateway.opt.Note(text)
	}
}
