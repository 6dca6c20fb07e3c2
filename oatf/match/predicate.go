package match

import (
	"context"
	"errors"

	"gauntlet/rawjson"
)

// A Predicate is a set of conditions, each on what a simple path leads to, that must all
// hold (§5.4, SDK §5.4). One without conditions always holds.
type Predicate struct{ entries []entry }

type entry struct {
	path      Path
	condition *Condition
}

// ParsePredicate reads a predicate: an object whose names are paths. A fault is an
// *OperandError.
func ParsePredicate(v rawjson.Value) (*Predicate, error) {
	if v.Kind() != rawjson.Object {
		return nil, &OperandError{v, errors.New("a predicate is an object of paths and conditions, and not " + articleFor(v))}
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

// Holds reports whether every condition holds. One on a path that leads nowhere does not,
// unless it is exists: false. The error is that ctx was over before all were looked at: a
// document may have ten thousand conditions, and a peer chooses how long a value is.
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
