package oatf

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"gauntlet/rawjson"
)

// fault records YAML that this format forbids. Reading continues.
func (c *converter) fault(n *yaml.Node, rule, section string, format string, args ...any) {
	if c.faults.full() {
		return
	}
	d := Diagnostic{
		Severity: SeverityError, Rule: rule, Kind: Syntax, Section: section,
		Path: strings.TrimPrefix(strings.Join(c.path, ""), "."), Pointer: c.pointerHere(),
		Line: n.Line, Column: n.Column, EndLine: n.Line, EndColumn: n.Column + c.width(n),
		Message: fmt.Sprintf(format, args...),
	}
	c.faults.countDiagnostic(&d)
	c.src.faults = append(c.src.faults, d)
}

func (c *converter) pointerHere() string {
	var b strings.Builder
	for _, part := range c.path {
		b.WriteByte('/')
		if index, ok := strings.CutPrefix(part, "["); ok {
			b.WriteString(strings.TrimSuffix(index, "]"))
		} else {
			b.WriteString(rawjson.EscapePointer(part[1:]))
		}
	}
	return b.String()
}

func (c *converter) width(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(c.src.lines) {
		return 1
	}
	return caretSpan(c.src.lines[n.Line-1], n.Column)
}

// directives reports tag directives, which only serve custom tags.
func (c *converter) directives() {
	for i, line := range c.src.lines {
		if strings.HasPrefix(line, "%TAG") {
			c.fault(&yaml.Node{Line: i + 1, Column: 1}, "V-020", "§11.1.1", "custom YAML tags are forbidden, so there is nothing to declare with %%TAG: take the line out")
		}
		if strings.HasPrefix(line, "---") {
			return
		}
	}
}

// customTag reports an explicit tag that is not one of plain.
func (c *converter) customTag(n *yaml.Node, plain ...string) {
	if n.Style&yaml.TaggedStyle == 0 || c.inAlias > 0 {
		return
	}
	tag := n.ShortTag()
	if slices.Contains(plain, tag) {
		return
	}
	c.fault(n, "V-020", "§11.1.1", "the YAML tag %s is forbidden: write the value itself", tag)
}
