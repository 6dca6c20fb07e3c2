package serve

import (
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"

	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// The headers of MCP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// checkHeaders compares what a modern request says in its headers with what its body says.
func (r *request) checkHeaders(p *Prepared, version string) *Error {
	if e := same(r.header, headerVersion, version, false); e != nil {
		return e
	}
	if e := same(r.header, headerMethod, r.Method, false); e != nil {
		return e
	}
	for _, c := range callable {
		if c.method != r.Method {
			continue
		}
		name, ok := r.text(c.param)
		if !ok {
			return nil // the body has nothing to compare with, and is refused for that
		}
		if e := same(r.header, headerName, name, true); e != nil {
			return e
		}
	}
	if r.Method != "tools/call" {
		return nil
	}
	name, _ := r.text("name")
	if i, ok := p.names[0][name]; ok {
		for _, b := range p.headers[i] {
			if e := checkMirror(&b, r.header, r.param("arguments")); e != nil {
				return e
			}
		}
	}
	return nil
}

func mismatch(header, why string) *Error {
	return &Error{Code: headerMismatch, Message: "Header mismatch: the header " + header + " " + why}
}

// same compares the one value of a header with the body's. Values are case-sensitive.
func same(h http.Header, name, body string, encoded bool) *Error {
	value, e := single(h, name)
	if e == nil && encoded {
		value, e = decoded(name, value)
	}
	if e == nil && value != body {
		e = mismatch(name, "is not what the body says")
	}
	return e
}

// single returns the value of a header that must be there once. A proxy may have looked
// at either of two.
func single(h http.Header, name string) (string, *Error) {
	switch vs := h.Values(name); {
	case len(vs) == 0:
		return "", mismatch(name, "is missing")
	case len(vs) > 1:
		return "", mismatch(name, "is there more than once")
	default:
		for _, c := range []byte(vs[0]) {
			if c != '\t' && (c < ' ' || c > '~') {
				return "", mismatch(name, "has a character that a header must not have")
			}
		}
		return vs[0], nil
	}
}

// decoded undoes the base64 form of a value that is not fit for a header.
func decoded(name, value string) (string, *Error) {
	if inner, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if inner, ok = strings.CutSuffix(inner, "?="); ok {
			b, err := base64.StdEncoding.DecodeString(inner)
			if err != nil {
				return "", mismatch(name, "is not valid base64")
			}
			return string(b), nil
		}
	}
	return value, nil
}

// checkMirror compares the header with the argument, by value where it is a number.
func checkMirror(m *wire.Mirror, h http.Header, arguments string) *Error {
	value := m.Argument(arguments)
	if value == "" {
		if len(h.Values(m.Header)) > 0 {
			return mismatch(m.Header, "is there for an argument that is not")
		}
		return nil
	}
	got, e := single(h, m.Header)
	if e == nil {
		got, e = decoded(m.Header, got)
	}
	if e == nil && !equals(got, value) {
		e = mismatch(m.Header, "is not what the body says")
	}
	return e
}

// equals compares a header's text with a raw JSON value.
func equals(header, raw string) bool {
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
