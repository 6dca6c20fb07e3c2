package classify

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/catalog"
)

// TestSchemaHidesNothing puts large or endless parameters before and after one that runs commands: its role and label stay, and only what was
// not read whole says so.
func TestSchemaHidesNothing(t *testing.T) {
	const command = `"command": {"type": "string", "description": "Shell command to run"}`
	self := `"options": {"$ref": "#/$defs/o"}`
	cycle := `"$defs": {"o": {"type": "object", "properties": {"a": {"$ref": "#/$defs/o"}, "b": {"$ref": "#/$defs/o"}, "c": {"items": {"$ref": "#/$defs/o"}}}}}`
	var levels, wide, alternatives, top strings.Builder
	for i := range 5 {
		var ps []string
		for j := range 6 {
			ps = append(ps, fmt.Sprintf(`"p%d": {"$ref": "#/$defs/l%d"}`, j, i+1))
		}
		fmt.Fprintf(&levels, `"l%d": {"type": "object", "properties": {%s}}, `, i, strings.Join(ps, ", "))
	}
	for i := range 2 * maxParameters {
		fmt.Fprintf(&wide, `"p%d": {"type": "string"}, `, i)
	}
	for range maxSchemas {
		alternatives.WriteString(`{"type": "string"}, `)
	}
	for i := range maxParameters {
		fmt.Fprintf(&top, `"p%d": {"type": "string"}, `, i)
	}
	deep := strings.Repeat(`{"type": "object", "properties": {"a": `, 2*maxNesting) + `{"type": "string"}` + strings.Repeat("}}", 2*maxNesting)
	for _, tt := range []struct {
		name, schema string
		unread       bool
	}{
		{"a cycle before it", `{"properties": {` + self + `, ` + command + `}, ` + cycle + `}`, false},
		{"a cycle after it", `{"properties": {` + command + `, ` + self + `}, ` + cycle + `}`, false},
		{"a cycle of references alone", `{"properties": {"a": {"$ref": "#/$defs/a"}, ` + command + `}, "$defs": {"a": {"$ref": "#/$defs/a"}}}`, false},
		{"any JSON value", `{"properties": {"a": {"$ref": "#/$defs/j"}, ` + command + `}, "$defs": {"j": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/j"}}, {"type": "object"}]}}}`, false},
		{"the whole schema as a part of itself", `{"properties": {` + command + `}, "allOf": [{"$ref": "#"}, {"$ref": "#"}]}`, false},
		{"one object in many places", `{"properties": {"a": {"$ref": "#/$defs/o"}, "b": {"$ref": "#/$defs/o"}, ` + command + `}, "$defs": {"o": {"type": "object", "properties": {"x": {"type": "string"}}}}}`, false},
		{"objects that multiply", `{"properties": {"o": {"$ref": "#/$defs/l0"}, ` + command + `}, "$defs": {` + levels.String() + `"l5": {"type": "string"}}}`, true},
		{"a wide object", `{"properties": {"o": {"type": "object", "properties": {` + wide.String() + `"last": {}}}, ` + command + `}}`, true},
		{"a deep object", `{"properties": {"o": ` + deep + `, ` + command + `}}`, true},
		{"many alternatives", `{"properties": {"o": {"anyOf": [` + alternatives.String() + `{}]}, ` + command + `}}`, true},
		{"a part of the schema behind a large parameter", `{"properties": {"o": {"$ref": "#/$defs/l0"}}, "allOf": [{"properties": {` + command + `}}], "$defs": {` + levels.String() + `"l5": {"type": "string"}}}`, true},
		{"an alternative of the schema", `{"type": "object", "anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {` + command + `}}]}`, false},
		{"a schema that is a reference", `{"$ref": "#/$defs/i", "$defs": {"i": {"type": "object", "properties": {` + command + `}}}}`, false},
		{"as many parameters as are read", `{"properties": {` + command + strings.TrimSuffix(strings.Replace(", "+top.String(), `"p0": {"type": "string"}, `, "", 1), ", ") + `}}`, false},
		{"more parameters than are read", `{"properties": {` + command + `, ` + strings.TrimSuffix(top.String(), ", ") + `}}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := classifyText(t, `{"tools": [{"name": "task", "description": "Does a task.", "inputSchema": `+tt.schema+`}]}`)
			tool := &s.Tools[0]
			if got := tool.Roles["command"].Role; got != capability.Command {
				t.Errorf("role of command: got %q in %.300s", got, tt.schema)
			}
			if len(tool.Capabilities) == 0 || tool.Capabilities[0].Tag != capability.Exec {
				t.Errorf("labels: got %v, want exec", tool.Capabilities)
			}
			if got := Unread(tool) != ""; got != tt.unread {
				t.Errorf("unread: got %v, want %v: %v", got, tt.unread, tool.Warnings)
			}
		})
	}
}

// TestDescriptionHidesNothing fills a description with actions before one that matters: what is not read is said.
func TestDescriptionHidesNothing(t *testing.T) {
	for _, tt := range []struct {
		times  int
		unread bool
	}{{20, false}, {2 * maxDeeds, true}} {
		s := classifyText(t, `{"tools": [{"name": "x", "description": "`+strings.Repeat("Reads the file and writes the row. ", tt.times)+`Runs any shell command on the host."}]}`)
		if got := Unread(&s.Tools[0]) != ""; got != tt.unread {
			t.Errorf("%d times: unread: got %v, want %v: %v", tt.times, got, tt.unread, s.Tools[0].Warnings)
		}
	}
}

// TestLongDescriptionHidesNothing puts what matters behind more text than is read.
func TestLongDescriptionHidesNothing(t *testing.T) {
	s := classifyText(t, `{"tools": [{"name": "x", "description": "`+strings.Repeat("word ", longestProse/5)+` Runs any shell command on the host."}]}`)
	if got := Unread(&s.Tools[0]); got != textTooLong {
		t.Errorf("got %q", got)
	}
}

// TestWordsHideNothing puts words that say nothing before the ones that matter.
func TestWordsHideNothing(t *testing.T) {
	harmless := "This is the value that the team agreed on last week for all of the settings of the new season and its many guests. "
	for _, tt := range []struct {
		name, tool string
		exec       bool
	}{
		{"a long name", `{"name": "` + strings.Repeat("a_", 500) + `execute_shell_command"}`, true},
		{"a long name of known words", `{"name": "` + strings.Repeat("list_item_", 500) + `execute_shell_command_again"}`, true},
		{"a long name that runs nothing", `{"name": "` + strings.Repeat("a_", 500) + `show_colour"}`, false},
		{"a long name of a parameter", `{"name": "task", "inputSchema": {"properties": {"` + strings.Repeat("a_", 12) + `shell_command": {"type": "string", "description": "Shell command to run."}}}}`, true},
		{"a long name of a parameter that is a colour", `{"name": "task", "inputSchema": {"properties": {"` + strings.Repeat("a_", 12) + `colour": {"type": "string"}}}}`, false},
		{"a long description of a parameter", `{"name": "task", "inputSchema": {"properties": {"input": {"type": "string", "description": "` + strings.Repeat(harmless, 3) + `Shell command to run."}}}}`, true},
		{"a long harmless description of a parameter", `{"name": "task", "inputSchema": {"properties": {"input": {"type": "string", "description": "` + strings.Repeat(harmless, 3) + `The colour to show."}}}}`, false},
		{"one of several alternatives", `{"name": "task", "inputSchema": {"properties": {"input": {"anyOf": [{"type": "object", "properties": {"command": {"type": "string", "description": "Shell command to run"}}}, {"type": "object", "properties": {"colour": {"type": "string"}}}]}}}}`, true},
		{"several harmless alternatives", `{"name": "task", "inputSchema": {"properties": {"input": {"anyOf": [{"type": "object", "properties": {"size": {"type": "string"}}}, {"type": "object", "properties": {"colour": {"type": "string"}}}]}}}}`, false},
		{"an object with alternatives", `{"name": "task", "inputSchema": {"properties": {"input": {"type": "object", "properties": {"command": {"type": "string", "description": "Shell command to run"}}, "oneOf": [{"properties": {"colour": {"type": "string"}}}]}}}}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := classifyText(t, `{"tools": [`+tt.tool+`]}`)
			tool := &s.Tools[0]
			got := false
			for _, c := range tool.Capabilities {
				got = got || c.Tag == capability.Exec
			}
			if got != tt.exec {
				t.Errorf("exec: got %v, want %v: %v %v", got, tt.exec, tool.Capabilities, tool.Roles)
			}
			if why := Unread(tool); why != "" {
				t.Errorf("unread: %s", why)
			}
		})
	}
}

// TestRequired finds the required parameters in lists of any length.
func TestRequired(t *testing.T) {
	for _, n := range []int{0, 63, 64, 65, 5000} {
		w := read(t, `{"tools": [{"name": "x", "inputSchema": {"properties": {"a": {}, "b": {}}, "required": [`+strings.Repeat(`"x", `, n)+`"b"]}}]}`)
		if w.params[0].must || !w.params[1].must {
			t.Errorf("behind %d names: a is required: %v, b: %v", n, w.params[0].must, w.params[1].must)
		}
	}
}

func classifyText(t *testing.T, text string) capability.Server {
	t.Helper()
	c, err := catalog.Parse("x.json", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return Server(c.Servers[0])
}
