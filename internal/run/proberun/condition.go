package proberun

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/probe"
)

// conditionPairs is how many true and false conditions are sent in random order before their answers count: a server whose answers
// differ for another reason matches the order by chance once in 924 times.
const conditionPairs = 6

// tryConditions tests whether answers follow conditions on random numbers, for the targets that labels ask for (planned) or the
// others.
func (r *run) tryConditions(ctx context.Context, planned bool) {
	for _, t := range r.targets {
		if t.Planned != planned || t.settled() || t.tool.slowness() > 0 || len(t.Parameter.Enum) > 0 {
			continue
		}
		for _, c := range t.Conditions() {
			if r.over(ctx) {
				return
			}
			found := r.followsCondition(ctx, t, c, repeated)
			if found == nil {
				continue
			}
			t.weigh(found, t.declares(payloads.languages[probe.NoSQLInjection], t.tool.description), func(k control) bool { return r.followsCondition(ctx, t, c, k) != nil })
			r.tellFindings()
			if t.settled() {
				break
			}
		}
	}
}

// followsCondition returns the proof that a tool's answers follow the truth of a condition: answers to true ones are equal, answers
// to false ones are equal, and the two differ. Every value has new numbers, so that echoing makes the answers differ.
func (r *run) followsCondition(ctx context.Context, t *target, c Condition, k control) *probe.Proof {
	if k == whole && !c.Whole {
		c = wholeCondition
	}
	var answers [2]string
	var last conditionCall
	for i, holds := range append([]bool{true, false}, randomOrder()...) {
		call := r.sendCondition(ctx, t, c, holds, k)
		which := 0
		if holds {
			which = 1
		}
		switch {
		case !call.answer.Came || r.over(ctx):
			return nil
		case i < 2:
			answers[which] = call.text
		case call.text != answers[which]:
			return nil
		}
		if i == 1 && answers[0] == answers[1] {
			return nil
		}
		if holds {
			last = call
		}
	}
	method, _ := t.tool.request("{}")
	return &probe.Proof{
		Kind: probe.Truth, Variant: c.Variant, Payload: last.payload, Method: method, Arguments: last.answer.Sent, Answer: Excerpt(last.answer.Text, last.payload),
		Observed: fmt.Sprintf("the answers follow a condition on random numbers in the value: one answer to %d true ones, another to %d false ones", conditionPairs+1, conditionPairs+1),
	}
}

// randomOrder returns as many true as false values, shuffled.
func randomOrder() []bool {
	out := make([]bool, 2*conditionPairs)
	for i, place := range rand.Perm(len(out)) {
		out[place] = i < conditionPairs
	}
	return out
}

// A conditionCall is one call with a condition in one parameter.
type conditionCall struct {
	payload string
	answer  Answer
	text    string // the answer's text without the payload
}

func (r *run) sendCondition(ctx context.Context, t *target, c Condition, holds bool, k control) conditionCall {
	value, text := c.Value(holds, k == twin, r.newMark(t))
	set := map[string]any{t.Parameter.Path: value}
	if c.All {
		for _, p := range t.tool.Schema.Parameters() {
			if p.Required && p.Free() {
				set[p.Path] = value
			}
		}
	}
	a := r.give(ctx, t.tool, set)
	return conditionCall{text, a, strings.TrimSpace(Strip(a.Text, text))}
}

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

// inText puts a condition into a text, at {claim}. A random word comes first where a record has to be named, since none contains it.
func inText(variant, text, equals string) Condition {
	return Condition{Variant: variant, write: func(holds bool, m Mark) any {
		return strings.NewReplacer("{token}", m.Token, "{claim}", comparison(holds, m, equals)).Replace(text)
	}}
}

var wholeCondition = Condition{Variant: "a condition behind a number", Whole: true, write: inText("", "0 OR {claim}", "=").write}

var sqlConditions = []Condition{
	inText("a condition behind a quotation mark", "{token}' OR {claim} -- ", "="),
	inText("a condition behind a quotation mark and a bracket", "{token}') OR {claim} -- ", "="),
	inText("a condition behind a double quotation mark", `{token}" OR {claim} -- `, "="),
	wholeCondition,
	inText("a limit behind a column", "1 LIMIT (CASE WHEN {claim} THEN 1 ELSE 0 END) -- ", "="),
	inText("a sort that can fail", "(CASE WHEN {claim} THEN 1 ELSE (SELECT 1 UNION SELECT 2) END)", "="),
	inText("a sort that can fail in SQLite", "(CASE WHEN {claim} THEN 1 ELSE abs(-9223372036854775808) END)", "="),
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
	inText("code in a condition", "{token}' || {claim} || '", "=="),
}

// Conditions returns the comparisons to try on a target; none for classes without such a proof, and for parameters that take a
// whole query, where the caller writes the conditions anyway.
func (t *target) Conditions() []Condition {
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
