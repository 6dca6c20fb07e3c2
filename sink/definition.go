package sink

import "bytes"

// A Definition is a tool's definition as read from the source: what the server would list when running.
type Definition struct {
	Tool string
	At   Place
	// Title and Description are "" if the source has none, or not completely: see Unknown.
	Title, Description string
	InputSchema        []byte // nil if missing or unreadable
	Annotations        []byte // nil if missing or unreadable
	// Unknown are the parts that exist but could not be read since they are built at run time: "description",
	// "inputSchema", "annotations", or the pointer of a part of the schema.
	Unknown []string
}

// HasParameters reports whether the source declares a parameter.
func (d *Definition) HasParameters() bool {
	_, properties, ok := bytes.Cut(d.InputSchema, []byte(`"properties":{`))
	return ok && !bytes.HasPrefix(bytes.TrimSpace(properties), []byte("}"))
}
