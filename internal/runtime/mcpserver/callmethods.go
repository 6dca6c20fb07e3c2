package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// answerCommon answers the methods that both eras have. extra holds the first members of every list result; notFound is the code
// for an unknown resource.
func (s *Server) answerCommon(ctx context.Context, p *Prepared, r *request, extra string, notFound int) (string, *Error) {
	if l := mcp.ListIndex(r.Method); l >= 0 {
		return s.answerList(p, l, r, extra)
	}
	if l := mcp.CallIndex(r.Method); l >= 0 {
		return p.answerCall(ctx, l, r, notFound)
	}
	return "", unknownMethod(r.Method)
}

// answerByRelay asks the state's Relay. ok is false if the rest of the state should answer.
func (p *Prepared) answerByRelay(ctx context.Context, r *request) (result string, e *Error, ok bool) {
	if p.Relay == nil || slices.Contains(statelessOnly, r.Method) {
		return "", nil, false
	}
	result, err := p.Relay(ctx, r.makeCall(""))
	if errors.Is(err, ErrUnhandled) {
		return "", nil, false
	}
	result, e = checkResult(result, err)
	return result, e, true
}

// checkResult turns what a State's functions return into an answer.
func checkResult(result string, err error) (string, *Error) {
	var own *Error
	switch {
	case errors.As(err, &own):
		if raw, err := Compact(own.Raw); err != nil || raw == "" || raw[0] != '{' {
			own = &Error{Code: own.Code, Message: own.Message, Data: own.Data}
		} else {
			own = &Error{Code: own.Code, Raw: raw}
		}
		return "", own
	case err != nil:
		return "", &Error{Code: mcp.CodeInternalError, Message: "Internal error: " + err.Error()}
	}
	if result, err = Compact(result); err != nil || result[0] != '{' {
		return "", &Error{Code: mcp.CodeInternalError, Message: "Internal error: the result is no JSON object"}
	}
	return result, nil
}

func (p *Prepared) answerCall(ctx context.Context, l int, r *request, notFound int) (string, *Error) {
	// A server with templates only still reads resources.
	if !p.Lists[l].Present && (r.Method != mcp.ResourcesRead || !p.Lists[3].Present) {
		return "", unknownMethod(r.Method)
	}
	param := mcp.Lists[l].ID
	name, ok := r.stringParam(param)
	if !ok {
		return "", &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: " + param + " is not a string"}
	}
	if args := r.rawParam("arguments"); args != "" && args[0] != '{' && args != "null" {
		return "", &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: arguments is not an object"}
	}
	if _, ok := p.names[l][name]; !ok && !p.Unlisted {
		return "", unknownName(l, r, name, notFound)
	}
	if p.Call == nil {
		return "", &Error{Code: mcp.CodeInternalError, Message: "Internal error: nothing answers this method"}
	}
	result, err := p.Call(ctx, r.makeCall(name))
	if errors.Is(err, ErrUnknown) {
		return "", unknownName(l, r, name, notFound)
	}
	return checkResult(result, err)
}

func unknownName(l int, r *request, name string, notFound int) *Error {
	if r.Method == mcp.ResourcesRead {
		return &Error{Code: notFound, Message: "Resource not found", Data: `{"uri":` + r.rawParam("uri") + `}`}
	}
	return &Error{Code: mcp.CodeInvalidParams, Message: "Unknown " + mcp.Lists[l].Item + ": " + excerpt.Clip(name, mostQuoted)}
}

func (r *request) makeCall(name string) Call {
	c := Call{Method: r.Method, Name: name, Params: r.Params, ID: r.ID, Stateless: r.stateless, AsIs: func() { r.asIs = true }}
	run := r.run
	if run == nil {
		return c
	}
	c.Session, c.Client, c.Notify, c.AskInOrder = run.session, run.session.Client(), run.notifyClient, run.askClient
	if r.stateless {
		c.Client = r.meta[mcp.MetaClientCapabilities]
		c.AskInOrder = func(ctx context.Context, method, params string, heard func(wire.Message)) (wire.Message, error) {
			if mcp.CallIndex(r.Method) < 0 {
				return wire.Message{}, ErrNoChannel // other methods have no input_required result
			}
			m, err := run.askByResult(ctx, r.digestCall(), method, params)
			if err == nil && heard != nil {
				heard(m)
			}
			return m, err
		}
	}
	c.Ask = func(ctx context.Context, method, params string) (wire.Message, error) {
		return c.AskInOrder(ctx, method, params, nil)
	}
	return c
}

// completion returns no suggestions, whatever the argument.
func completion(r *request, declared bool) (string, *Error) {
	if !declared {
		return "", unknownMethod(r.Method)
	}
	for _, name := range []string{"ref", "argument"} {
		if v := r.rawParam(name); v == "" || v[0] != '{' {
			return "", &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: " + name + " is not an object"}
		}
	}
	return `{"completion":{"values":[],"total":0,"hasMore":false}}`, nil
}

// withMembers adds members, given by name and raw value, to a JSON object unless it has them.
func withMembers(object string, members ...string) string {
	for i := 0; i < len(members); i += 2 {
		if rawjson.LastMember(object, members[i]) != "" {
			members[i+1] = ""
		}
	}
	return rawjson.Join(rawjson.Build(members...), object)
}

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
	next := ""
	if end < len(list.Items) {
		next = `,"nextCursor":"` + s.cursor(p, l, end) + `"`
	}
	return `{` + extra + `"` + mcp.Lists[l].Member + `":[` + strings.Join(list.Items[start:end], ",") + `]` + next + `}`, nil
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
