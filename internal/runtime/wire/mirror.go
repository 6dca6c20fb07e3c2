package wire

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/schema"
	"gauntlet/rawjson"
)

// A Mirror is a tool argument that is also sent as a request header, as the annotation x-mcp-header of revision 2026-07-28 asks.
type Mirror struct {
	Header string   // canonical name, with prefix
	Path   []string // property names leading to the argument
}

const mirrorKey = "x-mcp-header"

// Mirrors reads the mirrors from a tool's inputSchema, nil if there are none. On an error an HTTP client must ignore the whole
// tool.
func Mirrors(input rawjson.Value) (out []Mirror, err error) {
	for p := range schema.All(input) {
		name := p.Schema.Get(mirrorKey)
		if !name.Exists() || p.Keyword == "" {
			continue
		}
		m := Mirror{http.CanonicalHeaderKey(mcp.HeaderParamPrefix + name.Text()), p.Path}
		quoted := excerpt.Clip(name.Text(), 60)
		switch kind := p.Schema.Get("type").Text(); {
		case !p.Fixed:
			return nil, errors.New(mirrorKey + ": it stands where no property of the arguments is")
		case name.Kind() != rawjson.String || !token(name.Text()):
			return nil, fmt.Errorf(mirrorKey+": %q cannot be part of a header's name", quoted)
		case kind != "string" && kind != "integer" && kind != "boolean":
			return nil, fmt.Errorf(mirrorKey+": %q is on a property that is neither a string, an integer nor a boolean", quoted)
		case slices.ContainsFunc(out, func(o Mirror) bool { return o.Header == m.Header }):
			return nil, fmt.Errorf(mirrorKey+": %q is there twice", quoted)
		}
		out = append(out, m)
	}
	return out, nil
}

// Argument returns the raw value to mirror, or "" if the raw object arguments lacks it or has null. Of repeated members the last
// counts.
func (m *Mirror) Argument(arguments string) string {
	value := arguments
	for _, name := range m.Path {
		if value == "" || value[0] != '{' {
			return ""
		}
		value = rawjson.LastMember(value, name)
	}
	if value == "null" {
		return ""
	}
	return value
}

// setHeader sets the header for these arguments if the value is a scalar.
func (m *Mirror) setHeader(header http.Header, arguments string) {
	switch value := m.Argument(arguments); {
	case value == "" || strings.IndexByte("{[", value[0]) >= 0:
	case value[0] == '"':
		header.Set(m.Header, headerText(rawjson.Unquote(value)))
	default:
		header.Set(m.Header, value)
	}
}

// Mirror makes every later tools/call of tool in a stateless revision carry these headers.
func (h *HTTP) Mirror(tool string, mirrors []Mirror) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mirrors == nil {
		h.mirrors = map[string][]Mirror{}
	}
	h.mirrors[tool] = mirrors
}

func (h *HTTP) mirrorsOf(tool string) []Mirror {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.mirrors[tool]
}
