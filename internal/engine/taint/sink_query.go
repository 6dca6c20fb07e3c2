package taint

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/engine/declared"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// junctions are members of a filter that hold filters.
var junctions = names("$and $or $nor")

// databaseCode are members of a filter that hold code which the database runs.
var databaseCode = names("$where $function")

// whereCode says of a flow that it is code for the database, and no value that is compared.
const whereCode = "$where"

// asObject returns the members of a composite of Go, bson.M{"name": name}, whose type is not part of the program.
func (r *reader) asObject(x *ir.Expr, v *value) *value {
	d := r.a.g.Definition(x)
	if len(v.fields) > 0 || d.Kind != ir.New || r.a.g.Convention().Language != "go" {
		return v
	}
	out := &value{length: -1}
	for _, a := range d.Args {
		if a.Name != "" {
			out = out.with(a.Name, r.silently(a.Value))
		}
	}
	return out
}

// readFilter reads the filter of a request to a document database. A value in it may be an object, and its members are then
// operators: {"$ne": ""} fits every document. A filter that the caller sends as a whole is what such a tool is for.
func (r *reader) readFilter(c call, v *value, name string, depth int) {
	if depth > 3 {
		return
	}
	for _, member := range slices.Sorted(maps.Keys(v.fields)) {
		f := v.fields[member]
		switch {
		case databaseCode[member]:
			r.sinkMarks(c, sink.QueryFlow, name, whereCode, f.all())
		case junctions[member]:
			for _, part := range slices.Sorted(maps.Keys(f.fields)) {
				r.readFilter(c, f.fields[part], name, depth+1)
			}
		case !strings.HasPrefix(member, "$"):
			r.sinkMarks(c, sink.QueryFlow, name, "", f.wholeOnly().marks)
		}
	}
}

// openTypes are types of Python's parameters that let an object in.
var openTypes = names("Any dict Dict object Mapping MutableMapping JSON JsonValue")

// mayBeObject reports whether what a caller sends in a parameter can be an object. Where the SDK refuses it before the handler runs, or
// nothing is known of what it refuses, it cannot.
func (a *analyzer) mayBeObject(root callgraph.Root, src source, schema *declared.Bound) bool {
	p := paramOf(root.Func, src.param)
	if p == nil {
		return false
	}
	switch a.g.Convention().Language {
	case "typescript":
		if root.Via == sink.ByDispatch {
			return true // a low-level server's schema is listed, and compared with nothing
		}
		b := schema.At(src.path)
		return b != nil && b.Open
	case "python":
		return root.Via == sink.ByRegistration && src.path == "" && (p.Noted == nil && p.Type == nil || p.Noted.Search(12, func(x *ir.Expr) (bool, bool) {
			return (x.Kind == ir.Name || x.Kind == ir.Attr) && openTypes[x.Text], true
		}))
	}
	if p.Type == nil || p.Type.X == nil {
		return false
	}
	if strings.HasSuffix(p.Type.X.Text, "Request") {
		return true // arguments of mcp-go are of any type
	}
	return a.isOpenField(p.Type.X.Text, strings.TrimPrefix(src.path, "."))
}

// mayNameMembers reports whether what a caller sends in a parameter can be an object whose members have names of the caller's choosing.
func (a *analyzer) mayNameMembers(root callgraph.Root, src source, schema *declared.Bound) bool {
	if a.g.Convention().Language == "typescript" && root.Via != sink.ByDispatch {
		b := schema.At(src.path)
		return b != nil && b.Free
	}
	return a.mayBeObject(root, src, schema)
}

// isOpenField reports whether a field of a struct takes values of any type.
func (a *analyzer) isOpenField(class, field string) bool {
	for _, c := range a.classesNamed(class) {
		for _, f := range c.Noted {
			if f.Name == field {
				return f.Type == nil || f.Type.Text == "map" || f.Type.X != nil && f.Type.X.Text == "any"
			}
		}
	}
	return false
}
