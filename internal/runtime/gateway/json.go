package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// replaceMember returns the object with the value of every member of that name replaced.
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

// appendMembers returns the object with raw members appended.
func appendMembers(object, members string) string {
	inner := strings.TrimSpace(object[1 : len(object)-1])
	if inner == "" || members == "" {
		return "{" + inner + members + "}"
	}
	return "{" + inner + "," + members + "}"
}

// removeMembers returns the object without members of these names.
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

// readError parses a server's error for the client.
func readError(raw string) (code int, message, data string) {
	code, message = mcp.CodeInternalError, "the server answered with an error without a message"
	if n := rawjson.LastMember(raw, "code"); n != "" {
		_ = json.Unmarshal([]byte(n), &code) // otherwise the code stays
	}
	if m := rawjson.LastMember(raw, "message"); m != "" {
		message = rawjson.UnquoteString(m)
	}
	return code, message, rawjson.LastMember(raw, "data")
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
