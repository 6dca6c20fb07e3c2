package serve

import (
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

// The headers of MCP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
)

// checkHeaders compares what a modern request says in its headers with what its body says.
func (r *request) checkHeaders(p *prepared, version string) *Error {
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
			if e := b.check(r.header, r.param("arguments")); e != nil {
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

// A binding says that a parameter of a tool is mirrored in a header (x-mcp-header).
type binding struct {
	header string   // canonical, with its prefix
	path   []string // of property names
}

// maxPath bounds how deep a mirrored parameter may lie.
const maxPath = 32

// bindings reads them from a tool's inputSchema, nil if there are none. A tool that has
// one against the rules has none: conforming clients drop it.
func bindings(schema rawjson.Value) []binding {
	var out []binding
	seen := map[string]bool{}
	valid := true
	var walk func(rawjson.Value, []string)
	walk = func(schema rawjson.Value, path []string) {
		if len(path) >= maxPath {
			return
		}
		for m := range schema.Get("properties").Members() {
			here := append(path[:len(path):len(path)], m.Key.Text())
			if h := m.Value.Get("x-mcp-header"); h.Exists() {
				name := http.CanonicalHeaderKey(headerParam + h.Text())
				valid = valid && isToken(h.Text()) && !seen[name] && isPrimitive(m.Value.Get("type").Text())
				seen[name] = true
				out = append(out, binding{name, here})
			}
			walk(m.Value, here)
		}
	}
	walk(schema, nil)
	if !valid {
		return nil
	}
	return out
}

func isPrimitive(kind string) bool { return kind == "string" || kind == "integer" || kind == "boolean" }

// isToken reports whether s may be part of a header's name (RFC 9110).
func isToken(s string) bool {
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// check compares the header with the argument, by value where it is a number.
func (b *binding) check(h http.Header, arguments string) *Error {
	value := arguments
	for _, name := range b.path {
		vs := values(value, name)
		if vs == nil {
			value = ""
			break
		}
		value = vs[len(vs)-1]
	}
	if value == "" || value == "null" {
		if len(h.Values(b.header)) > 0 {
			return mismatch(b.header, "is there for an argument that is not")
		}
		return nil
	}
	got, e := single(h, b.header)
	if e == nil {
		got, e = decoded(b.header, got)
	}
	if e == nil && !equals(got, value) {
		e = mismatch(b.header, "is not what the body says")
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
