package match

import (
	"errors"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// maxSegments limits the depth of a path to what SDK §5.1.2 recommends.
const maxSegments = 64

// A Path is a simple dot-path such as arguments.command: nested member names (§5.4, SDK §5.1.1). "" is the value itself.
type Path struct{ names []string }

// ParsePath parses a simple path. Names consist of ASCII letters, digits, _ and -; other members cannot be reached by a path.
func ParsePath(s string) (Path, error) {
	steps, err := parseSteps(s)
	if err != nil {
		return Path{}, err
	}
	var p Path
	for _, st := range steps {
		if st.each {
			return Path{}, fmt.Errorf("%q: [*] has no place in a simple path", excerpt.Clip(s, mostQuoted))
		}
		p.names = append(p.names, st.name)
	}
	return p, nil
}

// Find returns the value at the path, absent if a member is missing or a value on the way is not an object. null is a
// value like any other.
func (p Path) Find(v rawjson.Value) rawjson.Value {
	for _, name := range p.names {
		v = v.Get(name)
	}
	return v
}

// A Target is a wildcard dot-path such as tools[*].description (§5.4, SDK §5.1.2): a [Path] whose names may be followed
// by [*] for every element of the array.
type Target struct{ steps []step }

type step struct {
	name string
	each bool // all elements
}

// ParseTarget parses a wildcard path.
func ParseTarget(s string) (Target, error) {
	steps, err := parseSteps(s)
	return Target{steps}, err
}

// Each calls yield with every value at the target, in document order, until yield returns false, and reports whether it
// never did. The target "" is v itself, if it exists.
func (t Target) Each(v rawjson.Value, yield func(rawjson.Value) bool) bool {
	for i, st := range t.steps {
		v = v.Get(st.name)
		if !st.each {
			continue
		}
		for _, e := range v.Elements() {
			if !(Target{t.steps[i+1:]}).Each(e, yield) {
				return false
			}
		}
		return true
	}
	return !v.Exists() || yield(v)
}

// Any reports whether there is a value at the target.
func (t Target) Any(v rawjson.Value) bool {
	return !t.Each(v, func(rawjson.Value) bool { return false })
}

func parseSteps(s string) ([]step, error) {
	if s == "" {
		return nil, nil
	}
	if strings.Count(s, ".") >= maxSegments {
		return nil, fmt.Errorf("a path deeper than %d members", maxSegments)
	}
	var steps []step
	for part := range strings.SplitSeq(s, ".") {
		name, each := strings.CutSuffix(part, "[*]")
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("%q: %w", excerpt.Clip(s, mostQuoted), err)
		}
		steps = append(steps, step{name, each})
	}
	return steps, nil
}

func checkName(name string) error {
	if name == "" {
		return errors.New("a name is missing")
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		case c == '[':
			return errors.New("[*] after a name is the only index in paths")
		default:
			return fmt.Errorf("%q has a character that is not allowed in path names", excerpt.Clip(name, mostQuoted))
		}
	}
	return nil
}

// mostQuoted limits the bytes of untrusted text quoted in a message.
const mostQuoted = 60
