package posture

import "gauntlet/rawjson"

// tool reads the members in one pass. The last of duplicate members counts, as in [rawjson.Value.Get].
func (c *Collector) tool(v rawjson.Value) {
	var annotations, input, output, meta, stamp rawjson.Value
	for m := range v.Members() {
		switch m.Key.Text() {
		case "annotations":
			annotations = m.Value
		case "inputSchema":
			input = m.Value
		case "outputSchema":
			output = m.Value
		case "_meta":
			meta = m.Value
		case "version":
			stamp = m.Value
		}
	}
	c.total++
	c.hints(annotations)
	c.schema(input)
	c.count(outputSchema, output.Kind() == rawjson.Object)
	metaStamp := c.meta(meta)
	c.count(versionStamp, metaStamp || isStamp(stamp))
}

func (c *Collector) count(t toolTrait, has bool) {
	if has {
		c.tools[t]++
	}
}

// hints counts hints with a boolean value: either value is a statement. The last duplicate counts.
func (c *Collector) hints(annotations rawjson.Value) {
	var has [toolTraits]bool
	for m := range annotations.Members() {
		switch m.Key.Text() {
		case "readOnlyHint":
			_, has[readOnlyHint] = m.Value.Bool()
		case "destructiveHint":
			_, has[destructiveHint] = m.Value.Bool()
		case "openWorldHint":
			_, has[openWorldHint] = m.Value.Bool()
		}
	}
	has[annotated] = has[readOnlyHint] || has[destructiveHint] || has[openWorldHint]
	for t := range has {
		c.count(toolTrait(t), has[t])
	}
}

// schema reads only the top level of an input schema: nested objects and $ref are not followed, which is cheap and
// keeps the figures easy to verify.
func (c *Collector) schema(input rawjson.Value) {
	var closed bool
	var properties rawjson.Value
	for m := range input.Members() {
		switch m.Key.Text() {
		case "additionalProperties":
			open, ok := m.Value.Bool()
			closed = ok && !open
		case "properties":
			properties = m.Value
		}
	}
	c.count(closedSchema, closed)
	for p := range properties.Members() {
		c.parameter(p.Value)
	}
}

// parameter counts a property of an input schema if its type is exactly "string".
func (c *Collector) parameter(schema rawjson.Value) {
	isString, bounded := false, false
	for k := range schema.Members() {
		switch k.Key.Text() {
		case "type":
			isString = k.Value.Text() == "string"
		case "enum", "const", "pattern", "maxLength":
			bounded = true
		}
	}
	if isString {
		c.strings++
		if bounded {
			c.bounded++
		}
	}
}
