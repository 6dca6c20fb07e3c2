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

// A Mirror says that an argument of a tool goes into a header of the request as well, as
// the annotation x-mcp-header of revision 2026-07-28 asks.
type Mirror struct {
	Header string   // canonical, with its prefix
	Path   []string // of property names that lead to the argument
}

const (
	mirrorKey = "x-mcp-header"
	// maxMirrorDepth bounds how deep a schema is looked through.
	maxMirrorDepth = 32
)

// Mirrors reads them from the inputSchema of a tool, nil if there are none. With an error,
// which says why, a client over HTTP must leave the whole tool alone.
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

// readProperties reads a schema whose place in the arguments is known: path.
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

// keyword looks for annotations in parts of a schema that do not say where in the
// arguments they stand, such as items and anyOf.
func (r *mirrorReader) keyword(m rawjson.Member, depth int) {
	switch m.Key.Text() {
	case "default", "const", "enum", "examples", mirrorKey: // values, and what add has read
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

// Argument returns the raw value that is mirrored, "" if the arguments, a raw object, have
// none or null. Of members that repeat it is the last.
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

// setHeader writes the header for these arguments, none where there is no scalar to write.
func (m *Mirror) setHeader(header http.Header, arguments string) {
	switch value := m.Argument(arguments); {
	case value == "" || strings.IndexByte("{[", value[0]) >= 0:
	case value[0] == '"':
		header.Set(m.Header, headerText(rawjson.Unquote(value)))
	default:
		header.Set(m.Header, value)
	}
}

// Mirror makes every later tools/call of this tool in a stateless revision carry these
// headers.
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
