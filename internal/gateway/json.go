package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"gauntlet/rawjson"
)

func quote(s string) string { return string(rawjson.AppendString(nil, s)) }

// replaced returns the object with every member of that name holding value instead.
func replaced(object, name, value string) string {
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

// with returns the object with further members, raw, behind its own.
func with(object, members string) string {
	inner := strings.TrimSpace(object[1 : len(object)-1])
	if inner == "" || members == "" {
		return "{" + inner + members + "}"
	}
	return "{" + inner + "," + members + "}"
}

// without returns the object without the members of these names.
func without(object string, names ...string) string {
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

// failure is an error that a server answered with, as it is told the client.
func failure(raw string) (code int, message, data string) {
	code, message = -32603, "the server answered with an error that says nothing"
	if n := rawjson.LastMember(raw, "code"); n != "" {
		_ = json.Unmarshal([]byte(n), &code) // else the code stays
	}
	if m := rawjson.LastMember(raw, "message"); m != "" {
		message = rawjson.UnquoteString(m)
	}
	return code, message, rawjson.LastMember(raw, "data")
}

func (h *house) note(format string, args ...any) { h.gateway.opt.Note(fmt.Sprintf(format, args...)) }

// mostNoted bounds what a house remembers to have said.
const mostNoted = 1_000

// once notes what would be true at every list anew. h.noted is guarded by a lock of its own:
// whoever calls may hold that of the house.
func (h *house) once(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	h.saying.Lock()
	said := h.noted[text] || len(h.noted) >= mostNoted
	if !said {
		h.noted[text] = true
	}
	h.saying.Unlock()
	if !said {
		h.gateway.opt.Note(text)
	}
}
