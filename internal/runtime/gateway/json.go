package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// replaceMember returns the object with every member of that name holding value instead.
func replaceMember(object, name, value string) string {
	var b strings.Builder
	at := 0
	_ = rawjson.EachMember(object, 0, func(key, v rawjson.Span) bool {
		if rawjson.Unquote(object[key.Start:key.End]) == name {
			b.WriteString(object[at:v.Start])
			b.WriteString(value)
			at = v.End
		}
		return true
	})
	return b.String() + object[at:]
}

// appendMembers returns the object with further members, raw, behind its own.
func appendMembers(object, members string) string {
	inner := strings.TrimSpace(object[1 : len(object)-1])
	if inner == "" || members == "" {
		return "{" + inner + members + "}"
	}
	return "{" + inner + "," + members + "}"
}

// removeMembers returns the object without the members of these names.
func removeMembers(object string, names ...string) string {
	var kept []string
	_ = rawjson.EachMember(object, 0, func(key, v rawjson.Span) bool {
		name := rawjson.Unquote(object[key.Start:key.End])
		for _, n := range names {
			if n == name {
				return true
			}
		}
		kept = append(kept, object[key.Start:v.End])
		return true
	})
	return "{" + strings.Join(kept, ",") + "}"
}

// readError is an error that a server answered with, as it is told the client.
func readError(raw string) (code int, message, data string) {
	code, message = mcp.CodeInternalError, "the server answered with an error that says nothing"
	if n := rawjson.LastMember(raw, "code"); n != "" {
		_ = json.Unmarshal([]byte(n), &code) // else the code stays
	}
	if m := rawjson.LastMember(raw, "message"); m != "" {
		message = rawjson.UnquoteString(m)
	}
	return code, message, rawjson.LastMember(raw, "data")
}

func (cs *clientSession) noteEvent(format string, args ...any) {
	cs.gateway.opt.Note(fmt.Sprintf(format, args...))
}

// maxNotedOnce bounds what a client session remembers to have said.
const maxNotedOnce = 1_000

// noteOnce notes what would be true at every list anew. h.noted is guarded by a lock of its own:
// whoever calls may hold that of the client session.
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
