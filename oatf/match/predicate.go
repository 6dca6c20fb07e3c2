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

// A Dispatch is an ordered list of response entries (§7.0.1, SDK §5.7).
type Dispatch struct {
	entries  []conditional
	fallback rawjson.Value
}

type conditional struct {
	when  *Predicate
	entry rawjson.Value
}

// ParseDispatch parses a dispatch list: an array of objects. Of several entries without when, which V-033 forbids, the
// first counts. The error is an *OperandError.
func ParseDispatch(list rawjson.Value) (*Dispatch, error) {
	if list.Kind() != rawjson.Array {
		return nil, &OperandError{list, errors.New("responses must be a list, not " + articleFor(list))}
	}
	d := &Dispatch{}
	for _, e := range list.Elements() {
		if e.Kind() != rawjson.Object {
			return nil, &OperandError{e, errors.New("a response must be an object, not " + articleFor(e))}
		}
		when := e.Get("when")
		if !when.Exists() || when.Kind() == rawjson.Null {
			if !d.fallback.Exists() {
				d.fallback = e
			}
			continue
		}
		p, err := ParsePredicate(when)
		if err != nil {
			return nil, err
		}
		d.entries = append(d.entries, conditional{p, e})
	}
	return d, nil
}

// Select returns the first entry whose when holds for the request's content, otherwise the entry without when, wherever
// it is; absent if there is neither. If ctx ends first, it returns the entry without when and an error.
func (d *Dispatch) Select(ctx context.Context, request rawjson.Value) (rawjson.Value, error) {
	for _, c := range d.entries {
		ok, err := c.when.Holds(ctx, request)
		switch {
		case err != nil:
			return d.fallback, err
		case ok:
			return c.entry, nil
		}
	}
	return d.fallback, nil
}

// CountHolding returns the number of entries whose when holds for a request's content, of which Select returns the
// first. It stops counting when ctx ends.
func (d *Dispatch) CountHolding(ctx context.Context, request rawjson.Value) (n int) {
	for _, c := range d.entries {
		ok, err := c.when.Holds(ctx, request)
		if err != nil {
			return n
		}
		if ok {
			n++
		}
	}
	return n
}
