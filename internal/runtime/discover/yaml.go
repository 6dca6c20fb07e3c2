package discover

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxNodes bounds the expansion of YAML aliases.
const maxNodes = 200_000

// parseYAML reads the first document of a YAML text.
func parseYAML(s string, l *lines) (root *node, err error) {
	// Third-party parser: its panic is a fault of the file.
	defer func() {
		if e := recover(); e != nil {
			root, err = nil, fmt.Errorf("%v", e)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(s), &doc); err != nil {
		return nil, err
	}
	c := yamlCopy{lines: l, left: maxNodes}
	root = &node{keyStart: -1}
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
		c.fill(root, doc.Content[0], 0)
	}
	if c.left <= 0 {
		return root, errors.New("it has too many values, perhaps through its aliases")
	}
	return root, nil
}

type yamlCopy struct {
	lines *lines
	left  int
}

func (c *yamlCopy) fill(n *node, y *yaml.Node, depth int) {
	n.start, n.end = c.nodeSpan(y)
	if c.left--; c.left <= 0 || depth >= maxDepth {
		n.unread = true
		return
	}
	switch y.Kind {
	case yaml.AliasNode:
		start, end := n.start, n.end
		if y.Alias != nil {
			c.fill(n, y.Alias, depth+1)
		}
		n.start, n.end = start, end // where it is used, not defined
	case yaml.SequenceNode:
		n.kind = list
		for _, e := range y.Content {
			child := &node{}
			n.addChild(child, "", -1, -1)
			c.fill(child, e, depth+1)
			n.end = max(n.end, child.end)
		}
	case yaml.MappingNode:
		n.kind = table
		for i := 0; i+1 < len(y.Content); i += 2 {
			child := &node{}
			start, end := c.nodeSpan(y.Content[i])
			n.addChild(child, y.Content[i].Value, start, end)
			c.fill(child, y.Content[i+1], depth+1)
			n.end = max(n.end, child.end)
		}
	case yaml.ScalarNode:
		n.kind, n.text = text, y.Value
		switch y.ShortTag() {
		case "!!bool":
			n.kind, n.text = boolean, strings.ToLower(y.Value)
		case "!!int", "!!float":
			n.kind = number
		case "!!null":
			n.kind, n.text = null, ""
		}
	}
}

// blockEnd returns where the lines end that belong to a block scalar: those indented like the first, and empty ones between.
func blockEnd(s string) (end int) {
	indent, at := -1, 0
	for line := range strings.Lines(s) {
		at += len(line)
		text := strings.TrimLeft(line, " ")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if n := len(line) - len(text); indent < 0 {
			indent = n
		} else if n < indent {
			break
		}
		end = at - len(line) + len(strings.TrimRight(line, "\r\n"))
	}
	return end
}

// nodeSpan returns a node's bytes: the parser gives the start, the text the end.
func (c *yamlCopy) nodeSpan(y *yaml.Node) (start, end int) {
	s := c.lines.text
	start = c.lines.offset(y.Line, y.Column)
	end = start
	if y.Kind != yaml.ScalarNode || start >= len(s) {
		return start, end
	}
	line := s[start:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	switch {
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return start, start + len(line) + blockEnd(s[start+len(line):])
	case strings.HasPrefix(line, y.Value):
		return start, start + len(y.Value)
	case line != "" && (line[0] == '"' || line[0] == '\''):
		for i := 1; i < len(line); i++ {
			if line[i] == '\\' && line[0] == '"' {
				i++
			} else if line[i] == line[0] {
				return start, start + i + 1
			}
		}
	}
	return start, start + len(strings.TrimRight(line, " \r"))
}
