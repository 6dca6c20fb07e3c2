package match

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// A Condition tests a value (§5.4, SDK §5.3): it equals a bare value, or all operators of an object hold.
type Condition struct {
	equal  rawjson.Value // absent if there are operators
	exists *bool
	tests  []test
	texts  bool // some test needs the text
}

// A test is an operator with its operand. text is the value as string operators see it, set only for those.
type test interface {
	matchesText(v rawjson.Value, text string) bool
}

// coerced returns what string operators see: a string itself, anything else as compact JSON with sorted names (SDK
// §5.3, "Type coercion").
func coerced(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return v.Text()
	}
	return v.Sorted()
}

// An OperandError says what is wrong in a condition or predicate, and where.
type OperandError struct {
	At  rawjson.Value // the operand, or the name of the wrong member
	Err error
}

func (e *OperandError) Error() string {
	if e.At.Pointer() == "" {
		return e.Err.Error()
	}
	return e.At.Pointer() + ": " + e.Err.Error()
}

func (e *OperandError) Unwrap() error { return e.Err }

// Operators returns the operators of conditions in the specification's order.
func Operators() []string {
	return []string{"contains", "starts_with", "ends_with", "regex", "any_of", "gt", "lt", "gte", "lte", "exists"}
}

// IsOperator reports whether name is an operator of conditions.
func IsOperator(name string) bool { return name == "exists" || operators[name] != nil }

// ParseCondition parses a condition. An object with at least one operator is a set of operators and must contain
// nothing else; any other value is compared for equality. The error is an *OperandError.
func ParseCondition(v rawjson.Value) (*Condition, error) {
	if !v.Exists() {
		return nil, &OperandError{v, fmt.Errorf("a condition is missing")}
	}
	if !hasOperator(v) {
		return &Condition{equal: v}, nil
	}
	c := &Condition{}
	for m := range v.Members() {
		if err := c.addOperator(m); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func hasOperator(v rawjson.Value) bool {
	for m := range v.Members() {
		if IsOperator(m.Key.Text()) {
			return true
		}
	}
	return false
}

func (c *Condition) addOperator(m rawjson.Member) error {
	name := m.Key.Text()
	if name == "exists" {
		b, ok := m.Value.Bool()
		if !ok {
			return &OperandError{m.Value, fmt.Errorf("exists needs true or false")}
		}
		c.exists = &b
		return nil
	}
	parse := operators[name]
	if parse == nil {
		return &OperandError{m.Key, fmt.Errorf("%q is no operator; there are %s", excerpt.Clip(name, mostQuoted), strings.Join(Operators(), ", "))}
	}
	t, err := parse(m.Value)
	if err != nil {
		return &OperandError{m.Value, fmt.Errorf("%s %w", name, err)}
	}
	c.tests = append(c.tests, t)
	switch t.(type) {
	case contains, startsWith, endsWith, matches:
		c.texts = true
	}
	return nil
}

// Holds reports whether v satisfies the condition. An absent v only satisfies exists: false as the only operator. A
// text that is too long for a regular expression, as in [Condition.Search], does not satisfy it.
func (c *Condition) Holds(v rawjson.Value) bool {
	ok, _ := c.checkValue(v)
	return ok
}

func (c *Condition) checkValue(v rawjson.Value) (bool, error) {
	switch {
	case c.exists != nil && *c.exists != v.Exists():
		return false, nil
	case !v.Exists():
		return c.exists != nil && len(c.tests) == 0, nil
	case c.equal.Exists():
		return rawjson.Equal(c.equal, v), nil
	}
	text := ""
	if c.texts {
		text = coerced(v)
	}
	for _, t := range c.tests {
		if m, ok := t.(matches); ok {
			if err := m.checkText(text); err != nil {
				return false, err
			}
		}
		if !t.matchesText(v, text) {
			return false, nil
		}
	}
	return true, nil
}

// HoldsAt reports whether any value at the target satisfies the condition (SDK §4.2), and returns the first. If the
// absence of values satisfies it, the returned value is absent.
func (c *Condition) HoldsAt(t Target, message rawjson.Value) (rawjson.Value, bool) {
	v, ok, _ := c.Search(t, message)
	return v, ok
}

// Search is HoldsAt, but returns an *EvalError of kind RegexTimeout if no value satisfies the condition and one has a
// text too long to search within a few seconds.
func (c *Condition) Search(t Target, message rawjson.Value) (found rawjson.Value, ok bool, err error) {
	s := search{condition: c}
	if v, ok := s.resolveAt(t.steps, message); ok {
		return v, true, nil
	}
	return rawjson.Value{}, s.err == nil && !s.anywhere && c.Holds(rawjson.Value{}), s.err
}

// A search is [Target.Each] with the condition built in, which saves a closure per message.
type search struct {
	condition *Condition
	anywhere  bool
	err       error // the first
}

func (s *search) resolveAt(steps []step, v rawjson.Value) (rawjson.Value, bool) {
	for i, st := range steps {
		v = v.Get(st.name)
		if !st.each {
			continue
		}
		for _, e := range v.Elements() {
			if found, ok := s.resolveAt(steps[i+1:], e); ok {
				return found, true
			}
		}
		return rawjson.Value{}, false
	}
	if !v.Exists() {
		return rawjson.Value{}, false
	}
	s.anywhere = true
	ok, err := s.condition.checkValue(v)
	if s.err == nil {
		s.err = err
	}
	return v, ok
}

// operators parse the operand of every operator but exists.
var operators = map[string]func(rawjson.Value) (test, error){
	"contains":    textOperator(func(s string) test { return contains(s) }),
	"starts_with": textOperator(func(s string) test { return startsWith(s) }),
	"ends_with":   textOperator(func(s string) test { return endsWith(s) }),
	"regex":       pattern,
	"any_of":      listOperator,
	"gt":          numeric(func(order int) bool { return order > 0 }),
	"lt":          numeric(func(order int) bool { return order < 0 }),
	"gte":         numeric(func(order int) bool { return order >= 0 }),
	"lte":         numeric(func(order int) bool { return order <= 0 }),
}

type contains string

func (c contains) matchesText(_ rawjson.Value, text string) bool {
	return strings.Contains(text, string(c))
}

type startsWith string

func (c startsWith) matchesText(_ rawjson.Value, text string) bool {
	return strings.HasPrefix(text, string(c))
}

type endsWith string

func (c endsWith) matchesText(_ rawjson.Value, text string) bool {
	return strings.HasSuffix(text, string(c))
}

func textOperator(of func(string) test) func(rawjson.Value) (test, error) {
	return func(v rawjson.Value) (test, error) {
		if v.Kind() != rawjson.String {
			return nil, fmt.Errorf("needs a string and not %s", articleFor(v))
		}
		return of(v.Text()), nil
	}
}

type matches struct{ program }

func (m matches) matchesText(_ rawjson.Value, text string) bool { return m.MatchString(text) }

func pattern(v rawjson.Value) (test, error) {
	if v.Kind() != rawjson.String {
		return nil, fmt.Errorf("needs a string and not %s", articleFor(v))
	}
	p, err := parseProgram(v.Text())
	if err != nil {
		return nil, err
	}
	return matches{p}, nil
}

type anyOf struct{ list rawjson.Value }

func (a anyOf) matchesText(v rawjson.Value, _ string) bool {
	for _, e := range a.list.Elements() {
		if rawjson.Equal(e, v) {
			return true
		}
	}
	return false
}

func listOperator(v rawjson.Value) (test, error) {
	if v.Kind() != rawjson.Array {
		return nil, fmt.Errorf("needs a list and not %s", articleFor(v))
	}
	return anyOf{v}, nil
}

type compares struct {
	with rawjson.Value
	want func(order int) bool
}

// matchesText is false for values that are not numbers (SDK §5.3, "Numeric type mismatches").
func (c compares) matchesText(v rawjson.Value, _ string) bool {
	order, ok := rawjson.CompareNumbers(v, c.with)
	return ok && c.want(order)
}

func numeric(want func(order int) bool) func(rawjson.Value) (test, error) {
	return func(v rawjson.Value) (test, error) {
		if v.Kind() != rawjson.Number {
			return nil, fmt.Errorf("needs a number and not %s", articleFor(v))
		}
		return compares{v, want}, nil
	}
}

func articleFor(v rawjson.Value) string {
	switch k := v.Kind(); k {
	case rawjson.Null, rawjson.Absent:
		return k.String()
	case rawjson.Array, rawjson.Object:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}
