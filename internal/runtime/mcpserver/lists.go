package mcpserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"gauntlet/internal/leaf/mcp"
	"strings"

	"gauntlet/rawjson"
)

// answerList answers one page of list l. extra holds further members of the result.
func (s *Server) answerList(p *Prepared, l int, r *request, extra string) (string, *Error) {
	list := &p.Lists[l]
	if !list.Present {
		return "", unknownMethod(r.Method)
	}
	start := 0
	if cursor := r.rawParam("cursor"); cursor != "" && cursor != "null" {
		var ok bool
		if start, ok = s.offset(p, l, cursor); !ok {
			return "", &Error{Code: mcp.CodeInvalidParams, Message: "Invalid cursor"}
		}
	}
	end := len(list.Items)
	if n := s.opt.PageSize; n > 0 && end-start > n {
		end = start + n
	}
	var b strings.Builder
	size := 256 + len(extra)
	for _, item := range list.Items[start:end] {
		size += len(item) + 1
	}
	b.Grow(size)
	b.WriteString(`{` + extra + `"` + mcp.Lists[l].Member + `":[`)
	for i, item := range list.Items[start:end] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item)
	}
	b.WriteByte(']')
	if end < len(list.Items) {
		b.WriteString(`,"nextCursor":"` + s.cursor(p, l, end) + `"`)
	}
	b.WriteByte('}')
	return b.String(), nil
}

// cursor returns an offset with an authentication code that only this server can compute, for this list of this state. Nothing has
// to be stored, so a cursor is valid in every session.
func (s *Server) cursor(p *Prepared, l, offset int) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(offset))
	return base64.RawURLEncoding.EncodeToString(append(b, s.code(p, l, b)...))
}

func (s *Server) code(p *Prepared, l int, offset []byte) []byte {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write(binary.BigEndian.AppendUint64([]byte{byte(l)}, p.generation))
	mac.Write(offset)
	return mac.Sum(nil)[:16]
}

// offset parses a cursor, a JSON text.
func (s *Server) offset(p *Prepared, l int, cursor string) (int, bool) {
	if cursor[0] != '"' || len(cursor) > 100 {
		return 0, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(rawjson.Unquote(cursor))
	if err != nil || len(b) != 8+16 || !hmac.Equal(b[8:], s.code(p, l, b[:8])) {
		return 0, false
	}
	return int(binary.BigEndian.Uint64(b)), true
}
