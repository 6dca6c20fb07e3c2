package yamltext

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v4"

	"gauntlet/rawjson"
)

// maxDepth bounds nesting.
const maxDepth = 100

// JSON converts a value to JSON text by the core schema of YAML 1.2: an unquoted 12 is a number, an unquoted date a string. Keys
// must be strings and unique.
func JSON(n *yaml.Node) (string, *Fault) {
	b, fault := appendJSON(nil, n, 0)
	return string(b), fault
}

// Object reads a text of at most most bytes as a mapping and returns it as JSON in tree; what it is and what is wanted in it are for
// errors. An empty text is an absent value.
func Object(tree *rawjson.Tree, text, what, want string, most int) (rawjson.Value, error) {
	document, err := Document(text, what, most)
	if err != nil || document == nil {
		return rawjson.Value{}, err
	}
	asJSON, fault := JSON(document)
	if fault != nil {
		return rawjson.Value{}, fmt.Errorf("line %d: %s", fault.Line, fault.Msg)
	}
	if err := tree.Parse(asJSON, 0); err != nil {
		return rawjson.Value{}, err
	}
	if tree.Root().Kind() != rawjson.Object {
		return rawjson.Value{}, errors.New("want " + want)
	}
	return tree.Root(), nil
}

func appendJSON(b []byte, n *yaml.Node, depth int) ([]byte, *Fault) {
	switch {
	case depth > maxDepth:
		return nil, Wrong(n, "it is nested deeper than %d levels", maxDepth)
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return nil, Wrong(n, "anchors and aliases are not read")
	case n.Style&yaml.TaggedStyle != 0:
		return nil, Wrong(n, "tags are not read")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return appendObject(b, n, depth)
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, e := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			var fault *Fault
			if b, fault = appendJSON(b, e, depth+1); fault != nil {
				return nil, fault
			}
		}
		return append(b, ']'), nil
	}
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&quoted == 0 {
		json, ok, infinite := Core(n.Value)
		if infinite {
			return nil, Wrong(n, "%s is no number that a message can carry", n.Value)
		}
		if ok {
			return append(b, json...), nil
		}
	}
	return rawjson.AppendString(b, n.Value), nil
}

func appendObject(b []byte, n *yaml.Node, depth int) ([]byte, *Fault) {
	b = append(b, '{')
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, Wrong(key, "a key is not a string; a template such as {{name}} needs quotes around it")
		case key.ShortTag() == "!!merge" || key.Anchor != "":
			return nil, Wrong(key, "anchors and aliases are not read")
		case seen[key.Value]:
			return nil, Wrong(key, "the key %.60q stands twice", key.Value)
		}
		seen[key.Value] = true
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, key.Value), ':')
		var fault *Fault
		if b, fault = appendJSON(b, n.Content[i+1], depth+1); fault != nil {
			return nil, fault
		}
	}
	return append(b, '}'), nil
}
