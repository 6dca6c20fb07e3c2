package match

import (
	"cmp"
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

// A test is an operator with its operand: of the value, or of its text as string operators see it.
type test struct {
	ofValue func(rawjson.Value) bool
	ofText  func(string) (bool, error)
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
func IsOperator(name string) bool { return name == "exists" || operators[name].parse != nil }

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
	o := operators[name]
	if o.parse == nil {
		return &OperandError{m.Key, fmt.Errorf("%q is no operator; there are %s", excerpt.Clip(name, mostQuoted), strings.Join(Operators(), ", "))}
	}
	if m.Value.Kind() != o.kind {
		return &OperandError{m.Value, fmt.Errorf("%s needs %s and not %s", name, o.needs, articleFor(m.Value))}
	}
	t, err := o.parse(m.Value)
	if err != nil {
		return &OperandError{m.Value, fmt.Errorf("%s %w", name, err)}
	}
	c.tests = append(c.tests, t)
	c.texts = c.texts || t.ofText != nil
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
		if t.ofText == nil {
			if !t.ofValue(v) {
				return false, nil
			}
		} else if ok, err := t.ofText(text); !ok {
			return false, err
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
	anywhere := false
	t.Each(message, func(v rawjson.Value) bool {
		anywhere = true
		holds, failed := c.checkValue(v)
		if holds {
			found, ok = v, true
		}
		err = cmp.Or(err, failed)
		return !holds
	})
	if ok {
		return found, true, nil
	}
	return found, err == nil && !anywhere && c.Holds(rawjson.Value{}), err
}

// An operator is made a test by an operand of a kind, for which needs is the word.
type operator struct {
	kind  rawjson.Kind
	needs string
	parse func(operand rawjson.Value) (test, error)
}

// operators are all but exists.
var operators = map[string]operator{
	"contains":    textOperator(strings.Contains),
	"starts_with": textOperator(strings.HasPrefix),
	"ends_with":   textOperator(strings.HasSuffix),
	"regex":       {rawjson.String, "a string", parseRegexTest},
	"any_of":      {rawjson.Array, "a list", parseListTest},
	"gt":          numberOperator(func(order int) bool { return order > 0 }),
	"lt":          numberOperator(func(order int) bool { return order < 0 }),
	"gte":         numberOperator(func(order int) bool { return order >= 0 }),
	"lte":         numberOperator(func(order int) bool { return order <= 0 }),
}

func textOperator(holds func(text, operand string) bool) operator {
	return operator{rawjson.String, "a string", func(v rawjson.Value) (test, error) {
		operand := v.Text()
		return test{ofText: func(text string) (bool, error) { return holds(text, operand), nil }}, nil
	}}
}

func parseRegexTest(v rawjson.Value) (test, error) {
	p, err := parseProgram(v.Text())
	return test{ofText: func(text string) (bool, error) {
		if err := p.checkText(text); err != nil {
			return false, err
		}
		return p.MatchString(text), nil
	}}, err
}

func parseListTest(list rawjson.Value) (test, error) {
	return test{ofValue: func(v rawjson.Value) bool {
		for _, e := range list.Elements() {
			if rawjson.Equal(e, v) {
				return true
			}
		}
		return false
	}}, nil
}

// numberOperator compares numbers; it is false for other values (SDK §5.3, "Numeric type mismatches").
func numberOperator(want func(order int) bool) operator {
	return operator{rawjson.Number, "a number", func(operand rawjson.Value) (test, error) {
		return test{ofValue: func(v rawjson.Value) bool {
			order, ok := rawjson.CompareNumbers(v, operand)
			return ok && want(order)
		}}, nil
	}}
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
