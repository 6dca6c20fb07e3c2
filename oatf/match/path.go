package match

import (
	"errors"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// maxSegments is how deep a path may go, the depth that SDK §5.1.2 recommends.
const maxSegments = 64

// A Path is a simple dot-path such as arguments.command: names of members, one inside the
// other (§5.4, SDK §5.1.1). The path "" is the value itself.
type Path struct{ names []string }

// ParsePath reads a simple path. Names are made of letters, digits, _ and - (ASCII); a
// member whose name has anything else cannot be reached by a path.
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

// Find returns what the path leads to, absent if it leads nowhere: a member is missing, or
// something on the way is no object. null is found like any other value.
func (p Path) Find(v rawjson.Value) rawjson.Value {
	for _, name := range p.names {
		v = v.Get(name)
	}
	return v
}

// A Target is a wildcard dot-path such as tools[*].description (§5.4, SDK §5.1.2): a
// [Path] whose names may be followed by [*], every element of the array.
type Target struct{ steps []step }

type step struct {
	name string
	each bool // all elements of it
}

// ParseTarget reads a wildcard path.
func ParseTarget(s string) (Target, error) {
	steps, err := parseSteps(s)
	return Target{steps}, err
}

// Each calls yield with everything the target leads to, in document order, until yield
// returns false; it reports whether yield never did. The target "" leads to v itself, if
// that exists.
func (t Target) Each(v rawjson.Value, yield func(rawjson.Value) bool) bool {
	return eachAtPath(t.steps, v, yield)
}

// Any reports whether the target leads anywhere.
func (t Target) Any(v rawjson.Value) bool {
	return !t.Each(v, func(rawjson.Value) bool { return false })
}

func eachAtPath(steps []step, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	for i, st := range steps {
		v = v.Get(st.name)
		if !st.each {
			continue
		}
		for _, e := range v.Elements() {
			if !eachAtPath(steps[i+1:], e, yield) {
				return false
			}
		}
		return true
	}
	return !v.Exists() || yield(v)
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
			return errors.New("[*] behind a name is the only index that paths have")
		default:
			return fmt.Errorf("%q has a character that names in paths cannot have", excerpt.Clip(name, mostQuoted))
		}
	}
	return nil
}

// mostQuoted is how much of a stranger's text a message shows, in bytes.
const mostQuoted = 60
