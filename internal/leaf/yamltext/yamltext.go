// Package yamltext parses YAML files written by users: one document, known keys, no anchors, and every error with line and column.
package yamltext

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/lazyregexp"
)

// Document returns the root of the only YAML document in text, nil if there is none. most bounds the text's bytes; what names the
// file in errors: "a policy".
func Document(text, what string, most int) (root *yaml.Node, err error) {
	switch {
	case len(text) > most:
		return nil, fmt.Errorf("the file has %d bytes; %s has at most %d", len(text), what, most)
	case !utf8.ValidString(text):
		return nil, errors.New("it is not UTF-8")
	case isBlankScalar(text):
		return nil, nil
	}
	// Third-party parser: its panic is a fault of the file.
	defer func() {
		if e := recover(); e != nil {
			root, err = nil, fmt.Errorf("it is not YAML: %v", e)
		}
	}()
	var doc yaml.Node
	switch err := yaml.Load([]byte(text), &doc); {
	case err != nil && strings.Contains(err.Error(), "found multiple"):
		return nil, errors.New("it is not YAML: more than one document")
	case err != nil:
		return nil, fmt.Errorf("it is not YAML: %w", err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("it is not one YAML document")
	}
	return doc.Content[0], nil
}

func isBlankScalar(text string) bool {
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); t != "" && t[0] != '#' {
			return false
		}
	}
	return true
}

// placeForm matches the position in the YAML parser's errors.
var placeForm = lazyregexp.New(`go-yaml [^:]* at (?:L\d+\.C\d+-)?L(\d+)\.C(\d+): `)

// Placed extracts the position from an error of the YAML parser.
func Placed(err error) *Fault {
	f := &Fault{Msg: err.Error()}
	if m := placeForm.FindStringSubmatch(f.Msg); m != nil {
		f.Line, _ = strconv.Atoi(m[1]) // digits; too many give line 0
		f.Column, _ = strconv.Atoi(m[2])
		f.Msg = strings.Replace(f.Msg, m[0], "", 1)
	}
	return f
}

// A Fault is an error with its position; line 0 if there is none.
type Fault struct {
	Line, Column int
	Msg          string
}

// Wrong returns a fault at a node.
func Wrong(n *yaml.Node, format string, args ...any) *Fault {
	return &Fault{n.Line, n.Column, fmt.Sprintf(format, args...)}
}

// Null reports whether a node is present and null.
func Null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// Members returns the values of a mapping whose keys must be known and unique. Aliases are rejected: a decision must be where it is
// read.
func Members(n *yaml.Node, known ...string) (map[string]*yaml.Node, *Fault) {
	if n.Kind != yaml.MappingNode {
		return nil, Wrong(n, "it is not a mapping")
	}
	out := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || !slices.Contains(known, k.Value):
			return nil, Wrong(k, "unknown key %.60q: want %s", k.Value, strings.Join(known, ", "))
		case out[k.Value] != nil:
			return nil, Wrong(k, "the key %s stands twice", k.Value)
		case v.Kind == yaml.AliasNode || v.Anchor != "" || k.Anchor != "":
			return nil, Wrong(k, "anchors and aliases are not read")
		}
		out[k.Value] = v
	}
	return out, nil
}

// Scalar returns a string as written, even where YAML would read a date or a number.
func Scalar(key string, n *yaml.Node) (string, *Fault) {
	plain := slices.Contains([]string{"!!str", "!!int", "!!float", "!!timestamp"}, n.ShortTag())
	if n.Kind != yaml.ScalarNode || !plain || n.Style&yaml.TaggedStyle != 0 {
		return "", Wrong(n, "%s is not a string", key)
	}
	return n.Value, nil
}
