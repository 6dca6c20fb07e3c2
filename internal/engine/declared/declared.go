// Package declared reads the definitions of tools from the source of a server: names, descriptions, schemas and
// annotations, as far as the source holds them. What is made when the server runs is unknown, and said to be.
//
// The schemas are JSON Schema as the SDKs make it: of zod's calls, of Python's annotations and pydantic's models, of Go's
// structs and their tags, of the options of mcp-go, and of what is written as JSON Schema itself.
package declared

import (
	"encoding/json"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// Bounds of reading. They depend on the text alone.
const (
	maxDepth = 24      // expressions inside each other
	maxNodes = 20_000  // expressions of one tool
	maxAll   = 500_000 // of one program
)

// A Reader reads definitions, one tool after the other, and answers what schemas leave to choose.
type Reader struct {
	g     *callgraph.Graph
	left  int // expressions that the tool at hand may still cost
	spent int // by all tools

	rewritten *rewritings
	tools     map[string]*Bound
	asked     map[any]*Bound // by expressions, classes and parameters

	out     *sink.Definition
	pointer []string // of the part of the schema that is read
}

// New returns a reader of a program.
func New(g *callgraph.Graph) *Reader {
	return &Reader{g: g, rewritten: findRewritings(g), tools: map[string]*Bound{}, asked: map[any]*Bound{}}
}

// nowhere is the context in which nothing is known of any argument.
var nowhere callgraph.Context

// Read returns the definition of each tool of the program that has a handler, sorted by name: where a name is declared several
// times, the first that says anything.
func (r *Reader) Read() []sink.Definition {
	byName := map[string]int{}
	var out []sink.Definition
	for _, root := range r.g.Roots() {
		if i, seen := byName[root.Tool]; !seen {
			byName[root.Tool] = len(out)
			out = append(out, r.definition(root))
		} else if !says(&out[i]) {
			if d := r.definition(root); says(&d) {
				out[i] = d
			}
		}
	}
	slices.SortFunc(out, func(a, b sink.Definition) int { return strings.Compare(a.Tool, b.Tool) })
	return out
}

func says(d *sink.Definition) bool { return d.Description != "" || d.InputSchema != nil }

func (r *Reader) definition(root callgraph.Root) sink.Definition {
	r.left = min(maxNodes, maxAll-r.spent)
	before := r.left
	d := sink.Definition{Tool: root.Tool, At: root.At}
	r.out, r.pointer = &d, nil
	switch {
	case root.Class != nil:
		r.class(root.Class)
	case root.Decl != nil:
		r.registration(root)
	default:
		r.elsewhere(root.Tool)
	}
	r.spent += before - r.left
	slices.Sort(d.Unknown)
	d.Unknown = slices.Compact(d.Unknown)
	return d
}

// elsewhere reads a tool whose declaration stands apart from its handler.
func (r *Reader) elsewhere(tool string) {
	for _, x := range r.g.Declarations(tool) {
		if p := callgraph.PlaceOf(x); !says(r.out) {
			r.out.At, r.out.Unknown = p, nil
			r.declaration(x, nowhere)
		}
	}
	if !says(r.out) && r.out.Unknown == nil {
		r.unknown("description")
		r.unknown("inputSchema")
	}
}

// unknown notes a part of the definition that could not be read.
func (r *Reader) unknown(part string) {
	const most = 50
	if len(r.out.Unknown) < most {
		r.out.Unknown = append(r.out.Unknown, part)
	}
}

// unread notes the part of the schema that is being read, and returns one of which nothing is known.
func (r *Reader) unread() schema {
	r.unknown(strings.Join(append([]string{"inputSchema"}, r.pointer...), "/"))
	return schema{}
}

// within reads a part of the schema.
func within[T any](r *Reader, name string, read func() T) T {
	r.pointer = append(r.pointer, name)
	defer func() { r.pointer = r.pointer[:len(r.pointer)-1] }()
	return read()
}

// spend counts an expression, and reports whether it may be read.
func (r *Reader) spend(depth int) bool {
	r.left--
	return r.left > 0 && depth < maxDepth
}

// text is a constant text; ok is false where it is not known.
func (r *Reader) text(x *ir.Expr, c callgraph.Context) (string, bool) {
	if x == nil || !r.spend(0) {
		return "", false
	}
	return r.g.Constant(x, c)
}

// key is the name of a member of an object; ok is false where it is not known.
func (r *Reader) key(a ir.Arg, c callgraph.Context) (string, bool) {
	if a.Name != "" {
		return a.Name, true
	}
	return r.text(a.Key, c)
}

func (r *Reader) setDescription(x *ir.Expr, c callgraph.Context) {
	if text, ok := r.text(x, c); ok {
		r.out.Description = text
	} else {
		r.unknown("description")
	}
}

func (r *Reader) setAnnotations(x *ir.Expr, c callgraph.Context) {
	v, ok := r.plain(x, c, 0)
	if o, isObject := v.(object); ok && isObject {
		r.out.Annotations = encode(lowerFirst(o))
		return
	}
	r.unknown("annotations")
}

// setSchema keeps a schema that was read. Both SDKs send an object without members where a tool has none.
func (r *Reader) setSchema(s schema) {
	if s.json != nil {
		r.out.InputSchema = encode(s.json)
		r.tools[r.out.Tool] = &s.Bound
	}
}

// encode writes what this program made, which cannot fail.
func encode(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}
