package surface

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/check"
	"gauntlet/internal/text"
)

// An article says which families of signals make a check fire. Main families belong to
// it; aid only adds weight, since none of it is an attack by itself.
type article struct{ main, aid []string }

// enough is the sum of weights from which on a field is an attack. A pattern of weight 3
// is enough by itself; lighter ones need company of another kind.
const enough = 3

// judge reports every field of the item whose signals suffice.
func (a article) judge(it *check.Item) {
	for i := range it.Fields {
		a.field(it, &it.Fields[i])
	}
}

func (a article) field(it *check.Item, f *check.Field) {
	c, ok := a.weigh(f)
	if !ok {
		return
	}
	it.Report(check.Report{
		Field: f, Start: c.heaviest.Start, End: c.heaviest.End, Normalized: c.heaviest.Read,
		Message: fmt.Sprintf("%s %s (%s)", where(f), c.heaviest.Says, strings.Join(c.names, ", ")),
	})
}

// A charge is what the signals of one field add up to.
type charge struct {
	heaviest text.Signal // of the main families: the one to quote
	names    []string    // of all signals that count
	weights  []int       // of each name, its heaviest
}

// weigh adds up the signals of a field. A pattern counts once, at its heaviest. At least
// one signal of a main family must weigh 2, or hints alone would make a finding.
func (a article) weigh(f *check.Field) (charge, bool) {
	var c charge
	for _, s := range f.Text.Signals {
		main := slices.Contains(a.main, s.Family)
		if !main && !slices.Contains(a.aid, s.Family) {
			continue
		}
		s.Weight = weight(f, s, main)
		if s.Weight <= 0 {
			continue
		}
		c.add(s.Family+"."+s.Name, s.Weight)
		if main && s.Weight > c.heaviest.Weight {
			c.heaviest = s
		}
	}
	sum := 0
	for _, w := range c.weights {
		sum += w
	}
	return c, c.heaviest.Weight >= 2 && sum >= enough
}

func (c *charge) add(name string, weight int) {
	if i := slices.Index(c.names, name); i >= 0 {
		c.weights[i] = max(c.weights[i], weight)
		return
	}
	c.names, c.weights = append(c.names, name), append(c.weights, weight)
}

// weight is a signal's weight in its place: more where it was hidden, less where it is
// quoted, and less where a description begins with it, since that says what the tool does.
func weight(f *check.Field, s text.Signal, main bool) int {
	w := s.Weight
	switch {
	case s.Hidden && main:
		w++
	case s.Hidden:
	case s.Quoted:
		w--
	}
	if f.Sort == check.Description && s.Start == 0 && !s.Hidden && slices.Contains(functions, s.Family) {
		w--
	}
	return w
}

// functions lists families whose words also describe what an honest tool does.
var functions = []string{"sensitive", "exfil", "shell"}

// where names a field in a message.
func where(f *check.Field) string {
	switch {
	case f.Sort == check.PropertyName:
		return "the name of a parameter"
	case f.IsKey:
		return "the name of a member"
	case f.Sort == check.SchemaDescription:
		return "a description in the schema"
	case f.Sort == check.SchemaValue:
		return "a value in the schema"
	case f.Sort == check.Instructions:
		return "the text of the instructions"
	case f.Sort == check.Annotation || f.Sort == check.Icon:
		return "an " + f.Sort.String()
	case f.Sort == check.Other || f.Sort == check.SchemaOther:
		return "a string of the definition"
	}
	return "the " + f.Sort.String()
}
