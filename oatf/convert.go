package oatf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/yamltext"
	"gauntlet/rawjson"
)

// maxAliased limits the values that aliases expand to. Aliases are forbidden and are followed only to check the rest of the document.
const maxAliased = 10_000

// converter writes a YAML tree as JSON and records the position of every value.
type converter struct {
	limits       Limits
	placeholders placeholders
	json         strings.Builder
	src          *source
	path         []string // of the value being written: ".attack", "[0]"
	faults       tally    // counts src.faults
	aliased      int      // values written for aliases
	inAlias      int
}

// readSource reads a text into a tree. The diagnostic says why a text is not YAML of this format at all; other errors
// are collected in faults.
func readSource(text string, limits Limits) (*source, *Diagnostic) {
	if len(text) > limits.Bytes {
		return nil, syntaxError(0, 0, "the text has %d bytes; the limit is %d", len(text), limits.Bytes)
	}
	placeholders, err := placeholdersFor(text)
	if err != nil {
		return nil, syntaxError(0, 0, "%v", err)
	}
	document, failed := parseYAML(placeholders.put.Replace(text), limits)
	if failed != nil {
		return nil, failed
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, syntaxError(root.Line, root.Column, "the document is no mapping: want the keys oatf and attack")
	}
	c := converter{limits: limits, placeholders: placeholders, src: &source{lines: Lines(text)}}
	c.directives()
	c.countComments(document)
	if failed := c.writeNode(root, 0); failed != nil {
		return nil, failed
	}
	if err := c.src.tree.Parse(c.json.String(), 0); err != nil {
		return nil, syntaxError(0, 0, "the text cannot be read: %v", err)
	}
	return c.src, nil
}

func (c *converter) writeNode(n *yaml.Node, depth int) *Diagnostic {
	c.countComments(n)
	if depth > c.limits.Depth && c.inAlias > 0 {
		c.json.WriteString("null") // the alias was reported
		return nil
	} else if depth > c.limits.Depth {
		return syntaxError(n.Line, n.Column, "the document is nested deeper than %d levels", c.limits.Depth)
	}
	if n.Anchor != "" && n.Kind != yaml.AliasNode && c.inAlias == 0 {
		c.fault(n, "V-020", "§11.1.1", "the YAML anchor &%s is forbidden: write the value out where it is needed", n.Anchor)
	}
	if c.inAlias == 0 {
		c.markPosition(n)
	} else if c.aliased++; c.aliased > maxAliased {
		c.json.WriteString("null")
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.alias(n, depth)
	case yaml.MappingNode:
		return c.writeMapping(n, depth)
	case yaml.SequenceNode:
		return c.sequence(n, depth)
	default:
		c.writeScalar(n)
		return nil
	}
}

func (c *converter) countComments(n *yaml.Node) {
	for _, s := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		if s != "" && c.inAlias == 0 {
			c.src.comments += 1 + strings.Count(s, "\n")
		}
	}
}

func (c *converter) markPosition(n *yaml.Node) {
	c.src.marks = append(c.src.marks, mark{c.json.Len(), n.Line, n.Column})
}

func (c *converter) alias(n *yaml.Node, depth int) *Diagnostic {
	if c.inAlias == 0 {
		c.fault(n, "V-020", "§11.1.1", "the YAML alias *%s is forbidden: write the value out", n.Value)
	}
	if n.Alias == nil {
		c.json.WriteString("null")
		return nil
	}
	c.inAlias++
	defer func() { c.inAlias-- }()
	return c.writeNode(n.Alias, depth+1)
}

func (c *converter) writeMapping(n *yaml.Node, depth int) *Diagnostic {
	c.customTag(n, "!!map")
	if len(n.Content)/2 > c.limits.Width {
		return syntaxError(n.Line, n.Column, "a mapping has %d keys; the limit is %d", len(n.Content)/2, c.limits.Width)
	}
	c.json.WriteByte('{')
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			c.countComments(key)
			c.fault(key, string(Syntax), "§11.1.1", "a key must be a string%s", bracesAdvice(key))
			continue
		}
		key.Value = c.placeholders.take.Replace(key.Value)
		c.path = append(c.path, "."+key.Value)
		c.countComments(key)
		if !c.checkKey(key, seen) {
			c.path = c.path[:len(c.path)-1]
			continue
		}
		if len(seen) > 1 {
			c.json.WriteByte(',')
		}
		if c.inAlias == 0 {
			c.markPosition(key)
		}
		c.json.WriteString(rawjson.Quote(key.Value))
		c.json.WriteByte(':')
		if failed := c.writeNode(value, depth+1); failed != nil {
			return failed
		}
		c.path = c.path[:len(c.path)-1]
	}
	c.json.WriteByte('}')
	return nil
}

// bracesAdvice is for unquoted templates, which YAML reads as nested mappings.
func bracesAdvice(key *yaml.Node) string {
	if key.Kind == yaml.MappingNode && key.Style&yaml.FlowStyle != 0 {
		return ": a template such as {{name}} needs quotes around it"
	}
	return ""
}

// checkKey reports whether the key of a mapping can be a member name.
func (c *converter) checkKey(n *yaml.Node, seen map[string]bool) bool {
	switch {
	case n.Tag == "!!merge":
		c.fault(n, "V-020", "§11.1.1", "the YAML merge key << is forbidden: write the keys out")
		return false
	case n.Anchor != "":
		c.fault(n, "V-020", "§11.1.1", "the YAML anchor &%s is forbidden", n.Anchor)
	}
	c.customTag(n, "!!str")
	if seen[n.Value] {
		c.fault(n, string(Syntax), "§11.1.1", "the key %q stands twice in one mapping: the second one is ignored", n.Value)
		return false
	}
	seen[n.Value] = true
	return true
}

func (c *converter) sequence(n *yaml.Node, depth int) *Diagnostic {
	c.customTag(n, "!!seq")
	if len(n.Content) > c.limits.Width {
		return syntaxError(n.Line, n.Column, "a list has %d entries; the limit is %d", len(n.Content), c.limits.Width)
	}
	c.json.WriteByte('[')
	for i, e := range n.Content {
		if i > 0 {
			c.json.WriteByte(',')
		}
		c.path = append(c.path, "["+strconv.Itoa(i)+"]")
		if failed := c.writeNode(e, depth+1); failed != nil {
			return failed
		}
		c.path = c.path[:len(c.path)-1]
	}
	c.json.WriteByte(']')
	return nil
}

// writeScalar writes a plain scalar with its type in the core schema, any other as a string.
func (c *converter) writeScalar(n *yaml.Node) {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	tagged := n.Style&yaml.TaggedStyle != 0 || n.Tag == "!"
	if tagged {
		c.customTag(n, "!!str", "!!int", "!!float", "!!bool", "!!null", "!")
	}
	plain := n.Style&quoted == 0
	if tagged && (n.Tag == "!!int" || n.Tag == "!!float" || n.Tag == "!!bool" || n.Tag == "!!null") {
		plain = true
	} else if tagged {
		plain = false
	}
	if plain {
		json, ok, infinite := yamltext.Core(n.Value)
		if infinite {
			c.fault(n, string(TypeMismatch), "SDK §2.1", "%s is no number that a message can carry", n.Value)
		}
		if ok {
			c.json.WriteString(json)
			return
		}
	}
	c.json.WriteString(rawjson.Quote(c.placeholders.take.Replace(n.Value)))
}

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
