package mcpserver

import (
	"context"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// checkHeaders compares a stateless request's headers with its body.
func (r *request) checkHeaders(ctx context.Context, p *Prepared, version string) *Error {
	if e := matchHeader(r.header, mcp.HeaderProtocolVersion, version, false); e != nil {
		return e
	}
	if e := matchHeader(r.header, mcp.HeaderMethod, r.Method, false); e != nil {
		return e
	}
	if param := mcp.SubjectParam(r.Method); param != "" {
		name, ok := r.stringParam(param)
		if !ok {
			return nil // the body lacks the value, and is refused for that
		}
		if e := matchHeader(r.header, mcp.HeaderName, name, true); e != nil {
			return e
		}
	}
	if r.Method != mcp.ToolsCall {
		return nil
	}
	name, _ := r.stringParam("name")
	var mirrors []wire.Mirror
	if i, ok := p.names[0][name]; ok {
		mirrors = p.headers[i]
	} else if p.Mirrors != nil {
		mirrors = p.Mirrors(ctx, name)
	}
	for _, b := range mirrors {
		if e := checkMirror(&b, r.header, r.rawParam("arguments")); e != nil {
			return e
		}
	}
	return nil
}

func headerMismatch(header, why string) *Error {
	return &Error{Code: mcp.CodeHeaderMismatch, Message: "Header mismatch: the header " + header + " " + why}
}

// matchHeader compares a header's single value with the body's. Values are case-sensitive.
func matchHeader(h http.Header, name, body string, encoded bool) *Error {
	value, e := singleHeader(h, name)
	if e == nil && encoded {
		value, e = decodeHeader(name, value)
	}
	if e == nil && value != body {
		e = headerMismatch(name, "is not what the body says")
	}
	return e
}

// singleHeader returns the value of a header that must occur once: a proxy may have used either of two.
func singleHeader(h http.Header, name string) (string, *Error) {
	switch vs := h.Values(name); {
	case len(vs) == 0:
		return "", headerMismatch(name, "is missing")
	case len(vs) > 1:
		return "", headerMismatch(name, "is there more than once")
	default:
		for _, c := range []byte(vs[0]) {
			if c != '\t' && (c < ' ' || c > '~') {
				return "", headerMismatch(name, "has a character that a header must not have")
			}
		}
		return vs[0], nil
	}
}

// decodeHeader decodes the base64 form of a value that is not valid in a header.
func decodeHeader(name, value string) (string, *Error) {
	if inner, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if inner, ok = strings.CutSuffix(inner, "?="); ok {
			b, err := base64.StdEncoding.DecodeString(inner)
			if err != nil {
				return "", headerMismatch(name, "is not valid base64")
			}
			return string(b), nil
		}
	}
	return value, nil
}

// checkMirror compares the header with the argument, numbers by value.
func checkMirror(m *wire.Mirror, h http.Header, arguments string) *Error {
	value := m.Argument(arguments)
	if value == "" {
		if len(h.Values(m.Header)) > 0 {
			return headerMismatch(m.Header, "is there for an argument that is not")
		}
		return nil
	}
	got, e := singleHeader(h, m.Header)
	if e == nil {
		got, e = decodeHeader(m.Header, got)
	}
	if e == nil && !headerEquals(got, value) {
		e = headerMismatch(m.Header, "is not what the body says")
	}
	return e
}

// headerEquals compares a header's text with a raw JSON value.
func headerEquals(header, raw string) bool {
	switch raw[0] {
	case '"':
		return header == rawjson.Unquote(raw)
	case 't', 'f':
		return header == raw
	case '{', '[':
		return false
	}
	const most = 1<<53 - 1
	a, errA := strconv.ParseFloat(header, 64)
	b, errB := strconv.ParseFloat(raw, 64)
	return errA == nil && errB == nil && a == b && a == math.Trunc(a) && math.Abs(a) <= most
}
