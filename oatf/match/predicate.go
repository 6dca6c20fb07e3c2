package match

import (
	"context"
	"errors"

	"gauntlet/rawjson"
)

// A Predicate is a set of conditions by simple path that must all hold (§5.4, SDK §5.4). An empty one always holds.
type Predicate struct{ entries []entry }

type entry struct {
	path      Path
	condition *Condition
}

// ParsePredicate parses an object whose names are paths. The error is an *OperandError.
func ParsePredicate(v rawjson.Value) (*Predicate, error) {
	if v.Kind() != rawjson.Object {
		return nil, &OperandError{v, errors.New("a predicate must be an object of paths and conditions, not " + articleFor(v))}
	}
	p := &Predicate{}
	for m := range v.Members() {
		path, err := ParsePath(m.Key.Text())
		if err != nil {
			return nil, &OperandError{m.Key, err}
		}
		c, err := ParseCondition(m.Value)
		if err != nil {
			return nil, err
		}
		p.entries = append(p.entries, entry{path, c})
	}
	return p, nil
}

// Holds reports whether every condition holds. A condition on a missing value does not, except exists: false. The error
// means that ctx ended first: a document may have ten thousand conditions, and a peer chooses the length of values.
func (p *Predicate) Holds(ctx context.Context, v rawjson.Value) (bool, error) {
	for _, e := range p.entries {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if !e.condition.Holds(e.path.Find(v)) {
			return false, nil
		}
	}
	return true, nil
}
