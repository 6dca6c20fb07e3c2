package sink

import "bytes"

// A Definition is a tool's definition as read from the source: what the server would list if it
// ran.
type Definition struct {
	Tool string
	At   Place
	// Title and Description are "" where the source has none, or none that it holds whole: see Unknown.
	Title, Description string
	InputSchema        []byte // JSON; nil where the source has none, or none that could be read
	Annotations        []byte // JSON; nil where the source has none, or none that could be read
	// Unknown are the parts that the source has and that could not be read from it, since they are made when the
	// server runs: "description", "inputSchema", "annotations", or the pointer of a part of the schema.
	Unknown []string
}

// HasParameters reports whether the source declares a parameter of the tool.
func (d *Definition) HasParameters() bool {
	_, properties, ok := bytes.Cut(d.InputSchema, []byte(`"properties":{`))
	return ok && !bytes.HasPrefix(bytes.TrimSpace(properties), []byte("}"))
}
