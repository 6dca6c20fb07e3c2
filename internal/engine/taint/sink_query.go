package taint

import (
	"maps"
	"slices"
	"strings"

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
