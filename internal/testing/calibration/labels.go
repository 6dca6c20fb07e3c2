package calibration

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"gauntlet/capability"
)

// A Truth holds the human labels of one server's tools.
type Truth struct {
	Server string `yaml:"server"`
	// Family groups servers that resemble each other, so that none of them is judged by
	// what was learnt from another. Empty leaves it to Families.
	Family string          `yaml:"family"`
	Tools  map[string]Tool `yaml:"tools"`
}

// A Tool holds the human labels of one tool.
type Tool struct {
	Tags []capability.Tag `yaml:"tags"`
	// Maybe holds tags on which reasonable people differ: neither right nor wrong.
	Maybe []capability.Tag `yaml:"maybe"`
	// Hidden is the part of Tags that the definition gives no hint of. From the definition alone,
	// naming it is right and missing it is not wrong.
	Hidden []capability.Tag `yaml:"hidden"`
	// Claimed tags are advertised but only simulated: right from the definition alone, undecided
	// from the source.
	Claimed []capability.Tag `yaml:"claimed"`
	// Roles maps a parameter to its role; in "a|b" the first is preferred, both are right.
	Roles map[string]string `yaml:"roles"`
}

// Parse reads a file of labels. Unknown tags and roles are errors, so that a typing error does not
// count against the classifier.
func Parse(data []byte) (*Truth, error) {
	t := &Truth{}
	if err := yaml.Unmarshal(data, t); err != nil {
		return nil, err
	}
	if t.Server == "" {
		return nil, fmt.Errorf("no server is named")
	}
	for name, tool := range t.Tools {
		for _, tag := range slices.Concat(tool.Tags, tool.Maybe, tool.Hidden, tool.Claimed) {
			if _, err := capability.ParseTag(string(tag)); err != nil {
				return nil, fmt.Errorf("tool %q: %w", name, err)
			}
		}
		for param, roles := range tool.Roles {
			for r := range strings.SplitSeq(roles, "|") {
				if _, err := capability.ParseRole(r); err != nil {
					return nil, fmt.Errorf("tool %q: parameter %q: %w", name, param, err)
				}
			}
		}
	}
	return t, nil
}

// A verdict is how one predicted or true label counts.
type verdict uint8

const (
	masked verdict = iota
	right
	wrong
)

// countTag says how it counts to say tag, and whether it counts as missed not to say it.
func (t Tool) countTag(tag capability.Tag, mode capability.Mode) (said verdict, missed bool) {
	has := slices.Contains(t.Tags, tag)
	hidden := slices.Contains(t.Hidden, tag)
	switch {
	case has && hidden && mode == capability.DefinitionOnly:
		return right, false
	case has:
		return right, true
	case slices.Contains(t.Claimed, tag) && mode == capability.DefinitionOnly:
		return right, false
	case slices.Contains(t.Claimed, tag), slices.Contains(t.Maybe, tag):
		return masked, false
	}
	return wrong, false
}

// Learnable says what can be learnt about a tag from a definition: 1 the tool has it, -1 it does
// not, 0 nothing, since people differ on it or the definition does not show it.
func (t Tool) Learnable(tag capability.Tag) int8 {
	if slices.Contains(t.Hidden, tag) {
		return 0
	}
	switch said, _ := t.countTag(tag, capability.DefinitionOnly); said {
	case right:
		return 1
	case masked:
		return 0
	}
	return -1
}
