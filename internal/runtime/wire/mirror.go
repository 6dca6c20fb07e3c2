package wire

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// A Mirror is a tool argument that is also sent as a request header, as the annotation x-mcp-header of revision 2026-07-28 asks.
type Mirror struct {
	Header string   // canonical name, with prefix
	Path   []string // property names leading to the argument
}

const (
	mirrorKey = "x-mcp-header"
	// maxMirrorDepth bounds the schema depth that is searched.
	maxMirrorDepth = 32
)

// Mirrors reads the mirrors from a tool's inputSchema, nil if there are none. On an error an HTTP client must ignore the whole
// tool.
func Mirrors(schema rawjson.Value) ([]Mirror, error) {
	var r mirrorReader
	r.readProperties(schema, nil)
	if r.err != nil {
		return nil, r.err
	}
	return r.out, nil
}

type mirrorReader struct {
	out []Mirror
	err error
}

func (r *mirrorReader) setError(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(mirrorKey+": "+format, args...)
	}
}

// readProperties reads a schema whose position in the arguments (path) is known.
func (r *mirrorReader) readProperties(schema rawjson.Value, path []string) {
	if len(path) >= maxMirrorDepth {
		r.elsewhere(schema, 0)
		return
	}
	for m := range schema.Members() {
		if m.Key.Text() != "properties" {
			r.keyword(m, 0)
			continue
		}
		for p := range m.Value.Members() {
			here := append(slices.Clip(path), p.Key.Text())
			if h := p.Value.Get(mirrorKey); h.Exists() {
				r.addMirror(h, p.Value.Get("type").Text(), here)
			}
			r.readProperties(p.Value, here)
		}
	}
}

func (r *mirrorReader) addMirror(name rawjson.Value, kind string, path []string) {
	m := Mirror{http.CanonicalHeaderKey(mcp.HeaderParamPrefix + name.Text()), path}
	switch {
	case name.Kind() != rawjson.String || !token(name.Text()):
		r.setError("%q cannot be part of a header's name", excerpt.Clip(name.Text(), 60))
	case kind != "string" && kind != "integer" && kind != "boolean":
		r.setError("%q is on a property that is neither a string, an integer nor a boolean", excerpt.Clip(name.Text(), 60))
	case slices.ContainsFunc(r.out, func(o Mirror) bool { return o.Header == m.Header }):
		r.setError("%q is there twice", excerpt.Clip(name.Text(), 60))
	}
	r.out = append(r.out, m)
}

// keyword searches for annotations in schema parts that have no fixed position in the arguments, such as items and anyOf.
func (r *mirrorReader) keyword(m rawjson.Member, depth int) {
	switch m.Key.Text() {
	case "default", "const", "enum", "examples", mirrorKey: // values, and what readProperties has read
		return
	case "patternProperties", "$defs", "definitions", "dependentSchemas": // schemas by name
		for named := range m.Value.Members() {
			r.elsewhere(named.Value, depth+1)
		}
		return
	}
	r.elsewhere(m.Value, depth+1)
	for _, v := range m.Value.Elements() {
		r.elsewhere(v, depth+1)
	}
}

var errMirrorPlace = errors.New(mirrorKey + ": it stands where no property of the arguments is")

func (r *mirrorReader) elsewhere(schema rawjson.Value, depth int) {
	if depth > maxMirrorDepth || r.err != nil {
		return
	}
	if schema.Get(mirrorKey).Exists() {
		r.err = errMirrorPlace
		return
	}
	for m := range schema.Members() {
		if m.Key.Text() == "properties" {
			for p := range m.Value.Members() {
				r.elsewhere(p.Value, depth+1)
			}
			continue
		}
		r.keyword(m, depth)
	}
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
